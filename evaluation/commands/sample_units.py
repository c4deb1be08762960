"""``python -m evaluation sample-units``: units of the starter base drawn by lot, for a reader who checks them against the statutes."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from utils.config.settings import PROJECT_ROOT
from utils.knowledge.unit_parser import parse_unit_document
from utils.knowledge.units import AnswerUnit, UnitDocument

SIZE = 80
SEED = 80


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=int, default=SIZE, help="units to draw")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--knowledge", type=Path, default=PROJECT_ROOT / "data" / "knowledge", help="folder of the starter base"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the drawn units with their conditions and sentences; exit with status 0."""
    for number, (document, unit) in enumerate(sample(arguments.knowledge, arguments.size, arguments.seed), start=1):
        print(f"{number:>3}  {document.id}  {document.title} / {unit.name}")
        print(*(f"     [{condition}]" for condition in unit.conditions), sep="\n", end="\n" if unit.conditions else "")
        print(*(f"     {sentence.role}: {sentence.text}" for sentence in unit.sentences), sep="\n")
    return 0


def sample(knowledge: Path, size: int, seed: int) -> list[tuple[UnitDocument, AnswerUnit]]:
    """Draw ``size`` units without replacement from all units in the order of document id and place; the same for a seed."""
    parsed = (parse_unit_document(path.read_text(encoding="utf-8")).document for path in knowledge.rglob("*.md"))
    documents = sorted((document for document in parsed if document), key=lambda document: document.id)
    units = [(document, unit) for document in documents for unit in document.units]
    return random.Random(seed).sample(units, min(size, len(units)))  # noqa: S311 - a draw that others repeat, no secret
