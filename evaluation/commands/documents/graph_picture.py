"""A picture of the graph that LangGraph's server tells of: what Studio draws, without Studio."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import httpx

from utils.config.settings import PROJECT_ROOT

_WIDTH, _HEIGHT = 210, 40
_COLUMN, _ROW = 250, 84
_BEND = 170  # how far an edge that passes over a node swings out
_STYLE = (
    "text{font:14px sans-serif;fill:#1b2333;text-anchor:middle}.label{font-size:12px;fill:#5b6474;paint-order:stroke;stroke:#fff;stroke-width:5px}"
    "rect{fill:#eef3fe;stroke:#1d4ed8;rx:10px}path{fill:none;stroke:#5b6474}.choice{stroke-dasharray:5 4}"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the server is (`make studio`) and where the picture goes."""
    parser.add_argument("--url", default="http://127.0.0.1:2024")
    parser.add_argument("--output", type=Path, default=PROJECT_ROOT / "docs" / "images" / "graph.svg")


def run(arguments: argparse.Namespace) -> int:
    """Ask the server for the graph with what lies within its nodes, and write the picture."""
    address = f"{arguments.url}/assistants/bizi/graph"
    told = httpx.get(address, params={"xray": "true"}, timeout=60, trust_env=False).raise_for_status().json()
    arguments.output.write_text(drawn(told["edges"]), encoding="utf-8")
    print(f"wrote {arguments.output}")
    return 0


def drawn(edges: Sequence[Mapping[str, Any]]) -> str:
    """Return the graph of these edges as SVG, each node below all that lead to it. ``edges``: source, target, data, conditional."""
    steps = [(_name(edge["source"]), _name(edge["target"]), edge) for edge in edges]
    steps = [step for step in steps if step[0] != step[1]]
    places = _places([(source, target) for source, target, _ in steps])
    width = int(max(x for x, _ in places.values()) + _WIDTH)
    height = int(max(y for _, y in places.values()) + _HEIGHT + 20)
    parts = [_edge(places, source, target, edge) for source, target, edge in steps]
    parts += [_node(name, x, y) for name, (x, y) in places.items()]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"><style>{_STYLE}</style>'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0L8 4L0 8"/></marker></defs>'
        f'<path d="M0 0H{width}V{height}H0" style="fill:#fff;stroke:none"/>{"".join(parts)}</svg>\n'
    )


def _name(identity: str) -> str:
    """The name of a node without that of the node it lies in; beginnings and ends are the same at every depth."""
    return identity.rpartition(":")[2].strip("_")


def _places(steps: Sequence[tuple[str, str]]) -> dict[str, tuple[float, float]]:
    """The middle of the upper side of each node, by the longest way that leads to it."""
    depth: dict[str, int] = {}
    for _ in steps:
        for source, target in steps:
            depth[target] = max(depth.get(target, 0), depth.setdefault(source, 0) + 1)
    rows: dict[int, list[str]] = {}
    for name, row in depth.items():
        rows.setdefault(row, []).append(name)
    middle = _COLUMN * max(map(len, rows.values())) / 2
    return {
        name: (middle + (number - (len(names) - 1) / 2) * _COLUMN, 20 + row * _ROW)
        for row, names in rows.items()
        for number, name in enumerate(names)
    }


def _node(name: str, x: float, y: float) -> str:
    return (
        f'<rect x="{x - _WIDTH / 2}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}"/>'
        f'<text x="{x}" y="{y + 25}">{escape(name)}</text>'
    )


def _edge(places: Mapping[str, tuple[float, float]], source: str, target: str, edge: Mapping[str, Any]) -> str:
    (x1, y1), (x2, y2) = places[source], places[target]
    begin, end = y1 + _HEIGHT, y2
    bend = _BEND if x1 == x2 and end - begin > _ROW else 0
    line = f"M{x1} {begin}C{x1 + bend} {begin + 40} {x2 + bend} {end - 40} {x2} {end}"
    if x1 != x2 and end - begin > _ROW:  # down beside the others, and in from the side
        line = f"M{x1} {begin}V{end + _HEIGHT / 2}H{x2 + _WIDTH / 2 * (1 if x1 > x2 else -1)}"
    kind = ' class="choice"' if edge.get("conditional") else ""
    told = edge.get("data")
    label_x, label_y = (x1 + x2) / 2 + bend * 0.75, (begin + end) / 2
    label = f'<text class="label" x="{label_x}" y="{label_y}">{escape(str(told))}</text>' if told else ""
    return f'<path d="{line}"{kind} marker-end="url(#tip)"/>{label}'
