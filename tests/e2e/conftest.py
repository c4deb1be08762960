"""The whole service over HTTP: the real graph on the starter knowledge base."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import date

import httpx
import pytest

from agents.engine import build_engine
from main import create_app
from routes.dependencies import Services
from services import services_of
from tests.support.local_server import LocalServer
from tests.support.scripted_openai import ScriptedOpenAI
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

TODAY = date(2026, 11, 20)


@contextmanager
def serving(settings: Settings, tokenizer: KiwiTokenizer) -> Iterator[httpx.Client]:
    """The service with these settings on a real socket, on a fixed day."""

    @asynccontextmanager
    async def factory(wanted: Settings) -> AsyncIterator[Services]:
        async with services_of(build_engine(wanted, tokenizer=tokenizer, today=lambda: TODAY)) as services:
            yield services

    with (
        LocalServer(create_app(settings, factory), lifespan="on") as server,
        httpx.Client(base_url=server.url, timeout=30) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def service(starter_settings: Settings, tokenizer: KiwiTokenizer) -> Iterator[httpx.Client]:
    """No model: the extractive answers."""
    with serving(starter_settings, tokenizer) as client:
        yield client


@pytest.fixture(scope="session")
def model_server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI({}) as server:
        yield server


@pytest.fixture(scope="session")
def model_service(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    model_server: ScriptedOpenAI,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    """A model that follows the script of ``model_server``."""
    # an embedded store has one owner, so the second service gets a copy
    data_dir = tmp_path_factory.mktemp("model") / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)
    settings = starter_settings.model_copy(
        update={
            "data_dir": data_dir,
            "openai_base_url": model_server.base_url,
            "llm_timeout": 2.0,
            "request_timeout": 12.0,
        }
    )
    with serving(settings, tokenizer) as client:
        yield client
