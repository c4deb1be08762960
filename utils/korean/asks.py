"""A question cut into the things that it asks, each able to stand alone.

An owner asks several things at once: one after the other ("폐업하면 부가세 언제까지 신고해요? 남은 재고는요?") or in one breath
("사업자등록 방법과 세무 처리 알려주세요"). What is said of the case holds for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from utils.korean.asked_clauses import is_how_much_and, split_clauses
from utils.korean.clause_frames import INDIRECT, AskingClause, Clause, denied_spans, read_clause
from utils.korean.coordination import conjuncts
from utils.korean.question_intent import Intent, intents_of
from utils.korean.question_words import subject_terms
from utils.protocols import Analyzer, Morpheme

MOST_PARTS = 4
# Weights of a term of the question outside the clause that asks.
_SAME_SENTENCE = 0.6
_OTHER_SENTENCE = 0.3
OTHER_PART = 0.1
"""The weight of a term of another thing asked, for one that has terms enough of its own."""
_KEPT_QUESTIONS = 1_000

_INDIRECT_AND = re.compile(r"지(?:랑|와|하고)$")

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class AskedPart:
    """A thing asked.

    ``text`` reads as a question of its own; it is the whole question where this asks one thing. ``clause`` is what asks it, without the
    story that it is told in, and ``story`` the question without what its other parts ask. ``terms`` are the content terms of the whole question, and ``weights``, in [0, 1], what each counts for this
    part: 1 in its own words, less for what the rest tells, least for what another part asks and for what the question says that it is not about, which is ``denied`` (산재는 아니에요). ``intents`` is the
    kind of answer wanted.
    """

    text: str
    clause: str
    story: str
    terms: tuple[str, ...]
    weights: tuple[float, ...]
    intents: frozenset[Intent]
    denied: tuple[str, ...] = ()

    @property
    def clause_weights(self) -> tuple[float, ...]:
        """The weights of the clause and its sentence alone: 0 for what is told in others."""
        return tuple(weight if weight >= _SAME_SENTENCE else 0.0 for weight in self.weights)

    @property
    def story_weights(self) -> tuple[float, ...]:
        """The weights in the light of the whole story: 1 for all that no other part asks."""
        return tuple(OTHER_PART if weight <= OTHER_PART else 1.0 for weight in self.weights)

    @property
    def kept(self) -> frozenset[str]:
        """The terms that this part does not leave to another."""
        pairs = zip(self.terms, self.weights, strict=True)
        return frozenset(term for term, weight in pairs if weight > OTHER_PART)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part before it is weighed: where its own words stand, those it takes over from other clauses, and those of the part it
    continues without saying them."""

    text: str
    own: Spans
    carried: Spans
    continues: Spans
    intents: frozenset[Intent]
    clause: Clause


class AskReader:
    """Reads what a question asks. Thread-safe; a question is read once."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self.read = lru_cache(_KEPT_QUESTIONS)(self._read)

    def _read(self, question: str) -> tuple[AskedPart, ...]:
        """The parts of ``question`` in order: one at least, `MOST_PARTS` at most."""
        morphemes = self._analyzer.morphemes(question)
        terms = subject_terms(self._analyzer.located(question).terms)
        clauses = split_clauses(question, morphemes)
        pieces = _limited(question, _pieces(question, morphemes, clauses))
        spans = sorted(denied_spans(morphemes))
        not_about = tuple(question[start:end] for start, end in spans)
        denied = self._denied(question, spans)
        if not pieces:
            alone = tuple(OTHER_PART if term in denied else 1.0 for term in terms)
            return (AskedPart(question, question, question, terms, alone, intents_of(question), not_about),)
        weights = [
            tuple(OTHER_PART if term in denied else weight for term, weight in zip(terms, own, strict=True))
            for own in self._weights(question, morphemes, terms, clauses, pieces)
        ]
        if len(pieces) == 1:
            # one thing asked is asked by the whole question
            intents = pieces[0].intents or intents_of(question)
            return (AskedPart(question, pieces[0].text, question, terms, weights[0], intents, not_about),)
        return tuple(
            AskedPart(piece.text, piece.text, _story_of(question, piece, pieces), terms, own, piece.intents, not_about)
            for piece, own in zip(pieces, weights, strict=True)
        )

    def _denied(self, question: str, spans: Sequence[tuple[int, int]]) -> frozenset[str]:
        """The terms that the question has only in ``spans``, where it says what it is not about."""
        if not spans:
            return frozenset()
        located = self._analyzer.located(question)
        denied, told, at = set[str](), set[str](), 0
        for start, end in (*spans, (len(question), len(question))):
            told.update(located.within(at, start).terms)
            denied.update(located.within(start, end).terms)
            at = max(at, end)
        return frozenset(denied - told)

    def _weights(
        self,
        question: str,
        morphemes: Sequence[Morpheme],
        terms: Sequence[str],
        clauses: Sequence[Clause],
        pieces: Sequence[_Piece],
    ) -> list[tuple[float, ...]]:
        located = self._analyzer.located(question)

        def within(spans: Iterable[tuple[int, int]]) -> frozenset[str]:
            return frozenset(term for start, end in spans for term in located.within(start, end).terms)

        own = [within(piece.own) for piece in pieces]
        told = {clause: within([_characters(morphemes, clause.first, clause.stop)]) for clause in clauses}
        story = frozenset[str]().union(*(told[clause] for clause in clauses if not clause.asks))
        found = []
        for number, piece in enumerate(pieces):
            others = frozenset[str]().union(*(held for at, held in enumerate(own) if at != number))
            is_coordinated = sum(other.clause == piece.clause for other in pieces) > 1
            stands_alone = is_coordinated or len(own[number]) > 1 or piece.carried or piece.continues
            asked_elsewhere = others - story if stands_alone else frozenset[str]()
            near = within(piece.carried + piece.continues).union(
                *(told[clause] for clause in clauses if clause.sentence == piece.clause.sentence and not clause.asks)
            )
            same = frozenset[str]().union(
                *(told[clause] for clause in clauses if clause.sentence == piece.clause.sentence)
            )
            found.append(tuple(_weight(term, own[number], near, asked_elsewhere, same) for term in terms))
        return found


def _weight(
    term: str,
    own: frozenset[str],
    near: frozenset[str],
    asked_elsewhere: frozenset[str],
    same_sentence: frozenset[str],
) -> float:
    if term in own:
        return 1.0
    if term in near:
        return _SAME_SENTENCE
    if term in asked_elsewhere:
        return OTHER_PART
    return _SAME_SENTENCE if term in same_sentence else _OTHER_SENTENCE


def _pieces(question: str, morphemes: Sequence[Morpheme], clauses: Sequence[Clause]) -> list[_Piece]:
    pieces: list[_Piece] = []
    condition: tuple[int, int] | None = None
    topic: tuple[int, int] | None = None
    stops = {clause.sentence: clause.stop for clause in clauses}
    for number, clause in enumerate(clauses):
        if not clause.asks:
            continue
        asked = read_clause(morphemes, clause, stops[clause.sentence])
        carried: list[tuple[int, int]] = []
        if condition and asked.core == clause.first:
            carried.append(condition)
        if asked.elliptic and topic:
            carried.append(topic)
        elif asked.elliptic and not carried and number and not clauses[number - 1].asks and not _has_condition(asked):
            carried.append((clauses[number - 1].first, clauses[number - 1].stop))
        continues = pieces[-1].own + pieces[-1].carried if asked.elliptic and pieces else ()
        taken = tuple(_characters(morphemes, *span) for span in carried)
        pieces += _of_clause(question, morphemes, asked, taken, continues)
        condition, topic = asked.condition or condition, asked.topic or topic
    return pieces


def _story_of(question: str, piece: _Piece, pieces: Sequence[_Piece]) -> str:
    """The question without what only other pieces ask."""
    left_out = {at for other in pieces if other is not piece for start, end in other.own for at in range(start, end)}
    left_out -= {at for start, end in piece.own + piece.carried for at in range(start, end)}
    return " ".join("".join(" " if at in left_out else letter for at, letter in enumerate(question)).split())


def _has_condition(asked: AskingClause) -> bool:
    return asked.core > asked.clause.first


def _of_clause(
    question: str, morphemes: Sequence[Morpheme], asked: AskingClause, carried: Spans, continues: Spans
) -> list[_Piece]:
    """The clause as a part, or one for each of its coordinated nouns, after what it takes over."""
    clause = asked.clause
    first = clause.first
    while morphemes[first].tag in ("MAJ", "SP") and first + 1 < clause.stop:
        first += 1
    core = max(asked.core, first)
    whole = _characters(morphemes, first, clause.stop)
    found = [(conjunct.text, conjunct.spans) for conjunct in conjuncts(question, morphemes, first, core, clause.stop)]
    before = "".join(f"{question[slice(*span)].strip()} " for span in carried)
    return [
        _Piece(before + text, spans, carried, continues, intents_of(text), clause)
        for text, spans in (
            (_as_question(question, morphemes, asked, text), spans)
            for text, spans in found or [(question[slice(*whole)], (whole,))]
        )
    ]


def _as_question(question: str, morphemes: Sequence[Morpheme], asked: AskingClause, text: str) -> str:
    """``text`` of a clause as a question that ends: 주고 → 주나요?, 얼마인지 → 얼마인지 알려 주세요."""
    last = asked.clause.stop - 1
    ended = text.rstrip(", ")
    while last > asked.clause.first and morphemes[last].tag == "SP":
        last -= 1
    if morphemes[last].tag == "EC" and morphemes[last].form in ("고", "며", "으며"):
        begin = last - 1 if morphemes[last - 1].tag == "VCP" else last
        stem = ended[: len(ended) - (morphemes[last].end - morphemes[begin].start)]
        return f"{stem}{'인가요?' if begin < last else '나요?'}"
    if is_how_much_and(morphemes, last):
        return f"{ended.removesuffix('고').removesuffix('이')}인가요?"
    is_indirect = any(m.form in INDIRECT for m in morphemes[max(last - 1, 0) : last + 1])
    if is_indirect and asked.request is not None and asked.request >= asked.clause.stop:
        ended = _INDIRECT_AND.sub("지", ended)
        return f"{ended} {question[morphemes[asked.request].start :].splitlines()[0]}"
    return f"{ended}?" if ended != text else text


def _limited(question: str, pieces: list[_Piece]) -> list[_Piece]:
    """At most `MOST_PARTS`; the last one asks all the rest."""
    if len(pieces) <= MOST_PARTS:
        return pieces
    head, rest = pieces[: MOST_PARTS - 1], pieces[MOST_PARTS - 1 :]
    start, end = rest[0].own[0][0], rest[-1].own[-1][1]
    text = question[start:end]
    return [*head, _Piece(text, ((start, end),), rest[0].carried, rest[0].continues, intents_of(text), rest[0].clause)]


def _characters(morphemes: Sequence[Morpheme], first: int, stop: int) -> tuple[int, int]:
    return morphemes[first].start, morphemes[stop - 1].end
