"""The whole service over HTTP: the real graph on the starter knowledge base."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.engine import Engine, build_engine
from chains.models.language_model import ModelServer
from main import create_app
from routes.dependencies import Services
from services import services_of
from tests.support.local_server import LocalServer
from tests.support.loop_guard import loop_stays_free
from tests.support.scripted_openai import ScriptedOpenAI
from utils.config.settings import Settings
from utils.observability.telemetry import Telemetry
from utils.resilience.breaker import CircuitBreaker
from vectorstores.tokenizer import KiwiTokenizer

TODAY = date(2026, 11, 20)


@contextmanager
def serving(
    settings: Settings,
    tokenizer: KiwiTokenizer,
    built: Callable[[Engine], None] = lambda _: None,
    today: date = TODAY,
) -> Iterator[httpx.Client]:
    """The service with these settings on a real socket, on a fixed day. ``built`` is shown the engine behind it."""

    @asynccontextmanager
    async def factory(wanted: Settings, telemetry: Telemetry) -> AsyncIterator[Services]:
        engine = build_engine(wanted, tokenizer=tokenizer, today=lambda: today, telemetry=telemetry)
        built(engine)
        async with services_of(engine) as services:
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


@contextmanager
def serving_with_model(
    settings: Settings,
    tokenizer: KiwiTokenizer,
    server: ScriptedOpenAI,
    data_dir: Path,
    today: date = TODAY,
    /,
    **overrides: Any,
) -> Iterator[ServiceWithModel]:
    """The service over a copy of the index of ``settings``, with a model that follows the script of ``server``."""
    # an embedded store has one owner, so another service gets a copy
    shutil.copytree(settings.data_dir, data_dir, symlinks=True)
    own = {"data_dir": data_dir, "openai_base_url": server.base_url, "llm_timeout": 2.0, "request_timeout": 12.0}
    engines: list[Engine] = []
    with serving(settings.model_copy(update={**own, **overrides}), tokenizer, engines.append, today) as client:
        model = engines[0].parts.chain.model._server
        assert model is not None
        yield ServiceWithModel(client, model)


@dataclass(frozen=True, slots=True)
class ServiceWithModel:
    """A running service and its link to the model server."""

    client: httpx.Client
    link: ModelServer

    def forget_failures(self) -> None:
        """Close the breakers, which the test before may have opened."""
        assert isinstance(self.link.breakers, dict)
        self.link.breakers.update({purpose: CircuitBreaker(purpose, threshold=3) for purpose in self.link.breakers})
        self.link.health._failed.clear()


@pytest.fixture(scope="session")
def model_overrides() -> Mapping[str, Any]:
    """Settings of ``model_service`` beside those of `serving_with_model`."""
    return {}


@pytest.fixture(scope="session")
def _lasting_model_service(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    model_server: ScriptedOpenAI,
    tmp_path_factory: pytest.TempPathFactory,
    model_overrides: Mapping[str, Any],
) -> Iterator[ServiceWithModel]:
    data_dir = tmp_path_factory.mktemp("model") / "var"
    with serving_with_model(starter_settings, tokenizer, model_server, data_dir, **model_overrides) as service:
        yield service


@pytest.fixture
def model_service(_lasting_model_service: ServiceWithModel) -> httpx.Client:
    """A model that follows the script of ``model_server``."""
    _lasting_model_service.forget_failures()
    return _lasting_model_service.client


@pytest.fixture(autouse=True)
def _loop_stays_free() -> Iterator[None]:
    with loop_stays_free():
        yield
