"""docs/learned.md and the README of the question files say what is there, and all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.catalogue import COMMANDS
from evaluation.training.order import Inputs, training_steps
from tests.support.weights import SHIPPED
from utils.config.settings import PROJECT_ROOT
from utils.linear_models import WeightsFile
from vectorstores.embedders.ids import KIWI_EMBEDDER_VERSION, UNIT_ENCODER_VERSION
from vectorstores.embedders.static_encoder import ENCODER_DIR
from vectorstores.embedders.unit_encoder import UNIT_ENCODER_DIR
from vectorstores.loaders.files import path_sha256

DATA = PROJECT_ROOT / "data"
DATASETS = PROJECT_ROOT / "evaluation" / "datasets"
LEARNED = (PROJECT_ROOT / "docs" / "learned.md").read_text(encoding="utf-8")
BY_HAND = (
    "assistants/",
    "calculators/",
    "calendar/",
    "knowledge/",
    "glossary/",
    "domains/*.toml",
    "domains/rejections/",
    "notices/",
    "paperwork/",
    "prices/",
)
ENCODERS = {1: "01536693f3052b5a2576007074e418ee17bdac408c1ee632e0383c83df1dad67"}
"""The vectors of each version of the embedded encoder, by their SHA-256."""
UNIT_ENCODERS = {
    1: "f71e08c61aa97e4a99e70dc4bf56af3075976d226de81156b515916dced768db",
    2: "6a4d641376bd65178371d5391ca59d3d2a9b9073ce8969963cc040cc560519b2",
    3: "d9b80a1bc0d9098ce095cb32521dc07503dc3a722212b4e3dbc3ff023eb1ed31",
}
"""Those of each version of the encoder of units."""

Row = dict[str, str]


def table(text: str) -> list[Row]:
    """The first table of a document."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(head, row, strict=True)) for row in rows]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def learned_files() -> Iterator[Path]:
    for path in sorted(DATA.rglob("*")):
        name = path.relative_to(DATA)
        if path.is_file() and not any(name.match(pattern) or str(name).startswith(pattern) for pattern in BY_HAND):
            yield path


def test_every_learned_file_has_a_row_and_every_row_a_file() -> None:
    named = {PROJECT_ROOT / path for row in table(LEARNED) for path in quoted(row["artefact"])}
    assert named == set(learned_files())


def test_every_command_of_the_table_exists_and_every_trainer_is_in_it() -> None:
    named = {command for row in table(LEARNED) for command in quoted(row["command"])}
    steps = training_steps(Inputs(Path("s"), Path("d"), Path("t"), routing_questions=Path("r")))
    assert named == {step.name for step in steps if step.words[0] == "evaluation"}
    assert named <= {command.name for command in COMMANDS}


@pytest.mark.parametrize("file", [file for file, _, _ in SHIPPED], ids=lambda file: file.command)
def test_the_row_of_linear_weights_names_their_command(file: WeightsFile) -> None:
    row = next(
        row for row in table(LEARNED) if file.path.relative_to(PROJECT_ROOT).as_posix() in quoted(row["artefact"])
    )
    assert quoted(row["command"]) == [file.command]


def test_what_a_step_writes_is_in_its_row() -> None:
    rows = {path: row for row in table(LEARNED) for path in quoted(row["artefact"])}
    for step in training_steps(Inputs(Path("s"), Path("d"), Path("t"), routing_questions=Path("r"))):
        for path in (made.relative_to(PROJECT_ROOT).as_posix() for made in step.makes if made.is_absolute()):
            assert quoted(rows[path]["command"]) == [step.name]


def test_the_places_of_use_exist() -> None:
    used = [path for row in table(LEARNED) for path in quoted(row["used in"])]
    assert used
    assert [path for path in used if not (PROJECT_ROOT / path).is_file()] == []


def test_another_encoder_has_another_version() -> None:
    """Indexes and weights tell encoders apart by the version alone: who trains one anew raises it, and adds it here."""
    assert path_sha256(ENCODER_DIR / "rows.npy") == ENCODERS[KIWI_EMBEDDER_VERSION]
    assert path_sha256(UNIT_ENCODER_DIR / "rows.npy") == UNIT_ENCODERS[UNIT_ENCODER_VERSION]


def test_every_question_file_has_a_row_with_its_lines() -> None:
    rows = table((DATASETS / "README.md").read_text(encoding="utf-8"))
    listed = {quoted(row["file"])[0]: int(row["lines"]) for row in rows}
    there = {
        path.relative_to(DATASETS).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in DATASETS.rglob("*.jsonl")
    }
    assert listed == there
