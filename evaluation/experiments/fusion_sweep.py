"""Which fusion of lexical and vector side ranks best with an embedder, by search mode.

Only the fused order is looked at: what a learned order or a reranker makes of it comes after.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import get_args

from agents.retrieval.search_mode import SearchMode
from evaluation.measures.judged_candidates import PlannedQuestion
from evaluation.measures.retrieval import ranked_id, reciprocal_rank
from utils.documents import Hit
from vectorstores.ranking.combiner import MeasuredFusion
from vectorstores.ranking.fusion import Fusion
from vectorstores.search.candidates import fuse
from vectorstores.search.hybrid import HybridSearcher

KINDS: tuple[Fusion, ...] = get_args(Fusion)
WEIGHTS = tuple(step / 10 for step in range(11))
_ENOUGH = 50
"""Questions that a mode needs for a weight of its own; else it takes the best one of all questions."""


@dataclass(frozen=True, slots=True)
class FusionTrial:
    """A question: its mode, and the reciprocal rank of its first gold hit as configured and with each fusion."""

    mode: SearchMode
    configured: float
    reciprocal_ranks: Mapping[tuple[Fusion, float], float]


def run_trials(searcher: HybridSearcher, planned: Iterable[PlannedQuestion]) -> list[FusionTrial]:
    """Search once for each question, and fuse what was found in every way."""
    return [_trial(searcher, plan) for plan in planned]


def best_fusion(trials: Sequence[FusionTrial]) -> MeasuredFusion:
    """The kind and the weight of each mode with the best mean reciprocal rank. Raises ValueError without a trial."""
    if not trials:
        raise ValueError("no question has its gold in the index")
    choices = [MeasuredFusion(kind=kind, vector_weights=_weights(trials, kind)) for kind in KINDS]
    return max(choices, key=lambda choice: mean_reciprocal_rank(trials, choice))


def mean_reciprocal_rank(trials: Sequence[FusionTrial], fusion: MeasuredFusion | None) -> float:
    """MRR with a fusion; None: as configured."""
    if fusion is None:
        return mean(trial.configured for trial in trials)
    return mean(trial.reciprocal_ranks[fusion.kind, fusion.vector_weights[trial.mode]] for trial in trials)


def held_out_mean_reciprocal_rank(trials: Sequence[FusionTrial]) -> float:
    """MRR of each half of the questions with the fusion that is best for the other half."""
    halves = trials[::2], trials[1::2]
    found = [
        len(judged) * mean_reciprocal_rank(judged, best_fusion(chosen_on))
        for judged, chosen_on in (halves, halves[::-1])
        if judged
    ]
    return sum(found) / len(trials)


def markdown(trials: Sequence[FusionTrial], embedder_id: str) -> str:
    """MRR by mode, kind and weight as a Markdown table, with what to choose."""
    best = best_fusion(trials)
    modes = [mode for mode in SearchMode if any(trial.mode is mode for trial in trials)]
    counts = {mode: sum(trial.mode is mode for trial in trials) for mode in modes}
    lines = [
        f"MRR of the fused order with {embedder_id}, by search mode and share of the vector side",
        "",
        "| fusion | weight | all ("
        + str(len(trials))
        + ") | "
        + " | ".join(f"{m} ({counts[m]})" for m in modes)
        + " |",
        "|---|---|---|" + "---|" * len(modes),
    ]
    for kind in KINDS:
        for weight in WEIGHTS:
            cells = [_mean_of(trials, kind, weight), *(_mean_of(_of(trials, mode), kind, weight) for mode in modes)]
            lines.append(f"| {kind} | {weight:g} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")
    chosen = ", ".join(f"{mode} {best.vector_weights[mode]:g}" for mode in SearchMode)
    lines += [
        "",
        f"best: {best.kind}; {chosen}",
        f"MRR {mean_reciprocal_rank(trials, best):.3f}, chosen on one half and judged on the other "
        f"{held_out_mean_reciprocal_rank(trials):.3f}, as configured {mean_reciprocal_rank(trials, None):.3f}",
    ]
    return "\n".join(lines) + "\n"


def _trial(searcher: HybridSearcher, planned: PlannedQuestion) -> FusionTrial:
    target, request = planned.target, planned.request
    found = searcher.found(target.name, request)
    ordinals = found.ordinals()
    ids = dict(zip(ordinals.tolist(), (ranked_id(Hit(chunk, 0.0)) for chunk in target.chunks(ordinals)), strict=True))

    def ranked_with(kind: Fusion, weight: float) -> float:
        scores = fuse(found, replace(request, fusion=kind, vector_weight=weight))
        ranked = dict.fromkeys(
            ids[ordinal] for ordinal in sorted(scores, key=lambda ordinal: (-scores[ordinal], ordinal))
        )
        return reciprocal_rank(tuple(ranked), planned.question.gold)

    return FusionTrial(
        mode=planned.mode,
        configured=ranked_with(request.fusion, request.vector_weight),
        reciprocal_ranks={(kind, weight): ranked_with(kind, weight) for kind in KINDS for weight in WEIGHTS},
    )


def _weights(trials: Sequence[FusionTrial], kind: Fusion) -> dict[str, float]:
    overall = _best_weight(trials, kind)
    chosen: dict[str, float] = {}
    for mode in SearchMode:
        own = _of(trials, mode)
        chosen[mode.value] = _best_weight(own, kind) if len(own) >= _ENOUGH else overall
    return chosen


def _best_weight(trials: Sequence[FusionTrial], kind: Fusion) -> float:
    return max(WEIGHTS, key=lambda weight: _mean_of(trials, kind, weight))


def _mean_of(trials: Sequence[FusionTrial], kind: Fusion, weight: float) -> float:
    return mean(trial.reciprocal_ranks[kind, weight] for trial in trials)


def _of(trials: Sequence[FusionTrial], mode: SearchMode) -> list[FusionTrial]:
    return [trial for trial in trials if trial.mode is mode]
