"""Reads a model's text as the JSON object that was asked for, whatever was written around it."""

from __future__ import annotations

import json
import re
from typing import TypeVar

from pydantic import BaseModel

from chains.model_errors import AttemptFailed
from utils.model_calls import ModelFailureReason

Reply = TypeVar("Reply", bound=BaseModel)

_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?\s*(\{.*?)```", re.DOTALL | re.IGNORECASE)


def parse_reply(text: str, schema: type[Reply]) -> Reply:
    """The first JSON object of ``text`` as a ``schema``.

    A reasoning model's thoughts in front, a Markdown fence and prose around the object are passed over. An object
    within a broken one is not taken for the reply.

    Raises:
        AttemptFailed: there is no object, or it does not fit the schema (``GARBAGE``).
    """
    body = _THOUGHTS.sub("", text)
    if fenced := _FENCED.search(body):
        body = body[fenced.start(1) :]
    start = body.find("{")
    try:
        _, end = json.JSONDecoder().raw_decode(body, max(start, 0))
        return schema.model_validate_json(body[max(start, 0) : end])
    except (ValueError, RecursionError) as error:
        raise AttemptFailed(ModelFailureReason.GARBAGE) from error
