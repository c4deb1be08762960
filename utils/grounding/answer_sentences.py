"""Sentences of an answer while it is being written: deltas in, finished sentences with their spans out.

A sentence ends at a full stop, question or exclamation mark, or at the end of its line (headings, bullets, table rows);
citations such as ``[1][2]`` behind the full stop belong to it. A full stop after a digit ends nothing (2026. 1. 1.,
list numerals) unless a citation follows, and no sentence ends inside parentheses or in the middle of a figure.

The work for each character is bounded, however the text degenerates: nothing is looked for further than a few characters away, and
a sentence that does not end is cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

CITATION = re.compile(
    r"[\[［【]\s{0,2}(?:문서|출처|자료)?\s{0,2}(\d{1,3}(?:\s{0,2}[,~–\-·]\s{0,2}\d{1,3}){0,12})\s{0,2}[\]］】]"
)

_LONGEST = 4_000  # characters of a sentence; the longest chunk that an answer may quote has fewer
_NEAR = 64  # blanks behind a sentence beyond which nothing belongs to it
_MOST_OF_A_RANGE = 50  # sources that a range may stand for

_END = re.compile(r"[.!?。]{1,16}[\"'”’)\]」』*_]{0,16}|\n")
_LONGEST_END = 32
# As much of a citation as may be there while it is being written.
_PARTIAL_CITATION = re.compile(r"[\[［【]\s{0,2}(?:[문출자]|문서|출처|자료)?\s{0,2}[\d\s,~–\-·]{0,104}")
_BLANKS = re.compile(rf"\s{{0,{_NEAR}}}")
_SPACES = re.compile(rf" {{0,{_NEAR}}}")
_STOPS = re.compile(rf"[ .]{{0,{_NEAR}}}")
_LIST_MARKER = re.compile(r"\d{1,2}[.)]\s")
_PARTIAL_LIST_MARKER = re.compile(r"\d{1,2}[.)]?")
_FIGURE_BEFORE = re.compile(r"(?:\d,?|\d\s?[천백십]?[만억조])\s{0,16}$")
_LOOK_BACK = 20  # characters that _FIGURE_BEFORE may have
_FIGURE_AFTER = re.compile(r"[\d,%％]|[천백십]?[만억조]?\s?원|[년월일명]|개월|시간|분의|조의?\s?\d?")
_VISIBLE = re.compile(r"\S")
_WORD = re.compile(r"\w")
_LETTER = re.compile(r"[가-힣A-Za-z]")
_ABBREVIATION = re.compile(r"\b(?:No|vs|etc|Co|Ltd|Inc|e\.g|i\.e)$")
_LONGEST_ABBREVIATION = 3
_UNSPACED_END = frozenset("다요죠까")
_OPENING = ("[", "［", "【")
_NOT_YET_KNOWN = -1


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its source marks; ``start`` and ``end`` are character offsets into the whole answer."""

    text: str
    start: int
    end: int


class SentenceStream:
    """Feeds on deltas of a growing answer. The sentences do not depend on where the deltas were cut.

    What has been looked at and ends nothing is not looked at again, so that a whole answer costs time linear in its length.
    """

    def __init__(self) -> None:
        self._text = ""
        self._offset = 0  # of the text within the answer
        self._begin(0)

    def _begin(self, at: int) -> None:
        self._start = at  # of the sentence under way, all in the text
        self._seen = at  # up to where no end is
        self._depth = 0  # parentheses that are open on the line of ``_seen``
        self._first_word: int | None = None
        self._end: int | None = None  # once it is found; citations may still follow

    def feed(self, delta: str) -> list[Sentence]:
        """Return the sentences that ``delta`` finished. One is finished when the next visible character has been seen."""
        self._text += delta
        return self._take(final=False)

    def flush(self) -> list[Sentence]:
        """Return what is left when the answer has ended."""
        return self._take(final=True)

    def _take(self, final: bool) -> list[Sentence]:
        finished: list[Sentence] = []
        while self._begins_visibly():
            if self._end is None:
                self._end = self._find_end(final)
            if self._end is None or not self._take_citations(final):
                break
            sentence = self._text[self._start : self._end].rstrip()
            at = self._offset + self._start
            finished.append(Sentence(sentence, at, at + len(sentence)))
            self._begin(self._end)
        self._forget()
        return finished

    def _begins_visibly(self) -> bool:
        """Pass over the blanks before a sentence; whether there is one."""
        if self._seen == self._start and (visible := _VISIBLE.search(self._text, self._start)) is not None:
            self._begin(visible.start())
        elif self._seen == self._start:
            self._begin(len(self._text))
        return self._start < len(self._text)

    def _forget(self) -> None:
        """Drop the text of finished sentences."""
        self._text = self._text[self._start :]
        self._offset += self._start
        self._seen -= self._start
        if self._first_word is not None:
            self._first_word -= self._start
        if self._end is not None:
            self._end -= self._start
        self._start = 0

    def _find_end(self, final: bool) -> int | None:
        """Where the sentence under way ends, or None while more text could still move that end."""
        limit = self._start + _LONGEST
        while True:
            match = _END.search(self._text, self._seen, limit + _LONGEST_END)
            if match is None or match.start() >= limit:
                self._pass(min(limit, len(self._text)))
                if len(self._text) >= limit + _LONGEST_END:
                    return self._cut(limit)
                return len(self._text) if final else None
            self._pass(match.start())
            is_line_break = match.group() == "\n"
            ends = self._is_line_end(match.start(), final) if is_line_break else self._is_stop(match, final)
            if ends is None:
                return None
            if ends:
                return match.start() if is_line_break else match.end()
            self._depth = 0 if is_line_break else self._depth - match.group().count(")")
            self._seen = match.end()

    def _pass(self, at: int) -> None:
        """Count what stands between what was seen and ``at``."""
        text, seen = self._text, self._seen
        self._depth += text.count("(", seen, at) - text.count(")", seen, at)
        if self._first_word is None and (word := _WORD.search(text, seen, at)) is not None:
            self._first_word = word.start()
        self._seen = at

    def _cut(self, limit: int) -> int:
        """Where a sentence that is too long is cut: at its last blank, or right there."""
        blank = max(self._text.rfind(" ", self._start, limit), self._text.rfind("\n", self._start, limit))
        return blank if blank > self._start else limit

    def _is_line_end(self, at: int, final: bool) -> bool | None:
        """Return True if the line break at ``at`` ends a sentence; None while the text that decides it has not arrived."""
        text = self._text
        blanks = _BLANKS.match(text, at)
        rest = blanks.end() if blanks else at
        if rest == len(text):
            return True if final else None
        if text[rest].isspace() or not _FIGURE_BEFORE.search(text[max(self._start, at - _LOOK_BACK) : at]):
            return True
        if not final and (len(text) - rest < 3 or _PARTIAL_LIST_MARKER.fullmatch(text, rest)):
            return None
        return not _FIGURE_AFTER.match(text, rest) or bool(_LIST_MARKER.match(text, rest))

    def _is_stop(self, match: re.Match[str], final: bool) -> bool | None:
        """Return True if the punctuation of ``match`` ends a sentence; None while the text that decides it has not arrived."""
        text, at, rest = self._text, match.start(), match.end()
        if rest == len(text) and not final:
            return None
        if self._depth > match.group().count(")"):
            return False
        if rest == len(text):
            return True
        last = text[at - 1] if at > self._start else ""
        if text[at] == ".":
            if last.isdigit():
                return _citation_follows(text, rest, final)
            if self._is_marker(at) or _ABBREVIATION.search(text, max(self._start, at - _LONGEST_ABBREVIATION - 1), at):
                return False
        if text[rest] == "[" and text[rest - 1] == "!":
            return _citation_follows(text, rest, final)  # else it is a picture in Markdown
        if text[rest].isspace() or text[rest] in _OPENING:
            return True
        return last in _UNSPACED_END and "가" <= text[rest] <= "힣"

    def _is_marker(self, at: int) -> bool:
        """Return True if the sentence so far is only an item mark: a single letter after signs (가., - A)."""
        return self._first_word == at - 1 and bool(_LETTER.match(self._text, at - 1))

    def _take_citations(self, final: bool) -> bool:
        """Move the end behind the citations that follow, on the same line or alone on the next one; whether that is all."""
        end = self._end
        while end is not None and end - self._start < _LONGEST:
            self._end = end
            end = _behind_citation(self._text, end, final)
            if end == _NOT_YET_KNOWN:
                return False
        return True


def split_sentences(text: str) -> list[Sentence]:
    """Return all sentences of a finished answer."""
    stream = SentenceStream()
    return [*stream.feed(text), *stream.flush()]


def cited_numbers(text: str) -> tuple[int, ...]:
    """Return the source numbers cited in ``text``, in order, each once; ``[1~3]`` is 1, 2, 3.

    Of a range over more sources than an answer can have only the ends count: one of them does not exist.
    """
    numbers: dict[int, None] = {}
    for match in CITATION.finditer(text):
        for part in re.split("[,·]", match[1]):
            first, *last = (int(number) for number in re.split(r"[~–\-]", part))
            upper = last[0] if last else first
            far = upper - first > _MOST_OF_A_RANGE
            numbers.update((number, None) for number in ((first, upper) if far else range(first, upper + 1)))
    return tuple(numbers)


def _citation_follows(text: str, at: int, final: bool) -> bool | None:
    """Return True if a source mark follows the spaces at ``at``; None while the text that decides it has not arrived."""
    spaces = _SPACES.match(text, at)
    at = spaces.end() if spaces else at
    if not final and (at == len(text) or _PARTIAL_CITATION.fullmatch(text, at)):
        return None
    return bool(CITATION.match(text, at))


def _behind_citation(text: str, end: int, final: bool) -> int | None:
    """Return where the citation that belongs to a sentence with this ``end`` ends; None where there is none."""
    blanks = _BLANKS.match(text, end)
    visible = blanks.end() if blanks else end
    if visible - end == _NEAR:
        return None
    if not final and (visible == len(text) or _PARTIAL_CITATION.fullmatch(text, visible)):
        return _NOT_YET_KNOWN
    citation = CITATION.match(text, visible)
    if citation is None:
        return None
    if "\n" in text[end:visible]:
        stops = _STOPS.match(text, citation.end())
        behind = stops.end() if stops else citation.end()
        if behind == len(text) and not final:
            return _NOT_YET_KNOWN
        if behind < len(text) and text[behind] not in ("\n", *_OPENING):
            return None
    return citation.end()
