"""Who asks, and on which condition: parts that the routes for administrators share."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, Header, Request, Response
from starlette.convertors import StringConvertor, register_url_convertor

from routes.dependencies import RequireScope
from schemas.problems import ErrorCode
from utils.administration.audit_records import Actor
from utils.http.access import AccessScope, ApiClient
from utils.http.problems import ProblemError
from utils.observability.request_context import current_request_id

require_admin = RequireScope(AccessScope.ADMIN)

_TAG = re.compile(r'(W/)?"([^"]{0,128})"')
_MAX_HEADER = 2_000


async def actor_of(request: Request) -> Actor:
    """The API client whose key opened the route, and this request."""
    client: ApiClient = request.state.client
    return Actor(client.name, current_request_id())


async def seen_tags(
    if_match: Annotated[
        str | None,
        Header(
            alias="If-Match", max_length=_MAX_HEADER, description="ETag that was read; * overwrites whatever is there."
        ),
    ] = None,
) -> frozenset[str]:
    """The tags that the operator has seen (RFC 9110, 13.1.1). Refuses a request without any with 428 (RFC 6585, 3)."""
    if if_match is None:
        raise ProblemError(ErrorCode.PRECONDITION_REQUIRED)
    return _tags(if_match)


def _tags(header: str) -> frozenset[str]:
    """Strong tags alone: a weak one is never equal here."""
    if header.strip() == "*":
        return frozenset({"*"})
    return frozenset(tag for weak, tag in _TAG.findall(header) if not weak)


def tagged(response: Response, etag: str | None) -> None:
    """Give the response its tag, if there is any."""
    if etag is not None:
        response.headers["ETag"] = f'"{etag}"'


class _KeyConvertor(StringConvertor):
    """The key of a pack in a path. It takes no hyphen: the fixed paths beside it have one, and shall not be taken for keys."""

    regex = "[^/-]+"


KEY_IN_PATH = "pack_key"
register_url_convertor(KEY_IN_PATH, _KeyConvertor())

ActorDep = Annotated[Actor, Depends(actor_of)]
SeenTags = Annotated[frozenset[str], Depends(seen_tags)]
