"""Facts of a source: canonical figures, statute citations, addresses, and clauses that affirm or deny."""

from __future__ import annotations

import calendar
import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from utils.figures.figures import Figure, FigureKind, find_figures
from utils.figures.numeral_words import legible
from utils.grounding.agencies import load_agencies
from utils.grounding.links import addresses_of, visible
from utils.grounding.polarity import Clause, clauses_of
from utils.law.text_citations import StatuteCitation, StatuteResolver


@dataclass(frozen=True, slots=True)
class GroundingSource:
    """A numbered source of an answer: whatever stands in it may be repeated with its number."""

    index: int
    text: str
    title: str = ""
    source_name: str = ""
    effective_date: str | None = None
    related_laws: tuple[str, ...] = ()
    url: str = ""


# Markup and invisible characters inside a figure must not hide it: **25**일, <b>500</b>만원.
_MARKUP = re.compile(r"[*_`\\]|</?[A-Za-z][^<>]{0,400}+>|(?<=\d)[\u00a0\u2000-\u200a\u202f](?=\d)")
_LEADING_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DATE = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")
_MONTH_DAY = re.compile(r"(\d+)월(?:(\d+)일|말)?")
_QUOTED_LAW = re.compile(r"「([^「」]{2,90})」")
_LAW_OF_REFERENCE = re.compile(r"^(.*\S)\s+제\d+조")
_ITEM = re.compile(r"^[^\S\n]*(\d{1,2})(?:의(\d{1,2}))?\.\s", re.MULTILINE)
_CLOCK = re.compile(r"(\d+)시")
_MONTH_END = re.compile(r"말일|그믐|(?<=월)\s?말(?![일미])|(?<=달)\s말(?![일미])")
_LAST_DAY = "말일"
_NO_LEAP_YEAR = 2025
_SHORTEST_QUOTATION = 8
_EQUIVALENT = {"년": (12, "개월"), "주": (7, "일"), "시간": (60, "분")}


@dataclass(frozen=True)
class SourceFacts:
    """The facts of one source, each read when it is first asked for: most sources are quoted word for word, which asks for their text
    alone. ``resolver`` knows the statutes that it names."""

    source: GroundingSource
    resolver: StatuteResolver

    @cached_property
    def body(self) -> str:
        """Its text, as `readable` gives it."""
        return readable(self.source.text)

    @cached_property
    def head(self) -> str:
        """Its title, the name of its publisher and the statutes it is about."""
        return "\n".join((self._title, self.source.source_name, *self.source.related_laws))

    @cached_property
    def _title(self) -> str:
        return readable(self.source.title)

    @cached_property
    def own(self) -> tuple[str, str] | None:
        """The article that it is the text of."""
        return _own_article(self._title, self.resolver)

    @cached_property
    def items(self) -> frozenset[str]:
        """Numbered items of that article: 제1호, 제2호의2."""
        found = _ITEM.finditer(self.body) if self.own else ()
        return frozenset(f"제{match[1]}호" + (f"의{match[2]}" if match[2] else "") for match in found)

    @property
    def figures(self) -> frozenset[str]:
        """Its canonical figures with what they imply."""
        return self._read[0]

    @property
    def articles(self) -> Mapping[tuple[str | None, str], frozenset[tuple[str, ...]]]:
        """The articles that it cites, with their clauses."""
        return self._read[1]

    @cached_property
    def laws(self) -> frozenset[str]:
        """The statutes that it cites or names."""
        named = {self.resolver.canonical(name) for name in _statute_names(self.source)}
        return frozenset({law for law, _ in self.articles if law} | named)

    @cached_property
    def addresses(self) -> frozenset[str]:
        """The addresses that it names or is found at."""
        return addresses_of(self.source.text, self.source.url)

    @cached_property
    def _read(self) -> tuple[frozenset[str], Mapping[tuple[str | None, str], frozenset[tuple[str, ...]]]]:
        source, own = self.source, self.own
        figures: set[str] = set()
        articles: defaultdict[tuple[str | None, str], set[tuple[str, ...]]] = defaultdict(set)
        for part in (
            self._title,
            self.body,
            source.source_name,
            source.effective_date or "",
            *source.related_laws,
        ):
            found = figures_of(part)
            for figure in found:
                figures.update(_implied(figure))
            for citation in self.resolver.resolve(part, found, own[0] if own else None):
                articles[citation.law, citation.article].add(citation.clauses)
                if own and not citation.is_named:
                    articles[own[0], citation.article].add(citation.clauses)
        return frozenset(figures), {key: frozenset(clauses) for key, clauses in articles.items()}

    @cached_property
    def agencies(self) -> frozenset[str]:
        """The agencies that it speaks of; read when a sentence that is no quotation names any."""
        return load_agencies().implied(f"{self.head}\n{self.body}")

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Its clauses; read when a sentence that is no quotation is first compared with them."""
        return clauses_of(self.body, of_source=True)

    def read(self) -> None:
        """Read now, off the event loop, what the check of a sentence asks for on it; clauses and agencies are left to prose that needs them."""
        _ = self._words, self.laws, self.items, self.addresses

    @cached_property
    def _words(self) -> str:
        return " ".join(self.body.split())

    def says(self, sentence: str) -> bool:
        """Return True if the source contains ``sentence`` word for word; a few syllables do not count."""
        words = " ".join(sentence.split())
        return len(words) >= _SHORTEST_QUOTATION and words in self._words

    def says_whole(self, sentence: str) -> bool:
        """Return True if ``sentence`` is one of the source's from its beginning to its full stop, word for word.

        What leads a quotation may turn its part into its opposite, but not the whole of it.
        """
        words = " ".join(sentence.split())
        if len(words) < _SHORTEST_QUOTATION or not words.endswith("."):
            return False
        return f"\n{words}" in self._lines or f". {words}" in self._lines

    @cached_property
    def _lines(self) -> str:
        return "".join(f"\n{' '.join(line.split())}" for line in self.body.split("\n"))

    def holds_any(self, accepted: Collection[str]) -> bool:
        return not self.figures.isdisjoint(accepted)

    def holds_citation(self, citation: StatuteCitation) -> bool:
        """Return True if the source cites the same article of the same statute, and the same clauses if any were named."""
        for law, article in self._by_article.get(citation.article, ()):
            known = self.articles[law, article]
            if not self._same_law(law, citation.law):
                continue
            if not citation.clauses or any(clauses[: len(citation.clauses)] == citation.clauses for clauses in known):
                return True
            if (law, article) == self.own and all(
                clause in self.items or clause in self.figures for clause in citation.clauses
            ):
                return True
        return False

    @cached_property
    def _by_article(self) -> Mapping[str, Collection[tuple[str | None, str]]]:
        found: defaultdict[str, list[tuple[str | None, str]]] = defaultdict(list)
        for law, article in self.articles:
            found[article].append((law, article))
        return found

    def _same_law(self, known: str | None, claimed: str | None) -> bool:
        return claimed is None or known == claimed or (known is None and claimed in self.laws)


def source_facts(source: GroundingSource, resolver: StatuteResolver) -> SourceFacts:
    """The facts of ``source``; ``resolver`` knows the short names of statutes."""
    return SourceFacts(source, resolver.knowing(lambda: _statute_names(source)))


def readable(text: str) -> str:
    """``text`` as a reader sees it, without markup, its numerals in Arabic digits."""
    return legible(_MARKUP.sub("", visible(text)))


def figures_of(text: str) -> list[Figure]:
    """The figures of a readable text in order; the last day of a month is one, though it has no number."""
    figures = find_figures(text)
    ends = {figure.end for figure in figures}  # 12월 말 is one figure, which ends here
    last_days = [
        Figure(FigureKind.DATE, _LAST_DAY, match.start(), match.end())
        for match in _MONTH_END.finditer(text)
        if match.end() not in ends and match.start() not in ends
    ]
    return sorted([*figures, *last_days], key=lambda figure: figure.start) if last_days else figures


def variants(figure: Figure, text: str) -> frozenset[str]:
    """The canonical forms in a source that support ``figure`` of ``text``."""
    accepted = {figure.canonical}
    value = _LEADING_NUMBER.match(figure.canonical)
    if figure.kind is FigureKind.NUMBER:
        accepted.add(f"={figure.canonical}")
    elif figure.kind is FigureKind.COUNT and value and value[0].isdigit():
        number, unit = int(value[0]), figure.canonical[value.end() :]
        if unit in _EQUIVALENT:
            factor, smaller = _EQUIVALENT[unit]
            accepted.add(f"{number * factor}{smaller}")
        accepted.update(
            f"{number // factor}{larger}"
            for larger, (factor, smaller) in _EQUIVALENT.items()
            if unit == smaller and number % factor == 0
        )
        if unit == "일" and text.startswith("까지", figure.end):
            accepted.add(f"day {number}")
    return frozenset(accepted)


def _implied(figure: Figure) -> list[str]:
    """The canonical form of a figure in a source, and those of what it says as well."""
    implied = [figure.canonical]
    if figure.kind is FigureKind.DATE:
        if date := _DATE.fullmatch(figure.canonical):
            year, month, day = date.groups()
            implied += [f"{year}-{month}", f"{year}년", f"{int(month)}월"]
            implied += [f"{int(month)}월{int(day)}일", f"day {int(day)}"] if day else []
            implied += _month_end(int(month), int(day)) if day else []
        elif month_day := _MONTH_DAY.fullmatch(figure.canonical):
            implied += [_LAST_DAY] if figure.canonical.endswith("말") else []
            implied += _month_end(int(month_day[1]), int(month_day[2])) if month_day[2] else []
            implied += [f"{month_day[1]}월"] + ([f"day {month_day[2]}"] if month_day[2] else [])
    if clock := _CLOCK.fullmatch(figure.canonical):
        implied.append(f"{int(clock[1]) - 12}시")
    if value := _LEADING_NUMBER.match(figure.canonical):
        implied.append(f"={value[0]}")
    return implied


def _month_end(month: int, day: int) -> list[str]:
    """Return other wordings of a month's last day: 6월 30일 is also 6월 말 and 말일."""
    return (
        [_LAST_DAY, f"{month}월말"] if 1 <= month <= 12 and day == calendar.monthrange(_NO_LEAP_YEAR, month)[1] else []
    )


def _statute_names(source: GroundingSource) -> list[str]:
    names = [match[1] for law in source.related_laws if (match := _LAW_OF_REFERENCE.match(law))]
    return names + _QUOTED_LAW.findall(source.text)


def _own_article(title: str, resolver: StatuteResolver) -> tuple[str, str] | None:
    """The article that a source is the text of: its title begins with statute and number."""
    citation = next(iter(resolver.resolve(title, find_figures(title))), None)
    if citation and citation.law and resolver.canonical(title[: citation.start]) == citation.law:
        return citation.law, citation.article
    return None
