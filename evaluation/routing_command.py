"""``python -m evaluation routing`` and ``calibrate-routing``."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from evaluation.routing import RoutingScores, load_examples, predict, score
from evaluation.routing_calibration import cross_validate, fit, own_examples, training_set
from utils.config.settings import PROJECT_ROOT, load_settings
from utils.domain_classifier import DomainClassifier
from utils.domain_pack import PackSet, load_pack_files
from utils.protocols import Embedder
from utils.routing_calibration import DEFAULT_FAMILY, load_calibration
from utils.routing_evidence import EvidenceReader
from vectorstores.embedders.factory import build_embedder
from vectorstores.tokenizer import KiwiTokenizer

DOMAINS_DIR = PROJECT_ROOT / "data" / "domains"
CALIBRATION_FILE = DOMAINS_DIR / "calibration.json"


@dataclass(frozen=True, slots=True)
class _Parts:
    tokenizer: KiwiTokenizer
    embedder: Embedder
    packs: PackSet


def add_routing_arguments(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument("--out", type=Path, required=True, help="JSONL to write: id, domains, kind")


def add_calibration_arguments(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument("--out", type=Path, default=CALIBRATION_FILE, help="calibration file to update")
    parser.add_argument(
        "--family", default=DEFAULT_FAMILY, help="embedder family the fit is for (id up to the first -)"
    )
    parser.add_argument("--baseline", type=Path, help="JSON to write the fitted and the cross-validated scores to")


def run_routing(arguments: argparse.Namespace) -> int:
    """Route a dataset, write the decisions, and print the scores when it is labelled."""
    examples = load_examples(arguments.dataset)
    parts = _parts(arguments.data_dir)
    classifier = DomainClassifier(
        parts.tokenizer, parts.embedder, parts.packs, load_calibration(CALIBRATION_FILE, parts.embedder.id)
    )
    started = time.perf_counter()
    predictions = predict(classifier.classify, tqdm(examples, unit="q", desc="routing"))
    milliseconds = (time.perf_counter() - started) * 1000 / len(examples)
    arguments.out.write_text("".join(one.as_json() + "\n" for one in predictions), encoding="utf-8")
    print(f"{len(examples)} questions, {milliseconds:.2f} ms a question")
    if any(example.domains is not None for example in examples):
        _print_scores(score(examples, predictions))
    return 0


def run_calibration(arguments: argparse.Namespace) -> int:
    """Fit the weights on a labelled dataset, print fitted beside cross-validated scores, and update the file."""
    examples = [example for example in load_examples(arguments.dataset) if example.domains is not None]
    parts = _parts(arguments.data_dir)
    reader = EvidenceReader(parts.tokenizer, parts.embedder, parts.packs)
    data = training_set(reader, parts.packs.keys(), examples)
    own = own_examples(reader, parts.packs.keys())
    calibration = fit(data, own)
    families = json.loads(arguments.out.read_text(encoding="utf-8")) if arguments.out.exists() else {}
    families[arguments.family] = calibration.model_dump()
    arguments.out.write_text(json.dumps(families, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    classifier = DomainClassifier(parts.tokenizer, parts.embedder, parts.packs, calibration)
    found = {
        "fitted": score(examples, predict(classifier.classify, examples)),
        "cross_validated": cross_validate(data, own, examples),
    }
    for name, scores in found.items():
        print(name)
        _print_scores(scores)
    if arguments.baseline is not None:
        plain = {name: scores.model_dump() for name, scores in found.items()}
        arguments.baseline.write_text(
            json.dumps({"embedder": parts.embedder.id, **plain}, indent=1) + "\n", encoding="utf-8"
        )
    return 0


def _parts(data_dir: Path | None) -> _Parts:
    settings = load_settings()
    if data_dir is not None:
        settings = settings.model_copy(update={"data_dir": data_dir})
    tokenizer = KiwiTokenizer()
    return _Parts(tokenizer, build_embedder(settings, tokenizer), load_pack_files(DOMAINS_DIR))


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", type=Path, required=True, help="JSONL: id, question[, domains, kind]")
    parser.add_argument("--data-dir", type=Path, help="where downloaded models are kept (default: DATA_DIR)")


def _print_scores(scores: RoutingScores) -> None:
    for name, value in scores.model_dump(exclude={"domains"}).items():
        print(f"  {name:22} {value}")
    for key, domain in scores.domains.items():
        print(f"  {key:22} P {domain.precision:.3f}  R {domain.recall:.3f}  F1 {domain.f1:.3f}")
