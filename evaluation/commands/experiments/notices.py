"""``python -m evaluation notices``: requests for notices, dialogues about them, and questions that are none of theirs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from agents.notices.dialogue import NoticeDialogue
from agents.notices.reading import Classify
from evaluation.measures.notices import load_cases, measure
from utils.config.settings import PROJECT_ROOT, Settings, load_settings
from utils.domain_classifier import DomainClassifier
from utils.law.korean_day import korean_day
from utils.linear_models import LearnedWith
from utils.routing.calibration import RoutingCalibration
from utils.routing.domain_pack import load_pack_files
from vectorstores.embedders.factory import build_kiwi_embedder
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.notices.library import NoticeLibrary
from vectorstores.notices.pack import NoticeData
from vectorstores.tokenizer import KiwiTokenizer

_DOMAINS = PROJECT_ROOT / "data" / "domains"
_SHOWN = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dataset", type=Path, required=True, action="append", help="JSONL; may be given several times"
    )
    parser.add_argument("--data-dir", type=Path, help="data directory with the notices (default: DATA_DIR)")
    parser.add_argument("--out", type=Path, help="JSONL to write: every answer to be read")


def run(arguments: argparse.Namespace) -> int:
    """Ask a dataset and print the shares of what was found, answered and wrongly taken.

    Raises:
        ValueError: there are no notices, or a line of the dataset is none.
    """
    settings = load_settings()
    if arguments.data_dir:
        settings = settings.model_copy(update={"data_dir": arguments.data_dir.resolve()})
    cases = [case for file in arguments.dataset for case in load_cases(file)]
    dialogue, classify = ability(settings)
    if dialogue.library.shelf.is_empty:
        raise ValueError("there are no notices; take some in with `python -m vectorstores notices import`")
    scores, records = measure(cases, dialogue, classify, korean_day())
    for fault in scores.faults[:_SHOWN]:
        print(fault)
    print(f"{scores.requests} requests, {scores.turns} turns, {scores.consulting} other questions")
    for name, share in scores.figures().items():
        print(f"{name:<24}{share:>8.1%}")
    if arguments.out:
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
        arguments.out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    dialogue.library.close()
    return 0


def ability(
    settings: Settings, tokenizer: KiwiTokenizer | None = None, embedder: KiwiEmbedder | None = None
) -> tuple[NoticeDialogue, Classify]:
    """Return the ability on the notices of a data directory, with the shipped routing; it needs no index."""
    tokenizer = tokenizer or KiwiTokenizer()
    embedder = embedder or build_kiwi_embedder(tokenizer)
    library = NoticeLibrary(NoticeData.load(settings.notice_dir), tokenizer, settings)
    library.refresh()
    learned = LearnedWith(tokenizer=tokenizer.id, embedder=embedder.id)
    calibration = RoutingCalibration.load(in_effect=learned)
    classifier = DomainClassifier(tokenizer, embedder, load_pack_files(_DOMAINS), calibration)
    return NoticeDialogue(library, tokenizer, embedder), classifier.classify
