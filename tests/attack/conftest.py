"""The services that are attacked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.e2e.conftest import _lasting_model_service, _loop_stays_free, model_server, model_service, service

__all__ = ["_lasting_model_service", "_loop_stays_free", "model_server", "model_service", "service"]


@pytest.fixture(scope="session")
def model_overrides() -> Mapping[str, Any]:
    """Let ``model_service`` keep answers, unlike elsewhere."""
    return {"enable_response_cache": True}
