"""The items of a guide: what its lists, tables and paragraphs say one by one, each with the headings that it stands under."""

from __future__ import annotations

import re
from dataclasses import dataclass

from utils.korean.sentence_spans import split_sentences

_HEADING = re.compile(r"^(#{1,6})\s+(.+)$")
_MARK = re.compile(r"^(\s*)(?:[-*•●○◦■□▪※▶►]|\(?\d{1,2}[.)]|[가-하][.)]|[①-⑳])\s+(?=\S)")
_INNER_MARK = re.compile(r"(?<=\s)(?=[•●○◦①-⑳]\s?\S)")
_LEADING_MARK = re.compile(r"^[•●○◦①-⑳]\s*")
_RULE = re.compile(r"^[\s|:=*_-]+$")
_EMPHASIS = re.compile(r"\*\*|__|`")
_LABEL = re.compile(r"^[^.\d]{1,30}:$")
_WORD = re.compile(r"\w")
_DEEPEST = 99  # below all headings
_FENCES = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class Item:
    """An item on one line. ``under`` are the headings, labels and list items above it, the outermost first.

    ``parent`` is the place, among the items of the text, of the list item that it belongs to.
    """

    text: str
    under: tuple[str, ...] = ()
    parent: int | None = None


def items_of(text: str) -> tuple[Item, ...]:
    """Return the items of ``text`` in order: list items, rows of tables as ``first cell — column: cell``, sentences of paragraphs."""
    return tuple(_Reading().read(text.split("\n")))


class _Reading:
    """A text while it is read: the headings above the line, and the head of the table that it stands in."""

    def __init__(self) -> None:
        self._above: dict[int, tuple[str, int | None]] = {}  # by depth, with the place of what is an item itself
        self._items: list[Item] = []
        self._columns: tuple[str, ...] = ()
        self._in_table = False

    def read(self, lines: list[str]) -> list[Item]:
        for number, line in enumerate(lines):
            if line.lstrip().startswith("|"):
                following = lines[number + 1] if number + 1 < len(lines) else ""
                self._row(line, following)
                continue
            self._in_table, self._columns = False, ()
            if heading := _HEADING.match(line):
                self._put_above(len(heading[1]), heading[2])
            elif line.strip() and not _RULE.match(line) and not line.lstrip().startswith(_FENCES):
                self._line(line)
        return self._items

    def _line(self, line: str) -> None:
        mark = _MARK.match(line)
        depth = _DEEPEST + 1 + len(mark[1]) if mark else _DEEPEST
        body = _plain(line[mark.end() :] if mark else line)
        if _LABEL.match(body):
            self._put_above(depth, body.rstrip(":"))
            return
        under, parent, place = self._under(depth), self._parent(depth), len(self._items)
        for piece in _INNER_MARK.split(body):
            said = _LEADING_MARK.sub("", piece).strip()
            sentences = [said] if mark else [said[start:end] for start, end in split_sentences(said)]
            self._items += [Item(sentence, under, parent) for sentence in sentences if _WORD.search(sentence)]
        if mark and len(self._items) > place:
            self._put_above(depth, body, place)

    def _row(self, line: str, following: str) -> None:
        cells = tuple(_plain(cell) for cell in line.strip().strip("|").split("|"))
        begins = not self._in_table
        self._in_table = True
        if _RULE.match(line):
            return
        if begins and _RULE.match(following.strip() or "x"):
            self._columns = cells
            return
        name, *values = cells
        columns = self._columns[1:] if len(self._columns) == len(cells) else ()
        told = [f"{column}: {value}" for column, value in zip(columns, values, strict=False) if column and value]
        rest = ", ".join(told or filter(None, values))
        if said := " — ".join(filter(None, (name, rest))):
            self._items.append(Item(said, (*self._under(_DEEPEST), *self._columns[:1])))

    def _put_above(self, depth: int, text: str, place: int | None = None) -> None:
        kept = {other: above for other, above in self._above.items() if other < depth}
        self._above = kept | {depth: (_plain(text), place)}

    def _under(self, depth: int) -> tuple[str, ...]:
        return tuple(text for other, (text, _) in sorted(self._above.items()) if other < depth)

    def _parent(self, depth: int) -> int | None:
        nearest = max((other for other in self._above if other < depth), default=None)
        return None if nearest is None else self._above[nearest][1]


def _plain(text: str) -> str:
    return _EMPHASIS.sub("", text).strip()
