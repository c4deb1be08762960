"""The order of training, and that no step begins before what it needs is there."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

import pytest

from chains.extractive.sentence_model import ANSWER_WEIGHTS
from evaluation.__main__ import main
from evaluation.catalogue import COMMANDS
from evaluation.training.order import Inputs, index_of, training_steps
from utils.conclusions.verdict_model import VERDICT_WEIGHTS
from utils.linear_models import LearnedWeights, WeightsFile
from vectorstores.units.model import UNIT_WEIGHTS


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    names = ("statutes.tar.gz", "decisions.jsonl.gz", "routing.jsonl")
    for name in names:
        (tmp_path / name).write_bytes(b"")
    statutes, decisions, routing = (tmp_path / name for name in names)
    return Inputs(statutes, decisions, tmp_path / "training", routing_questions=routing)


def words(inputs: Inputs, *more: str) -> list[str]:
    places = ["--statutes", inputs.statutes, "--decisions", inputs.decisions, "--data-dir", inputs.folder.parent]
    return ["train", *map(str, places), *more]


def test_what_a_step_needs_is_made_before_it(inputs: Inputs) -> None:
    """In the order of the steps, everything needed is either given or made by an earlier one, never by a later one."""
    steps = training_steps(inputs)
    for number, step in enumerate(steps):
        later = {path for other in steps[number + 1 :] for path in other.makes} - {
            path for other in steps[: number + 1] for path in other.makes
        }
        assert later.isdisjoint(step.needs), step.name


def test_every_trainer_is_a_step_and_every_step_a_command(inputs: Inputs) -> None:
    trainers = {command.name for command in COMMANDS if command.name.startswith(("train-", "count-", "calibrate-"))}
    steps = training_steps(inputs)
    assert {step.name for step in steps if step.words[0] == "evaluation"} == trainers
    assert all(step.words[1] == step.name for step in steps if step.words[0] == "evaluation")


def test_the_commands_come_in_their_order(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(inputs, "--dry-run", "--routing-questions", str(inputs.routing_questions))) == 0
    printed = [line.split()[3] for line in capsys.readouterr().out.splitlines()]
    learned = [name for name in printed if name != "ingest"]
    assert learned == [
        "train-encoder", "count-cases", "train-phrasings", "train-ranking", "train-answers", "train-units", "train-verdicts", "train-evaluator", "calibrate-routing",
    ]  # fmt: skip
    assert printed.index("count-cases") < printed.index("ingest") < printed.index("train-ranking")


def test_without_the_statutes_nothing_begins(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.statutes.unlink()
    assert main(words(inputs)) == 1
    told = capsys.readouterr()
    assert "train-encoder: " in told.err
    assert "statutes.tar.gz is not there" in told.err
    assert told.out == ""


@pytest.mark.parametrize("step", ["train-ranking", "train-answers", "train-evaluator"])
def test_a_step_does_not_begin_before_its_index(step: str, inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(inputs, "--from", step)) == 1
    assert f"{step}: " in (told := capsys.readouterr().err)
    assert "current.json" in told


def test_an_index_of_an_earlier_training_is_not_learned_on(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    old = index_of(inputs.whole)
    old.parent.mkdir(parents=True)
    old.write_text("{}", encoding="utf-8")
    assert main(words(inputs)) == 1
    assert "--from" in capsys.readouterr().err


def test_an_unknown_step_is_told_the_steps(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(inputs, "--from", "everything")) == 1
    assert "train-encoder, count-cases" in capsys.readouterr().err


def test_a_step_that_fails_stops_the_rest(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    """The index is none, so there is nothing to answer from."""
    no_index = index_of(inputs.starter)
    no_index.parent.mkdir(parents=True)
    no_index.write_text("{}", encoding="utf-8")
    more = ("--from", "train-evaluator", "--routing-questions", str(inputs.routing_questions))
    assert main(words(inputs, *more)) != 0
    told = capfd.readouterr()
    assert "go on with --from train-evaluator" in told.err
    assert "calibrate-routing: python" not in told.out


@pytest.mark.parametrize("command", ["train-ranking", "train-evaluator", "train-answers"])
def test_a_trainer_alone_refuses_a_folder_without_an_index(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--data-dir", str(tmp_path / "nothing")]) == 1
    assert capsys.readouterr().err.startswith(f"{command}: ")


@pytest.mark.parametrize(
    ("command", "option", "file", "model"),
    [
        ("train-answers", "answered_from", ANSWER_WEIGHTS, "answer"),
        ("train-units", "answers_from", UNIT_WEIGHTS, "answer"),
        ("train-verdicts", "said_from", VERDICT_WEIGHTS, "verdict"),
    ],
)
def test_what_is_shipped_was_learned_with_the_thresholds_by_default(
    command: str, option: str, file: WeightsFile, model: str
) -> None:
    """The command that a file names, as `make train` runs it, says yes from the same probability on."""
    parser = argparse.ArgumentParser()
    known = next(known for known in COMMANDS if known.name == command)
    getattr(importlib.import_module(known.module), known.arguments)(parser)
    assert LearnedWeights.read(file, None).models[model].threshold == parser.get_default(option)
