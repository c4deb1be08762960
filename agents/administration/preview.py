"""The routing of a single question with its grounds, for who tends the domain data."""

from __future__ import annotations

import threading

import numpy as np

from agents.routing import Routing, RoutingDirectory
from agents.understanding import QuestionUnderstanding
from chains.rag_chain import RAGChain
from schemas.administration.domain_trials import DomainScore, NearExample, RoutePreview
from utils.config.settings import Settings
from utils.domain_classifier import ClassificationGrounds
from utils.protocols import FloatMatrix
from utils.routing.evidence import analyzed

_NEAREST = 5
_DECIMALS = 4


class RoutingPreview:
    """Explains the routing in force; blocking, run it in the pool."""

    def __init__(
        self,
        settings: Settings,
        chain: RAGChain,
        directory: RoutingDirectory,
    ) -> None:
        self._settings = settings
        self._chain = chain
        self._directory = directory
        self._examples: tuple[Routing, FloatMatrix] | None = None
        self._lock = threading.Lock()

    def of(self, question: str) -> RoutePreview:
        """Return where a question without a conversation before it would go, and why."""
        routing = self._directory.current
        understood = QuestionUnderstanding(self._settings, routing, self._chain).by_rule(question)
        result, read = understood.classification, understood.understanding.question
        grounds = routing.classifier.explain(read)
        evidence = grounds.evidence
        cues = [f"{word} ({kind})" for clause in evidence.clauses for word, kind in clause.words.cues]
        return RoutePreview(
            question=question,
            read_as=read,
            kind=result.kind,
            domains=list(result.domains),
            confidence=_rounded(result.confidence),
            method=result.method,
            overruled=result.domains != grounds.result.domains,
            relevance=_rounded(grounds.relevance),
            relevance_threshold=grounds.relevance_threshold,
            score_threshold=grounds.score_threshold,
            scores=_scores(routing, grounds, result.domains),
            cues=list(dict.fromkeys(cues)),
            stock_phrase=evidence.stock_phrase,
            nearest=self._nearest(routing, read),
            model_decides=self._settings.llm_classifies_domains,
        )

    def _nearest(self, routing: Routing, question: str) -> list[NearExample]:
        labelled = routing.packs.labelled_examples()
        vectors = self._vectors(routing, [text for text, _ in labelled])
        query = self._embed([question])[0]
        if not labelled or not np.any(query):
            return []
        cosines = vectors @ query
        best = np.argsort(-cosines, kind="stable")[:_NEAREST].tolist()
        return [
            NearExample(question=labelled[row][0], of=labelled[row][1], similarity=_rounded(float(cosines[row])))
            for row in best
        ]

    def _vectors(self, routing: Routing, texts: list[str]) -> FloatMatrix:
        """Those of the representative questions, made once for a state of the domain data: a quarter of a second."""
        with self._lock:
            if self._examples is None or self._examples[0] is not routing:
                self._examples = routing, self._embed(texts)
            return self._examples[1]

    def _embed(self, texts: list[str]) -> FloatMatrix:
        analyzer, embedder = self._directory.analyzer, self._directory.embedder
        return embedder.embed([analyzed(text, analyzer.morphemes(text)) for text in texts])


def _scores(routing: Routing, grounds: ClassificationGrounds, chosen: tuple[str, ...]) -> list[DomainScore]:
    excluded = {key for clause in grounds.evidence.clauses for key in clause.words.excluded}
    found = [
        DomainScore(
            key=pack.key,
            label=pack.label,
            chosen=pack.key in chosen,
            score=_rounded(grounds.scores[pack.key]),
            contributions={name: _rounded(value) for name, value in grounds.contributions[pack.key].items()},
            matched=list(grounds.evidence.matched(pack.key)),
            excluded=pack.key in excluded,
        )
        for pack in routing.packs.domains
    ]
    return sorted(found, key=lambda score: -score.score)


def _rounded(value: float) -> float:
    return round(value, _DECIMALS)
