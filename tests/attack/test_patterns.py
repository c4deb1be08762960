"""No pattern of the product takes longer than its text is long: every one of them, wherever it is kept, is pumped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from tests.support.compiled_patterns import Pattern, literal_patterns, literals, patterns_of, product_modules, scans
from tests.support.text_pumps import GENERAL, LINEAR, Shape, cost, cpu_seconds, led_by, own_shapes, repeated
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

# Seconds of CPU that one call may take: 50 ms where nothing else runs, and as much again for a machine that is shared, whose caches
# and clock others use as well. What grows out of proportion is found by its growth.
LIMIT = 2 * 0.05
MESSAGE, TURN = 2_000, 8_000  # characters that a request may bring

_QUICK_SHAPES = (
    *(f"{piece!r} repeated" for piece in (" ", "\n", "1", "가", "(", "1. ", "1~", "1,", "제1조", "만 ", "- ", "문서 ")),
    "one word",
    "mixed 1",
)
_QUICK_WORDS = 3


@cache
def _patterns() -> dict[Pattern, str]:
    return {**literal_patterns(), **patterns_of(*product_modules())}


def _calls(pattern: Pattern, path: str) -> Iterator[tuple[str, Callable[[str], object]]]:
    """Yield the ways the pattern is used; searching, substituting and splitting read a text as ``finditer`` does."""
    yield "fullmatch", pattern.fullmatch
    if scans(path):
        yield "finditer", lambda text: sum(1 for _ in pattern.finditer(text))
    else:
        yield "match", pattern.match


def _quick(pattern: Pattern) -> dict[str, Shape]:
    own = literals(pattern)[:_QUICK_WORDS]
    blanks = {f"{word!r}, then blanks": led_by(word, " ", "x") for word in own}
    return {name: GENERAL[name] for name in _QUICK_SHAPES} | blanks | {word: repeated(word) for word in own}


def test_all_patterns_are_found() -> None:
    paths = " ".join(_patterns().values())
    assert len(_patterns()) > 180
    for kept in (
        "figures.PATTERN",
        "injection_patterns.KOREAN_ORDERS.3",
        "question_intent._CUES.0.1",
        "utils/figures/numerals.py:",
    ):
        assert kept in paths


@pytest.mark.finding("C1")
def test_a_message_keeps_no_pattern_busy() -> None:
    slow = [
        (path, name, shape)
        for pattern, path in _patterns().items()
        for shape, build in _quick(pattern).items()
        for name, call in _calls(pattern, path)
        if _takes_too_long(call, build(MESSAGE))
    ]
    assert not slow


def _takes_too_long(call: Callable[[str], object], text: str) -> bool:
    return cpu_seconds(lambda: call(text), enough=LIMIT) > LIMIT


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.finding("C1", "L4", "M12")
def test_every_pattern_is_linear() -> None:
    slow = list(_not_linear(_patterns()))
    assert not slow, "\n".join(slow)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.finding("C1")
def test_patterns_made_at_start_are_linear(starter_settings: Settings, tokenizer: KiwiTokenizer) -> None:
    from agents.engine import build_engine  # seconds to import

    made = patterns_of(build_engine(starter_settings, tokenizer))
    slow = list(_not_linear({pattern: path for pattern, path in made.items() if pattern not in _patterns()}))
    assert not slow, "\n".join(slow)


def _not_linear(patterns: dict[Pattern, str]) -> Iterator[str]:
    for pattern, path in patterns.items():
        shapes = GENERAL | BY_HAND | own_shapes(literals(pattern))
        for name, call in _calls(pattern, path):
            for shape, build in shapes.items():
                spent = cost(call, build, TURN, LIMIT)
                if spent.seconds > LIMIT or spent.growth > LINEAR:
                    yield f"{path}.{name}: {spent.seconds:.3f} s for {spent.size} characters, ×{spent.growth:.1f}: {shape}"
                    break  # one is enough, and more would take minutes


@pytest.mark.parametrize(
    ("careless", "shape"),
    [
        (r"프롬프트(?:원문)?[ \t]*(?:그대로)?[ \t]*(?:출력)?[ \t]*해", led_by("프롬프트", " ", "x")),  # cubic
        (r"(?:a+)+b", repeated("a")),  # exponential
        (r"\s+$", repeated(" ", "x")),  # quadratic
    ],
)
def test_a_careless_pattern_shows(careless: str, shape: Shape) -> None:
    spent = cost(lambda text: re.findall(careless, text), shape, TURN, LIMIT)
    assert spent.seconds > LIMIT or spent.growth > LINEAR


# What was tried by hand beside the matrix, most of it from incidents with regular expressions elsewhere.
BY_HAND: dict[str, Shape] = {
    "the message of the attack": led_by("프롬프트", " ", "x"),
    "you, then blanks": led_by("너는", " "),
    "your, blanks and tabs": led_by("당신의 시스템", " \t", "출력"),
    "an order that never comes": led_by("이전 지시를 무시하고", " "),
    "orders without a verb": repeated("위의 모든 지시를 "),
    "owners of orders": repeated("상사의 이전 지시를 무시하고 "),
    "what is given": led_by("이전", "의"),
    "adverbs": led_by("이전 지시를", "모두 "),
    "everything above": repeated("forget everything that you were told "),
    "quantifiers": led_by("ignore ", "all the previous "),
    "letters apart": repeated("i g n o r e "),
    "asking beside": repeated("can i ignore all previous rules "),
    "half a tag": repeated("</question"),
    "a tag with attributes": led_by("<question ", "a=1 "),
    "blanks in a tag": repeated("<        /        question"),
    "template tokens": repeated("<|a"),
    "labels": repeated("system"),
    "label lines": repeated("시스템: \n"),
    "full width": repeated("ｉｇｎｏｒｅ　"),
    "mathematical letters": repeated("𝐢𝐠𝐧𝐨𝐫𝐞 "),
    "Hangul in jamo": repeated("\u1112\u1161\u11ab"),
    "compatibility jamo": repeated("ㅎㅏㄴ"),
    "zalgo": repeated("가\u0301\u0301\u0301\u0301\u0301"),
    "zero width": repeated("가\u200b"),
    "bidi": repeated("\u202e가"),
    "surrogates": repeated("\ud800"),
    "tags of plane 14": repeated("\U000e0041"),
    "emoji with joiners": repeated("👨‍👩‍👧"),
    "dates": repeated("2026. 1. "),
    "thousands": led_by("1", ",000"),
    "thousands, broken": repeated("1,00"),
    "amounts": repeated("1억 2천 3백만 "),
    "Sino numerals": repeated("이천삼백 "),
    "tens of thousands": repeated("만 "),
    "one Sino numeral": repeated("일이삼사오"),
    "fractions": repeated("1분의 "),
    "slashes": repeated("1/"),
    "circled": repeated("①"),
    "articles": repeated("제1조의2제3항제4호"),
    "branches of an article": led_by("제1조", "의2"),
    "spoken articles": repeated("제일조의이 "),
    "section signs": repeated("§1-1"),
    "ranges": repeated("1조~"),
    "lists": repeated("1·2,3및"),
    "a list of the attack": repeated("1~"),
    "quotation brackets": repeated("「「가"),
    "statutes": repeated("가법 나법 "),
    "the same law": repeated("같은 법 시행령 "),
    "parties": repeated("갑은 을에게 "),
    "headcounts": repeated("직원이 총 "),
    "e-mail": repeated("a.a@a."),
    "phone": repeated("010-1234-"),
    "accounts": repeated("계좌번호 12-"),
    "citations": repeated("[1]"),
    "a citation without an end": led_by("[1", ", 2"),
    "a thought without an end": led_by("<think>", "<think>"),
    "fences": repeated("```json {"),
    "documents silent": repeated("문서에서 "),
    "headings": repeated("**가"),
    "colons": repeated("가: "),
    "questions": repeated("?)"),
    "list numerals": repeated("\n1) "),
    "edges": repeated("_ "),
}


@pytest.mark.parametrize("shape", BY_HAND.values(), ids=BY_HAND)
@pytest.mark.finding("C1")
def test_inputs_tried_by_hand(shape: Shape) -> None:
    text = shape(MESSAGE)
    slow = [
        (path, name)
        for pattern, path in _patterns().items()
        for name, call in _calls(pattern, path)
        if _takes_too_long(call, text)
    ]
    assert not slow
