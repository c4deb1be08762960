"""``/docs``: the API for people. Everything comes from here, since an admin key is typed into this page.

Swagger UI's files are those that the package fastapi-offline carries; the page and its first script are ours, so that the
content security policy needs no exception for inline scripts. All addresses are relative: a proxy prefix changes nothing.
"""

from __future__ import annotations

import asyncio
import threading
from importlib import resources
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response

_ASSETS = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css", "favicon.png": "image/png"}
_PAGE = """\
<!DOCTYPE html>
<html lang="ko">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bizi RAG API</title>
<link rel="icon" href="docs/favicon.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
# No validator and no OAuth: both would talk to, or come back from, other addresses.
_START = """\
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  layout: "BaseLayout",
  presets: [SwaggerUIBundle.presets.apis],
  validatorUrl: null,
});
"""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
OPENAPI_PATH = "/openapi.json"
_describing = threading.Lock()
_REUSED = {"Cache-Control": "public, max-age=3600"}

DOCS_PATHS = ("/docs", "/docs/start.js", *(f"/docs/{name}" for name in _ASSETS))

router = APIRouter(include_in_schema=False)


@router.get(OPENAPI_PATH)
async def document(request: Request) -> Response:
    """The OpenAPI document, made when it is asked for first, in a thread: it takes half a second that a start does not have.

    Below a proxy prefix it names that as the server, as FastAPI's own route does.
    """
    told = await asyncio.to_thread(_described, request.app)
    prefix = request.scope.get("root_path", "").rstrip("/")
    return JSONResponse({**told, "servers": [{"url": prefix}]} if prefix else told)


def _described(app: FastAPI) -> dict[str, Any]:
    with _describing:  # it is kept: whoever asks meanwhile waits for it
        return app.openapi()


@router.get("/docs")
async def page() -> HTMLResponse:
    """The page that shows ``/openapi.json``."""
    return HTMLResponse(_PAGE, headers={"Content-Security-Policy": _POLICY})


@router.get("/docs/start.js")
async def start() -> Response:
    """The script that starts Swagger UI."""
    return Response(_START, media_type="text/javascript", headers=_REUSED)


def _add_asset(name: str, media_type: str) -> None:
    @router.get(f"/docs/{name}")
    async def asset() -> FileResponse:
        file = resources.files("fastapi_offline") / "static" / name
        return FileResponse(str(file), media_type=media_type, headers=_REUSED)


for _name, _type in _ASSETS.items():
    _add_asset(_name, _type)
