"""The services that are attacked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.conftest import (
    ServiceWithModel,
    _loop_stays_free,
    model_server,
    model_service,
    service,
    serving_with_model,
)
from tests.support.scripted_openai import ScriptedOpenAI
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

__all__ = ["_loop_stays_free", "model_server", "model_service", "service"]


@pytest.fixture(scope="session")
def _lasting_model_service(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    model_server: ScriptedOpenAI,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ServiceWithModel]:
    """The service behind ``model_service``; unlike elsewhere it keeps answers."""
    data_dir = tmp_path_factory.mktemp("model") / "var"
    cached = {"enable_response_cache": True}
    with serving_with_model(starter_settings, tokenizer, model_server, data_dir, **cached) as service:
        yield service
