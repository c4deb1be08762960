"""``/``: a page to ask on, and ``/ops``: one for operators. Both are files and talk to the API, with the key of whoever uses them.

All addresses in them are relative: a proxy prefix changes nothing. Nothing comes from elsewhere, and nothing is run that is no file
of these, whatever a document, a model or a file name says.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request, Response

from routes.page.assets import Asset, Assets

# lit-html makes its templates through a policy of Trusted Types; no other way leads from a text to HTML.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html"
)
_PAGE_HEADERS = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
_KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}


def page_router(assets: Assets) -> APIRouter:
    """The routes of the pages and their files."""
    router = APIRouter(include_in_schema=False)
    for path, page in assets.pages.items():
        router.add_api_route(path, _answer(page, _PAGE_HEADERS), methods=["GET", "HEAD"])
    for path, file in assets.files.items():
        router.add_api_route(path, _answer(file, _KEPT), methods=["GET", "HEAD"])
    return router


def _answer(asset: Asset, headers: dict[str, str]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        told = {**headers, "Vary": "Accept-Encoding"}
        if "gzip" in request.headers.get("accept-encoding", "").lower():
            return Response(asset.compressed, media_type=asset.media_type, headers={**told, "Content-Encoding": "gzip"})
        return Response(asset.content, media_type=asset.media_type, headers=told)

    return answer
