"""Statutes and articles that a question cites: full names, short names, any spacing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from utils.figures import FigureKind, find_figures

_IGNORED = re.compile(r"[\s「」『』ㆍ·・]")
_LAST_CHARACTERS = frozenset("법률령칙례정약")
_MIN_LENGTH = 2


def squeeze(name: str) -> str:
    """A statute name without spaces, quotation brackets and middle dots: the form in which names are compared."""
    return _IGNORED.sub("", name)


@dataclass(frozen=True, slots=True)
class LawReference:
    """A statute, and the article of it if one is cited (canonical, e.g. ``제48조의2``)."""

    law: str
    article: str | None = None

    @property
    def label(self) -> str | None:
        """The label of the cited article as the index writes it, or None without an article."""
        return f"{self.law.replace(' ', '')}|{self.article}" if self.article else None


class LawNameFinder:
    """Finds the statutes a text names.

    A name counts at a word's start only (가상법인 does not name 상법), the longest one at a place wins, and a name
    followed by 시행령 or 시행규칙 is the decree or rule where that exists.
    """

    def __init__(self, names: Iterable[str], aliases: Mapping[str, str]) -> None:
        self._full = {squeeze(name): name for name in names if len(squeeze(name)) >= _MIN_LENGTH}
        for alias, law in aliases.items():
            self._full.setdefault(squeeze(alias), law)
            for suffix in ("시행령", "시행규칙"):
                self._full.setdefault(squeeze(alias) + suffix, f"{law} {suffix}")
        self._lengths = sorted({len(name) for name in self._full}, reverse=True)

    def find(self, text: str) -> list[LawReference]:
        """Statutes named in ``text`` in order, each with the articles that follow its name."""
        places = self._places(text)
        references: list[LawReference] = []
        for number, (_, end, law) in enumerate(places):
            until = places[number + 1][0] if number + 1 < len(places) else len(text)
            articles: list[str | None] = [
                figure.canonical for figure in find_figures(text[end:until]) if figure.kind is FigureKind.ARTICLE
            ]
            references.extend(LawReference(law, article) for article in articles or (None,))
        return list(dict.fromkeys(references))

    def _places(self, text: str) -> list[tuple[int, int, str]]:
        """(start, end, statute) of each name, not overlapping."""
        positions = [index for index, character in enumerate(text) if not _IGNORED.match(character)]
        squeezed = "".join(text[index] for index in positions)
        places: list[tuple[int, int, str]] = []
        cursor = 0
        while cursor < len(squeezed):
            end = self._longest(squeezed, cursor) if _starts_word(text, positions[cursor]) else None
            if end is None:
                cursor += 1
                continue
            places.append((positions[cursor], positions[end - 1] + 1, self._full[squeezed[cursor:end]]))
            cursor = end
        return places

    def _longest(self, squeezed: str, start: int) -> int | None:
        for length in self._lengths:
            end = start + length
            if end <= len(squeezed) and squeezed[end - 1] in _LAST_CHARACTERS and squeezed[start:end] in self._full:
                return end
        return None


def _starts_word(text: str, position: int) -> bool:
    return position == 0 or not ("가" <= text[position - 1] <= "힣" or text[position - 1].isalnum())
