"""Random files of every format; ``LOADER_FUZZ_SECONDS`` and ``LOADER_FUZZ_SEED`` make the run longer and another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.loader_fuzz import fuzz

SECONDS = float(os.environ.get("LOADER_FUZZ_SECONDS", "20"))
SEED = int(os.environ.get("LOADER_FUZZ_SEED", "1"))


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 120)
def test_no_file_makes_a_loader_fail(tmp_path: Path) -> None:
    report = fuzz(SECONDS, SEED, tmp_path)
    assert not report.crashes, report.crashes[0]
    assert report.executions > 100
    assert report.documents > 20
    assert report.longest < 10_000, report
