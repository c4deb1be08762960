"""The claims of a sentence: figures, articles and agencies, each with what tells if given facts hold it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from schemas.chat import Verdict
from utils.figures.figures import FigureKind, figures_outside
from utils.grounding.agencies import load_agencies
from utils.grounding.facts import SourceFacts, figures_of, variants
from utils.law.text_citations import StatuteCitation, StatuteResolver

# A list numeral, and what may stand before it at the start of a line: **1. 신고**, - 2) 납부, ① 대상, 3단계: 등기.
_LIST_NUMERAL = re.compile(
    r"^(?:[^\S\n]|[#>*•\-–])*(?:\(?\d{1,2}[.)](?!\d)\s?|\d{1,2}단계\s?[:：.)]?|[①-⑳])", re.MULTILINE
)
_NAMES = re.compile(r"4대\s?(?:사회\s?)?보험|1인\s?(?:창조\s?기업|기업|사업자|법인|회사)")
# Counting words of everyday speech: 다음 세 가지, 다시 한 번, 한 곳에서, 사흘째.
_FIGURE_OF_SPEECH = re.compile(
    r"(?:\d|[한두세네]|다섯|여섯|일곱|여덟|아홉)\s?가지|한\s?(?:번|곳|차례|군데)|(?:하루|이틀|사흘|나흘|닷새|열흘)째"
)
_DIGITS = re.compile(r"[\d.]+")
_ARTICLE = "조"
_AGENCY = "기관"
_DATE = "date "
_NO_CLAIMS = (_LIST_NUMERAL, _NAMES, _FIGURE_OF_SPEECH)


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure, citation or address as written, where it stands, and what tells whether given facts hold it."""

    written: str
    start: int
    end: int
    unit: str  # what it counts: 일, 명, 원, %; for a date how it is given
    is_held_by: Callable[[SourceFacts], bool]
    key: str  # equal for equal claims of a unit

    @property
    def is_date(self) -> bool:
        return self.unit.startswith(_DATE)


@dataclass(slots=True)
class Findings:
    """Claims of one sentence that no source holds: unsupported, or stated by the user."""

    unsupported: list[str] = field(default_factory=list)
    agreed: list[str] = field(default_factory=list)  # the user's, asserted
    restated: list[str] = field(default_factory=list)  # the user's, taken up

    def __contains__(self, written: str) -> bool:
        return written in self.unsupported or written in self.agreed or written in self.restated

    def verdict(self, is_cited: bool, is_framing: bool, claims: int) -> Verdict:
        if self.unsupported:
            return Verdict.UNSUPPORTED if is_cited or is_framing else Verdict.UNCITED
        if self.agreed or (self.restated and (is_cited or is_framing or len(self.restated) == claims)):
            return Verdict.USER_STATED
        return Verdict.SUPPORTED if is_cited or is_framing else Verdict.UNCITED


def claims_of(
    text: str, resolver: StatuteResolver, last_law: str | None, *, names_agencies: bool
) -> tuple[list[Claim], str | None]:
    """The claims of a readable ``text`` in order, and the statute that it names last (``last_law`` where it names none)."""
    exempt = [match.span() for pattern in _NO_CLAIMS for match in pattern.finditer(text)]
    figures = figures_outside(figures_of(text), exempt)
    citations = resolver.resolve(text, figures, last_law)
    in_citation = [(citation.start, citation.end) for citation in citations]
    claims = [
        Claim(
            text[figure.start : figure.end],
            figure.start,
            figure.end,
            (_DATE if figure.kind is FigureKind.DATE else "") + _DIGITS.sub("", figure.canonical),
            _figure_test(variants(figure, text)),
            figure.canonical,
        )
        for figure in figures_outside(figures, in_citation)
    ]
    for citation in citations:
        article = text[citation.start : citation.end].strip()
        written = f"{citation.law} {article}" if citation.law else article
        key = citation.article + "".join(citation.clauses)
        claims.append(Claim(written, citation.start, citation.end, _ARTICLE, _citation_test(citation), key))
    if names_agencies:
        claims += [
            Claim(
                text[agency.start : agency.end],
                agency.start,
                agency.end,
                _AGENCY,
                _agency_test(agency.name),
                agency.name,
            )
            for agency in load_agencies().find(text)
        ]
    return sorted(claims, key=lambda claim: claim.start), citations[-1].law if citations else last_law


def ends_of(claims: Sequence[Claim]) -> list[int]:
    """Where each claim ends together with those that follow at once: 2년 6개월 is one length of time."""
    ends: list[int] = []
    for claim, following in zip(reversed(claims), [None, *reversed(claims)], strict=False):
        is_joined = following is not None and following.start - claim.end <= 1
        ends.append(ends[-1] if is_joined else claim.end)
    return ends[::-1]


def _figure_test(accepted: frozenset[str]) -> Callable[[SourceFacts], bool]:
    return lambda facts: facts.holds_any(accepted)


def _citation_test(citation: StatuteCitation) -> Callable[[SourceFacts], bool]:
    return lambda facts: facts.holds_citation(citation)


def _agency_test(name: str) -> Callable[[SourceFacts], bool]:
    return lambda facts: name in facts.agencies
