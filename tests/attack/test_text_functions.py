"""Functions on the text of a user or a model take time linear in it, and too little to hold other clients up."""

from __future__ import annotations

from functools import partial
from itertools import count

import pytest

from schemas.chat import Turn
from tests.attack.test_patterns import BY_HAND, LIMIT
from tests.support.text_functions import ELSEWHERE, FUNCTIONS, MESSAGE, TURN, TextFunction, declared
from tests.support.text_pumps import GENERAL, LINEAR, Shape, cost, cpu_seconds, repeated, word
from utils.config.settings import Settings
from utils.korean.asks import AskReader
from utils.sanitizing.sanitize import clean_text, sanitize_question
from vectorstores.tokenizer import KiwiTokenizer

SHAPES: dict[str, Shape] = {
    **GENERAL,
    **BY_HAND,
    "ranges of a statute": repeated("상법 1조~11조 "),
    "numbers of a statute": repeated("상법 1 "),
    "articles, then statutes": lambda size: ("1조 " * (size // 6) + "상법 " * size)[:size],
    "names that claim nothing": repeated("4대보험 "),
    "wide citations": repeated("[1~999]"),
    "foreign compounds": repeated("cd"),
    "honest questions": repeated("부가가치세 신고는 언제까지 하나요? "),
    "misspelled questions": repeated("부가가치셰 신곤 언젠가요? "),
}
_QUICK = (
    "' ' repeated",
    "'\\n' repeated",
    "'1~' repeated",
    "'1조' repeated",
    "'(' repeated",
    "one word",
    "mixed 1",
    "wide citations",
)
# Shapes that the analyser finds words in, and those of attacks before.
_WORDY = (
    *_QUICK, *BY_HAND, "'일' repeated", "'가' repeated", "'일이' repeated", "'가나다라 ' repeated", "'가가 ' repeated", "'천만' repeated", "'은' repeated",
    "ranges of a statute", "numbers of a statute", "articles, then statutes", "foreign compounds", "honest questions", "misspelled questions",
)  # fmt: skip
each = pytest.mark.parametrize(("function", "size"), FUNCTIONS.values(), ids=FUNCTIONS)


def test_every_function_that_takes_a_text_is_tried() -> None:
    assert set(declared()) - set(FUNCTIONS) == set(ELSEWHERE)


@pytest.mark.finding("C1", "M12", "L4")
@each
def test_no_text_keeps_a_function_busy(function: TextFunction, size: int) -> None:
    seconds = {name: cpu_seconds(partial(function, SHAPES[name](size)), enough=LIMIT) for name in _QUICK}
    assert {name: spent for name, spent in seconds.items() if spent > LIMIT} == {}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.finding("C1", "M12", "L4")
@each
def test_functions_are_linear(function: TextFunction, size: int) -> None:
    assert _not_linear(function, size) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.finding("C1", "M11")
def test_what_the_engine_does_with_a_question_is_bounded(starter_settings: Settings, tokenizer: KiwiTokenizer) -> None:
    from agents.engine import build_engine  # seconds to import
    from agents.retrieval.multi_query import MultiQueryExpander

    engine = build_engine(starter_settings, tokenizer)
    routing, searcher = engine.routing.current, engine.live.searcher
    expander = MultiQueryExpander(engine.parts.glossary, tokenizer, 3)
    functions: dict[str, TextFunction] = {
        "morphemes": tokenizer.morphemes,
        "terms": tokenizer.terms,
        "spelling": searcher.spelling.respelled,
        "routing": routing.classifier.classify,
        "decomposition": lambda text: routing.decomposer.decompose(text, ("finance_tax", "hr_labor")),
        "follow-up": lambda text: routing.decomposer.resolve_follow_up("그건요?", [Turn(role="user", content=text)]),
        "formal terms": expander.formalize,
        "readings": expander.readings,
        "variants": expander.expand,
        "analysis": searcher.analyze,
        "asks": AskReader(tokenizer).read,
    }
    wide = 2 * LIMIT  # several analyses of the same text, each of which is within the limit
    slow = [
        f"{name}, {shape}: {seconds:.3f} s"
        for name, function in functions.items()
        for shape in _WORDY
        if (seconds := cpu_seconds(partial(_fresh(function), SHAPES[shape](MESSAGE)), enough=wide)) > wide
    ]
    assert slow == []


@pytest.mark.finding("C1")
def test_a_conversation_of_the_greatest_length_is_cleaned_in_passing() -> None:
    """20 turns of 8,000 characters, as long as a body may be."""
    turns = [f"{number}. 주휴수당은 어떻게 계산하고 언제 지급해야 하나요? " * 250 for number in range(20)]
    seconds = cpu_seconds(lambda: [sanitize_question(turn[:TURN]) for turn in turns], enough=4 * LIMIT)
    assert seconds < 4 * LIMIT


def _fresh(function: TextFunction) -> TextFunction:
    """Without what is remembered of the text."""
    calls = count()
    return lambda text: function(clean_text(f"{text[:-4]}{next(calls) % 10_000:04d}"))


def _not_linear(function: TextFunction, size: int, limit: float = LIMIT) -> list[str]:
    found = []
    for name, shape in SHAPES.items():
        spent = cost(function, shape, size, limit)
        if spent.seconds > limit or spent.growth > LINEAR:
            found.append(f"{spent.seconds:.3f} s for {spent.size} characters, ×{spent.growth:.1f}: {name}")
    return found


def test_a_word_of_2000_syllables_costs_the_analyser_little(tokenizer: KiwiTokenizer) -> None:
    words = [word(MESSAGE), "일" * MESSAGE, "가" * MESSAGE]
    assert [
        word for word in words if cpu_seconds(partial(_fresh(tokenizer.morphemes), word), enough=LIMIT) > LIMIT
    ] == []
