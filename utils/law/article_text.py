"""The paragraph (항), item (호) and subitem (목) of an article's text that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence

# The circled numbers stand in three blocks of Unicode.
_CIRCLED = "".join(chr(first + n) for first, count in ((0x2460, 20), (0x3251, 15), (0x32B1, 15)) for n in range(count))
# The marks that open a clause, the wider ones first; the group is its number.
_PARAGRAPH = re.compile(f"([{_CIRCLED}])")
_ITEM = re.compile(r"(\d{1,4}(?:의\d{1,4})?)\.\s")
_SUBITEM = re.compile(r"([가-하])\.\s")
_MARKS = (_PARAGRAPH, _ITEM, _SUBITEM)
_TABLE_ROW = re.compile(r"[│┃├┌└]")
_CLAUSE = re.compile(r"제(\d+)([항호])((?:의\d+)?)|([가-하])목")


def starts_line(sentence: str) -> bool:
    """Return True if a sentence of an article opens a paragraph, an item or a subitem, or is a row of a table."""
    return any(mark.match(sentence) for mark in (*_MARKS, _TABLE_ROW))


def clause_of(sentences: Sequence[str], clauses: Sequence[str]) -> tuple[str, ...] | None:
    """The sentences of what ``clauses`` (제1항, 제2호, 가목; outermost first) name, with the words that lead up to an item.

    None where the article has no such clause. The first paragraph of an article without paragraphs is all of it.
    """
    lead: tuple[str, ...] = ()
    part = tuple(sentences)
    for clause in clauses:
        mark, number = _read(clause)
        starts = {
            match[1]: at for at in reversed(range(len(part))) if (match := mark.match(part[at]))
        }  # the first of each
        if mark is _PARAGRAPH and not starts and number == _CIRCLED[0]:
            continue
        begin = starts.get(number)
        if begin is None:
            return None
        if mark is not _PARAGRAPH:
            lead += part[: min(starts.values())]
        part = part[begin : _end(part, begin, mark)]
    return lead + part


def _read(clause: str) -> tuple[re.Pattern[str], str]:
    """Return the pattern that opens such a clause, and its number as written there."""
    match = _CLAUSE.fullmatch(clause)
    if match is None:
        raise ValueError(f"no clause of an article: {clause!r}")
    if match[4]:
        return _SUBITEM, match[4]
    if match[2] == "호":
        return _ITEM, match[1] + match[3]
    number = int(match[1])
    return _PARAGRAPH, _CIRCLED[number - 1] if 0 < number <= len(_CIRCLED) else ""


def _end(part: Sequence[str], begin: int, mark: re.Pattern[str]) -> int:
    """Where a clause ends: at the next one of its kind or of a wider kind."""
    enders = _MARKS[: _MARKS.index(mark) + 1]
    following = (at for at in range(begin + 1, len(part)) if any(ending.match(part[at]) for ending in enders))
    return next(following, len(part))
