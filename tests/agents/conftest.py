"""Runs of the real graph on the starter knowledge base, up to their evaluated answers."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from agents.engine import Engine, build_engine
from agents.state import RouterState
from schemas.chat import ChatRequest
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer


@pytest.fixture(scope="session")
def starter_engine(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """An engine without a model, which never tries again what fails."""
    data_dir = tmp_path_factory.mktemp("answering") / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)  # an embedded store has one owner
    changed = {"data_dir": data_dir, "enable_post_eval_retry": False}
    engine = build_engine(starter_settings.model_copy(update=changed), tokenizer)
    yield engine
    asyncio.run(engine.aclose())


@pytest.fixture(scope="session")
def asked(starter_engine: Engine) -> Callable[[str], RouterState]:
    """The last state of the run of a question."""

    @cache
    def run(question: str) -> RouterState:
        executor = starter_engine.executor
        return asyncio.run(executor.last_state(ChatRequest(message=question), executor.context("1")))

    return run
