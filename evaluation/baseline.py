"""Committed scores: written by the commands, compared by `check_baseline`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

Scores = Mapping[str, Mapping[str, float]]


def write_baseline(path: Path, scores: Scores) -> None:
    """Write scores without the figures that depend on the machine (``ms_…``)."""
    stable = {
        group: {name: value for name, value in figures.items() if not name.startswith("ms_")}
        for group, figures in scores.items()
    }
    path.write_text(json.dumps(stable, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def check_baseline(path: Path, scores: Scores, tolerance: float = 0.005) -> list[str]:
    """The figures that fell below the committed ones by more than ``tolerance``, as sentences; empty when none did."""
    committed: Scores = json.loads(path.read_text(encoding="utf-8"))
    return [
        f"{group}.{name}: {scores.get(group, {}).get(name, 0.0):g} < {value:g}"
        for group, figures in committed.items()
        for name, value in figures.items()
        if scores.get(group, {}).get(name, 0.0) < value - tolerance
    ]
