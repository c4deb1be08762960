"""Quoting documents as they stand: whole sentences in order, each with its citation, as many as there is room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chains.extractive_task import Quotation
from utils.law.article_text import starts_line
from utils.prompts.articles import CUT_OFF

_OVERHEAD = 6  # characters of a citation and what separates it


def quoted(quotations: Sequence[Quotation], max_chars: int) -> Iterator[str]:
    """The pieces of all quotations, each under its heading and within an equal share of ``max_chars``.

    At least one sentence of each is quoted; what does not fit is left out at the end, and said to be.
    """
    for position, quotation in enumerate(quotations):
        heading = f"**{quotation.heading}**\n"
        yield ("\n\n" if position else "") + heading
        yield from _within(quotation.sentences, max_chars // len(quotations) - len(heading))


def _within(sentences: Sequence[tuple[int, str]], room: int) -> Iterator[str]:
    for position, (number, sentence) in enumerate(sentences):
        room -= len(sentence) + _OVERHEAD
        if position and room < 0:
            yield f"\n{CUT_OFF} [{number}]"
            return
        separator = "" if not position else "\n" if starts_line(sentence) else " "
        yield f"{separator}{sentence} [{number}]"
