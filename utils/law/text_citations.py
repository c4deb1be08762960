"""Which statute each cited article of a text belongs to.

「부가가치세법」 제49조, 부가세법 제49조, 같은 법 제50조, 동법 시행령 제3조, 제48조와 제49조: an article without a name of its
own takes the statute named last. A name counts in full or by its short form, so that 소득세법 is not found in 지방소득세법.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from utils.figures.figures import Figure, FigureKind
from utils.law.statute_names import RANKS, base_act, guessed_name, is_ignored, squeeze, words_of

_REACH = 90  # the longest name of a statute in force has 84 characters
_QUOTED = re.compile(r"[「『]([^「」『』]{2,90})[」』]\s*(시행령|시행규칙)?\s*$")
_IN_PARENTHESES = re.compile(r"(?<!\s)\s*\([^()]*\)\s*$")
_BACK_REFERENCE = re.compile(
    r"(?:^|[^가-힣])(?:(?P<same>같은|동|위|해당|이)\s?(?:법률|법|영|령|규칙)|(?P<bare>법))(?:\s?(?P<rank>시행령|시행규칙))?\s*$"
)
_RANK_ALONE = re.compile(r"(?:^|[^가-힣])(?P<rank>시행령|시행규칙)\s*$")
_STATUTE_WORD = re.compile(r".*(?:법|법률|령|규칙|규정|조례|고시|예규)")
# 근로기준법에 따라 제49조, 근로기준법은 … 제49조: a name with a particle, some words before the article.
_MENTION = re.compile(r"[가-힣](?:법|법률|령|규칙)(?=(?:에|은|는|의|상|에서|으로|이|에는|도)(?:[\s,]|$))")


@dataclass(frozen=True, slots=True)
class StatuteCitation:
    """A cited article: ``law`` squeezed and in full as far as known, None where the text names none.

    ``clauses`` are the paragraph and item behind it (제1항, 제2호), outermost first; ``is_named`` says whether the statute
    stands beside it, not before another article.
    """

    law: str | None
    article: str
    clauses: tuple[str, ...]
    start: int
    end: int
    is_named: bool = True


class StatuteResolver:
    """Names the statute of each article in a text; knows full names and short names by what it is given."""

    def __init__(self, names: Collection[str] = (), aliases: Mapping[str, str] | None = None) -> None:
        """``names`` are full statute names; ``aliases`` maps a short name to the full one; spacing does not matter."""
        full = {squeeze(alias): squeeze(law) for alias, law in (aliases or {}).items()}
        full.update({law: law for law in full.values()})
        full.update((squeeze(name), squeeze(name)) for name in names)
        self._read_names: Callable[[], Mapping[str, str]] = lambda: full

    def knowing(self, names: Callable[[], Iterable[str]]) -> StatuteResolver:
        """A resolver that knows further full names, too; they are asked for with the first article that has to be named."""

        def read() -> Mapping[str, str]:
            return {squeezed: squeezed for squeezed in map(squeeze, names())} | dict(self._full)

        resolver = StatuteResolver()
        resolver._read_names = read
        return resolver

    @cached_property
    def _full(self) -> Mapping[str, str]:
        """The squeezed full name behind each squeezed name, short or full."""
        return self._read_names()

    @cached_property
    def _initials(self) -> frozenset[str]:
        return frozenset(name[:1] for name in self._full)

    def resolve(self, text: str, figures: Sequence[Figure], context: str | None = None) -> list[StatuteCitation]:
        """Citations of ``text`` in order. ``context`` is the statute that an article without a name belongs to."""
        found: list[StatuteCitation] = []
        law, floor = context, 0
        for number, figure in enumerate(figures):
            if figure.kind is not FigureKind.ARTICLE:
                continue
            before = text[max(floor, figure.start - _REACH) : figure.start]
            named = self._named(before, law) or self._mentioned(before)
            law = named or law
            clauses, end = _clauses(text, figures, number)
            found.append(StatuteCitation(law, figure.canonical, clauses, figure.start, end, named is not None))
            floor = end
        return found

    def canonical(self, name: str) -> str:
        """The full squeezed name behind a name or short name; a decree of a short name is the decree of the full one."""
        squeezed = squeeze(name)
        for rank in RANKS:
            if squeezed.endswith(rank) and squeezed != rank:
                return self._full.get(squeezed, self.canonical(squeezed.removesuffix(rank)) + rank)
        return self._full.get(squeezed, squeezed)

    def _named(self, before: str, last: str | None) -> str | None:
        """The statute named at the end of ``before``, or None."""
        before = before.rstrip().rstrip("\"'”’")
        if quoted := _QUOTED.search(before):
            return self.canonical(quoted[1] + (quoted[2] or ""))
        before = _IN_PARENTHESES.sub("", before).rstrip()
        if back := _BACK_REFERENCE.search(before):
            if back["rank"]:
                return base_act(last) + back["rank"] if last else None
            return base_act(last) if back["bare"] and last else last
        words = words_of(before)
        if not words or words[-1].end() != len(before) or not _STATUTE_WORD.fullmatch(words[-1].group()):
            return None
        if known := self._known(before, words):
            return known
        if rank := _RANK_ALONE.search(before):
            law = self._named(before[: rank.start("rank")], last) or last
            return base_act(law) + rank["rank"] if law else None
        return self.canonical(guessed_name(before))

    def _mentioned(self, before: str) -> str | None:
        """The known statute mentioned last in ``before`` with a particle behind its name."""
        for mention in reversed(list(_MENTION.finditer(before))):
            name = before[: mention.end()]
            if known := self._known(name, words_of(name)):
                return known
        return None

    def _known(self, before: str, words: Sequence[re.Match[str]]) -> str | None:
        """The longest known name that ends ``before`` and begins a word."""
        for word in words:
            initial = before[word.start()]
            if initial not in self._initials and not is_ignored(initial):
                continue
            canonical = self.canonical(before[word.start() :])
            if canonical in self._full or base_act(canonical) in self._full:
                return canonical
        return None


def _clauses(text: str, figures: Sequence[Figure], number: int) -> tuple[tuple[str, ...], int]:
    """The paragraph and item that follow the article ``figures[number]`` directly, and where they end."""
    clauses: list[str] = []
    end = figures[number].end
    for following in range(number + 1, len(figures)):
        figure = figures[following]
        if figure.kind is not FigureKind.CLAUSE or text[end : figure.start].strip():
            break
        clauses.append(figure.canonical)
        end = figure.end
    return tuple(clauses), end
