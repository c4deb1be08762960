"""Which answer units are said to a thing asked, and which of their sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chains.extractive_task import ExtractiveAsk, ExtractiveUnit, UnitQuote

_SENTENCES = 3  # of the unit that answers
_FURTHER = 2  # of another that is as near
_CLOSE = 0.8  # in log odds behind the best: as near
_OVERHEAD = 7  # characters of a citation and a space


def select_units(asks: Sequence[ExtractiveAsk], max_chars: int) -> list[tuple[ExtractiveAsk, tuple[UnitQuote, ...]]]:
    """What is said to each ask, none of it twice; empty where nothing answers it.

    Of the best unit at most three sentences, its conclusion first; then two of the next, if it is as near and there is room. A unit
    that answers a thing asked before is not said again.
    """
    said: set[str] = set()
    left = max_chars
    chosen = []
    for position, ask in enumerate(asks):
        quotes = tuple(_quotes(ask, said, left // (len(asks) - position)))
        left -= sum(len(quote.text) + _OVERHEAD for quote in quotes)
        chosen.append((ask, quotes))
    return chosen


def _quotes(ask: ExtractiveAsk, said: set[str], max_chars: int) -> Iterator[UnitQuote]:
    left = max_chars
    for unit, most in _units(ask):
        for place, sentence in enumerate(unit.sentences[:most]):
            size = len(sentence) + _OVERHEAD
            if sentence in said or (size > left and said):
                continue
            said.add(sentence)
            left -= size
            yield UnitQuote(document=unit.document, text=sentence, verdict=unit.verdict if not place else None)


def _units(ask: ExtractiveAsk) -> Iterator[tuple[ExtractiveUnit, int]]:
    if not ask.is_answered:
        return
    best, *others = ask.units
    yield best, _SENTENCES
    second = next((unit for unit in others if unit.score >= best.score - _CLOSE), None)
    if second is not None:
        yield second, _FURTHER
