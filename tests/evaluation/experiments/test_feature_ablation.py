"""The gain of a feature, on examples where a single one tells."""

from __future__ import annotations

import numpy as np
import pytest

from chains.extractive.sentence_features import SENTENCE_FEATURES
from evaluation.experiments.feature_ablation import judge_ablation, sentence_ablation
from evaluation.training.judge_examples import AskExample
from evaluation.training.sentences import AnswerExample
from utils.grounding.answer_judge import FEATURES, AskFinding, Treatment

TELLING = SENTENCE_FEATURES.index("cosine")


def example(number: int) -> AnswerExample:
    """Five sentences of noise; the cosine alone says which one answers. Every fourth question has no answer."""
    chance = np.random.default_rng(number)
    features = chance.random((5, len(SENTENCE_FEATURES)))
    features[:, TELLING] = 0.0
    flags = np.zeros(5, dtype=np.bool_)
    if number % 4:
        flags[chance.integers(5)] = True
    features[flags, TELLING] = 1.0
    return AnswerExample(f"q{number}", features, flags, flags, chance.random(2))


@pytest.fixture(scope="module")
def rows() -> list[list[str]]:
    """The cells of the sentences' table, without its head."""
    table = sentence_ablation([example(number) for number in range(80)], [("cosine", "length")]).markdown()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:2] == "| "][
        1:
    ]


def test_the_feature_that_tells_is_missed_and_the_others_are_not(rows: list[list[str]]) -> None:
    by_name = {cells[0]: cells for cells in rows}
    assert list(by_name) == ["nothing", *(f"`{name}`" for name in SENTENCE_FEATURES), "`cosine`, `length`"]
    assert float(by_name["nothing"][1]) == 1.0
    without = by_name["`cosine`"]
    assert float(without[1]) < 0.6
    assert without[2].startswith("+0 −")
    assert without[2].endswith("p 0.00")
    assert by_name["`length`"][1:3] == ["1.000", "+0 −0, p 1.00"]


def test_a_question_counts_once_however_many_answers_it_has() -> None:
    chance, names = np.random.default_rng(0), FEATURES[Treatment.TEXT]
    examples = []
    for number in range(60):
        right = bool(number % 2)
        features = (float(right), *chance.random(len(names) - 1).tolist())
        finding = AskFinding(Treatment.TEXT, features)
        examples += [AskExample(f"q{number}", None, finding, right)] * (1 + number % 3)
    table = judge_ablation(Treatment.TEXT, examples).markdown()
    _, better_and_worse = table.split(f"`{names[0]}` |")[1].splitlines()[0].split("|")[:2]
    worse = int(better_and_worse.split("−")[1].split(",")[0])
    assert 15 <= worse <= 60
