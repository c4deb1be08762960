"""The draw of units for a second reader."""

from __future__ import annotations

from evaluation.commands.sample_units import SEED, sample
from utils.config.settings import PROJECT_ROOT

KNOWLEDGE = PROJECT_ROOT / "data" / "knowledge"


def test_a_seed_draws_the_same_units_each_time_and_none_twice() -> None:
    drawn = [(document.id, unit.name) for document, unit in sample(KNOWLEDGE, 30, SEED)]
    assert drawn == [(document.id, unit.name) for document, unit in sample(KNOWLEDGE, 30, SEED)]
    assert len(set(drawn)) == 30
    assert drawn != [(document.id, unit.name) for document, unit in sample(KNOWLEDGE, 30, SEED + 1)]
