"""The grounding check: every figure and statute citation of an answer must stand in a source that its sentence cites.

Deterministic and pure. Figures are compared in canonical form (`utils.figures`), statute citations with the statute they
belong to (`utils.statute_citations`). List numerals, figures the user gave, and names such as 4대보험 claim nothing.
Headings, questions and lead-ins need no citation, but a figure in them must stand in some source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from schemas.chat import Verdict
from utils.figures import Figure, find_figures
from utils.grounding_facts import (
    GroundingSource,
    SourceFacts,
    plain_text,
    source_facts,
    variants,
)
from utils.sentences import CITATION, Sentence, cited_numbers, split_sentences
from utils.statute_citations import StatuteCitation, StatuteResolver

__all__ = ["GroundingReport", "GroundingSource", "SentenceCheck", "SentenceChecker", "Verdict", "check_answer"]

_HEADING = re.compile(r"#{1,6}\s.*|\*\*[^*]+\*\*:?|.*[:：]", re.DOTALL)
_QUESTION = re.compile(r".*\?[\"'”’)\]*]*", re.DOTALL)
# A list numeral, and what may stand before it at the start of a line: **1. 신고**, - 2) 납부, ① 대상, 3단계: 등기.
_LIST_NUMERAL = re.compile(r"^[\s#>*•\-–]*(?:\(?\d{1,2}[.)](?!\d)\s?|\d{1,2}단계\s?[:：.)]?|[①-⑳])", re.MULTILINE)
_NAMES = re.compile(r"4대\s?(?:사회\s?)?보험|1인\s?(?:창조\s?기업|기업|사업자|법인|회사)")
# Counting words of everyday speech: 다음 세 가지, 다시 한 번, 한 곳에서.
_FIGURE_OF_SPEECH = re.compile(r"(?:\d|[한두세네]|다섯|여섯|일곱|여덟|아홉)\s?가지|한\s?(?:번|곳|차례|군데)")
_NO_CLAIMS = (_LIST_NUMERAL, _NAMES, _FIGURE_OF_SPEECH)


@dataclass(frozen=True, slots=True)
class SentenceCheck:
    """The verdict on one sentence; ``start``/``end`` are character offsets into the answer.

    ``sources`` are the existing sources it cites; ``unsupported_claims`` the figures and citations, as written, that
    no cited source holds (for an uncited sentence: no source at all). ``claims`` counts all of them, and ``is_framing``
    marks headings, lead-ins and questions, which need no citation.
    """

    start: int
    end: int
    verdict: Verdict
    sources: tuple[int, ...] = ()
    unsupported_claims: tuple[str, ...] = ()
    claims: int = 0
    is_framing: bool = False


@dataclass(frozen=True)
class GroundingReport:
    """The checks of all sentences of an answer, in order."""

    sentences: tuple[SentenceCheck, ...]

    @cached_property
    def unsupported_claims(self) -> tuple[str, ...]:
        """Every claim that no source holds, each once."""
        return tuple(dict.fromkeys(claim for check in self.sentences for claim in check.unsupported_claims))

    @cached_property
    def cited_sources(self) -> frozenset[int]:
        return frozenset(number for check in self.sentences for number in check.sources)

    @property
    def is_grounded(self) -> bool:
        """No sentence claims what the sources do not hold. Uncited sentences with true figures are allowed."""
        return not self.unsupported_claims

    def count(self, verdict: Verdict) -> int:
        return sum(check.verdict is verdict for check in self.sentences)


@dataclass(frozen=True, slots=True)
class _Claims:
    figures: tuple[tuple[str, frozenset[str]], ...]  # as written, and the canonical forms that would support it
    citations: tuple[tuple[str, StatuteCitation], ...]

    def __len__(self) -> int:
        return len(self.figures) + len(self.citations)


class SentenceChecker:
    """Checks the sentences of one answer as they are finished, in order (같은 법 refers to sentences before)."""

    def __init__(self, facts: Mapping[int, SourceFacts], user: SourceFacts, resolver: StatuteResolver) -> None:
        self._facts = facts
        self._user = user
        self._resolver = resolver
        self._last_law: str | None = None

    def check(self, sentence: Sentence) -> SentenceCheck:
        """The verdict on the next sentence."""
        cited = cited_numbers(sentence.text)
        existing = tuple(number for number in cited if number in self._facts)
        missing = [f"[{number}]" for number in cited if number not in self._facts]
        claims = self._claims(sentence.text)
        is_framing = _is_framing(sentence.text)
        searched = [self._facts[number] for number in existing] if cited else list(self._facts.values())
        # 법 제54조 in a quotation is of the statute that its source speaks of there, whatever the answer named last.
        is_quotation = any(self._facts[number].says(_claimed(sentence.text)) for number in existing)
        unsupported = (*(() if is_quotation else _unsupported(claims, searched)), *missing)
        if not cited and claims and not is_framing:
            verdict = Verdict.UNCITED
        else:
            verdict = Verdict.UNSUPPORTED if unsupported else Verdict.SUPPORTED
        return SentenceCheck(sentence.start, sentence.end, verdict, existing, unsupported, len(claims), is_framing)

    def _claims(self, text: str) -> _Claims:
        plain = _claimed(text)
        exempt = [match.span() for pattern in _NO_CLAIMS for match in pattern.finditer(plain)]
        figures = [figure for figure in find_figures(plain) if not _inside(figure, exempt)]
        citations = self._resolver.resolve(plain, figures, self._last_law)
        if citations:
            self._last_law = citations[-1].law
        in_citation = [(citation.start, citation.end) for citation in citations]
        accepted = [(figure, variants(figure, plain)) for figure in figures if not _inside(figure, in_citation)]
        return _Claims(
            tuple((plain[f.start : f.end], forms) for f, forms in accepted if not self._user.holds_any(forms)),
            tuple((_written(plain, c), c) for c in citations if not self._user.holds_citation(c)),
        )


class AnswerChecker:
    """The grounding check with what it keeps between answers: short names of statutes and the facts of sources.

    A source costs about 1 ms when it is first seen; after that a sentence costs about 0.05 ms.
    """

    def __init__(self, law_aliases: Mapping[str, str] | None = None, cache_size: int = 4_096) -> None:
        """``law_aliases`` maps a short name of a statute to the full one: 부가세법 to 부가가치세법."""
        self._resolver = StatuteResolver(aliases=law_aliases)
        self._facts = lru_cache(maxsize=cache_size)(lambda source: source_facts(source, self._resolver))

    def sentences(self, sources: Sequence[GroundingSource], user_text: str = "") -> SentenceChecker:
        """A checker for the sentences of one answer. ``user_text`` is what the user wrote: figures in it are theirs."""
        # the number that a source has in this answer says nothing of what it holds
        facts = {source.index: self._facts(replace(source, index=0)) for source in sources}
        resolver = self._resolver.knowing(law for known in facts.values() for law in known.laws)
        return SentenceChecker(facts, source_facts(GroundingSource(0, user_text), resolver), resolver)

    def check(self, text: str, sources: Sequence[GroundingSource], user_text: str = "") -> GroundingReport:
        """Check a whole answer."""
        checker = self.sentences(sources, user_text)
        return GroundingReport(tuple(checker.check(sentence) for sentence in split_sentences(text)))


def check_answer(text: str, sources: Sequence[GroundingSource], user_text: str = "") -> GroundingReport:
    """Check one answer without short names of statutes; a service keeps an `AnswerChecker`."""
    return AnswerChecker().check(text, sources, user_text)


def _unsupported(claims: _Claims, sources: Iterable[SourceFacts]) -> tuple[str, ...]:
    searched = tuple(sources)
    return (
        *(written for written, accepted in claims.figures if not any(facts.holds_any(accepted) for facts in searched)),
        *(
            written
            for written, citation in claims.citations
            if not any(facts.holds_citation(citation) for facts in searched)
        ),
    )


def _inside(figure: Figure, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= figure.start and figure.end <= end for start, end in spans)


def _without_citations(text: str) -> str:
    return CITATION.sub(lambda match: " " * len(match.group()), text).strip()


def _claimed(text: str) -> str:
    return plain_text(_without_citations(text))


def _is_framing(text: str) -> bool:
    bare = _without_citations(text)
    return bool(_HEADING.fullmatch(bare) or _QUESTION.fullmatch(bare))


def _written(text: str, citation: StatuteCitation) -> str:
    article = text[citation.start : citation.end].strip()
    return f"{citation.law} {article}" if citation.law else article
