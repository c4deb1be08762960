"""The look at a model server asks once: whoever looks again is health itself."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.responses import JSONResponse

from chains.models.openai import build_openai_model
from tests.support.local_server import LocalServer
from utils.config.settings import Settings


async def test_a_look_at_a_server_in_trouble_is_a_single_request() -> None:
    app, looks = FastAPI(), list[int]()

    @app.get("/v1/models")
    async def models() -> JSONResponse:
        looks.append(1)
        return JSONResponse({"error": {"message": "overloaded"}}, status_code=503)

    with LocalServer(app) as server:
        model = build_openai_model(Settings(openai_base_url=f"{server.url}/v1"))
        assert model.health is not None
        assert await model.health.troubles()
        await model.aclose()
    assert len(looks) == 1
