"""``python -m evaluation routing`` and ``calibrate-routing``."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from evaluation.measures.routing import RoutingExample, RoutingScores, load_examples, predict, score
from evaluation.training.routing import TrainingSet, cross_validate, fit, own_examples, training_set
from utils.config.settings import PROJECT_ROOT
from utils.domain_classifier import DomainClassifier
from utils.linear_models import LearnedWeights, LearnedWith
from utils.routing.calibration import CALIBRATION, RoutingCalibration
from utils.routing.domain_pack import PackSet, load_pack_files
from utils.routing.evidence import EvidenceReader
from vectorstores.embedders.factory import build_kiwi_embedder
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

DOMAINS_DIR = PROJECT_ROOT / "data" / "domains"


@dataclass(frozen=True, slots=True)
class _Parts:
    tokenizer: KiwiTokenizer
    embedder: KiwiEmbedder
    packs: PackSet


def add_routing_arguments(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument("--out", type=Path, required=True, help="JSONL to write: id, domains, kind")


def add_calibration_arguments(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument("--out", type=Path, default=CALIBRATION.path, help="calibration file to write")
    parser.add_argument("--baseline", type=Path, help="JSON to write the fitted and the cross-validated scores to")


def run_routing(arguments: argparse.Namespace) -> int:
    """Route a dataset, write the decisions, and print the scores when it is labelled."""
    examples = load_examples(arguments.dataset)
    parts = _parts()
    classifier = DomainClassifier(
        parts.tokenizer, parts.embedder, parts.packs, RoutingCalibration.load(in_effect=_learned_with(parts))
    )
    started = time.perf_counter()
    predictions = predict(classifier.classify, tqdm(examples, unit="q", desc="routing"))
    milliseconds = (time.perf_counter() - started) * 1000 / len(examples)
    arguments.out.write_text("".join(prediction.as_json() + "\n" for prediction in predictions), encoding="utf-8")
    print(f"{len(examples)} questions, {milliseconds:.2f} ms a question")
    if any(example.domains is not None for example in examples):
        _print_scores(score(examples, predictions))
    return 0


def run_calibration(arguments: argparse.Namespace) -> int:
    """Fit the weights on a labelled dataset, print fitted beside cross-validated scores, and update the file."""
    examples = [example for example in load_examples(arguments.dataset) if example.domains is not None]
    parts = _parts()
    data, own = _training_sets(parts, examples)
    calibration = fit(data, own)
    classifier = DomainClassifier(parts.tokenizer, parts.embedder, parts.packs, calibration)
    found = {
        "fitted": score(examples, predict(classifier.classify, examples)),
        "cross_validated": cross_validate(data, own, examples),
    }
    LearnedWeights(
        command=f"python -m evaluation {CALIBRATION.command}",
        learned_with=_learned_with(parts),
        questions=len(examples),
        cross_validated=found["cross_validated"].model_dump(exclude={"questions", "domains", "kind_accuracy"}),
        models=calibration.models(),
    ).write(arguments.out)
    for name, scores in found.items():
        print(name)
        _print_scores(scores)
    if arguments.baseline is not None:
        plain = {name: scores.model_dump() for name, scores in found.items()}
        arguments.baseline.write_text(
            json.dumps({"embedder": parts.embedder.id, **plain}, indent=1) + "\n", encoding="utf-8"
        )
    return 0


def read_training_sets(examples: Sequence[RoutingExample]) -> tuple[TrainingSet, TrainingSet]:
    """Return the evidence of labelled questions, and of the representative questions of the domain packs."""
    return _training_sets(_parts(), examples)


def _training_sets(parts: _Parts, examples: Sequence[RoutingExample]) -> tuple[TrainingSet, TrainingSet]:
    reader = EvidenceReader(parts.tokenizer, parts.embedder, parts.packs)
    return training_set(reader, parts.packs.keys(), examples), own_examples(reader, parts.packs.keys())


def _parts() -> _Parts:
    tokenizer = KiwiTokenizer()
    return _Parts(tokenizer, build_kiwi_embedder(tokenizer), load_pack_files(DOMAINS_DIR))


def _learned_with(parts: _Parts) -> LearnedWith:
    return LearnedWith(tokenizer=parts.tokenizer.id, embedder=parts.embedder.id)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", type=Path, required=True, help="JSONL: id, question[, domains, kind]")


def _print_scores(scores: RoutingScores) -> None:
    for name, value in scores.model_dump(exclude={"domains"}).items():
        print(f"  {name:22} {value}")
    for key, domain in scores.domains.items():
        print(f"  {key:22} P {domain.precision:.3f}  R {domain.recall:.3f}  F1 {domain.f1:.3f}")
