"""Rules of the tree that a reader relies on."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from utils.config.settings import PROJECT_ROOT

LAYERS = ("routes", "agents", "chains", "vectorstores", "utils", "schemas")
"""Each may import itself and what follows; schemas only themselves."""
PACKAGES = (*LAYERS, "evaluation")

ROOMS = {
    "schemas": """
        assistants values
        notice_state
        calculations chat health problems tax_calendar
        administration completions evaluation events feedback funding paperwork sessions usage vectordb
        knowledge users
    """,
    "utils": """
        config figures linear_models sanitizing
        calculators documents english law media observability paperwork prompts prompts/abilities
        protocols resilience retrieval_evaluator
        calculators/reading http korean paperwork/rendering
        knowledge paperwork/templates
        grounding paperwork/rules routing server
        assistants conclusions domain_classifier middleware paperwork/preparation question_decomposer usage
        administration
    """,
    "vectorstores": """
        errors tokenizer
        collections integrity providers
        embedders storage
        backends
        loaders ranking rerankers versions
        notices
        notices/importers
        index
        units
        search
        live
        build
        statute_book
        jobs unit_check
        backup commands
        cli
        __main__
    """,
    "chains": """
        context extractive_task
        models
        extractive rag_chain
        learned
    """,
    "agents": """
        notices
        base question_log routing sessions state
        answering finance_tax hr_labor legal startup_funding
        evaluator generator retrieval understanding
        paperwork retrieval_agent
        abilities
        executor nodes
        router
        administration assembly serving upkeep
        engine
        assistants
    """,
    "routes": """
        page_service
        dependencies examples openapi page problems sanitized_chat
        administration ask notices
        mcp
        calculate documents feedback health knowledge metrics sessions tax_calendar users
        chat evaluate open_paths
        assistants completions
        routers
    """,
    "evaluation": """
        baseline catalogue questions ragas_prompts training/encoder
        ragas_evaluator
        measures ragas_log
        bench training
        chaos experiments
        commands commands/documents commands/training
        commands/experiments
        __main__
    """,
}
"""The rooms of each package, the lowest first. A room is a folder, or a file that lies flat in the package.

A room may import its own files and the rooms on the lines above its own, none on its line or below.
"""
MAX_FILES = {"utils": 8, "vectorstores": 10, "agents": 17, "evaluation": 8}
MAX_FILES_ELSEWHERE = 17

OUT_OF_PLACE = frozenset(
    {
        "agents/retrieval/test_outage_judgement.py",  # searching and judging with a part of the index away
        "evaluation/test_committed_baselines.py",  # the files in evaluation/baselines
        "evaluation/test_fifth_domain_routing.py",  # a domain that the calibration does not know
        "evaluation/test_learned_docs.py",  # two documents against all commands
        "evaluation/test_neural_path.py",  # commands one after the other
        "evaluation/test_routing_baseline.py",
        "utils/grounding/test_labelled_sets.py",  # the whole room against labelled sentences
        "vectorstores/test_runpod_cold_start.py",  # the probe, the embedder and the reranker together
        "vectorstores/test_neural_index.py",  # building and searching with a neural embedder
        "vectorstores/build/test_deletion.py",
        "vectorstores/build/test_killed_builds.py",
        "vectorstores/embedders/test_embedders.py",  # the same for every provider
        "vectorstores/rerankers/test_rerankers.py",
        "vectorstores/loaders/test_documents.py",  # the same for every format
        "vectorstores/loaders/test_hostile_input.py",
    }
)
"""Tests of a package that test no single module; every other one lies where its module lies."""

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
_SOURCE_SET = frozenset(SOURCES)


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def _nodes(file: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file; every rule looks through them, so they are gathered once."""
    return tuple(ast.walk(_tree(file)))


@pytest.fixture(scope="module", autouse=True)
def _trees_are_freed() -> Iterator[None]:
    """Drop a million nodes at the end: every full garbage collection of the tests that follow would go through them."""
    yield
    _tree.cache_clear()
    _nodes.cache_clear()


def _faults(find: Callable[[Path], Iterable[str]], files: Iterable[Path] = SOURCES) -> dict[str, list[str]]:
    """List what a rule finds in each file that breaks it, by the path of the file."""
    return {file.relative_to(PROJECT_ROOT).as_posix(): found for file in files if (found := list(find(file)))}


def _imports(file: Path) -> Iterator[str]:
    """The first names of all absolute imports, also of those within functions."""
    for node in _nodes(file):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _upward_imports(file: Path) -> list[str]:
    """The packages that a file of a layer imports although they lie above it."""
    package = file.relative_to(PROJECT_ROOT).parts[0]
    if package not in LAYERS:
        return []
    above = set(LAYERS[: LAYERS.index(package)]) | {"main", "services", "health_probes", "tests"}
    if package != "routes":
        above.add("evaluation")
    return sorted(above.intersection(_imports(file)))


def test_imports_point_one_way() -> None:
    assert not _faults(_upward_imports)


@cache
def _imported_files(file: Path) -> tuple[Path, ...]:
    """The files of ours that a file imports."""
    return tuple(_gather_imported_files(file))


def _gather_imported_files(file: Path) -> Iterator[Path]:
    for node in _nodes(file):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
        else:
            continue
        for name in names:
            found = PROJECT_ROOT / (name.replace(".", "/") + ".py")
            if found in _SOURCE_SET and found != file:
                yield found


def _room(file: Path) -> str:
    """The room of a file: the folder below its package, or the file itself where it lies flat in the package."""
    path = file.relative_to(PROJECT_ROOT).with_suffix("")
    return "/".join(path.parts[1:-1]) or path.name


def test_no_file_imports_itself_through_others() -> None:
    TopologicalSorter({file: set(_imported_files(file)) for file in SOURCES}).prepare()


@pytest.mark.parametrize("package", PACKAGES)
def test_rooms_are_layers(package: str) -> None:
    layers = [line.split() for line in ROOMS[package].strip().splitlines()]
    height = {room: level for level, rooms in enumerate(layers) for room in rooms}
    files = [file for file in SOURCES if file.relative_to(PROJECT_ROOT).parts[0] == package]
    rooms = {_room(file) for file in files} - {"__init__"}
    assert rooms == set(height), "ROOMS names every room of the package, and no other"
    wrong = {
        f"{_room(file)} ({file.name}) -> {_room(other)} ({other.name})"
        for file in files
        for other in _imported_files(file)
        if other.relative_to(PROJECT_ROOT).parts[0] == package
        and _room(other) != _room(file)
        and height[_room(other)] >= height[_room(file)]
    }
    assert not wrong


def test_folders_are_read_at_a_glance() -> None:
    counts = Counter(file.parent.relative_to(PROJECT_ROOT).as_posix() for file in SOURCES)
    too_full = {
        f"{folder}: {count} files"
        for folder, count in counts.items()
        if count > MAX_FILES.get(folder, MAX_FILES_ELSEWHERE)
    }
    assert not too_full


def test_tests_lie_where_their_modules_lie() -> None:
    folders = [PROJECT_ROOT / "tests" / package for package in PACKAGES]
    tests = [file.relative_to(PROJECT_ROOT / "tests") for folder in folders for file in folder.rglob("test_*.py")]
    astray = {
        test.as_posix()
        for test in tests
        if not (PROJECT_ROOT / test.with_name(test.name.removeprefix("test_"))).is_file()
    }
    assert astray == OUT_OF_PLACE


def _names_given_twice(file: Path) -> list[str]:
    given = [
        target.id
        for node in _tree(file).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    ]
    given += [
        node.name
        for node in _tree(file).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    return sorted(name for name, times in Counter(given).items() if times > 1)


@pytest.mark.finding("L17")
def test_no_name_is_given_twice() -> None:
    assert not _faults(_names_given_twice)


def _too_long(file: Path) -> Iterator[str]:
    """The file and those of its functions that have more lines than can be read at a glance."""
    lines = file.read_text(encoding="utf-8").count("\n")
    if lines > MAX_FILE_LINES:
        yield f"{lines} lines; what does the file hide?"
    for node in _nodes(file):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MAX_FUNCTION_LINES:
                yield f"{node.name} has {length} lines; what does it hide?"


def test_files_and_functions_stay_readable() -> None:
    assert not _faults(_too_long)


_NOUN_CLAUSE = re.compile(r"(?:What|Whether|One|How)\b")
_COINED = frozenset(
    "as_meant is_for_us _has_to_go few_guides reaching_further open_beside computed_ahead _POORER_WITHOUT Engines".split()
)
"""Names for which the field has a word: correct_spelling, in_scope, _is_unsupported … (docs/decisions/0023-rooms.md)."""


def _language_faults(file: Path) -> list[str]:
    """Docstrings that begin with a noun clause where a verb or a noun would say more, things named ``one``, and coined names."""
    faults = []
    for node in _nodes(file):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))) if _NOUN_CLAUSE.match(text):
                faults.append(f"{node.lineno}: {text.partition(chr(10))[0]}")
            case ast.Name(id="one") | ast.arg(arg="one") | ast.Attribute(attr="one", ctx=ast.Store()):
                faults.append(f"{node.lineno}: one")
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Attribute(attr=name) if name in _COINED:
                faults.append(f"{node.lineno}: {name}")
    return faults


@pytest.mark.parametrize("root", [*PACKAGES, "tests", "main.py", "services.py", "health_probes.py"])
def test_docstrings_begin_with_what_they_tell(root: str) -> None:
    path = PROJECT_ROOT / root
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    assert not _faults(_language_faults, files)


def _effects_at_import(file: Path) -> list[str]:
    called = {
        name
        for statement in _tree(file).body
        if not isinstance(statement, ast.If)  # guards of __main__ and of type checking
        for name in _calls_at_import(statement)
    }
    return sorted(called & _EFFECTS)


def test_nothing_happens_at_import() -> None:
    assert not _faults(_effects_at_import)


def _calls_at_import(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return
    if isinstance(node, ast.Call):
        yield _called_name(node)
    for child in ast.iter_child_nodes(node):
        yield from _calls_at_import(child)


def _called_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _prints(file: Path) -> list[str]:
    """The lines in which a file that is no command prints; it logs instead."""
    is_command = (
        file.name == "cli.py"
        or "commands" in file.parts
        or any(isinstance(node, ast.If) and "__main__" in ast.unparse(node.test) for node in _tree(file).body)
    )
    if is_command:
        return []
    calls = [node for node in _nodes(file) if isinstance(node, ast.Call)]
    return [f"line {call.lineno}" for call in calls if _called_name(call) == "print"]


def test_only_commands_print() -> None:
    assert not _faults(_prints)


def _kept_files() -> list[Path]:
    """Return the files that git tracks or would track."""
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
    return {_name(requirement) for requirement in project["dependencies"]}, {
        _name(requirement) for requirement in extras
    }


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None, requirement
    return re.sub(r"[-_.]+", "-", found.group()).lower()


def test_every_imported_package_is_declared() -> None:
    """No import relies on a dependency's dependency."""
    base, extras = _declared()
    distributions = packages_distributions()
    own = {*PACKAGES, "main", "services", "health_probes", "tests"}
    undeclared = {
        f"{module} ({file.relative_to(PROJECT_ROOT)})"
        for file in SOURCES
        for module in _imports(file)
        if module not in own
        and module not in sys.stdlib_module_names
        and not {_name(distribution) for distribution in distributions.get(module, [module])} & (base | extras)
    }
    assert not undeclared


_PIN = re.compile(r"([a-z0-9.-]+)==([A-Za-z0-9.!]+)(?: ; [^\\]+)?")


def _pins(file: str) -> dict[str, str]:
    """Names and versions of a file of requirements; each pin with its hashes is one line to pip."""
    text = (PROJECT_ROOT / file).read_text(encoding="utf-8").replace("\\\n", "")
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            pin, *hashes = line.split(" --hash=sha256:")
            matched = _PIN.fullmatch(pin.strip())
            assert matched is not None, line
            assert all(re.fullmatch(r"[0-9a-f]{64} *", digest) for digest in hashes), line
            assert bool(hashes) is (file != "constraints.txt"), line
            found[matched.group(1)] = matched.group(2)
    return found


def test_every_dependency_is_pinned_without_an_address() -> None:
    base, extras = _declared()
    assert (base | extras) - set(_pins("constraints.txt")) == set()


def test_what_is_installed_is_pinned_by_hash() -> None:
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    sets = {
        name: _pins(f"requirements/{name}.txt")
        for name in ("build", "base", "test", "documents", "mcp", "neural", "postgres", "redis", "trace")
    }
    pinned = _pins("constraints.txt")
    for name in sets.keys() - {"build"}:
        assert {package: pinned[package] for package in sets[name]} == sets[name], "run `make constraints`"
    declared = {key: set(map(_name, names)) for key, names in project["project"]["optional-dependencies"].items()}
    assert _declared()[0] <= set(sets["base"])
    assert declared["test"] <= set(sets["base"]) | set(sets["test"])
    for extra in ("documents", "mcp", "postgres", "redis", "trace"):
        assert declared[extra] <= set(sets["base"]) | set(sets[extra])
    assert declared["neural"] - {"torch"} <= set(sets["base"]) | set(sets["neural"])
    assert [f"{package}=={version}" for package, version in sets["build"].items()] == project["build-system"][
        "requires"
    ]


def test_the_base_install_needs_no_torch() -> None:
    base, _ = _declared()
    assert not base & {"torch", "sentence-transformers", "transformers", "ragas"}


def test_the_entry_point_leaves_numpy_to_the_start() -> None:
    """Its number of threads is set there, and numpy reads that once: more threads double what a request costs."""
    program = "import sys, main; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=PROJECT_ROOT, check=False).returncode == 0
