"""Which domains a question belongs to, and which questions to turn away, with no model call.

Two decisions in turn, each a logistic regression over the evidence of `routing_evidence`: is the question for this service
at all, and if so, for which domains. docs/decisions/0003-routing.md says why and with what figures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from utils.protocols import Analyzer, Embedder
from utils.routing.calibration import RoutingCalibration, RoutingModel
from utils.routing.domain_pack import DEFAULT_REJECTION, PackSet, RejectionKind
from utils.routing.evidence import EvidenceReader, QuestionEvidence, analyzed
from utils.routing.fit_cache import FitCache

QuestionKind = str
"""``consult``, ``unintelligible`` or a kind of rejection of the domain data; all but the first are answered without a search."""
ClassificationMethod = Literal["llm", "keyword", "vector", "fallback"]

_HANGUL_WORD = re.compile(r"[가-힣]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_FOREIGN_SENTENCE = 3  # so many Latin words are a sentence in another language, fewer are noise
_SURE = 1.0
# So many content words tell a case of somebody's own, which small talk does not: it is turned away only where that is sure. Of 602
# messages that are to be turned away none has as many words and is as unsure.
_STORY = 8
_UNSURE = 0.3  # relevance


@dataclass(frozen=True, slots=True)
class DomainClassificationResult:
    """``domains`` is ordered by probability and empty when the question is turned away.

    ``confidence`` in [0, 1] is the probability of the best domain, or of the rejection. ``method`` names the signal that
    decided; ``matched_keywords`` are those of the chosen domains.
    """

    domains: tuple[str, ...]
    confidence: float
    is_relevant: bool
    method: ClassificationMethod
    matched_keywords: tuple[str, ...] = ()
    kind: QuestionKind = "consult"


@dataclass(frozen=True, slots=True)
class ClassificationGrounds:
    """The figures of a classification: probabilities, the thresholds they are held against, and what went into them.

    ``contributions`` are log odds by domain and feature.
    """

    result: DomainClassificationResult
    evidence: QuestionEvidence
    relevance: float
    relevance_threshold: float
    scores: Mapping[str, float]
    score_threshold: float
    contributions: Mapping[str, Mapping[str, float]]


class DomainClassifier:
    """Decides the domains of a question, or that it is out of scope.

    Immutable once built, which takes a third of a second, and little with a ``cache``. When the domain data change, build
    another one and replace it.

    >>> classifier = DomainClassifier(tokenizer, embedder, packs, calibration)
    >>> classifier.classify("부가가치세는 언제까지 신고해야 하나요?").domains
    ('finance_tax',)
    """

    def __init__(
        self,
        analyzer: Analyzer,
        embedder: Embedder,
        packs: PackSet,
        calibration: RoutingCalibration,
        *,
        rejects: bool = True,
        cache: FitCache | None = None,
    ) -> None:
        self._model = RoutingModel(calibration, packs.keys())
        self.reader = EvidenceReader(analyzer, embedder, packs, cache)
        self._rejects = rejects

    def classify(self, question: str) -> DomainClassificationResult:
        """Route one question; pure computation, no input or output."""
        evidence = self.reader.read(question)
        plain = self._without_content(evidence)
        if plain is not None:
            return DomainClassificationResult((), _SURE, is_relevant=False, method="keyword", kind=plain)
        scores = self._model.scores(evidence.domain_features)
        if self._model.is_relevant(evidence.scope_features) or self._may_be_a_case(evidence):
            return self._accepted(evidence, scores)
        return self._turned_away(evidence, scores)

    def explain(self, question: str) -> ClassificationGrounds:
        """Return the classification of a question with everything that led to it."""
        evidence = self.reader.read(question)
        relevance_threshold, score_threshold = self._model.thresholds
        return ClassificationGrounds(
            result=self.classify(question),
            evidence=evidence,
            relevance=self._model.relevance(evidence.scope_features),
            relevance_threshold=relevance_threshold,
            scores=self._model.scores(evidence.domain_features),
            score_threshold=score_threshold,
            contributions=self._model.contributions(evidence.domain_features),
        )

    def _may_be_a_case(self, evidence: QuestionEvidence) -> bool:
        """Return True for a story that nothing surely tells to be of private life."""
        words = len(set(analyzed(evidence.text, evidence.morphemes).terms))
        return words >= _STORY and self._model.relevance(evidence.scope_features) >= _UNSURE

    def _without_content(self, evidence: QuestionEvidence) -> QuestionKind | None:
        """The kind of a message that is nothing but a stock phrase, or that has no words at all."""
        if evidence.stock_phrase is not None:
            return evidence.stock_phrase
        if _HANGUL_WORD.search(evidence.text) or any(clause.words.keywords for clause in evidence.clauses):
            return None
        foreign = len(_LATIN_WORD.findall(evidence.text)) >= _FOREIGN_SENTENCE
        return DEFAULT_REJECTION if foreign else "unintelligible"

    def _turned_away(self, evidence: QuestionEvidence, scores: Mapping[str, float]) -> DomainClassificationResult:
        if not self._rejects:
            best = max(scores, key=scores.__getitem__)
            return DomainClassificationResult((best,), scores[best], True, "fallback", evidence.matched(best))
        kind: RejectionKind = max(evidence.rejected, key=evidence.rejected.__getitem__, default=DEFAULT_REJECTION)
        cued = any(clause.words.cues for clause in evidence.clauses)
        confidence = 1.0 - self._model.relevance(evidence.scope_features)
        return DomainClassificationResult((), confidence, False, "keyword" if cued else "vector", kind=kind)

    def _accepted(self, evidence: QuestionEvidence, scores: Mapping[str, float]) -> DomainClassificationResult:
        chosen = self._model.choose(scores)
        return DomainClassificationResult(
            domains=chosen,
            confidence=scores[chosen[0]],
            is_relevant=True,
            method="keyword" if evidence.matched(chosen[0]) else "vector",
            matched_keywords=tuple(dict.fromkeys(word for key in chosen for word in evidence.matched(key))),
        )
