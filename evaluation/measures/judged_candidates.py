"""Questions with the candidates that the search brings up for them, and which of those answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.retrieval.budget import DocumentBudget
from agents.retrieval.plan import SearchPlanner
from agents.retrieval.search_mode import SearchMode
from evaluation.measures.retrieval import ranked_id
from evaluation.questions import EvaluationQuestion
from utils.documents import Chunk, Hit
from utils.protocols import FloatMatrix
from utils.question_decomposer import SubQuery
from vectorstores.index import CollectionIndex
from vectorstores.ranking.combiner import MeasuredFusion
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.request import SearchRequest


@dataclass(frozen=True)
class RankingExample:
    """A question with its candidates. A row of ``features``, an item of ``fused``, ``ids``, ``gold`` and ``judged`` belongs to one candidate.

    ``judged`` is False where nobody has said whether a candidate answers: a guide that rests on a gold article, an article that
    the gold guide rests on.
    """

    question: EvaluationQuestion
    collection: str
    request: SearchRequest
    ordinals: NDArray[np.int64]
    ids: tuple[str, ...]
    features: FloatMatrix
    fused: NDArray[np.float32]
    gold: NDArray[np.bool_]
    judged: NDArray[np.bool_]

    @property
    def found(self) -> bool:
        """True if a candidate is gold."""
        return bool(self.gold.any())


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """A question, the collection that holds its gold, and how the retrieve stage would search there."""

    question: EvaluationQuestion
    target: CollectionIndex
    mode: SearchMode
    request: SearchRequest


class ExampleCollector:
    """Runs the search up to its candidates, planned as the retrieve stage plans it. ``fusion``: with this one."""

    def __init__(self, searcher: HybridSearcher, planner: SearchPlanner, fusion: MeasuredFusion | None = None) -> None:
        self._searcher = searcher
        self._planner = planner
        self._fusion = fusion

    def collect(self, questions: Iterable[EvaluationQuestion]) -> list[RankingExample]:
        """An example for every question whose gold is in the index."""
        return [self._example(planned) for planned in self.planned(questions)]

    def planned(self, questions: Iterable[EvaluationQuestion]) -> Iterator[PlannedQuestion]:
        """The search for every question whose gold is in the index."""
        for question in questions:
            target = self._collection_of(question.gold)
            if target is not None:
                yield self._plan(question, target)

    def _collection_of(self, gold: Sequence[str]) -> CollectionIndex | None:
        for collection in self._searcher.index.collections.values():
            if any(collection.by_label(reference) or collection.by_document(reference) for reference in gold):
                return collection
        return None

    def _plan(self, question: EvaluationQuestion, target: CollectionIndex) -> PlannedQuestion:
        budget = DocumentBudget(per_domain=20, total=20, kept=20)
        plan = self._planner.plan(self._searcher, SubQuery(target.domain, question.question), target.name, budget)
        request = replace(plan.request, mmr_lambda=None)
        if self._fusion is not None:
            weight = self._fusion.vector_weights.get(plan.mode, request.vector_weight)
            request = replace(request, fusion=self._fusion.kind, vector_weight=weight)
        return PlannedQuestion(question, target, plan.mode, request)

    def _example(self, planned: PlannedQuestion) -> RankingExample:
        question, target, request = planned.question, planned.target, planned.request
        found = self._searcher.candidates(target.name, request)
        if found.features is None or found.fused is None:
            raise ValueError("an order is learned over a sound BM25 index, with hybrid search on")
        chunks = target.chunks(found.ordinals)
        ids = tuple(ranked_id(Hit(chunk, 0.0)) for chunk in chunks)
        gold = np.asarray([chunk_id in question.gold for chunk_id in ids], dtype=np.bool_)
        answers = set(question.gold) | self._cited_by(target, question.gold)
        judged = [
            chunk_id in question.gold or not _may_answer(chunk, answers)
            for chunk_id, chunk in zip(ids, chunks, strict=True)
        ]
        return RankingExample(
            question=question,
            collection=target.name,
            request=request,
            ordinals=found.ordinals,
            ids=ids,
            features=found.features,
            fused=found.fused,
            gold=gold,
            judged=np.asarray(judged, dtype=np.bool_),
        )

    @staticmethod
    def _cited_by(target: CollectionIndex, gold: Sequence[str]) -> set[str]:
        """Labels of the articles that gold guides rest on."""
        ordinals = [ordinal for reference in gold for ordinal in target.by_document(reference)]
        return {label for chunk in target.chunks(ordinals) for label in chunk.cited_labels}


def _may_answer(chunk: Chunk, answers: AbstractSet[str]) -> bool:
    return chunk.label in answers if chunk.label else not answers.isdisjoint(chunk.cited_labels)


def ranked_ids(example: RankingExample, scores: NDArray[np.floating]) -> tuple[str, ...]:
    """The candidates' ids by falling score, each once."""
    order = np.argsort(-scores, kind="stable")
    return tuple(dict.fromkeys(example.ids[position] for position in order.tolist()))
