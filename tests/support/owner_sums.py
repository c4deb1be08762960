"""Sums as owners ask for them in chat, each amount computed by hand, and questions with figures that no calculator answers.

They are asked on ``ASKED_ON``. The amount stands in the conclusion or a step; the articles stand in the tests of the calculators.
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

ASKED_ON = date(2026, 11, 23)

_ROWS = tuple(map(json.loads, Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()))

OWNER_SUMS: tuple[tuple[str, str, float], ...] = tuple(
    (row["calculator"], row["question"], row["amount"]) for row in _ROWS if row["calculator"]
)
"""The calculator, the question, and its result."""

NO_SUMS: tuple[str, ...] = tuple(row["question"] for row in _ROWS if not row["calculator"])
