"""Every finding of the attack stands in docs/security.md with the tests that keep it closed, and those tests exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from utils.config.settings import PROJECT_ROOT

FINDINGS = (
    "C1",
    *(f"H{number}" for number in range(1, 11)),
    *(f"M{number}" for number in range(1, 14)),
    *(f"L{number}" for number in range(1, 18)),
)
_ROW = re.compile(r"^\| ([CHML]\d+) \|(.+)\|$", re.MULTILINE)
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
_DECISION = re.compile(r"docs/decisions/(\d{4})-|\bdecision (\d{4})\b")


@cache
def rows() -> dict[str, str]:
    text = (PROJECT_ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    return {found[1]: found[2] for found in _ROW.finditer(text)}


def defined_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@cache
def marked() -> dict[str, set[str]]:
    """Finding → the files with tests that are marked with it."""
    found: dict[str, set[str]] = {}
    for file in (PROJECT_ROOT / "tests").rglob("*.py"):
        for call in re.findall(r"\bmark\.finding\(([^)]*)\)", file.read_text(encoding="utf-8")):
            for finding in re.findall(r"\"(\w+)\"", call):
                found.setdefault(finding, set()).add(file.relative_to(PROJECT_ROOT).as_posix())
    return found


def test_each_finding_has_a_row() -> None:
    assert list(rows()) == list(FINDINGS)


@pytest.mark.parametrize("finding", FINDINGS)
def test_the_tests_of_a_finding_exist_and_are_marked(finding: str) -> None:
    row = rows()[finding]
    tests = _TEST.findall(row)
    if not tests:
        assert finding.startswith("L"), "only a low finding may stay"
        number = _DECISION.search(row)
        assert number, "a finding that stays names the decision that says why"
        assert list((PROJECT_ROOT / "docs" / "decisions").glob(f"{number[1] or number[2]}-*.md"))
        return
    for file, name in tests:
        path = PROJECT_ROOT / file
        assert path.is_file(), file
        assert not name or name in defined_in(path), f"{file} has no test {name}"
    assert marked().get(finding, set()) & {file for file, _ in tests}, (
        f"no test in its row is marked finding({finding})"
    )


def test_no_test_is_marked_with_a_finding_that_there_is_not() -> None:
    assert set(marked()) <= set(FINDINGS)
