"""The dialogues that were written for the ability are answered right, and consulting questions are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.notices.dialogue import NoticeDialogue
from agents.notices.reading import Classify
from evaluation.commands.experiments.notices import ability
from evaluation.measures.notices import load_cases, measure
from tests.support.notice_files import DAY, filled
from utils.config.settings import PROJECT_ROOT
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

DATASETS = PROJECT_ROOT / "evaluation" / "datasets"


@pytest.fixture(scope="module")
def notices(
    tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> tuple[NoticeDialogue, Classify]:
    return ability(filled(tmp_path_factory.mktemp("notices"), tokenizer), tokenizer, embedder)


@pytest.mark.parametrize(("name", "dialogues"), [("notice_dialogues", 60), ("notice_dialogues_grown", 80)])
def test_turns_of_dialogues_are_right(notices: tuple[NoticeDialogue, Classify], name: str, dialogues: int) -> None:
    cases = load_cases(DATASETS / f"{name}.jsonl")
    assert len(cases) >= dialogues
    scores, _ = measure(cases, *notices, DAY)
    assert scores.figures()["turns_right"] >= 0.95, scores.faults


def test_consulting_questions_are_left_alone(notices: tuple[NoticeDialogue, Classify]) -> None:
    files = ("owner_questions_dev", "answer_sentences", "acceptance", "starter_startup_funding")
    cases = [case for name in files for case in load_cases(DATASETS / f"{name}.jsonl")]
    scores, _ = measure(cases, *notices, DAY)
    assert scores.consulting > 700
    assert scores.figures()["wrongly_taken"] <= 0.01, scores.faults
    assert scores.requests == 0


def test_a_wrong_line_is_told_by_its_number(tmp_path: Path) -> None:
    file = tmp_path / "dialogues.jsonl"
    file.write_text('{"id": "a", "question": "x"}\n{"id": "b"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=":2"):
        load_cases(file)
