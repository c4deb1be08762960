"""Rules of the tree that a reader relies on."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from utils.config.settings import PROJECT_ROOT

LAYERS = ("routes", "agents", "chains", "vectorstores", "utils", "schemas")
"""Each may import itself and what follows; schemas only themselves."""
PACKAGES = (*LAYERS, "evaluation")
MAX_FILE_LINES = 350
MAX_FUNCTION_LINES = 60

# What reaches outside the process, by the name it is called by.
_EFFECTS = frozenset(
    "open connect create_connection urlopen read_text read_bytes write_text write_bytes mkdir unlink Popen check_output "
    "basicConfig getaddrinfo".split()
)
_SLASH = "/"  # kept apart, so that this file does not hold what it looks for
_PLACES = re.compile(
    rf"{_SLASH}(?:work|tmp|root|home{_SLASH}\w+){_SLASH}|--(?:extra-)?index" + r"-url|https?://[^\s\"'<>]+/simple\b"
)
_TEXT_SUFFIXES = frozenset(".py .toml .txt .md .yml .yaml .json .jsonl .cfg .ini .sh .example".split())


def _sources() -> list[Path]:
    roots = [PROJECT_ROOT / package for package in PACKAGES]
    modules = [file for root in roots for file in root.rglob("*.py")]
    return sorted([*modules, *PROJECT_ROOT.glob("*.py")])


SOURCES = _sources()
each_source = pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.relative_to(PROJECT_ROOT).as_posix())


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _imports(tree: ast.AST) -> Iterator[str]:
    """The first names of all absolute imports, also of those within functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


@each_source
def test_imports_point_one_way(file: Path) -> None:
    package = file.relative_to(PROJECT_ROOT).parts[0]
    if package not in LAYERS:
        return
    above = set(LAYERS[: LAYERS.index(package)]) | {"main", "services", "tests"}
    if package != "routes":
        above.add("evaluation")
    upward = sorted(above.intersection(_imports(_tree(file))))
    assert not upward, f"{package} must not import {', '.join(upward)}"


@each_source
def test_files_and_functions_stay_readable(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").count("\n")
    assert lines <= MAX_FILE_LINES, f"{lines} lines; what does the file hide?"
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= MAX_FUNCTION_LINES, f"{node.name} has {length} lines; what does it hide?"


@each_source
def test_nothing_happens_at_import(file: Path) -> None:
    called = {
        name
        for statement in _tree(file).body
        if not isinstance(statement, ast.If)  # guards of __main__ and of type checking
        for name in _calls_at_import(statement)
    }
    assert not called & _EFFECTS


def _calls_at_import(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return
    if isinstance(node, ast.Call):
        yield _called_name(node)
    for child in ast.iter_child_nodes(node):
        yield from _calls_at_import(child)


def _called_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@each_source
def test_only_commands_print(file: Path) -> None:
    tree = _tree(file)
    is_command = (
        file.name == "cli.py"
        or file.stem.endswith("_command")
        or any(isinstance(node, ast.If) and "__main__" in ast.unparse(node.test) for node in tree.body)
    )
    prints = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and _called_name(node) == "print"]
    assert is_command or not prints, f"print in lines {prints}; log instead"


def _kept_files() -> list[Path]:
    """What git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    files = [PROJECT_ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [file for file in files if file.suffix in _TEXT_SUFFIXES or not file.suffix]


def test_no_machine_path_and_no_registry_address() -> None:
    found = [
        f"{file.relative_to(PROJECT_ROOT)}:{number}: {match.group()}"
        for file in _kept_files()
        if file.is_file()
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if (match := _PLACES.search(line))
    ]
    assert not found


def _declared() -> tuple[set[str], set[str]]:
    """Normalised names of the base dependencies and of those of all extras."""
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [requirement for names in project["optional-dependencies"].values() for requirement in names]
    return {_name(one) for one in project["dependencies"]}, {_name(one) for one in extras}


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None, requirement
    return re.sub(r"[-_.]+", "-", found.group()).lower()


def test_every_imported_package_is_declared() -> None:
    """What the code imports does not come in by luck, through a dependency's dependency."""
    base, extras = _declared()
    distributions = packages_distributions()
    own = {*PACKAGES, "main", "services", "tests"}
    undeclared = {
        f"{module} ({file.relative_to(PROJECT_ROOT)})"
        for file in SOURCES
        for module in _imports(_tree(file))
        if module not in own
        and module not in sys.stdlib_module_names
        and not {_name(one) for one in distributions.get(module, [module])} & (base | extras)
    }
    assert not undeclared


def test_every_dependency_is_pinned_without_an_address() -> None:
    base, extras = _declared()
    lines = (PROJECT_ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[a-z0-9.-]+==[A-Za-z0-9.!]+", pin)] == []
    assert (base | extras) - {_name(pin) for pin in pins} == set()


def test_the_base_install_needs_no_torch() -> None:
    base, _ = _declared()
    assert not base & {"torch", "sentence-transformers", "transformers", "ragas"}


def test_the_entry_point_leaves_numpy_to_the_start() -> None:
    """Its number of threads is set there, and numpy reads that once: more threads double what a request costs."""
    program = "import sys, main; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=PROJECT_ROOT, check=False).returncode == 0
