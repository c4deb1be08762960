"""Finding by the embedder alone, against the committed scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.baseline import check_baseline
from evaluation.experiments.encoder import EncoderSet, dense_figures, starter_set
from evaluation.questions import EvaluationQuestion
from evaluation.training.encoder.corpus import TextReader
from utils.config.settings import PROJECT_ROOT
from vectorstores.build.analysis_cache import AnalysisCache
from vectorstores.build.progress import NoProgress
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

BASELINE = PROJECT_ROOT / "evaluation" / "baselines" / "encoder.json"


@pytest.fixture
def texts(tmp_path: Path, tokenizer: KiwiTokenizer) -> TextReader:
    return TextReader(AnalysisCache(tmp_path / "analysis.sqlite"), tokenizer, NoProgress())


def test_the_starter_questions_find_their_documents_as_before(
    texts: TextReader, embedder: KiwiEmbedder, tmp_path: Path
) -> None:
    committed = json.loads(BASELINE.read_text(encoding="utf-8"))
    (tmp_path / "starter.json").write_text(json.dumps({"starter": committed["starter"]}), encoding="utf-8")

    figures = dense_figures(starter_set(), texts, embedder)

    assert check_baseline(tmp_path / "starter.json", figures, tolerance=0.02) == []


def test_figures_are_told_apart_by_origin_and_count_documents_once(texts: TextReader, embedder: KiwiEmbedder) -> None:
    passages = [
        ("leave", "연차 유급휴가를 주어야 한다"),
        ("leave", "휴가"),
        ("mark", "상표권의 존속기간"),
        ("tax", "부가가치세"),
    ]
    questions = [
        EvaluationQuestion(id="1", question="연차 휴가는 며칠인가요?", gold=("leave",), origin="a"),
        EvaluationQuestion(id="2", question="휴가와 상표", gold=("tax",), also_ok=("mark",), origin="b"),
    ]

    figures = dense_figures(EncoderSet("set", passages, questions), texts, embedder)

    assert figures["set/a"]["any@1"] == 1.0
    assert figures["set/b"]["mrr"] == 0.5
