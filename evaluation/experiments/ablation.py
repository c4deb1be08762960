"""Measure what each part of the statute search gains: from plain BM25 up to the shipped order, then without each part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import bm25s
import numpy as np
from numpy.typing import NDArray

from evaluation.measures.judged_candidates import RankingExample, ranked_ids
from evaluation.measures.paired import Paired
from evaluation.measures.perturbation import PERTURBATIONS, perturbed_question
from evaluation.measures.retrieval import RankedAnswer, ranked_id, reciprocal_rank, score
from evaluation.questions import EvaluationQuestion
from evaluation.training.ranking import LEARNED, learn_weights
from utils.documents import Hit
from utils.korean.question_words import without_parties
from vectorstores.index import CollectionIndex
from vectorstores.ranking.combiner import LinearCombiner
from vectorstores.ranking.features import FEATURES, column_numbers
from vectorstores.search.hybrid import HybridSearcher

_DEPTH = 200

PARTS: Mapping[str, tuple[str, ...]] = {
    "vectors": ("cosine", "cosine_share"),
    "group (act with decree and rule)": ("group", "heading_in_group", "lexical_in_group"),
    "heading and statute name": ("heading", "heading_asked", "name", "name_asked", "heading_in_group"),
    "coverage and adjacency": ("coverage", "adjacency"),
    "citations between statutes": ("statute_citations", "article_citations"),
    "citations by courts": ("statute_cases", "article_cases"),
    "what others say of an article": ("context", "context_mass"),
    "length and variety": ("length", "variety"),
}


@dataclass(frozen=True)
class AblationRow:
    """A configuration and its figures by origin of the questions.

    ``paired`` holds, by origin, the questions whose first right candidate comes up higher and lower than in the order that the
    row leaves something out of; empty for a row of its own.
    """

    name: str
    figures: Mapping[str, Mapping[str, float]]
    paired: Mapping[str, Paired] = field(default_factory=dict)


def ablation_table(
    searcher: HybridSearcher,
    training: Sequence[RankingExample],
    examples: Sequence[RankingExample],
    questions: Sequence[EvaluationQuestion],
    combiner: LinearCombiner,
) -> list[AblationRow]:
    """All rows; ``examples`` are those of ``questions``. Every learned row is learned anew from ``training``."""
    by_id = {example.question.id: example for example in examples}
    rows = _Rows(questions)
    plain = _PlainBM25(searcher, examples[0].collection)
    rows.add(
        "plain BM25 over morphemes (k1 1.2, b 0.75)",
        {question.id: plain.ranked(question.question) for question in questions},
    )
    weighted = {
        question.id: _index_order(searcher, question.question, examples[0].collection, boosted=False)
        for question in questions
    }
    rows.add("+ heading and name fields, k1 1.5, b 0.9, words of asking left out", weighted)
    boosted = {
        question.id: _index_order(searcher, question.question, examples[0].collection, boosted=True)
        for question in questions
    }
    rows.add("+ kind of norm and citations as a factor", boosted)
    fused = {key: ranked_ids(example, example.fused) for key, example in by_id.items()}
    rows.add("+ vectors and query variants (fusion)", fused)
    whole = _learned(training, by_id, LEARNED)
    rows.add("+ learned order of the candidates", whole)
    reranked = {key: _reranked(searcher, example, combiner) for key, example in by_id.items()}
    rows.add("+ late interaction (as shipped)", reranked, whole)
    for part, names in PARTS.items():
        left_out = set(column_numbers(names))
        kept = [column for column in LEARNED if column not in left_out]
        rows.add(f"learned order without {part}", _learned(training, by_id, kept), whole)
    every = tuple(range(len(FEATURES)))
    rows.add("learned order with the kind of norm as features", _learned(training, by_id, every), whole)
    return rows.rows


def perturbed_rows(
    searcher: HybridSearcher,
    collect: Callable[[Sequence[EvaluationQuestion]], Sequence[RankingExample]],
    questions: Sequence[EvaluationQuestion],
    combiner: LinearCombiner,
) -> list[AblationRow]:
    """The shipped order for the same questions typed wrongly, as typed and put right first."""
    rows = _Rows(questions)
    for kind in PERTURBATIONS:
        typed = [perturbed_question(question, kind) for question in questions]
        right = [
            question.model_copy(update={"question": corrected_question(searcher, question.question)})
            for question in typed
        ]
        for name, asked in (("as typed", typed), ("put right", right)):
            ranked = {example.question.id: _reranked(searcher, example, combiner) for example in collect(asked)}
            rows.add(f"as shipped, {kind}, {name}", ranked)
    return rows.rows


def corrected_question(searcher: HybridSearcher, question: str) -> str:
    """A question as the retrieve stage reads it."""
    return without_parties(searcher.spelling.respelled(question).text)


def markdown(rows: Sequence[AblationRow], dataset: str, training: int) -> str:
    """The table as a Markdown document."""
    origins = list(rows[0].figures)
    names = ("any@1", "any@5", "any@10", "any@20", "recall@10", "mrr")
    lines = [
        "# What each part of the statute search gains",
        "",
        f"`python -m evaluation ablation` over `{dataset}`; orders are learned from {training} questions of this project, none of them",
        "from an evaluation set. The first six rows build on each other; each of the others leaves one part out of the fifth. The last",
        "rows ask the questions of the sixth typed wrongly (`evaluation/measures/perturbation.py`), read as typed and put right first.",
        "*Paired*, against the fifth row: questions whose first right candidate comes up higher (+) and lower (−), and the sign test's p.",
    ]
    for origin in origins:
        lines += [
            "",
            f"## {origin}",
            "",
            "| configuration | " + " | ".join(names) + " | paired |",
            "|---|" + "---|" * (len(names) + 1),
        ]
        for row in rows:
            figures = row.figures[origin]
            cells = [*(f"{figures[name]:.3f}" for name in names), str(row.paired.get(origin, ""))]
            lines.append(f"| {row.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


class _Rows:
    """Scores rankings of the same questions, by origin."""

    def __init__(self, questions: Sequence[EvaluationQuestion]) -> None:
        self._gold = {question.id: question.gold for question in questions}
        self._origins: dict[str, list[str]] = {}
        for question in questions:
            self._origins.setdefault(question.origin or "all", []).append(question.id)
        self.rows: list[AblationRow] = []

    def add(
        self, name: str, rankings: Mapping[str, Sequence[str]], against: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        figures = {
            origin: score([RankedAnswer(key, tuple(rankings.get(key, ())), 0.0) for key in keys], self._gold)
            for origin, keys in self._origins.items()
        }
        paired = (
            {} if against is None else {origin: self._paired(origin, rankings, against) for origin in self._origins}
        )
        self.rows.append(AblationRow(name, figures, paired))

    def _paired(
        self, origin: str, rankings: Mapping[str, Sequence[str]], against: Mapping[str, Sequence[str]]
    ) -> Paired:
        ranks = [
            [reciprocal_rank(ranked.get(key, ()), self._gold[key]) for key in self._origins[origin]]
            for ranked in (rankings, against)
        ]
        return Paired.of(*ranks)


class _PlainBM25:
    """BM25 over the morphemes of the texts alone, as a first implementation would do it."""

    def __init__(self, searcher: HybridSearcher, collection: str) -> None:
        self._searcher = searcher
        self._target = searcher.index.collections[collection]
        bodies = self._target.terms_of(range(self._target.size))
        self._index = bm25s.BM25(k1=1.2, b=0.75)
        self._index.index((bodies, {term: number for number, term in enumerate(self._target.vocabulary.terms())}))

    def ranked(self, question: str) -> list[str]:
        terms = self._target.vocabulary.ids_of(self._searcher.all_terms(question))
        if not terms:
            return []
        return _ids_of_best(self._target, self._index.get_scores_from_ids(terms))


def _index_order(searcher: HybridSearcher, question: str, collection: str, *, boosted: bool) -> list[str]:
    target = searcher.index.collections[collection]
    scores = target.bm25_scores(*searcher.weighted_terms(question))
    return _ids_of_best(target, scores * target.ranking.boost if boosted else scores)


def _ids_of_best(target: CollectionIndex, scores: NDArray[np.floating]) -> list[str]:
    depth = min(_DEPTH, target.size)
    best = np.argpartition(-scores, depth - 1)[:depth]
    chunks = target.chunks(best[np.argsort(-scores[best], kind="stable")])
    return list(dict.fromkeys(ranked_id(Hit(chunk, 0.0)) for chunk in chunks))


def _learned(
    training: Sequence[RankingExample], examples: Mapping[str, RankingExample], columns: Sequence[int]
) -> dict[str, tuple[str, ...]]:
    weights = learn_weights(training, columns)
    return {key: ranked_ids(example, example.features @ weights) for key, example in examples.items()}


def _reranked(searcher: HybridSearcher, example: RankingExample, combiner: LinearCombiner) -> tuple[str, ...]:
    scores = combiner.scores(example.features)
    best = np.argsort(-scores, kind="stable")[: example.request.rerank_pool]
    relevance = searcher.relevance_of(example.collection, example.request.readings, example.ordinals[best])
    final = np.full_like(scores, -np.inf)
    final[best] = scores[best] + combiner.relevance_weight * np.asarray(relevance, dtype=np.float32)
    return ranked_ids(example, final)
