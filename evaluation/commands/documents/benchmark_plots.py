"""The plots of ``docs/benchmark.md``: bars of the figures in ``evaluation/baselines``, as SVG."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

_SEARCHED = {
    "statutes": "retrieval_statutes.json",
    "starter base": "retrieval_starter.json",
    "API documentation": "retrieval_google_api.json",
}
_DEPTHS = ("any@1", "any@5", "any@10", "any@20")
_ASKS = ("asks_answered", "first_answers", "gold_quoted", "yes_no_right", "misleading", "false_silence")
_COLOURS = ("#3f51b5", "#26a69a", "#ef6c00", "#8e24aa", "#546e7a")
_BAR, _GAP, _HEIGHT, _LEFT = 30, 40, 200, 44


def draw(baselines: Path, output: Path) -> None:
    """Write ``retrieval.svg`` and ``answers.svg`` into ``output``."""
    output.mkdir(parents=True, exist_ok=True)
    found = {name: _figures(baselines / file)["all"] for name, file in _SEARCHED.items()}
    (output / "retrieval.svg").write_text(bars(found, _DEPTHS), encoding="utf-8")
    (output / "answers.svg").write_text(bars(_figures(baselines / "asks.json"), _ASKS), encoding="utf-8")


def bars(figures: Mapping[str, Mapping[str, float]], measures: Sequence[str]) -> str:
    """Groups of bars, a group for each measure and a colour for each row of ``figures``; shares in [0, 1], missing ones left out."""
    group = len(figures) * _BAR + _GAP
    width, top = _LEFT + group * len(measures), 24 * len(figures)
    parts = [_axis(width, top)]
    for row, (name, values) in enumerate(figures.items()):
        colour = _COLOURS[row % len(_COLOURS)]
        parts.append(f'<rect x="{_LEFT}" y="{row * 20}" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{_LEFT + 18}" y="{row * 20 + 11}">{escape(name)}</text>')
        for column, measure in enumerate(measures):
            if measure in values:
                parts.append(_bar(_LEFT + column * group + row * _BAR, top, values[measure], colour))
    for column, measure in enumerate(measures):
        parts.append(f'<text x="{_LEFT + column * group}" y="{top + _HEIGHT + 18}">{escape(measure)}</text>')
    box = f'viewBox="0 0 {width} {top + _HEIGHT + 28}" width="{width}"'
    style = 'font-family="sans-serif" font-size="12" fill="#555"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} {style}>{"".join(parts)}</svg>\n'


def _figures(path: Path) -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8"))
    return figures


def _axis(width: int, top: int) -> str:
    lines = []
    for tenth in (0, 2, 4, 6, 8, 10):
        y = top + _HEIGHT - _HEIGHT * tenth // 10
        lines.append(f'<line x1="{_LEFT - 6}" x2="{width}" y1="{y}" y2="{y}" stroke="#ccc" stroke-width="0.5"/>')
        lines.append(f'<text x="4" y="{y + 4}">{tenth * 10}%</text>')
    return "".join(lines)


def _bar(x: int, top: int, share: float, colour: str) -> str:
    height = _HEIGHT * min(max(share, 0.0), 1.0)
    y = top + _HEIGHT - height
    label = f'<text x="{x}" y="{y - 3:.1f}" font-size="9">{share * 100:.1f}</text>'
    return f'<rect x="{x}" y="{y:.1f}" width="{_BAR - 4}" height="{height:.1f}" fill="{colour}"/>{label}'
