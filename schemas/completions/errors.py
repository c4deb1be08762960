"""Errors of ``/v1``: what the problem document of a route says elsewhere, in OpenAI's shape."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, Field

from schemas.problems import ErrorCode, Problem

ErrorType = Literal[
    "invalid_request_error", "authentication_error", "permission_error", "rate_limit_error", "server_error"
]
_TYPES: dict[int, ErrorType] = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class OpenAIErrorBody(BaseModel):
    """An error. ``param`` is the first field at fault."""

    message: str = Field(description="Korean; every field at fault with its fault.")
    type: ErrorType
    param: str | None
    code: ErrorCode
    request_id: str


class OpenAIError(BaseModel):
    """An error as OpenAI writes it."""

    error: OpenAIErrorBody

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """The same error in OpenAI's shape."""
        faults = "; ".join(f"{field.path}: {field.message}" for field in problem.errors)
        kind = _TYPES.get(problem.status, "invalid_request_error" if problem.status < 500 else "server_error")
        return cls(
            error=OpenAIErrorBody(
                message=f"{problem.title}: {faults}" if faults else problem.detail,
                type=kind,
                param=problem.errors[0].path if problem.errors else None,
                code=problem.code,
                request_id=problem.request_id,
            )
        )
