"""Reads a model's text as the JSON object that was asked for, whatever was written around it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from chains.models.errors import AttemptFailed
from chains.models.usage import ModelFailureReason
from utils.sanitizing.sanitize import clean_text

Reply = TypeVar("Reply", bound=BaseModel)

_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?\s*(\{.*?)```", re.DOTALL | re.IGNORECASE)


def parse_reply(text: str, schema: type[Reply], restored: Callable[[str], str] = str) -> Reply:
    """The first JSON object of ``text`` as a ``schema``; ``restored`` gives each text within it its final form.

    A reasoning model's thoughts in front, a Markdown fence and prose around the object are passed over. An object
    within a broken one is not taken for the reply. Texts within it lose control and invisible characters.

    Raises:
        AttemptFailed: there is no object, or it does not fit the schema (``GARBAGE``).
    """
    body = _THOUGHTS.sub("", text)
    if fenced := _FENCED.search(body):
        body = body[fenced.start(1) :]
    start = body.find("{")
    try:
        value, _ = json.JSONDecoder().raw_decode(body, max(start, 0))
        # as JSON, in which a list may stand for a tuple
        return schema.model_validate_json(json.dumps(_cleaned(value, restored), ensure_ascii=False))
    except (ValueError, RecursionError) as error:
        raise AttemptFailed(ModelFailureReason.GARBAGE) from error


def _cleaned(value: Any, restored: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return restored(clean_text(value))
    if isinstance(value, list):
        return [_cleaned(item, restored) for item in value]
    if isinstance(value, dict):
        return {name: _cleaned(item, restored) for name, item in value.items()}
    return value
