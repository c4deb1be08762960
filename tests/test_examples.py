"""The usage examples in the docstrings of the classes that others start from are run."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.routing import DOMAINS_DIR
from tests.support.small_index import record, write_lines
from utils.config.settings import Settings
from utils.domain_classifier import DomainClassifier
from utils.grounding.check import AnswerChecker
from utils.routing.calibration import RoutingCalibration
from utils.routing.domain_pack import load_pack_files
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_engines
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer


@pytest.fixture
def names(tmp_path: Path, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> dict[str, Any]:
    """Return the names that the examples use without defining them."""
    return {
        "settings": Settings(data_dir=tmp_path / "var"),
        "path": write_lines(tmp_path / "guides.jsonl", record("LEAVE", "직원이 다섯 명 이상이면 연차를 줍니다.")),
        "loader_for": loader_for,
        "build_engines": build_engines,
        "tokenizer": tokenizer,
        "embedder": embedder,
        "packs": load_pack_files(DOMAINS_DIR),
        "calibration": RoutingCalibration.load(),
    }


@pytest.mark.parametrize("started_from", [AnswerChecker, DomainClassifier, Ingest], ids=lambda kind: kind.__name__)
def test_the_example_of_a_class_runs(started_from: type, names: dict[str, Any]) -> None:
    found = vars(sys.modules[started_from.__module__]) | names
    example = doctest.DocTestParser().get_doctest(started_from.__doc__ or "", found, started_from.__name__, None, 0)
    assert 1 <= len(example.examples) <= 3, "a usage example of at most three lines"
    report: list[str] = []
    doctest.DocTestRunner().run(example, out=report.append)
    assert not report, "".join(report)
