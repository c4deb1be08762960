"""Errors on the wire: RFC 9457 problem documents with a closed set of codes."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, Field


class ErrorCode(StrEnum):
    """Every error a client can meet."""

    MALFORMED_REQUEST = "malformed_request"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    REQUEST_TIMEOUT = "request_timeout"
    CONFLICT = "conflict"
    PRECONDITION_FAILED = "precondition_failed"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    MISDIRECTED_REQUEST = "misdirected_request"
    VALIDATION_FAILED = "validation_failed"
    PRECONDITION_REQUIRED = "precondition_required"
    RATE_LIMITED = "rate_limited"
    BUDGET_EXCEEDED = "budget_exceeded"
    TOO_MANY_AT_ONCE = "too_many_at_once"
    HEAD_TOO_LARGE = "head_too_large"
    INTERNAL_ERROR = "internal_error"
    BAD_GATEWAY = "bad_gateway"
    SERVICE_UNAVAILABLE = "service_unavailable"
    TIMEOUT = "timeout"


class FieldProblem(BaseModel):
    """The fault of a field; ``path`` is like ``history.0.role``."""

    path: str
    message: str


class Problem(BaseModel):
    """``application/problem+json``; title and detail are Korean and never hold an exception's text."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str
    code: ErrorCode
    request_id: str
    errors: list[FieldProblem] = Field(default_factory=list)
