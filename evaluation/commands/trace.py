"""``python -m evaluation trace``: count the functions that one question runs through.

It needs little of the project, so it can measure another checkout too. From the folder of that checkout::

    PYTHONPATH=. python -P <path of this file> --data-dir D "question"

``-P`` keeps the folder of this file off the import path, where its neighbours would hide other modules.
"""

from __future__ import annotations

import argparse
import asyncio
import dis
import inspect
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import agents.engine
from agents.engine import build_engine
from schemas.chat import ChatRequest
from utils.config.settings import load_settings

ROOT = Path(agents.engine.__file__).resolve().parents[1]
"""The checkout that is measured, which need not be that of this file."""
PACKAGES = ("agents", "chains", "vectorstores", "utils", "schemas")
WARM_UP_QUESTION = "직원이 네 명인데 연차를 줘야 하나요?"
"""Opens what opens at first use. A question near the traced one would also leave most of its analyses behind."""

_COMPREHENSIONS = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})
_SUSPENDABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_TOKENIZER_FILE = "vectorstores/tokenizer.py"
_ANALYSES = frozenset(f"KiwiTokenizer.{name}" for name in ("terms", "located", "located_many", "morphemes"))


@dataclass(frozen=True, slots=True)
class Function:
    """An own function: its file below the root, its qualified name, and the line that tells two lambdas apart."""

    file: str
    name: str
    line: int

    @property
    def package(self) -> str:
        return self.file.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an own function; ``caller`` is the file of the nearest own function above it, None if there is none."""

    function: Function
    caller: str | None

    @property
    def is_move(self) -> bool:
        """True if the call leads from one file to another."""
        return self.caller != self.function.file


@dataclass(slots=True)
class TokenizerTexts:
    """The texts that the tokenizer was asked for, and those that reached Kiwi because they were not kept from before."""

    asked: list[str] = field(default_factory=list)
    reached: list[str] = field(default_factory=list)


class Tracer:
    """Records the calls of own functions, in the order in which they begin.

    A coroutine or a generator that goes on after a pause is not called again. Comprehensions count as part of their
    function.
    """

    def __init__(self, root: Path = ROOT, packages: Collection[str] = PACKAGES) -> None:
        """``packages`` are the folders and files below ``root`` whose functions are own."""
        self._root = f"{root}/"
        self._packages = packages
        self._recording = False
        self._functions: dict[CodeType, Function | None] = {}
        self.calls: list[Call] = []
        self.tokenizer = TokenizerTexts()

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Watch the calling thread and every thread that is started within; nothing is recorded yet."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what runs meanwhile in the watched threads."""
        self._recording = True
        try:
            yield
        finally:
            self._recording = False

    def _profile(self, frame: FrameType, event: str, _arg: Any) -> None:
        if not self._recording or event != "call":
            return
        code = frame.f_code
        if code.co_name == "tokenize" and "/kiwipiepy/" in code.co_filename:
            self.tokenizer.reached += _texts(frame.f_locals.get("text"))
            return
        function = self._function(code)
        if function is None or code.co_name in _COMPREHENSIONS or _is_resumed(frame):
            return
        self.calls.append(Call(function, self._caller(frame)))
        if function.file == _TOKENIZER_FILE and function.name in _ANALYSES:
            self.tokenizer.asked += _texts(frame.f_locals.get("text", frame.f_locals.get("texts")))

    def _caller(self, frame: FrameType) -> str | None:
        above = frame.f_back
        while above is not None:
            function = self._function(above.f_code)
            if function is not None:
                return function.file
            above = above.f_back
        return None

    def _function(self, code: CodeType) -> Function | None:
        if code not in self._functions:
            self._functions[code] = self._own(code)
        return self._functions[code]

    def _own(self, code: CodeType) -> Function | None:
        """Return the own function of some code; None for a library, a module or the body of a class."""
        if not code.co_filename.startswith(self._root) or not code.co_flags & inspect.CO_OPTIMIZED:
            return None
        file = code.co_filename.removeprefix(self._root)
        if file.partition("/")[0] not in self._packages:
            return None
        return Function(file, code.co_qualname, code.co_firstlineno)


def _texts(given: object) -> list[str]:
    """Return the texts of one call; a stream of texts, which cannot be read twice, counts as one of unknown content."""
    if isinstance(given, str):
        return [given]
    return [str(text) for text in given] if isinstance(given, list | tuple) else [""]


def _is_resumed(frame: FrameType) -> bool:
    return bool(frame.f_code.co_flags & _SUSPENDABLE) and frame.f_lasti > _start(frame.f_code)


@cache
def _start(code: CodeType) -> int:
    """Return the offset at which a generator begins, after the instructions that make it."""
    return next(step.offset for step in dis.get_instructions(code) if step.opname == "RESUME")


@dataclass(frozen=True, slots=True)
class Figures:
    """The size of what ran: distinct functions and their files, calls, and calls that lead to another file."""

    functions: int
    files: int
    calls: int
    moves: int

    @classmethod
    def of(cls, calls: Collection[Call]) -> Figures:
        functions = {call.function for call in calls}
        files = {function.file for function in functions}
        return cls(len(functions), len(files), len(calls), sum(call.is_move for call in calls))


def figures_by_package(calls: Collection[Call]) -> dict[str, Figures]:
    """Return the figures of each package that ran, the largest first; a move belongs to the package it leads to."""
    packages = {call.function.package for call in calls}
    figures = {name: Figures.of([call for call in calls if call.function.package == name]) for name in packages}
    return dict(sorted(figures.items(), key=lambda item: (-item[1].functions, item[0])))


def of_the_question(texts: Collection[str], question: str) -> list[str]:
    """Return the texts that are the question or a part of it, whatever their spaces."""
    whole = _without_spaces(question)
    return [text for text in texts if text and _without_spaces(text) in whole]


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", help="question to answer without a model")
    parser.add_argument("--data-dir", type=Path, help="data directory with the index (default: DATA_DIR)")
    parser.add_argument(
        "--warm-up",
        default=WARM_UP_QUESTION,
        help="question to answer before, uncounted; empty: none (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Trace one question; print functions, files, calls and moves by package, and the calls of the tokenizer."""
    tracer = Tracer()
    with tracer.installed():
        asyncio.run(_trace(tracer, arguments))
    print(f"{'package':<14}{'functions':>10}{'files':>8}{'calls':>8}{'moves':>8}")
    rows = {"all": Figures.of(tracer.calls), **figures_by_package(tracer.calls)}
    for name, row in rows.items():
        print(f"{name:<14}{row.functions:>10}{row.files:>8}{row.calls:>8}{row.moves:>8}")
    asked, reached = tracer.tokenizer.asked, tracer.tokenizer.reached
    own = [of_the_question(texts, arguments.question) for texts in (asked, reached)]
    print(f"tokenizer: {len(asked)} calls, {len(reached)} reach Kiwi")
    print(f"tokenizer, texts of the question: {len(own[0])} calls, {len(own[1])} reach Kiwi")
    return 0


async def _trace(tracer: Tracer, arguments: argparse.Namespace) -> None:
    overrides = {"LLM_PROVIDER": "extractive"}
    if arguments.data_dir:
        overrides["DATA_DIR"] = str(arguments.data_dir)
    engine = build_engine(load_settings(overrides))
    try:
        if arguments.warm_up:
            await engine.executor.answer(ChatRequest(message=arguments.warm_up), "warm-up")
        with tracer.recording():
            await engine.executor.answer(ChatRequest(message=arguments.question), "trace")
    finally:
        await engine.aclose()


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(_parser)
    sys.exit(run(_parser.parse_args()))
