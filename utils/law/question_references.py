"""Statutes and articles that a question cites: full names, short names, any spacing, 동법 and 시행령 behind a name."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from utils.law.ambiguous_names import AmbiguousName
from utils.law.article_numbers import ArticleMention, bare_article, find_articles, fold
from utils.law.statute_names import RANKS, base_act, guessed_name, is_ignored, squeeze

_READ_TEXTS = 256
_REACH = 90  # the longest name of a statute in force has 84 characters
_SHORTEST = 2
_SHORT = 3  # syllables of a name that is not read across a space: 사면 법에 is no 사면법
# Words behind which a name begins although no space does.
_PREFIX = re.compile(r"(?:^|[^가-힣A-Za-z0-9])(?:현행|개정|대한민국)$")
_PREFIX_REACH = 5
# Endings that make another word of the name in front of them: 특허법인, 특허법원, 민법전, 소득세법정.
_OTHER_WORD = re.compile(
    r"인(?!가|데|지)|률|적|정(?!의|도)|규(?!정)|칙|원|안(?!에|의|내)|무|학|전(?!체|문|부)|리|치|계|망|당|익"
)
_OPENING, _CLOSED = "「『《〈", ("」", "』", "》", "〉")
_CLOSING = r"[\s'\"’”」』》〉)\]*]*"
_ARTICLE_AHEAD = rf"{_CLOSING}(?:제\s?)?(?:\d|§|[Aa]rt|[일이삼사오육칠팔구십백]+\s?조)"
_RANK = re.compile(rf"{_CLOSING}(?:의\s*)?(?:(시행령|시행규칙)|(령|규칙|칙)(?={_ARTICLE_AHEAD}))")
_CITES = re.compile(_ARTICLE_AHEAD)
# 동법 제50조, 같은 법 시행령 제3조, 시행령 제3조, 법 제5조: what stands right before an article instead of a name.
_BACK = re.compile(
    r"(?:^|(?<=[^가-힣]))(?:(?:같은|동|위|해당|이|그)\s?(?P<law>법률)?)?"
    r"(?:(?(law)|법)(?:\s?(?P<rank>시행령|시행규칙))?|(?P<alone>시행령|시행규칙|영|령|규칙))[」』]?\s*$"
)
_UNKNOWN = re.compile(
    r"(?:[「『](?P<quoted>[^「」『』]{2,90})[」』]|(?<![가-힣0-9A-Za-z·ㆍ])[가-힣0-9A-Za-z·ㆍ]*(?:[가-힣]법|법률|[가-힣](?:시행령|시행규칙)))\s*$"
)
_NO_STATUTES = re.compile(
    r"(?:.*\s)?(?:방법|기법|위법|불법|합법|적법|편법|용법|문법|입법|세법|개정법|신법|구법|(?:관련|현행|해당|이런|모든|어느|어떤|무슨)\s?(?:법|법률))"
)
_RANK_OF = {"영": RANKS[0], "령": RANKS[0], "칙": RANKS[1], "규칙": RANKS[1]}
_PARAGRAPH_ALONE = re.compile(r"(?<![가-힣\d])(?:제\s?)?\d{1,2}\s?항(?=[은는이을도만의에\s?]|$)")


@dataclass(frozen=True, slots=True)
class LawReference:
    """A statute, the article of it if one is cited (canonical, e.g. ``제48조의2``), and the paragraph and item asked for."""

    law: str
    article: str | None = None
    clauses: tuple[str, ...] = ()
    is_one_of_several: bool = field(default=False, compare=False)
    """True if the name stands for other statutes, too, and nothing in the question tells which."""

    @property
    def label(self) -> str | None:
        """The label of the cited article as the index writes it, or None without an article."""
        return f"{self.law.replace(' ', '')}|{self.article}" if self.article else None


@dataclass(frozen=True, slots=True)
class _Name:
    """A statute named at a place of a text; several ``laws`` where the name stands for each of them."""

    laws: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Reference:
    """A mention of articles and its statute: none where nothing tells which, several where its name stands for each.

    ``name`` is what stands for the statute before it; ``is_assumed``: nothing does, the statute is that of the context.
    """

    mention: ArticleMention
    name: _Name | None
    laws: tuple[str, ...]
    is_assumed: bool = False


class LawNameFinder:
    """Finds the statutes a text names and the articles it cites.

    A name counts at a word's start only (가상법인 does not name 상법), the longest one at a place wins, and a name
    followed by 시행령 or 시행규칙 is the decree or rule.
    """

    def __init__(
        self, names: Iterable[str], aliases: Mapping[str, str], ambiguous: Mapping[str, AmbiguousName] | None = None
    ) -> None:
        """``names`` are full names as titled, ``aliases`` maps a short name to the full one, ``ambiguous`` one to several;
        spacing does not matter."""
        self._ambiguous = {squeeze(name).lower(): meant for name, meant in (ambiguous or {}).items()}
        self._full: dict[str, str] = {name: name for name in self._ambiguous}
        for name, law in (*((name, name) for name in names), *aliases.items()):
            for spelling in _spellings(name):
                if len(spelling) >= _SHORTEST:
                    self._full.setdefault(spelling, law)
        self._titles = frozenset(squeeze(law).lower() for law in self._full.values())
        self._lengths: dict[str, list[int]] = {}
        for name in sorted(self._full, key=len, reverse=True):
            lengths = self._lengths.setdefault(name[:_SHORTEST], [])
            if len(name) not in lengths[-1:]:
                lengths.append(len(name))
        self._read_once = lru_cache(_READ_TEXTS)(self._read_text)  # several steps of a request read the same question

    def find(self, text: str) -> list[LawReference]:
        """Statutes named in ``text``, each with the articles cited of it, in order; statutes without one come last."""
        names, citations = self._read(text)
        cited = [
            LawReference(law, article, citation.mention.clauses, len(citation.laws) > 1)
            for citation in citations
            for article in citation.mention.articles
            for law in citation.laws
        ]
        with_articles = {citation.name for citation in citations}
        alone = [name for name in names if name not in with_articles]
        laws = {reference.law for reference in cited}
        named = [
            LawReference(law, is_one_of_several=len(name.laws) > 1)
            for name in alone
            for law in name.laws
            if law not in laws
        ]
        return list(dict.fromkeys([*cited, *named]))

    def articles(self, text: str) -> list[LawReference]:
        """The articles that ``text`` cites with their statutes."""
        return [reference for reference in self.find(text) if reference.article]

    def articles_of_no_statute(self, text: str) -> list[str]:
        """The articles (``제N조``) that ``text`` cites without saying of which statute, in order."""
        _, citations = self._read(text)
        unplaced = (citation.mention for citation in citations if not citation.laws)
        return list(dict.fromkeys(article for mention in unplaced for article in mention.articles))

    def remainder(self, text: str) -> str:
        """Return ``text`` with blanks, one a character, in place of the statutes it names and the articles it cites."""
        names, citations = self._read(text)
        spans = [(name.start, name.end) for name in names] + [
            span for citation in citations for span in _spans(citation)
        ]
        kept = list(text)
        for start, end in spans:
            kept[start:end] = " " * (end - start)
        return "".join(kept)

    def spelled_out(self, text: str, context: LawReference | None = None) -> str:
        """``text`` with each citation in full: 근퇴법 §8 → 근로자퇴직급여 보장법 제8조.

        ``context`` is the citation that was spoken of before: 동법 9조, 그럼 9조는 and 2항은 belong to it. A text that cites
        no article comes back as it is.
        """
        names, citations = self._read(text, context.law if context else None)
        if not citations and not names and context is not None and context.article:
            paragraph = _PARAGRAPH_ALONE.search(text)
            at = paragraph.start() if paragraph else 0
            return f"{text[:at]}{context.law} {context.article} {text[at:]}" if paragraph else text
        pieces: list[str] = []
        done = 0
        for citation in citations:
            if not citation.laws:
                continue
            mention, name = citation.mention, citation.name
            start, lead = mention.start, ""
            if name is not None and name.start >= done:
                law = citation.laws[0] if len(citation.laws) == 1 else text[name.start : name.end]
                start, lead = name.start, law + (text[name.end : mention.start] or " ")
            elif citation.is_assumed and not done:
                lead = f"{citation.laws[0]} "
            pieces += [text[done:start], lead, mention.written]
            done = mention.end
        return "".join([*pieces, text[done:]])

    def _read(self, text: str, context: str | None = None) -> tuple[list[_Name], list[_Reference]]:
        """The names of a text and its citations, in order. ``context`` is the statute of what follows no name."""
        return self._read_once(text, context)

    def _read_text(self, text: str, context: str | None) -> tuple[list[_Name], list[_Reference]]:
        text = fold(text)
        names = list(self._names(text))
        mentions = find_articles(text)
        bare = [found for name in names if (found := bare_article(text, name.end))]
        mentions = _with_bare(mentions, bare)
        citations: list[_Reference] = []
        laws: tuple[str, ...] = (context,) if context else ()
        floor = 0
        before = 0  # names that end before the mention
        for mention in mentions:
            while before < len(names) and names[before].end <= mention.start:
                before += 1
            nearest = names[before - 1] if before else None
            if nearest is not None and nearest.end > floor:
                laws, floor = nearest.laws, nearest.end
            instead = _instead_of_a_name(text, floor, mention.start, laws)
            name = instead or (nearest if nearest is not None and nearest.laws == laws else None)
            laws = name.laws if name else laws
            citations.append(_Reference(mention, name, laws, is_assumed=name is None and bool(laws)))
            floor = mention.end
        return names, _with_law_behind(names, citations)

    def _names(self, text: str) -> Iterator[_Name]:
        """Each name with what rank stands behind it, not overlapping."""
        positions = [index for index, character in enumerate(text) if not is_ignored(character)]
        squeezed = "".join(text[index] for index in positions).lower()
        if len(squeezed) != len(positions):  # a character whose small form is longer
            squeezed = "".join(text[index] for index in positions)
        cursor = 0
        meant: dict[str, tuple[str, ...]] = {}
        while cursor < len(squeezed):
            end = self._longest(squeezed, cursor) if _starts_word(text, positions[cursor]) else None
            if end is None or not self._counts(text, positions[cursor:end], squeezed[cursor:end]):
                cursor += 1
                continue
            stop = positions[end - 1] + 1
            name = squeezed[cursor:end]
            laws = meant[name] = meant.get(name) or self._meant(name, text)
            if not laws[0].endswith(RANKS) and (rank := _RANK.match(text, stop)):
                laws, stop = tuple(f"{law} {rank[1] or _RANK_OF[rank[2]]}" for law in laws), rank.end()
            start = positions[cursor]
            if start and text[start - 1] in _OPENING:
                start, stop = start - 1, stop + (text[stop : stop + 1] in _CLOSED)
            yield _Name(laws, start, stop)
            while cursor < len(squeezed) and positions[cursor] < stop:
                cursor += 1

    def _meant(self, name: str, text: str) -> tuple[str, ...]:
        """Return the statutes that a squeezed name stands for in ``text``."""
        return self._ambiguous[name].meant_in(text) if name in self._ambiguous else (self._full[name],)

    def _longest(self, squeezed: str, start: int) -> int | None:
        """Where the longest name that begins at ``start`` ends."""
        for length in self._lengths.get(squeezed[start : start + _SHORTEST], ()):
            end = start + length
            if end <= len(squeezed) and squeezed[start:end] in self._full:
                return end
        return None

    def _counts(self, text: str, positions: Sequence[int], name: str) -> bool:
        """Return whether a name at these places is meant: it ends where a word may, and is long enough to stand as it does."""
        stop = positions[-1] + 1
        if name[-1] in "법률" and _OTHER_WORD.match(text, stop):
            return False
        spaced = stop - positions[0] > len(name) and any(text[at].isspace() for at in range(positions[0], stop))
        needs_article = (len(name) <= _SHORT and spaced) or (len(name) <= _SHORTEST and name not in self._titles)
        return not needs_article or bool(_RANK.match(text, stop) or _CITES.match(text, stop))


def last_cited(messages: Sequence[str], finder: LawNameFinder) -> LawReference | None:
    """The article or statute that the latest of ``messages`` to name one names last."""
    for message in reversed(messages):
        if found := finder.find(message):
            return (finder.articles(message) or found)[-1]
    return None


def _spellings(name: str) -> Iterator[str]:
    """The squeezed forms of a name; people write a comma or 및 for its middle dots."""
    yield squeeze(name).lower()
    if "ㆍ" in name:
        yield squeeze(name.replace("ㆍ", ",")).lower()
        yield squeeze(name.replace("ㆍ", "및")).lower()


def _starts_word(text: str, position: int) -> bool:
    before = text[position - 1] if position else " "
    return not ("가" <= before <= "힣" or before.isalnum()) or bool(
        _PREFIX.search(text, max(0, position - _PREFIX_REACH), position)
    )


def _instead_of_a_name(text: str, floor: int, end: int, laws: tuple[str, ...]) -> _Name | None:
    """Return what stands in place of a known name between ``floor`` and ``end`` (동법, 시행령, an unknown statute), or None."""
    floor = max(floor, end - _REACH)
    before = text[floor:end]
    if back := _BACK.search(before):
        rank = back["rank"] or back["alone"]
        if not laws:
            return None
        behind = f" {_RANK_OF.get(rank, rank)}" if rank else ""
        return _Name(tuple(f"{base_act(law)}{behind}" for law in laws), floor + back.start(), end)
    unknown = _UNKNOWN.search(before)
    if unknown is None or _NO_STATUTES.fullmatch(before.rstrip()):
        return None
    guess = unknown["quoted"] or guessed_name(before.rstrip())
    if len(squeeze(guess)) <= _SHORTEST:
        return None
    return _Name((guess.strip(),), floor + before.rindex(guess), end)


def _with_bare(mentions: Sequence[ArticleMention], bare: Iterable[ArticleMention]) -> list[ArticleMention]:
    """Return the mentions in order, with those of the ``bare`` numbers that overlap none."""
    starts = [mention.start for mention in mentions]
    free = []
    for mention in bare:
        at = bisect_left(starts, mention.end)
        if not at or mentions[at - 1].end <= mention.start:
            free.append(mention)
    return sorted([*mentions, *free], key=lambda mention: mention.start)


def _spans(citation: _Reference) -> list[tuple[int, int]]:
    name = [(citation.name.start, citation.name.end)] if citation.name else []
    return [*name, (citation.mention.start, citation.mention.end)]


def _with_law_behind(names: Sequence[_Name], citations: Sequence[_Reference]) -> list[_Reference]:
    """The citations; those at the start that follow no name take the first name behind them that has no article."""
    taken = {citation.name for citation in citations}
    free = next((name for name in names if name not in taken), None)
    if free is None or not citations or citations[0].laws:
        return list(citations)
    return [citation if citation.laws else replace(citation, laws=free.laws) for citation in citations]
