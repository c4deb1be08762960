"""Typing errors and misplaced spaces in a question, put right before it is searched for.

A noisy channel (Kernighan, Church, Gale 1990): a place that the analyser's language model finds improbable, and the index does not
know, is read as each word of the index that is one key away, and with the space beside it elsewhere. What makes the words around it
much more probable is what was meant. A question without such a place costs one pass over its morphemes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby

from utils.korean.keystrokes import KeyNeighbours, is_slip
from utils.protocols import Analyzer, Morpheme
from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.search.relevance import frequency
from vectorstores.tokenizer import term_of

# All in nats. How improbable a place must be to be doubted, and what a reading must gain, by what has to have gone wrong.
_DOUBTFUL = 17.0
_DOUBTFUL_JAMO = 9.0
_DOUBTFUL_SPACE = 14.0  # of the two syllables beside it
_PROBABLE = -15.0  # a longer word of this or more is one, whether the index has it or not
_UNHEARD_OF = 18.0  # so improbable is only what the analyser has no word for
_MISTYPED = 12.0
_MISTYPED_UNHEARD_OF = 7.0
_MISTYPED_JAMO = 5.0  # a jamo that stands alone is an error whatever was meant
_FAR_KEY = 4.0  # on top, for a key that is not beside the right one
_MISPLACED_SPACE = 4.0
_CERTAIN = -1_000.0

# Of so many chunks a term must stand in one to count as a word: what stands in fewer may itself be a misprint.
_CHUNKS_A_PRINT = 50_000

_SHORTEST_WORD, _LONGEST_SPAN, _LONGEST_WORD = 2, 8, 24  # characters
_MOST_TRIALS = 80  # readings weighed for one text: it may be anything

# Particles and endings that stand behind a noun: 기간돠 → 기간과.
_TAILS = frozenset(
    "은 는 이 가 을 를 에 의 로 도 만 과 와 에서 에게 으로 부터 까지 이나 법 "
    "인데 인가요 입니다 하는 하면 해서 하나요 되나요 했는데 한 할 된 되면 하고 하여".split()
)
_HANGUL_WORD = re.compile(r"[가-힣]{2,}")
_RUN = re.compile(r"[가-힣ㄱ-ㅎㅏ-ㅣ]+")
_JAMO = re.compile(r"[ㄱ-ㅎㅏ-ㅣ]")
_LAW_ENDINGS = "법률령칙"
_LAW_NAME = re.compile(rf"[가-힣]{{2,23}}[{_LAW_ENDINGS}]")
_LONGEST_NAME = 32  # characters, with its spaces
_LAW_BEFORE_ARTICLE = re.compile(r"([가-힣]{3,24}?)\s?(?:제\s?)?\d+\s?조")
_WORD = re.compile(r"\S+")
_MODIFIERS = frozenset({"SW", "MM", "MAG", "IC", "XSN", "XPN"})  # what a broken word is often taken for


@dataclass(frozen=True, slots=True)
class Respelling:
    """A text as it was meant; ``corrections`` are what was typed and what was read instead, in order."""

    text: str
    corrections: tuple[tuple[str, str], ...] = ()

    @property
    def trace(self) -> dict[str, str]:
        """The corrections, typed → meant, for the trace of a request; empty where there are none."""
        changes = ", ".join(f"{typed} → {meant}" for typed, meant in self.corrections)
        return {"spelling": changes} if changes else {}


@dataclass(frozen=True, slots=True)
class _Reading:
    """The words from number ``first`` on, ``count`` of them, read as ``words``; ``cost`` is what it must gain."""

    first: int
    count: int
    words: tuple[str, ...]
    cost: float


class QuestionSpelling:
    """Puts questions right; thread-safe."""

    def __init__(
        self, analyzer: Analyzer, words: Iterable[str], laws: Iterable[str], is_known: Callable[[str], bool]
    ) -> None:
        """``words`` are what may have been meant, ``laws`` the names of statutes without spaces, short ones among them;
        ``is_known`` tells the terms that are right as they are."""
        self._analyzer = analyzer
        self._laws = frozenset(laws)
        self.is_known = is_known
        self._neighbours = KeyNeighbours([*(word for word in words if len(word) >= _SHORTEST_WORD), *_TAILS])
        # what was typed is weighed against each of its readings
        self._log_probability = lru_cache(64)(self._log_probability_of)
        self.respelled = lru_cache(1_024)(self._respelled)

    def close(self) -> None:
        """Let go of what was read, its words and the index: kept answers hold on to them. No question may follow."""
        del self._log_probability, self.respelled

    @cached_property
    def _near_laws(self) -> KeyNeighbours:
        """Made when the first unknown statute is cited."""
        return KeyNeighbours(self._laws)

    def _respelled(self, text: str) -> Respelling:
        doubts = _Doubts(text, self._analyzer.morphemes(text), self.is_known)
        if not doubts.any:
            return Respelling(text)
        laws = list(self._named_laws(text, doubts.places))
        doubts.dispel(laws)
        found = [
            *self._cited_laws(doubts, frozenset(end for _, end in laws)),
            *self._corrections(doubts),
            *doubts.respacings(),
        ]
        readings = sorted(found, key=lambda reading: reading.first)
        return self._best(text, doubts, readings[:_MOST_TRIALS]) if readings else Respelling(text)

    def _named_laws(self, text: str, places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Where a word begins a statute's name, however improbable its morphemes are (근퇴법); spaces within do not count."""
        for first, _ in places:
            ends = [
                end
                for end in range(first + 1, min(len(text), first + _LONGEST_NAME) + 1)
                if not text[end - 1].isspace()
            ]
            named = (end for end in reversed(ends) if text[end - 1] in _LAW_ENDINGS)
            end = next((end for end in named if "".join(text[first:end].split()) in self._laws), None)
            if end is not None:
                yield first, end

    def _cited_laws(self, doubts: _Doubts, ends: frozenset[int]) -> Iterator[_Reading]:
        """A word before an article as the one statute that is a slip away: 부가가치세볍 48조. Nothing has to be weighed.

        ``ends`` are where names end that are right.
        """
        for number, (word, behind) in enumerate(zip(doubts.words, [*doubts.words[1:], ""], strict=True)):
            name = _LAW_BEFORE_ARTICLE.match(f"{word} {behind}")
            if name is None or doubts.places[number][0] + len(name[1]) in ends:
                continue
            near = [law for law in self._near_laws.near([name[1]])[0] if is_slip(name[1], law)]
            if len(near) == 1:
                yield _Reading(number, 1, (near[0] + word[len(name[1]) :],), _CERTAIN)

    def _corrections(self, doubts: _Doubts) -> Iterator[_Reading]:
        """Every doubtful place read as each word that is one key away."""
        spans = list(doubts.spans())
        found = self._neighbours.near([span.text for span in spans]) if spans else []
        seen: set[tuple[int, str]] = set()
        for span, near in zip(spans, found, strict=True):
            word = doubts.words[span.word]
            for meant in near:
                if meant == span.text or (not span.is_tail and meant in _TAILS):
                    continue
                whole = word[: span.start] + meant + word[span.end :]
                if (span.word, whole) not in seen:
                    seen.add((span.word, whole))
                    cost = span.cost + (0.0 if is_slip(span.text, meant) else _FAR_KEY)
                    yield _Reading(span.word, 1, (whole,), cost)

    def _best(self, text: str, doubts: _Doubts, readings: Sequence[_Reading]) -> Respelling:
        """The text with the best reading of each place, left to right; a word once read anew is not read again."""
        typed = doubts.words
        pieces: list[str] = []
        corrections: list[tuple[str, str]] = []
        before: tuple[str, ...] = ()
        done = end = 0  # words and characters that are behind
        for first, group in groupby(readings, key=lambda reading: reading.first):
            if first < done:
                continue
            left = before[-1:] if first == done and before else tuple(typed[max(0, first - 1) : first])
            gains = ((self._gain(left, reading, typed), reading) for reading in group)
            gain, best = max(gains, key=lambda gained: gained[0])
            if gain <= 0:
                continue
            done, before = first + best.count, best.words
            start, stop = doubts.places[first][0], doubts.places[done - 1][1]
            corrections.append((" ".join(typed[first:done]), " ".join(best.words)))
            pieces += [text[end:start], " ".join(best.words)]
            end = stop
        return Respelling("".join([*pieces, text[end:]]), tuple(corrections))

    def _gain(self, before: Sequence[str], reading: _Reading, typed: Sequence[str]) -> float:
        """Return the log probability that a reading gains over what was typed, with the word on either side; less its cost."""
        last = reading.first + reading.count
        behind = typed[last : last + 1]
        was = " ".join([*before, *typed[reading.first : last], *behind])
        read = " ".join([*before, *reading.words, *behind])
        return self._log_probability(read) - self._log_probability(was) - reading.cost

    def _log_probability_of(self, text: str) -> float:
        return sum(morpheme.log_probability for morpheme in self._analyzer.morphemes(text))


@dataclass(frozen=True, slots=True)
class _Span:
    """A doubtful place: characters ``start`` to ``end`` of a word. ``is_tail``: it ends a word and does not begin it.

    ``cost`` is what another reading of it must gain.
    """

    word: int
    start: int
    end: int
    text: str
    is_tail: bool
    cost: float


class _Doubts:
    """The characters of a text that the analyser takes for improbable and the index for unknown."""

    def __init__(self, text: str, morphemes: Sequence[Morpheme], is_known: Callable[[str], bool]) -> None:
        places = [match.span() for match in _WORD.finditer(text)]
        self.words = [text[start:end] for start, end in places]
        self._text = text
        self.places = places
        self._morphemes = morphemes
        self._owner = [-1] * len(text)  # the number of the morpheme that a character belongs to
        self._sure = [False] * len(text)
        self._weak = [False] * len(text)
        for number, morpheme in enumerate(morphemes):
            self._note(number, morpheme, is_known)

    @property
    def any(self) -> bool:
        """True if a place is in doubt."""
        return any(self._weak)

    def dispel(self, places: Iterable[tuple[int, int]]) -> None:
        """Take places, given as (start, end), for right."""
        for start, end in places:
            self._sure[start:end] = [True] * (end - start)
            self._weak[start:end] = [False] * (end - start)

    def _note(self, number: int, morpheme: Morpheme, is_known: Callable[[str], bool]) -> None:
        term = term_of(morpheme.form, morpheme.tag)
        is_word = term is not None and morpheme.end - morpheme.start >= _SHORTEST_WORD
        sure = term is not None and is_word and (morpheme.log_probability > _PROBABLE or is_known(term))
        weak = not sure and (term is not None or morpheme.tag in _MODIFIERS)
        for place in range(morpheme.start, min(max(morpheme.end, morpheme.start + 1), len(self._text))):
            self._owner[place] = number
            self._sure[place] |= sure
            self._weak[place] |= weak

    def spans(self) -> Iterator[_Span]:
        """The places that may be a mistyped word."""
        for number, (first, last) in enumerate(self.places):
            if last - first > _LONGEST_WORD or not any(self._weak[first:last]):
                continue
            for run in _RUN.finditer(self.words[number]):
                yield from self._spans_of_run(number, first, first + run.start(), first + run.end())

    def _spans_of_run(self, word: int, first: int, begin: int, stop: int) -> Iterator[_Span]:
        has_jamo = _JAMO.search(self._text, begin, stop) is not None
        for start in range(begin, stop):
            surprise = highest = 0.0
            for end in range(start + 1, min(stop, start + _LONGEST_SPAN) + 1):
                if self._sure[end - 1] and not has_jamo:
                    break
                if end == start + 1 or self._owner[end - 1] != self._owner[end - 2]:
                    surprise += self._surprise(end - 1)
                    highest = max(highest, self._surprise(end - 1))
                is_tail = end == stop and start > begin
                if (
                    surprise >= (_DOUBTFUL_JAMO if has_jamo else _DOUBTFUL)
                    and (is_tail or end - start >= _SHORTEST_WORD)
                    and any(self._weak[start:end])
                ):
                    text = self._text[start:end]
                    cost = _MISTYPED_UNHEARD_OF if highest >= _UNHEARD_OF else _MISTYPED
                    cost = _MISTYPED_JAMO if has_jamo else cost
                    yield _Span(word, start - first, end - first, text, is_tail, cost)

    def _surprise(self, place: int) -> float:
        """Of the whole morpheme at a place."""
        owner = self._owner[place]
        return -self._morphemes[owner].log_probability if owner >= 0 else 0.0

    def _share(self, place: int) -> float:
        """Of one syllable of the morpheme at a place."""
        owner = self._owner[place]
        return self._surprise(place) / max(1, self._morphemes[owner].end - self._morphemes[owner].start)

    def respacings(self) -> Iterator[_Reading]:
        """Each doubtful space left out, and moved by one syllable to either side."""
        for number in range(len(self.places) - 1):
            left, right = self.places[number][1] - 1, self.places[number + 1][0]
            if not (_RUN.match(self._text[left]) and _RUN.match(self._text[right])):
                continue
            if not (self._weak[left] or self._weak[right]) or self._share(left) + self._share(right) < _DOUBTFUL_SPACE:
                continue
            before, behind = self.words[number], self.words[number + 1]
            yield _Reading(number, 2, (before + behind,), _MISPLACED_SPACE)
            if len(behind) > 1 and _RUN.match(behind[1]):
                yield _Reading(number, 2, (before + behind[0], behind[1:]), _MISPLACED_SPACE)
            if len(before) > 1 and _RUN.match(before[-2]):
                yield _Reading(number, 2, (before[:-1], before[-1] + behind), _MISPLACED_SPACE)


def index_spelling(index: KnowledgeIndex, analyzer: Analyzer, glossary: Iterable[str]) -> QuestionSpelling:
    """The spelling of what the collections and the ``glossary`` words say."""
    glossary = list(glossary)
    # Alone, a word may be taken apart that stays whole in a sentence (시용), so each counts as it is, too.
    extra = {*glossary, *(term for located in analyzer.located_many(glossary) for term in located.terms)}
    names = (word.replace(" ", "") for word in [*index.law_names(), *glossary])

    def is_known(term: str) -> bool:
        return term in extra or any(
            frequency(collection, term) >= _least_chunks(collection) for collection in index.collections.values()
        )

    return QuestionSpelling(
        analyzer,
        _hangul_words([*_frequent_terms(index), *extra]),
        [name for name in names if _LAW_NAME.fullmatch(name)],
        is_known,
    )


def _frequent_terms(index: KnowledgeIndex) -> Iterator[str]:
    for collection in index.collections.values():
        if collection.bm25_error is None:
            yield from collection.ranking.frequent_terms(_least_chunks(collection))


def _hangul_words(terms: Iterable[str]) -> Iterator[str]:
    """The Hangul ones, and the stems of those that may be predicates."""
    for term in terms:
        if _HANGUL_WORD.fullmatch(term):
            yield term
            if term.endswith("다"):
                yield term[:-1]


def _least_chunks(collection: CollectionIndex) -> int:
    return 1 + collection.size // _CHUNKS_A_PRINT
