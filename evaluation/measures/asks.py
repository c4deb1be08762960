"""Answers held against what a question asks: each ask answered, the first sentence, the quotes, silence, conclusions and sums.

Key facts make it repeatable and blind for style: an answer that states them badly passes, and one that states them in words no
pattern foresees does not. The answers are written out to be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import mean

from evaluation.measures.owner_questions import Ask, AskKind, OwnerQuestion, plain
from schemas.chat import ChatResponse
from utils.grounding.answer_sentences import cited_numbers, split_sentences
from utils.korean.word_rarity import squeezed, syllable_pairs
from utils.prompts.messages import NEAREST, says_not_found

_HEADING = re.compile(r"#{1,6}\s|\*\*[^*\n]+\*\*:?$")
_CONCLUSION = re.compile(r"(?:[-*•·]\s?)?(?:\*\*)?(?:(?P<yes>네|예)|아니요|아니오|아닙니다)(?=[\s,.!*]|$)")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an answer that is no heading. ``part`` counts the headings before it, ``paragraph`` the lines.

    ``is_offered``: it stands where the answer to something is not held, as the nearest there is.
    """

    text: str
    plain: str
    part: int
    paragraph: int
    sources: tuple[int, ...]
    is_offered: bool = False

    @property
    def conclusion(self) -> bool | None:
        """The yes or no that it begins with."""
        match = _CONCLUSION.match(self.text)
        return bool(match["yes"]) if match else None

    @property
    def admits(self) -> bool:
        """It says that the documents do not answer something."""
        return says_not_found(self.text)


@dataclass(frozen=True)
class JudgedAsks:
    """An answer to an owner's question, with its verdicts."""

    question: OwnerQuestion
    response: ChatResponse

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(_statements(self.response.content))

    @cached_property
    def speaks(self) -> bool:
        """Something is said from a source, besides what the documents do not hold."""
        return any(each.sources and not each.admits and not each.is_offered for each in self.statements)

    def answers(self, ask: Ask) -> bool:
        """Return True if a part states every key fact of ``ask`` and its sum, and no conclusion says the opposite of its verdict."""
        if not ask.answerable or max(map(ask.facts_in, self._parts), default=0) < ask.facts:
            return False
        return ask.verdict is None or self.concludes(ask) in (None, ask.verdict)

    def offers(self, ask: Ask) -> bool:
        """The nearest there is, said in place of an answer, states every key fact of ``ask``."""
        offered = "\n".join(each.plain for each in self.statements if each.is_offered)
        return ask.answerable and ask.facts_in(offered) >= ask.facts

    def computes(self, ask: Ask) -> bool:
        """The answer states the sum that ``ask`` asks for."""
        return any(map(ask.states_value, self._parts))

    def admits(self, ask: Ask) -> bool:
        """The answer says that the documents do not hold ``ask``, or says nothing from them at all.

        Of several asks an admission is of the one whose words it shares most, among those that are not answered.
        """
        admissions = [statement for statement in self.statements if statement.admits]
        return not self.speaks or any(self._most_alike(admission) is ask for admission in admissions)

    def concludes(self, ask: Ask) -> bool | None:
        """Return the yes or no that the passage about ``ask`` begins with; None without one.

        A passage reaches to the next conclusion or line. That with most key facts is the one; a single ask has the first.
        """
        passages: list[list[Statement]] = []
        for at, statement in enumerate(self.statements):
            before = self.statements[at - 1] if at else None
            if before is None or statement.conclusion is not None or statement.paragraph != before.paragraph:
                passages.append([])
            passages[-1].append(statement)
        if not passages:
            return None
        best = max(passages, key=lambda passage: ask.facts_in("\n".join(each.plain for each in passage)))
        return (passages[0] if len(self.question.asks) == 1 else best)[0].conclusion

    @property
    def first_answers(self) -> bool:
        """The first sentence says yes or no rightly, or states a key fact (of a sum, the sum) of the first ask that has an answer."""
        ask = next(ask for ask in self.question.asks if ask.answerable)
        admissions_are_right = not self.question.asks[0].answerable
        first = next((each for each in self.statements if not (admissions_are_right and each.admits)), None)
        if first is None or first.admits:
            return False
        if ask.kind is AskKind.YES_NO and None not in (first.conclusion, ask.verdict):
            return first.conclusion is ask.verdict
        return ask.states_value(first.plain) if ask.kind is AskKind.SUM else bool(ask.facts_in(first.plain))

    @property
    def quotes(self) -> tuple[bool, ...]:
        """For each sentence with sources whether a document that answers is among them; computed sources are no quotes."""
        cited = {source.index: source.metadata for source in self.response.sources}
        return tuple(
            any(str(cited[number].get("id", "")).partition("#")[0] in self.question.documents for number in numbers)
            for statement in self.statements
            if (numbers := [n for n in statement.sources if n in cited and not cited[n].get("computed")])
        )

    @property
    def misleads(self) -> bool:
        """A sentence states the rule of another case or subject."""
        said = [statement.plain for statement in self.statements if not statement.admits]
        return any(pattern.search(text) for pattern in self.question.misleading for text in said)

    @cached_property
    def _parts(self) -> tuple[str, ...]:
        lines: dict[int, list[str]] = {}
        for statement in self.statements:
            if not statement.admits and not statement.is_offered:
                lines.setdefault(statement.part, []).append(statement.plain)
        return tuple("\n".join(part) for part in lines.values())

    def _most_alike(self, admission: Statement) -> Ask | None:
        if len(self.question.asks) == 1:
            return self.question.asks[0]
        said = syllable_pairs(squeezed(admission.text))
        shared = [
            0 if self.answers(ask) else len(said & syllable_pairs(squeezed(ask.ask))) for ask in self.question.asks
        ]
        return self.question.asks[shared.index(max(shared))] if any(shared) else None


Measure = Callable[[JudgedAsks], list[float]]
"""A value for each case of an answer that the measure is about: an ask, a sentence, the answer; none if it is not about this one."""


def _of_asks(applies: Callable[[Ask], bool], holds: Callable[[JudgedAsks, Ask], bool]) -> Measure:
    return lambda answer: [float(holds(answer, ask)) for ask in answer.question.asks if applies(ask)]


def _answerable(answer: JudgedAsks) -> bool:
    return any(ask.answerable for ask in answer.question.asks)


MEASURES: dict[str, Measure] = {
    "asks_answered": _of_asks(lambda ask: ask.answerable, JudgedAsks.answers),
    "asks_told": _of_asks(lambda ask: ask.answerable, lambda answer, ask: answer.answers(ask) or answer.offers(ask)),
    "first_answers": lambda answer: [float(answer.first_answers)] if _answerable(answer) else [],
    "gold_quoted": lambda answer: list(map(float, answer.quotes)) if _answerable(answer) else [],
    "misleading": lambda answer: [float(answer.misleads)],
    "false_silence": _of_asks(
        lambda ask: ask.answerable, lambda answer, ask: answer.admits(ask) and not answer.answers(ask)
    ),
    "wrong_speech": lambda answer: (
        [] if _answerable(answer) else [float(not any(map(answer.admits, answer.question.asks)))]
    ),
    "passed_over": lambda answer: (
        [float(not answer.admits(ask)) for ask in answer.question.asks if not ask.answerable]
        if _answerable(answer)
        else []
    ),
    "yes_no_right": _of_asks(
        lambda ask: ask.answerable and ask.verdict is not None,
        lambda answer, ask: answer.concludes(ask) is ask.verdict,
    ),
    "sums_computed": _of_asks(lambda ask: ask.value is not None, JudgedAsks.computes),
    "characters": lambda answer: [float(len(answer.response.content))],
}
"""Shares, but for ``characters``, the mean length. Over answerable asks: ``asks_answered``, ``asks_told`` (answered, or told as the
nearest there is behind an admission) and ``false_silence`` (not answered and said not to be held). Over answerable questions:
``first_answers``, ``gold_quoted`` (of the sentences with sources, those from a document that answers) and ``passed_over`` (of the asks
in them that nothing answers, those not admitted). ``wrong_speech``: of the questions that nothing answers, those answered without an
admission. ``misleading``: of all questions."""

LESS_IS_BETTER = frozenset({"misleading", "false_silence", "wrong_speech", "passed_over"})


def score(answers: Sequence[JudgedAsks]) -> dict[str, float]:
    """Return the numbers of questions and asks and the means of `MEASURES`; a measure that is about none of them is left out."""
    counts = {"questions": len(answers), "asks": sum(len(answer.question.asks) for answer in answers)}
    values = {name: [value for answer in answers for value in measure(answer)] for name, measure in MEASURES.items()}
    return {**counts, **{name: round(mean(each), 4) for name, each in values.items() if each}}


def outcome(answer: JudgedAsks) -> dict[str, float]:
    """Return the measures of a single answer, to be compared with those of another answer to the same question."""
    return {name: round(mean(values), 4) for name, measure in MEASURES.items() if (values := measure(answer))}


def _statements(content: str) -> Iterator[Statement]:
    part, at, paragraph, is_offered = 0, 0, 0, False
    for sentence in split_sentences(content):
        paragraph += content.count("\n", at, sentence.start)
        at = sentence.start
        text = sentence.text.strip()
        if _HEADING.match(text) and not _CONCLUSION.match(text):
            part, is_offered = part + 1, False
        elif text == NEAREST:
            is_offered = True
        elif text:
            yield Statement(text, plain(text), part, paragraph, cited_numbers(text), is_offered)
