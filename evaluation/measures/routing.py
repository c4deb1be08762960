"""Scoring the routing: labelled questions in, the classifier's decisions and what they are worth out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from utils.domain_classifier import DomainClassificationResult

Classify = Callable[[str], DomainClassificationResult]


class DatasetError(ValueError):
    """A dataset that cannot be used; the message names the file and the line."""


class RoutingExample(BaseModel):
    """A line of a dataset; without ``domains`` it is not scored. An empty ``domains`` means: turn it away."""

    model_config = ConfigDict(frozen=True)

    id: str
    question: str
    domains: frozenset[str] | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class RoutingPrediction:
    """The classifier's decision on the example of that id; an empty ``kind`` is not scored."""

    id: str
    domains: tuple[str, ...]
    kind: str

    def as_json(self) -> str:
        return json.dumps({"id": self.id, "domains": self.domains, "kind": self.kind}, ensure_ascii=False)


class DomainScores(BaseModel):
    """Precision, recall and F1 of one domain over all questions."""

    precision: float
    recall: float
    f1: float


class RoutingScores(BaseModel):
    """Shares in [0, 1].

    ``single_lenient``: a one-domain question got its domain and at most one more. ``multi_set_f1``: mean F1 of the sets.
    ``kind_accuracy``: of the questions rightly turned away, those of the right kind, where kinds are known.
    """

    questions: int
    exact: float
    single_exact: float
    single_lenient: float
    multi_exact: float
    multi_set_f1: float
    rejection_precision: float
    rejection_recall: float
    in_scope_rejected: float
    kind_accuracy: float | None
    domains: dict[str, DomainScores]


def load_examples(path: Path) -> list[RoutingExample]:
    """Read a JSONL dataset. Raises ``DatasetError`` when the file cannot be read or a line is not an example."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: {error}") from error
    examples = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            examples.append(RoutingExample.model_validate_json(line))
        except ValidationError as error:
            raise DatasetError(f"{path}:{number}: {error.errors()[0]['msg']}") from error
    if not examples:
        raise DatasetError(f"{path}: no questions")
    return examples


def predict(classify: Classify, examples: Iterable[RoutingExample]) -> list[RoutingPrediction]:
    """Route every question, in order."""
    results = ((example.id, classify(example.question)) for example in examples)
    return [RoutingPrediction(id_, result.domains, result.kind) for id_, result in results]


def score(examples: Sequence[RoutingExample], predictions: Sequence[RoutingPrediction]) -> RoutingScores:
    """Compare predictions with the labelled examples, pairwise. Raises ``DatasetError`` when none is labelled."""
    pairs = [
        (example, example.domains, frozenset(prediction.domains), prediction.kind)
        for example, prediction in zip(examples, predictions, strict=True)
        if example.domains is not None
    ]
    if not pairs:
        raise DatasetError("no labelled questions")
    sets = [(gold, found) for _, gold, found, _ in pairs]
    single = [(gold, found) for gold, found in sets if len(gold) == 1]
    multi = [(gold, found) for gold, found in sets if len(gold) > 1]
    inside = [found for gold, found in sets if gold]
    away = [found for gold, found in sets if not gold]
    rejected = [gold for gold, found in sets if not found]
    kinds = [
        example.kind == kind for example, gold, found, kind in pairs if not gold and not found and example.kind and kind
    ]
    return RoutingScores(
        questions=len(sets),
        exact=_share(gold == found for gold, found in sets),
        single_exact=_share(gold == found for gold, found in single),
        single_lenient=_share(gold <= found and len(found) <= 2 for gold, found in single),
        multi_exact=_share(gold == found for gold, found in multi),
        multi_set_f1=_mean([2 * len(gold & found) / (len(gold) + len(found)) for gold, found in multi]),
        rejection_precision=_share(not gold for gold in rejected),
        rejection_recall=_share(not found for found in away),
        in_scope_rejected=_share(not found for found in inside),
        kind_accuracy=_share(kinds) if kinds else None,
        domains={key: _domain_scores(key, sets) for key in sorted({key for gold, _ in sets for key in gold})},
    )


def _domain_scores(key: str, sets: Sequence[tuple[frozenset[str], frozenset[str]]]) -> DomainScores:
    true = sum(key in gold and key in found for gold, found in sets)
    precision = _mean([float(key in gold) for gold, found in sets if key in found])
    recall = _mean([float(key in found) for gold, found in sets if key in gold])
    total = sum((key in gold) + (key in found) for gold, found in sets)
    return DomainScores(precision=precision, recall=recall, f1=round(2 * true / total, 4) if total else 0.0)


def _share(outcomes: Iterable[bool]) -> float:
    return _mean([float(outcome) for outcome in outcomes])


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0
