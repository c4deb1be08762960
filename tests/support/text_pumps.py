"""Texts that take a careless pattern or parser long: each shape grows to any size, and what costs more than it should shows."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

Shape = Callable[[int], str]
"""A text of about so many characters."""

PIECES = [
    *" \t\n\u3000\xa0", " \n", "\n ", "\n\n- ", "a", "A", "1", "0", "가", "다", "ㄱ", "é", "e\u0301", "\u0301", "日",
    *"제조항호목법령칙의은는를일이십백천만억원년월명", *"()[]{}<>「」『』《》【】\"'“”`", *"*#-_=~·,.:;!?/\\|@&%+^①",
    "1. ", "1.", "1) ", "1~", "1-", "1,", "1, ", "1·", "1 ", "1/", "1:", "1조", "제1조", "제 1 조 ", "제1조의2", "1항 ", "제1항", "1의",
    "1와 ", "1과", "1및", "제1", "1~1조", "1억 ", "1만", "천만", "1천", "1,000", "1,000,", "1.1", "12월", "2026. 1. ", "2026-1-1 ", "1분의",
    "일이", "이십", "백만 ", "만 ", "십조", "오후 1시", "가. ", "다. ", "다.", "다.\n", "- ", "**가** ", "**", "* ", "# ", "## 가\n", "가 나 ",
    "가나다라 ", "법 ", "근로기준법 ", "근로기준법", "상법 1", "시행령 ", "법률", "같은 법 ", "「가", "(1", "( ", "(가) ", "[1", "[1] ", "[1,", "[1]\n",
    "[[", "[문서 ", "<a", "</", "<|", "<a>", "<< ", "a.", "a@", "a@a.", "a-", "a_", "http://a", "010-", "010 1234 ", "1 1", "가1", "가\n", "\n1. ",
    "너는 ", "이전 지시 ", "ignore ", "the ", "system ", "system: ", "모든 ", "의 ", "프롬프트 ", "직원 ", "직원이 ", "5명 ", "때문에 ", "그럼 ", "그리고 ", "인가요? ",
    "하고 ", "? ", "?", "...", "…", "```", "```json {", "{", "}{", "{\"a\":", "---\n", "ㅋㅋ", "가가 ", "각 호 ", "이하의 ", "까지 ", "문서 ", "문서에 ",
]  # fmt: skip
_TAILS = ("", "x", "\n", "가", "1", "!")


def repeated(piece: str, tail: str = "") -> Shape:
    """``piece`` over and over, then ``tail``."""
    return lambda size: (piece * (size // len(piece) + 1))[: size - len(tail)] + tail


def led_by(head: str, piece: str, tail: str = "") -> Shape:
    """``head`` once, then `repeated`."""
    return lambda size: (head + repeated(piece, tail)(max(1, size - len(head))))[:size]


def nested(opening: str, closing: str) -> Shape:
    """Brackets in brackets."""
    return lambda size: opening * (size // 2) + closing * (size // 2)


def word(size: int) -> str:
    """Return a word of ``size`` random syllables; the same at every call."""
    rng = random.Random(size)
    return "".join(chr(rng.randrange(0xAC00, 0xD7A4)) for _ in range(size))


def mixed(seed: int) -> Shape:
    """The repeated pieces in a random order."""

    def build(size: int) -> str:
        rng = random.Random(seed)
        return "".join(rng.choice(PIECES) for _ in range(size))[:size]

    return build


GENERAL: dict[str, Shape] = {
    **{f"{piece!r} repeated": repeated(piece) for piece in PIECES},
    **{f"{piece!r} repeated, then a letter": repeated(piece, "x") for piece in " \t\n1가(." if piece},
    "one word": word,
    "round brackets": nested("(", ")"),
    "square brackets": nested("[", "]"),
    "quotation brackets": nested("「", "」"),
    "quotation marks": nested("“", "”"),
    **{f"mixed {seed}": mixed(seed) for seed in range(4)},
}
"""Shapes that every text function is tried with."""


def own_shapes(words: Iterable[str]) -> dict[str, Shape]:
    """Shapes made of the words of one pattern: each repeated, and each in front of a long run that leads nowhere."""
    shapes: dict[str, Shape] = {}
    for piece in words:
        shapes[f"{piece!r} repeated"] = repeated(piece)
        shapes[f"{piece!r} and blanks between"] = repeated(f"{piece} ", "x")
        shapes[f"{piece!r}, then blanks"] = led_by(piece, " ", "x")
        shapes[f"{piece!r}, then line breaks"] = led_by(piece, "\n", "x")
        shapes[f"{piece!r}, then letters"] = led_by(piece, "가")
        shapes[f"{piece!r}, then digits"] = led_by(piece, "1")
    return shapes


def cpu_seconds(work: Callable[[], object], runs: int = 6, enough: float = 0.01, hopeless: float = 0.3) -> float:
    """CPU time of this thread for ``work``, the least of ``runs``.

    One run will do where it is below ``enough``, or so long that no noise explains it.
    """
    least = float("inf")
    gc.disable()  # what a collection takes depends on all that the tests before have left
    try:
        for _ in range(runs):
            started = time.thread_time()
            work()
            least = min(least, time.thread_time() - started)
            if not enough <= least <= hopeless:
                break
    finally:
        gc.enable()
    return least


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds of a text function at ``size`` characters, and how many times those at half of it that is."""

    seconds: float
    size: int
    growth: float


LINEAR = 3.0  # of twice the text at most so many times the time; quadratic is four
_ROUNDS = 5


def cost(work: Callable[[str], object], shape: Shape, size: int, limit: float, measurable: float = 0.015) -> Cost:
    """Measure ``work`` on ``shape`` at ``size``; growth is 1 where that is too little to be measured.

    Noise only adds: what is within the limit is measured once. Half of the text is measured three times, lest noise there hides
    growth. Growth beyond `LINEAR` is measured up to `_ROUNDS` times; the least of either text counts. What is more than linear grows so from a
    quarter to a half, too: the mean of both doublings counts where it is less.

    It grows from small, so that what is exponential or cubic is known for it before it takes hours.
    """
    small = 16
    while small < size:
        seconds = _seconds(work, shape, small, enough=limit)
        if seconds > limit:
            return Cost(seconds, small, float("inf"))
        small += max(4, small) if small >= 32 else 4
    seconds = _seconds(work, shape, size, enough=limit)
    if seconds < measurable:
        return Cost(seconds, size, 1.0)
    if seconds > limit:
        return Cost(seconds, size, float("inf"))
    half, growth = float("inf"), float("inf")
    for number in range(_ROUNDS):
        seconds = min(seconds, _seconds(work, shape, size, enough=limit)) if number else seconds
        half = min(half, _seconds(work, shape, size // 2, runs=3))
        growth = seconds / max(half, 1e-6)
        if growth <= LINEAR:
            break
    else:
        quarter = _seconds(work, shape, size // 4, runs=3)
        growth = min(growth, (seconds / max(quarter, 1e-6)) ** 0.5)
    return Cost(seconds, size, growth)


def _seconds(work: Callable[[str], object], shape: Shape, size: int, *, enough: float = 0.01, runs: int = 6) -> float:
    text = shape(size)
    return cpu_seconds(lambda: work(text), runs, enough)
