"""Cutting a document into passages along its own structure.

A text is cut only where its policy says so, at the most structural place available: paragraph (항, heading), item (호),
line, sentence, clause, word; in the middle of a word only when a run longer than a chunk has no break at all.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from utils.korean.sentence_spans import Span, split_sentences
from vectorstores.collections import OVERLAP, ChunkingPolicy

_MIN_FILL = 0.5  # a structural break is preferred over a later, weaker one from this share of the size on
_SMALLEST_BODY = 300  # what a long prefix leaves at least

_PARAGRAPH = re.compile(r"^(?:[①-⑳㉑-㉟㊱-㊿]|#{1,6} )", re.MULTILINE)
_ITEM = re.compile(r"^[^\S\n]*(?:\d+(?:의\d+)?[.)]|[가-하][.)]|[-*•·]) ?", re.MULTILINE)
_LINE_START = re.compile(r"(?<=\n)(?=[^\n])")
_BLANK_LINE = re.compile(r"\n\s*\n")
_CLAUSE = re.compile(r"(?<=[,;])\s+(?=\S)")
_SPACE = re.compile(r"(?<!\s)\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document: its text as indexed and shown, and the sentence spans in it (the prefix is in none)."""

    text: str
    sentences: tuple[Span, ...]


def chunk_text(content: str, policy: ChunkingPolicy, prefix: str = "") -> list[Passage]:
    """The passages of ``content`` in order, each headed by ``prefix`` (a line of its own) when there is one.

    A passage, prefix included, has at most ``policy.size`` characters when the text is cut.
    """
    head = f"{prefix}\n" if prefix else ""
    if policy.threshold is None or len(head) + len(content) <= policy.threshold:
        spans = [(0, len(content))]
    else:
        size = max(policy.size - len(head), min(_SMALLEST_BODY, policy.size))
        spans = cut(content, size, policy.overlap, policy.marks)
    bodies = (content[start:end].strip() for start, end in spans)
    return [Passage(head + body, split_sentences(head + body, len(head))) for body in bodies if body]


def cut(text: str, size: int, overlap: int = OVERLAP, marks: str = "") -> list[Span]:
    """Spans of at most ``size`` characters that cover ``text``; neighbours overlap by at most ``overlap``, blanks aside."""
    breaks = _structural_breaks(text, marks)
    positions = sorted(breaks)
    overlap = min(overlap, size // 4)

    def span_from(start: int) -> Span:
        return start, _best_break(text, start, size, positions, breaks) if len(text) - start > size else len(text)

    spans = [span_from(0)]
    while spans[-1][1] < len(text):
        start, end = spans[-1]
        usual = _overlap_start(start, end, overlap, positions)
        others = positions[bisect_right(positions, start) : bisect_left(positions, end)]
        nexts = map(span_from, (usual, end, *reversed(others)))
        spans.append(
            next((after for after in nexts if _joins(text, spans[-1], after, overlap, marks)), span_from(usual))
        )
    return spans


def _joins(text: str, before: Span, after: Span, overlap: int, marks: str) -> bool:
    """Return True if the two can be told to overlap by what they do: a line that is there twice may look like an overlap."""
    repeated = text[after[0] : before[1]].strip()
    return _repeated(text[slice(*before)].strip(), text[slice(*after)].strip(), overlap, marks) == len(repeated)


def join_passages(texts: Sequence[str], policy: ChunkingPolicy) -> str:
    """The text that `chunk_text` cut into ``texts``, what they overlap once; the space at a cut may differ."""
    joined, last = "", ""
    for text in texts:
        repeated = _repeated(last, text, min(policy.overlap, policy.size // 4), policy.marks)
        joined += text[repeated:] if repeated else f"\n{text}" if joined else text
        last = text
    return joined


def _repeated(before: str, after: str, overlap: int, marks: str) -> int:
    """Count the first characters of ``after`` that repeat the end of ``before``: the longest repeat that `cut` could make."""
    for start in sorted(_structural_breaks(before, marks)):
        if start and len(before) - start <= overlap and after.startswith(before[start:]):
            return len(before) - start
    return 0


def _structural_breaks(text: str, marks: str) -> dict[int, int]:
    """Position → level; a lower level is a stronger boundary."""
    breaks: dict[int, int] = {start: 3 for start, _ in split_sentences(text)}
    breaks.update((match.start(), 2) for match in _LINE_START.finditer(text))
    if marks:
        breaks.update((match.start(), 1) for match in re.finditer(rf"(?<=\s)[{re.escape(marks)}]", text))
    breaks.update((match.start(), 1) for match in _ITEM.finditer(text))
    breaks.update((match.end(), 1) for match in _BLANK_LINE.finditer(text))
    breaks.update((match.start(), 0) for match in _PARAGRAPH.finditer(text))
    return breaks


def _best_break(text: str, start: int, size: int, positions: list[int], breaks: dict[int, int]) -> int:
    limit = start + size
    candidates = positions[bisect_right(positions, start) : bisect_right(positions, limit)]
    well_filled = candidates[bisect_left(candidates, start + int(size * _MIN_FILL)) :]
    if well_filled:
        return min(well_filled, key=lambda position: (breaks[position], -position))
    if candidates:
        return candidates[-1]
    for weaker in (_CLAUSE, _SPACE):
        ends = [match.end() for match in weaker.finditer(text, start + 1, limit) if match.end() > start]
        if ends:
            return ends[-1]
    return limit


def _overlap_start(start: int, end: int, overlap: int, positions: list[int]) -> int:
    """Where the next span begins: the earliest break within ``overlap`` of ``end``, and beyond ``start``."""
    index = bisect_left(positions, max(end - overlap, start + 1))
    return positions[index] if index < len(positions) and positions[index] < end else end
