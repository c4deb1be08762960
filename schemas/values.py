"""Types of single values as they stand in JSON, where pydantic would take more."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import BeforeValidator
from pydantic_core import PydanticKnownError


def _number(value: object) -> object:
    """Refuse what Python, but not JSON, takes for a number."""
    if isinstance(value, bool | str):
        raise PydanticKnownError("float_type")
    return value


def _written_out(value: object) -> object:
    """Refuse a number, which pydantic would take for days since 1970."""
    if isinstance(value, int | float) or (isinstance(value, str) and "-" not in value):
        raise PydanticKnownError("date_type")
    return value


JsonNumber = BeforeValidator(_number)
"""After the limits of an `Annotated` number: the schema shows them then."""
Day = Annotated[date, BeforeValidator(_written_out)]
"""A day, written out: 2026-01-25."""
