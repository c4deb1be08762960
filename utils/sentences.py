"""Sentences of an answer while it is being written: deltas in, finished sentences with their spans out.

A sentence ends at a full stop, question or exclamation mark, or at the end of its line (headings, bullets, table rows);
citations such as ``[1][2]`` behind the full stop belong to it. A full stop after a digit ends nothing (2026. 1. 1.,
list numerals) unless a citation follows, and no sentence ends inside parentheses or in the middle of a figure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

CITATION = re.compile(r"[\[［【]\s*(?:문서|출처|자료)?\s*(\d{1,3}(?:\s*[,~–\-·]\s*\d{1,3})*)\s*[\]］】]")

_END = re.compile(r"[.!?。]+[\"'”’)\]」』*_]*|\n")
_PARTIAL_CITATION = re.compile(r"[\[［【][^\]］】\n]{0,16}$")
_LIST_MARKER = re.compile(r"\d{1,2}[.)]\s")
_PARTIAL_LIST_MARKER = re.compile(r"\d{1,2}[.)]?$")
_FIGURE_BEFORE = re.compile(r"(?:\d,?|\d\s?[천백십]?[만억조])\s*$")
_FIGURE_AFTER = re.compile(r"[\d,%％]|[천백십]?[만억조]?\s?원|[년월일명]|개월|시간|분의|조의?\s?\d?")
_MARKER_ONLY = re.compile(r"\W*[가-힣A-Za-z]$")
_ABBREVIATION = re.compile(r"\b(?:No|vs|etc|Co|Ltd|Inc|e\.g|i\.e)$")
_UNSPACED_END = re.compile(r"[다요죠까]$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence with its citations; ``start`` and ``end`` are character offsets into the whole answer."""

    text: str
    start: int
    end: int


class SentenceStream:
    """Feeds on deltas of a growing answer. The sentences do not depend on where the deltas were cut."""

    def __init__(self) -> None:
        self._buffer = ""
        self._offset = 0

    def feed(self, delta: str) -> list[Sentence]:
        """The sentences that ``delta`` finished. One is finished when the next visible character has been seen."""
        self._buffer += delta
        return self._take(final=False)

    def flush(self) -> list[Sentence]:
        """What is left when the answer has ended."""
        return self._take(final=True)

    def _take(self, final: bool) -> list[Sentence]:
        finished: list[Sentence] = []
        while True:
            stripped = self._buffer.lstrip()
            self._offset += len(self._buffer) - len(stripped)
            self._buffer = stripped
            end = _sentence_end(stripped, final) if stripped else None
            if end is None:
                return finished
            text = stripped[:end].rstrip()
            finished.append(Sentence(text, self._offset, self._offset + len(text)))
            self._buffer = stripped[end:]
            self._offset += end


def split_sentences(text: str) -> list[Sentence]:
    """All sentences of a finished answer."""
    stream = SentenceStream()
    return [*stream.feed(text), *stream.flush()]


def cited_numbers(text: str) -> tuple[int, ...]:
    """The source numbers cited in ``text``, in order, each once; ``[1~3]`` is 1, 2, 3."""
    numbers: dict[int, None] = {}
    for match in CITATION.finditer(text):
        for part in re.split(r"\s*[,·]\s*", match[1]):
            first, *last = (int(number) for number in re.split(r"\s*[~–\-]\s*", part))
            numbers.update((number, None) for number in range(first, (last[0] if last else first) + 1))
    return tuple(numbers)


def _sentence_end(text: str, final: bool) -> int | None:
    """Where the first sentence of ``text`` ends, or None while more text could still move that end."""
    for match in _END.finditer(text):
        is_line_break = match.group() == "\n"
        ends = _line_end(text, match.start(), final) if is_line_break else _stop(text, match, final)
        if ends is None:
            return None
        if ends:
            return _with_citations(text, match.start() if is_line_break else match.end(), final)
    return len(text) if final else None


def _line_end(text: str, at: int, final: bool) -> bool | None:
    """Whether the line break at ``at`` ends a sentence; None if that is not yet known."""
    rest = text[at:].lstrip()
    if not rest:
        return True if final else None
    if not _FIGURE_BEFORE.search(text[:at]):
        return True
    if not final and (_PARTIAL_LIST_MARKER.fullmatch(rest) or len(rest) < 3):
        return None
    return not _FIGURE_AFTER.match(rest) or bool(_LIST_MARKER.match(rest))


def _stop(text: str, match: re.Match[str], final: bool) -> bool | None:
    """Whether the punctuation of ``match`` ends a sentence; None if that is not yet known."""
    before, rest = text[: match.start()], text[match.end() :]
    line = before[before.rfind("\n") + 1 :]
    if line.count("(") > line.count(")") + match.group().count(")"):
        return False
    if not rest:
        return True if final else None
    if match.group().startswith("."):
        if before[-1:].isdigit():
            return _citation_follows(rest, final)
        if _MARKER_ONLY.fullmatch(before) or _ABBREVIATION.search(before):
            return False
    if rest[0].isspace() or rest[0] in "[［【":
        return True
    return bool(_UNSPACED_END.search(before)) and "가" <= rest[0] <= "힣"


def _citation_follows(rest: str, final: bool) -> bool | None:
    stripped = rest.lstrip(" ")
    if not final and (not stripped or _PARTIAL_CITATION.match(stripped)):
        return None
    return bool(CITATION.match(stripped))


def _with_citations(text: str, end: int, final: bool) -> int | None:
    """``end`` moved behind the citations that follow: on the same line, or alone on the next one."""
    while True:
        rest = text[end:]
        stripped = rest.lstrip()
        if not stripped:
            return end if final else None
        if not final and _PARTIAL_CITATION.fullmatch(stripped):
            return None
        citation = CITATION.match(stripped)
        if citation is None:
            return end
        if "\n" in rest[: len(rest) - len(stripped)]:
            behind = stripped[citation.end() :].lstrip(" .")
            if not behind and not final:
                return None
            if behind and not behind.startswith(("\n", "[", "［", "【")):
                return end
        end += len(rest) - len(stripped) + citation.end()
