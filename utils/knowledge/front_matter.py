"""The ``---`` block at the head of a Markdown file. Only top-level scalars count, so no YAML parser is needed."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_SCALAR = re.compile(r"^([^\s:#-][^:\n]*):(.*)$", re.MULTILINE)


def split_front_matter(text: str) -> tuple[dict[str, str], str] | None:
    """``(fields, body)``, or None when the text does not open with a closed front-matter block."""
    match = _BLOCK.match(text)
    if match is None:
        return None
    fields = {key.strip(): _unquoted(value.strip(" \t")) for key, value in _SCALAR.findall(match[1])}
    return fields, text[match.end() :]


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1].replace("''", "'")
    return value
