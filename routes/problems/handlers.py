"""Every error leaves as a problem document; see `utils.http.problems`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from agents.sessions.errors import SessionBusy, SessionsUnavailable
from schemas.problems import ErrorCode, FieldProblem
from utils.http.problems import ProblemError, code_for_status, retry_after
from utils.http.validation_messages import message_of
from utils.resilience.deadline import DeadlineExceeded
from utils.sanitizing.sanitize import printable
from vectorstores.errors import KnowledgeIndexError

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 5.0
_MAX_PATH = 100
_METHOD_NOT_ALLOWED = 405
_KINDS = (
    ProblemError,
    RequestValidationError,
    HTTPException,
    DeadlineExceeded,
    KnowledgeIndexError,
    SessionBusy,
    SessionsUnavailable,
)
_SESSION_BUSY = "이 대화의 앞 질문에 아직 답하고 있습니다. 답이 끝난 뒤에 다시 시도해 주세요."
_NO_SESSIONS = "지금은 저장된 대화를 읽거나 지울 수 없습니다. 잠시 후 다시 시도해 주세요."
_LOCATIONS = ("body", "query", "path", "header")


def install_problem_handlers(app: FastAPI) -> None:
    """Answer every error the application raises as a problem document."""
    for kind in _KINDS:
        app.add_exception_handler(kind, _handle)


def as_problem(error: Exception) -> ProblemError:
    """The problem an exception means to a client; an unknown one is a bug, logged and reported without its text."""
    match error:
        case ProblemError():
            return error
        case RequestValidationError():
            return _validation_problem(cast("Sequence[Mapping[str, Any]]", error.errors()))
        case HTTPException():
            return ProblemError(code_for_status(error.status_code), headers=error.headers or {})
        case DeadlineExceeded():
            logger.warning("deadline exceeded")
            return ProblemError(ErrorCode.TIMEOUT)
        case KnowledgeIndexError():
            logger.error("knowledge index: %s", error)
            return ProblemError(ErrorCode.SERVICE_UNAVAILABLE, headers=retry_after(_RETRY_SECONDS))
        case SessionBusy():
            return ProblemError(ErrorCode.CONFLICT, _SESSION_BUSY, headers=retry_after(_RETRY_SECONDS))
        case SessionsUnavailable():
            return ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _NO_SESSIONS, headers=retry_after(_RETRY_SECONDS))
    logger.error("unexpected error", exc_info=error)
    return ProblemError(ErrorCode.INTERNAL_ERROR)


async def _handle(request: Request, error: Exception) -> Response:
    response = as_problem(error).response(request.scope)
    if response.status_code == _METHOD_NOT_ALLOWED:
        response.headers["Allow"] = ", ".join(sorted(_methods(request)))
    return response


def _methods(request: Request) -> set[str]:
    """Every method of the path that was asked for; Starlette names those of its first route alone."""
    routes = (context.route for context in iter_route_contexts(request.app.routes))
    of_path = (route for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    return {method for route in of_path for method in getattr(route, "methods", None) or ()}


def _validation_problem(errors: Sequence[Mapping[str, Any]]) -> ProblemError:
    if any(error["type"] == "json_invalid" for error in errors):
        return ProblemError(ErrorCode.MALFORMED_REQUEST)
    fields = [FieldProblem(path=_path(error["loc"]), message=message_of(error)) for error in errors]
    return ProblemError(ErrorCode.VALIDATION_FAILED, errors=fields)


def _path(location: Sequence[int | str]) -> str:
    inner = location[1:] if location and location[0] in _LOCATIONS else location
    return printable(".".join(str(part) for part in inner if part != "[key]"), _MAX_PATH)
