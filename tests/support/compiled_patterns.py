"""Every regular expression of the product, wherever it is kept, and what each of them is made of."""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from types import FunctionType, ModuleType
from typing import Any

from utils.config.settings import PROJECT_ROOT

PACKAGES = ("agents", "chains", "routes", "schemas", "utils", "vectorstores")
_NOT_SERVED = ("evaluation.training.encoder",)  # commands that are run by hand on files of the operator's own
_PLAIN = (str, bytes, int, float, complex, type(None))

_ANCHORED = frozenset({"match", "fullmatch"})

Pattern = re.Pattern[str]


def product_modules() -> list[ModuleType]:
    """All modules of the product, imported; entry points (``__main__``) run when they are imported and stay out."""
    names = [
        found.name
        for package in PACKAGES
        for found in pkgutil.walk_packages([str(PROJECT_ROOT / package)], f"{package}.")
        if not found.name.endswith("__main__") and not found.name.startswith(_NOT_SERVED)
    ]
    return [importlib.import_module(name) for name in names]


def patterns_of(*roots: object) -> dict[Pattern, str]:
    """The compiled patterns that can be reached from ``roots``, with where the first path to each leads.

    Followed are globals, attributes, slots, closures, default arguments, and what containers hold; of classes and instances
    only those of the product.
    """
    found: dict[Pattern, str] = {}
    seen: set[int] = set()
    waiting: list[tuple[str, object]] = [(_name_of(root), root) for root in roots]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, re.Pattern):
            if isinstance(value.pattern, str):
                found.setdefault(value, path)
        elif not isinstance(value, _PLAIN) and id(value) not in seen:
            seen.add(id(value))
            waiting += [(f"{path}.{name}", part) for name, part in _parts(value)]
    return found


def literal_patterns() -> dict[Pattern, str]:
    """The patterns that are written down in a call such as ``re.sub("…", …)`` and compiled at that moment."""
    found: dict[Pattern, str] = {}
    for package in PACKAGES:
        for file in sorted((PROJECT_ROOT / package).rglob("*.py")):
            if not ".".join(file.relative_to(PROJECT_ROOT).with_suffix("").parts).startswith(_NOT_SERVED):
                found.update(_literal_patterns(file))
    return found


def scans(path: str) -> bool:
    """Return whether the pattern kept at ``path`` is looked for anywhere in a text, as far as the code shows.

    Only a global whose every use is ``NAME.match(…)`` or ``NAME.fullmatch(…)`` is not.
    """
    module, _, name = path.rpartition(".")
    used = _methods().get((module, name))
    return not used or not used <= _ANCHORED


def literals(pattern: Pattern) -> list[str]:
    """The words that ``pattern`` is made of, and a character of each of its sets; in the order in which they stand there."""
    words: dict[str, None] = {}
    _collect(_parser.parse(pattern.pattern, pattern.flags), words)
    return list(words)


@functools.cache
def _methods() -> dict[tuple[str, str], frozenset[str]]:
    """For each global (module, NAME): the methods that are called on it anywhere, ``?`` for any other use."""
    used: dict[tuple[str, str], set[str]] = {}
    for package in PACKAGES:
        for file in (PROJECT_ROOT / package).rglob("*.py"):
            module = ".".join(file.relative_to(PROJECT_ROOT).with_suffix("").parts)
            nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
            imported = {
                alias.asname or alias.name: (node.module or "", alias.name)
                for node in nodes
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
            }
            called = {
                id(node.func.value): node.func.attr
                for node in nodes
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            }
            for node in nodes:
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id.isupper():
                    used.setdefault(imported.get(node.id, (module, node.id)), set()).add(called.get(id(node), "?"))
    return {name: frozenset(methods) for name, methods in used.items()}


def _literal_patterns(file: Path) -> Iterator[tuple[Pattern, str]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        owner, first = node.func.value, node.args[0]
        is_ours = isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr not in ("compile", "escape")
        if is_ours and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield re.compile(first.value), f"{file.relative_to(PROJECT_ROOT)}:{node.lineno}"


def _name_of(root: object) -> str:
    return root.__name__ if isinstance(root, ModuleType) else type(root).__name__


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        yield from ((str(key), part) for key, part in value.items())
        yield from (("key", key) for key in value if not isinstance(key, _PLAIN))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from ((str(number), part) for number, part in enumerate(value) if not isinstance(part, _PLAIN))
    elif isinstance(value, ModuleType):
        if _is_ours(value.__name__):
            yield from vars(value).items()
    elif isinstance(value, FunctionType):
        if _is_ours(value.__module__):
            yield from enumerate_cells(value)
    elif isinstance(value, functools.partial):
        yield from (("func", value.func), ("args", value.args), ("keywords", value.keywords))
    elif isinstance(value, staticmethod | classmethod | functools.cached_property):
        yield "function", getattr(value, "__func__", None) or getattr(value, "func", None)
    elif isinstance(value, property):
        yield from (("get", value.fget), ("set", value.fset))
    elif hasattr(value, "__wrapped__"):
        yield "wrapped", value.__wrapped__
    elif hasattr(value, "__self__") and hasattr(value, "__func__"):
        yield from (("self", value.__self__), ("function", value.__func__))
    elif isinstance(value, type):
        if _is_ours(value.__module__):
            yield from ((name, part) for name, part in vars(value).items() if name != "__dict__")
    elif _is_ours(type(value).__module__):
        yield from getattr(value, "__dict__", {}).items()
        for kind in type(value).__mro__:
            slots: Any = kind.__dict__.get("__slots__", ())
            for slot in (slots,) if isinstance(slots, str) else slots:
                if hasattr(value, slot):
                    yield slot, getattr(value, slot)
        yield "class", type(value)


def enumerate_cells(function: FunctionType) -> Iterator[tuple[str, object]]:
    """Default arguments and what the function closes over."""
    yield "defaults", function.__defaults__ or ()
    yield "keyword defaults", function.__kwdefaults__ or {}
    for cell in function.__closure__ or ():
        try:
            yield "closure", cell.cell_contents
        except ValueError:  # a name that was never bound
            continue


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


def _collect(parsed: Any, words: dict[str, None]) -> None:
    run = ""
    for operation, argument in parsed:
        if operation is _constants.LITERAL:
            run += chr(argument)
            continue
        if run:
            words[run] = None
            run = ""
        if operation is _constants.IN:
            if character := _member(argument):
                words[character] = None
        else:
            for nested in _nested(argument):
                _collect(nested, words)
    if run:
        words[run] = None


def _member(members: Any) -> str:
    for operation, argument in members:
        if operation is _constants.LITERAL:
            return chr(argument)
        if operation is _constants.RANGE:
            return chr(argument[0])
    return ""


def _nested(argument: Any) -> Iterator[Any]:
    if isinstance(argument, _parser.SubPattern):
        yield argument
    elif isinstance(argument, list | tuple):
        for item in argument:
            yield from _nested(item)
