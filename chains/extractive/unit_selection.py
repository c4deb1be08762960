"""Which answer units are said to a thing asked, and which of their sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from chains.extractive.further_sentences import bears_on, without_references
from chains.extractive_task import ExtractiveAsk, ExtractiveUnit, UnitQuote
from utils.figures.figures import find_figures
from utils.korean.word_rarity import squeezed, syllable_pairs

_SENTENCES = 3  # of the unit that answers
_FURTHER = 1  # of others that are as near: their conclusions
_OTHERS = 2  # that are as near
_BEHIND_A_SUM = 2  # of the unit that answers: the sum has said what the rule comes to
_CLOSE = 1.6  # in log odds behind the best: as near
_OVERHEAD = 7  # characters of a citation and a space
_SAID = 0.85  # share of its pairs of syllables from which a sentence without a new figure says nothing new


@dataclass(slots=True)
class _Said:
    """The answer so far, by its syllable pairs and figures."""

    pairs: set[str] = field(default_factory=set)
    figures: set[str] = field(default_factory=set)

    def takes(self, sentence: str) -> bool:
        """Take a sentence in; False, and nothing taken, for one that repeats what was said."""
        bare = without_references(sentence)
        pairs = syllable_pairs(squeezed(bare))
        figures = {figure.canonical for figure in find_figures(bare)}
        if pairs and len(pairs & self.pairs) >= _SAID * len(pairs) and figures <= self.figures:
            return False
        self.pairs |= pairs
        self.figures |= figures
        return True


def select_units(
    asks: Sequence[ExtractiveAsk], max_chars: int, question: str
) -> list[tuple[ExtractiveAsk, tuple[UnitQuote, ...]]]:
    """Return the quotes for each ask, none of them twice; empty where nothing answers it.

    Of the best unit at most three sentences: its conclusion, behind that its note if it has one, then those that bear on the ``question``. Then the
    conclusions of two others, if they are as near and there is room; behind a sum two sentences of the best alone. A unit that answered a thing asked
    before is not said again: of it follows only what bears on this ask alone.
    """
    said = _Said()
    told: set[tuple[int, str]] = set()
    own = {(ask.units[0].document, ask.units[0].name) for ask in asks if ask.is_answered}
    left = max_chars
    chosen: list[tuple[ExtractiveAsk, tuple[UnitQuote, ...]]] = []
    for position, ask in enumerate(asks):
        most_chars = left // (len(asks) - position)
        if ask.is_answered and not ask.sums and (ask.units[0].document, ask.units[0].name) in told:
            quotes = _still_to_say(ask, said, most_chars)
            if not quotes:
                continue  # the paragraph of the ask before answers this one too
        else:
            quotes = tuple(_quotes(ask, question, said, told, own, most_chars))
        left -= sum(len(quote.text) + _OVERHEAD for quote in quotes)
        chosen.append((ask, quotes))
    return chosen


def _quotes(
    ask: ExtractiveAsk,
    question: str,
    said: _Said,
    told: set[tuple[int, str]],
    own: set[tuple[int, str]],
    max_chars: int,
) -> Iterator[UnitQuote]:
    left = max_chars
    before: list[str] = []
    for unit, most in answering_units(ask):
        key = unit.document, unit.name
        if before and key in own and unit is not ask.units[0]:
            continue  # another thing asked is answered with it
        told.add(key)
        note, kept = unit.note, 0
        for place, sentence in enumerate(unit.sentences):
            size = len(sentence.text) + _OVERHEAD + (len(note) + _OVERHEAD if note else 0)
            if kept == most:
                break
            if before and (size > left or (place and not bears_on(sentence, ask.ask, question, before))):
                continue
            if not said.takes(sentence.text):
                continue
            left -= size
            kept += 1
            before.append(without_references(sentence.text))
            yield UnitQuote(document=unit.document, text=sentence.text, verdict=None if place else unit.verdict)
            if note:
                yield UnitQuote(document=unit.document, text=note)
                note = ""


def _still_to_say(ask: ExtractiveAsk, said: _Said, max_chars: int) -> tuple[UnitQuote, ...]:
    """Return the first sentence that bears on an ask, of a unit that was said to another; empty where all of it was said."""
    unit = ask.units[0]
    for sentence in unit.sentences[1:]:
        is_short = len(sentence.text) + _OVERHEAD <= max_chars
        if is_short and bears_on(sentence, ask.ask, ask.ask, ()) and said.takes(sentence.text):
            return (UnitQuote(document=unit.document, text=sentence.text),)
    return ()


def nearest_quotes(ask: ExtractiveAsk) -> list[UnitQuote]:
    """Return the conclusion of the unit that is offered in place of an answer, and its note."""
    if not ask.is_offered:
        return []
    best = ask.units[0]
    return [UnitQuote(document=best.document, text=text) for text in (best.sentences[0].text, best.note) if text]


def answering_units(ask: ExtractiveAsk) -> Iterator[tuple[ExtractiveUnit, int]]:
    """Yield the sums of an ask, then the unit that answers it and others as near, each with how many of its sentences are quoted at most."""
    yield from ((total, 1) for total in ask.sums)
    if not ask.is_answered:
        return
    best, *others = ask.units
    if ask.sums:
        yield best, _BEHIND_A_SUM
        return
    yield best, _SENTENCES
    near = (unit for unit in others if unit.score >= best.score - _CLOSE)
    yield from ((unit, _FURTHER) for unit in islice(near, _OTHERS))
