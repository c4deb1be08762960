"""README and docs name only files, modules, members and commands that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from evaluation.catalogue import COMMANDS
from tests.test_architecture import PACKAGES, SOURCES
from utils.config.settings import PROJECT_ROOT

DOCS = sorted(
    [PROJECT_ROOT / "README.md", *(PROJECT_ROOT / "docs").rglob("*.md"), *PROJECT_ROOT.glob("evaluation/*.md")]
)
each_doc = pytest.mark.parametrize("doc", DOCS, ids=lambda doc: doc.relative_to(PROJECT_ROOT).as_posix())

FOREIGN = frozenset(
    {"pg_dump", "mysqldump", "Kiwi.space", "limit_concurrency", "UV_FIND_LINKS", "HF_HUB_OFFLINE", "easylaw"}
)
"""Names of libraries, tools and question sets that the docs mention."""
GONE = frozenset({"example_whole", "many_wishes", "rare_statement"})
"""Features that a table shows to gain nothing: they went."""
NOT_IN_THE_TREE = frozenset({"questions.jsonl", "out_of_scope.jsonl"})
"""Files of the user or of the development corpora."""

MADE_PAGES = re.compile(
    r"(?:^|/)(?:manual|decisions/index|reference/(?:http|settings|commands))\.md$|^images/benchmark/"
)
"""Pages that `make docs` makes; the build of the site fails for a link that leads nowhere."""

_ROOTS = (*PACKAGES, "data", "docs", "requirements", "tests", "main", "services", "health_probes")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)")
_PATH = re.compile(rf"(?:{'|'.join(_ROOTS)})(?:/[\w.*<>-]+)*/?(?:::\w+)?")
_FILE = re.compile(r"[\w-]+\.(?:py|jsonl?|toml|tsv|md|conf|txt|yml)")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_COMMAND = re.compile(r"python -m (agents|evaluation|vectorstores)((?:\.\w+)+)?(?: ([a-z-]+))?")


def _spans(doc: Path) -> list[str]:
    return _SPAN.findall(_FENCE.sub("", doc.read_text(encoding="utf-8")))


@cache
def _members() -> dict[str, set[str]]:
    """Names that a class or a module of ours has, by the name of the class or the dotted name of the module."""
    found: dict[str, set[str]] = {}
    for file in SOURCES:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        module = ".".join(file.relative_to(PROJECT_ROOT).with_suffix("").parts)
        found.setdefault(module, set()).update(_bound(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).update(_bound(node))
    return found


def _bound(scope: ast.Module | ast.ClassDef) -> set[str]:
    """Names that a scope binds; for a class also the attributes that its methods set on ``self``."""
    names: set[str] = set()
    for node in scope.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
    if isinstance(scope, ast.ClassDef):
        names.update(
            node.attr
            for node in ast.walk(scope)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self"
        )
    return names


def _path_exists(text: str) -> bool:
    path, _, test = text.partition("::")
    pattern = re.sub(r"<[^>]*>", "*", path.rstrip("/"))
    files = list(PROJECT_ROOT.glob(pattern))
    return bool(files) and (not test or f"def {test}(" in files[0].read_text(encoding="utf-8"))


def _file_exists(name: str) -> bool:
    found = (
        path for root in (*_ROOTS, ".") for path in (PROJECT_ROOT / root).glob(name if root == "." else f"**/{name}")
    )
    return any(found) or any(f'"{name}"' in file.read_text(encoding="utf-8") for file in SOURCES)


def _name_exists(text: str) -> bool:
    """A module, a member of a module or class, or a member of a member (`KnowledgeIndexError.reason`)."""
    parts = text.split(".")
    members = _members()
    for length in range(len(parts), 0, -1):
        owner = ".".join(parts[:length])
        if owner in members or (PROJECT_ROOT / owner.replace(".", "/")).is_dir():
            rest = parts[length:]
            return not rest or (rest[0] in members.get(owner, ()) and (len(rest) == 1 or _name_exists(".".join(rest))))
    return False


@each_doc
def test_paths_exist(doc: Path) -> None:
    spans = _spans(doc)
    named = [span for span in spans if _PATH.fullmatch(span) and "/" in span]
    missing = [path for path in named if not _path_exists(path)]
    missing += [
        span for span in spans if _FILE.fullmatch(span) and span not in NOT_IN_THE_TREE and not _file_exists(span)
    ]
    assert not missing


@each_doc
def test_links_lead_to_files(doc: Path) -> None:
    targets = [target for target in _LINK.findall(doc.read_text(encoding="utf-8")) if not MADE_PAGES.search(target)]
    assert [target for target in targets if not (doc.parent / target).exists()] == []


@each_doc
def test_dotted_names_exist(doc: Path) -> None:
    named = [
        span
        for span in _spans(doc)
        if _DOTTED.fullmatch(span)
        and not _FILE.fullmatch(span)
        and (span.split(".")[0] in _ROOTS or span[0].isupper())
        and span not in FOREIGN
    ]
    assert [name for name in named if not _name_exists(name)] == []


@cache
def _words() -> frozenset[str]:
    """Words of the code, the tests, the clients and the files that start the service."""
    others = [PROJECT_ROOT / name for name in ("Makefile", "Dockerfile", "docker-compose.yml", ".env.example")]
    tests = [file for file in (PROJECT_ROOT / "tests").rglob("*.py") if file != Path(__file__)]
    clients = [file for file in (PROJECT_ROOT / "clients").rglob("*") if file.suffix in (".py", ".ts")]
    files = [*SOURCES, *tests, *clients, *others]
    return frozenset(word for file in files for word in re.findall(r"\w+", file.read_text(encoding="utf-8")))


@each_doc
def test_names_occur_in_the_tree(doc: Path) -> None:
    """A setting, a class or a function that the docs name was not renamed or removed since."""
    named = [span.partition("=")[0] for span in _spans(doc) if re.fullmatch(r"[A-Za-z_]\w*(?:=.*)?", span)]
    assert [name for name in named if name not in _words() | FOREIGN | GONE] == []


@each_doc
def test_commands_exist(doc: Path) -> None:
    cli = "".join(
        file.read_text(encoding="utf-8")
        for file in (PROJECT_ROOT / "vectorstores").rglob("*.py")
        if file.name == "cli.py" or "commands" in file.parts
    )
    commands = {command.name for command in COMMANDS}
    wrong = []
    for match in _COMMAND.finditer(doc.read_text(encoding="utf-8")):
        package, module, command = match.groups()
        if module is not None:
            path = PROJECT_ROOT / (package + module).replace(".", "/")
            exists = path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()
        else:
            exists = command is None or (command in commands if package == "evaluation" else f'"{command}"' in cli)
        if not exists:
            wrong.append(match.group())
    assert not wrong
