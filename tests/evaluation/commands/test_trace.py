"""The tracer counts what runs, in every thread, and the command prints it."""

from __future__ import annotations

import asyncio
import importlib.util
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

from evaluation.__main__ import main
from evaluation.commands.trace import Call, Figures, Tracer, figures_by_package, of_the_question
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

CALLED = """
def double(number):
    return 2 * sum(number for _ in range(1))
"""
CALLER = """
import asyncio

async def quadruple(double, number):
    await asyncio.sleep(0)
    return double(double(number))
"""


def load(file: Path, source: str) -> ModuleType:
    file.parent.mkdir(exist_ok=True)
    file.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names(calls: list[Call]) -> list[str]:
    return [f"{call.caller} > {call.function.file}:{call.function.name}" for call in calls]


def test_calls_and_moves_of_two_functions(tmp_path: Path) -> None:
    double = load(tmp_path / "low" / "called.py", CALLED).double
    quadruple = load(tmp_path / "high" / "caller.py", CALLER).quadruple
    tracer = Tracer(tmp_path, ("low", "high"))
    with tracer.installed():
        double(1)
        with tracer.recording():
            assert asyncio.run(quadruple(double, 3)) == 12
        double(1)
    assert names(tracer.calls) == [
        "None > high/caller.py:quadruple",
        "high/caller.py > low/called.py:double",
        "high/caller.py > low/called.py:double",
    ], "a coroutine that goes on is not called again, a comprehension is no function, and nothing else is recorded"
    assert Figures.of(tracer.calls) == Figures(functions=2, files=2, calls=3, moves=3)
    assert figures_by_package(tracer.calls) == {"high": Figures(1, 1, 1, 1), "low": Figures(1, 1, 2, 2)}


def test_a_call_within_a_file_is_no_move(tmp_path: Path) -> None:
    module = load(tmp_path / "low" / "both.py", CALLED + "\ndef again(number):\n    return double(number)\n")
    tracer = Tracer(tmp_path, ("low",))
    with tracer.installed(), tracer.recording():
        module.again(1)
    assert Figures.of(tracer.calls) == Figures(functions=2, files=1, calls=2, moves=1)


def test_threads_are_watched_from_their_start(tmp_path: Path) -> None:
    double = load(tmp_path / "low" / "called.py", CALLED).double
    tracer = Tracer(tmp_path, ("low",))
    with tracer.installed(), ThreadPoolExecutor(1) as pool:
        pool.submit(double, 1).result()
        with tracer.recording():
            pool.submit(double, 2).result()
    assert names(tracer.calls) == ["None > low/called.py:double"]


def test_a_kept_analysis_does_not_reach_kiwi(tokenizer: KiwiTokenizer) -> None:
    text = "추적기가 처음 보는 문장입니다"
    tracer = Tracer()
    with tracer.installed(), tracer.recording():
        tokenizer.terms(text)
        tokenizer.morphemes(text)
    assert tracer.tokenizer.asked == [text, text]
    assert tracer.tokenizer.reached == [text]


def test_texts_of_the_question_are_its_parts() -> None:
    question = "부가세 신고는 언제 하나요?"
    texts = [question, "부가세신고는", "언제 하나요?", "부가가치세 신고", ""]
    assert of_the_question(texts, question) == texts[:3]


def test_the_command_prints_the_figures_of_a_question(
    starter_settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "퇴직금은 언제까지 줘야 하나요?"
    assert main(["trace", "--data-dir", str(starter_settings.data_dir), question]) == 0
    header, *rows, texts, own = capsys.readouterr().out.splitlines()
    assert header.split() == ["package", "functions", "files", "calls", "moves"]
    figures = {name: [int(figure) for figure in row] for name, *row in map(str.split, rows)}
    assert {"all", "agents", "chains", "vectorstores", "utils"} <= set(figures)
    by_package = [row for name, row in figures.items() if name != "all"]
    assert figures["all"] == [sum(column) for column in zip(*by_package, strict=True)]
    assert figures["agents"][0] > 0
    asked, reached = (int(word) for word in texts.split() if word.isdecimal())
    own_asked, own_reached = (int(word) for word in own.split() if word.isdecimal())
    assert asked >= own_asked >= own_reached >= 1
    assert asked >= reached >= own_reached
