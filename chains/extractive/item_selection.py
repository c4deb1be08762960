"""Which items of the found documents answer a question, by the words that they and their headings share with it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from chains.extractive.document_items import Item, items_of
from chains.extractive_task import ExtractiveDocument
from utils.korean.beyond_documents import asks_beyond_documents
from utils.korean.question_intent import Intent, intents_of, sentence_fit
from utils.korean.question_words import ASPECT_WORDS, subject_terms
from utils.protocols import Analyzer, Morpheme

Rarity = Callable[[Sequence[str]], Sequence[float]]
"""Gives the inverse document frequency of each term in the assistant's own documents, above 0."""

_KEPT_TEXTS = 8_000
_BY_HEADING = 0.9  # what a term counts that stands above the item, against 1 in it
_BROKEN = 0.4  # of a compound of which only the parts are there: 기초연금 is neither 기초 nor 연금
_FIT = 0.25  # of a figure of the kind that is asked for
_RELEVANCE = 0.2  # of the document
_FROM_BEST = 0.6  # the score of the last item that is said, against the best one's
_MOST = 12
_MOST_OF_ONE = 4  # items of a document before all others have had their turn
_OF_EACH_KIND = 2
_CHILDREN = 3
_OF_KIND_FROM = 0.25  # the coverage of an item with a figure that is asked for, against the best one's
_CALCULATION = re.compile(r"계산|산식|공식")
_OPINION = re.compile(r"(?:게|것이|편이|쪽이)\s?(?:더\s?)?(?:좋|나)을까")
_SHORT = 2  # syllables of a word that may stand within any other
_BY_TITLE = 0.2  # of a document whose title names what is asked for
_NOUNS = ("NNG", "NNP", "XPN", "XSN", "SL", "SN", "NR")

# What a term counts besides its rarity. What is done (쓰다, 넣다) is said in as many words as there are askers, and the asker's own
# figures need not stand in a document.
_ASPECT = 0.4
_PREDICATE = _FIGURE = 0.2
_CIRCUMSTANCE = 0.1
_CIRCUMSTANCES = frozenset(
    "돈 세금 나중 작년 올해 처음 중간 시작 사람 혜택 조건 범위 충족 전액 이후 연중 경우 때문 혼자 시골 선택 사용 정도 일반 이번 다음 비용".split()
)
_KINDS_OF_FIGURES = frozenset({Intent.AGE, Intent.DURATION, Intent.TIMES, Intent.HOURS, Intent.HEADCOUNT})
"""Kinds of answer that nothing but a figure of that kind gives; an amount or a day may also be told in words."""


@dataclass(frozen=True, slots=True)
class ChosenItem:
    """An item to say, of document number ``document``."""

    document: int
    text: str


@dataclass(frozen=True, slots=True)
class AskedTerm:
    """A term of a question with what it counts; ``compound`` is the word without a blank that it stands in."""

    term: str
    compound: str
    weight: float

    def match(self, text: SearchedText) -> float:
        """1 where ``text`` has the term in the same compound, less where it has it in another, 0 without it."""
        if len(self.compound) > _SHORT and self.compound in text.squeezed:
            return 1.0
        if self.term not in text.terms:
            return 0.0
        return 1.0 if self.compound in (self.term, "") or self.compound in text.squeezed else _BROKEN


@dataclass(frozen=True, slots=True)
class SearchedText:
    """A text as terms, and without blanks."""

    terms: AbstractSet[str]
    squeezed: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    document: int
    place: int
    item: Item
    covered: float
    fits: frozenset[Intent]
    score: float


class ItemSelector:
    """Chooses items. ``covered_from`` is the share of a question's weight that one document has to cover, or none answers."""

    def __init__(self, analyzer: Analyzer, rarity: Rarity, covered_from: float) -> None:
        self._analyzer = analyzer
        self._rarity = rarity
        self._covered_from = covered_from
        self._searched = lru_cache(_KEPT_TEXTS)(self._read)

    def select(self, question: str, documents: Sequence[ExtractiveDocument], max_chars: int) -> tuple[ChosenItem, ...]:
        """Return the items that answer, in the order of the documents; none where these do not answer."""
        asked = self.asked(question)
        if asks_beyond_documents(question) or _OPINION.search(question):
            return ()
        if self.coverage(asked, documents) < self._covered_from:
            return ()
        candidates = sorted(self._candidates(question, asked, documents), key=lambda candidate: -candidate.score)
        if not _answers_in_kind(intents_of(question), candidates):
            return ()
        chosen = _Choice(candidates, max_chars)
        for candidate in _in_order(candidates, _wanted(question)):
            chosen.take(candidate)
        return tuple(ChosenItem(candidate.document, candidate.item.text) for candidate in chosen.in_order())

    def coverage(self, asked: Sequence[AskedTerm], documents: Sequence[ExtractiveDocument]) -> float:
        """Return the share of the question's weight that the best document covers, in [0, 1]."""
        texts = (self._searched(f"{document.title}\n{document.text}") for document in documents)
        return max((_covered(asked, text) for text in texts), default=0.0)

    def asked(self, question: str) -> tuple[AskedTerm, ...]:
        """Return the terms of the subject of ``question``, each with its compound and what it counts."""
        terms = subject_terms(self._analyzer.terms(question))
        runs = _compounds(question, self._analyzer.morphemes(question))
        words = [next((run for run in runs if term in run), term) for term in terms]
        return tuple(
            AskedTerm(term, word, rarity * _share_of(term))
            for term, word, rarity in zip(terms, words, self._rarity(terms), strict=True)
        )

    def _read(self, text: str) -> SearchedText:
        return SearchedText(frozenset(self._analyzer.terms(text)), "".join(text.split()))

    def _candidates(
        self, question: str, asked: Sequence[AskedTerm], documents: Sequence[ExtractiveDocument]
    ) -> list[_Candidate]:
        wanted = _wanted(question)
        total = sum(term.weight for term in asked) or 1.0
        found: list[_Candidate] = []
        for document in documents:
            of_document = _RELEVANCE * document.relevance + _BY_TITLE * _covered(asked, self._searched(document.title))
            for place, item in enumerate(items_of(document.text)):
                own = self._searched(item.text)
                above = self._searched("\n".join((document.title, *item.under)))
                matches = [(term.match(own), term.match(above), term.weight) for term in asked]
                covered = sum(weight * max(said, _BY_HEADING * headed) for said, headed, weight in matches) / total
                fit = sentence_fit(item.text)
                told = min(1.0, fit.to(wanted))
                speaks = told or any(said for said, _, _ in matches)
                score = covered + _FIT * told + of_document if speaks else 0.0
                kinds = frozenset(intent for intent, share in fit.by_intent.items() if share)
                found.append(_Candidate(document.index, place, item, covered, kinds, score))
        return found


class _Choice:
    """The items chosen so far, within the room that an answer has."""

    def __init__(self, candidates: Sequence[_Candidate], max_chars: int) -> None:
        self._left = max_chars
        self._by_place = {(candidate.document, candidate.place): candidate for candidate in candidates}
        self._children: dict[tuple[int, int], list[_Candidate]] = {}
        for candidate in sorted(candidates, key=lambda candidate: candidate.place):
            if candidate.item.parent is not None:
                self._children.setdefault((candidate.document, candidate.item.parent), []).append(candidate)
        self._chosen: dict[str, _Candidate] = {}

    def take(self, candidate: _Candidate) -> None:
        """Choose an item behind those that it belongs to, and what belongs to it: neither is understood alone."""
        family = [candidate]
        while (place := family[0].item.parent) is not None and (
            above := self._by_place.get((candidate.document, place))
        ):
            family.insert(0, above)
        children = self._children.get((candidate.document, candidate.place), [])[:_CHILDREN]
        for member in (*family, *children):
            cost = len(member.item.text) + len("- ") + len(" [9]\n")
            if len(self._chosen) < _MOST and cost <= self._left and member.item.text not in self._chosen:
                self._chosen[member.item.text] = member
                self._left -= cost

    def in_order(self) -> list[_Candidate]:
        """Return the chosen items as they stand in the documents."""
        return sorted(self._chosen.values(), key=lambda candidate: (candidate.document, candidate.place))


def _in_order(candidates: Sequence[_Candidate], wanted: AbstractSet[Intent]) -> list[_Candidate]:
    """The candidates near the best one in the order to choose them: the best of each kind of figure that is asked for, then the
    others, those of a document beyond its first few behind all others.
    """
    nearest = max(candidate.covered for candidate in candidates)
    on_subject = [candidate for candidate in candidates if candidate.covered >= _OF_KIND_FROM * nearest]
    of_kinds = [
        candidate
        for intent in sorted(wanted)
        for candidate in _of_several([each for each in on_subject if intent in each.fits])[:_OF_EACH_KIND]
    ]
    taken: Counter[int] = Counter()
    first: list[_Candidate] = []
    later: list[_Candidate] = []
    for candidate in candidates:
        if candidate.score >= _FROM_BEST * candidates[0].score:
            (first if taken[candidate.document] < _MOST_OF_ONE else later).append(candidate)
            taken[candidate.document] += 1
    return of_kinds + first + later


def _of_several(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The candidates with the best of each document before all others."""
    best = {candidate.document: candidate for candidate in reversed(candidates)}
    leading = [each for each in candidates if best[each.document] is each]
    return [*leading, *(each for each in candidates if each not in leading)]


def _answers_in_kind(intents: AbstractSet[Intent], candidates: Sequence[_Candidate]) -> bool:
    """Return True unless a figure is asked for that no item near the best one has."""
    wanted = intents & _KINDS_OF_FIGURES
    if not wanted or not candidates:
        return bool(candidates)
    nearest = max(candidate.covered for candidate in candidates)
    return any(candidate.fits & wanted for candidate in candidates if candidate.covered >= _FROM_BEST * nearest)


def _wanted(question: str) -> frozenset[Intent]:
    """The kinds of figures that answer: how much is also told as a share, a share as how much, and a calculation in both."""
    intents = intents_of(question)
    both = {Intent.AMOUNT, Intent.RATE}
    return frozenset(intents | both) if intents & both or _CALCULATION.search(question) else frozenset(intents)


def _covered(asked: Sequence[AskedTerm], text: SearchedText) -> float:
    total = sum(term.weight for term in asked)
    return sum(term.weight * term.match(text) for term in asked) / total if total else 0.0


def _compounds(question: str, morphemes: Sequence[Morpheme]) -> list[str]:
    """Return the runs of nouns that stand in ``question`` without a blank between them."""
    runs: list[tuple[int, int]] = []
    for morpheme in morphemes:
        if not morpheme.tag.startswith(_NOUNS):
            continue
        if runs and runs[-1][1] == morpheme.start:
            runs[-1] = (runs[-1][0], morpheme.end)
        else:
            runs.append((morpheme.start, morpheme.end))
    return [question[start:end] for start, end in runs]


def _share_of(term: str) -> float:
    """The share of its rarity that a term counts."""
    if term in _CIRCUMSTANCES:
        return _CIRCUMSTANCE
    if term.endswith("다"):
        return _PREDICATE
    if term[0].isdigit():
        return _FIGURE
    return _ASPECT if term in ASPECT_WORDS else 1.0


def inverse_frequencies(counts: Sequence[int], size: int) -> list[float]:
    """Robertson and Spärck Jones inverse document frequencies with the usual +1, always positive."""
    return [math.log(1 + (size - count + 0.5) / (count + 0.5)) for count in counts]
