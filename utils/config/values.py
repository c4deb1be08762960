"""Parsers of settings that hold several values in one line of the environment, and what is told of wrong ones."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, SecretStr, ValidationError
from pydantic_settings import NoDecode

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/*?#@]+", re.IGNORECASE)
_HOST_NAME = re.compile(r"[a-z0-9._-]+|\[?[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*\]?", re.IGNORECASE)


def split_commas(value: object) -> object:
    """Return the parts of ``a, b``; what is no text stays as it is."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def check_origins(origins: tuple[str, ...]) -> tuple[str, ...]:
    """Return browser origins as they are.

    Raises:
        ValueError: one is a wildcard, ``null`` or no origin as browsers write it.
    """
    if "*" in origins:
        raise ValueError("a wildcard would open the service to every page; name the origins")
    if wrong := [origin for origin in origins if not _ORIGIN.fullmatch(origin)]:
        raise ValueError(f"an origin is scheme://host or scheme://host:port, without a path; not {', '.join(wrong)}")
    return origins


def check_host_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return host names as they are.

    Raises:
        ValueError: one has a scheme, a port or a wildcard.
    """
    if wrong := [name for name in names if not _HOST_NAME.fullmatch(name)]:
        raise ValueError(f"a host name has no scheme, port or wildcard; not {', '.join(wrong)}")
    return names


def split_keys(value: object) -> object:
    """Return ``name=key, name=key`` (or one a line) as a mapping; what is no text stays as it is.

    Raises:
        ValueError: a part has another form, or two have one name; the message holds no key.
    """
    if not isinstance(value, str):
        return value
    pairs = [part.strip().partition("=") for part in re.split(r"[,\n]", value) if part.strip()]
    if any(not name.strip() or not key.strip() for name, _, key in pairs):
        raise ValueError("expected name=key:scope|scope, separated by commas")
    counts = Counter(name.strip() for name, _, _ in pairs)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise ValueError(f"a client has one key, but several are given for {', '.join(twice)}")
    return {name.strip(): key.strip() for name, _, key in pairs}


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(split_commas)]
Origins = Annotated[Words, AfterValidator(check_origins)]
HostNames = Annotated[Words, AfterValidator(check_host_names)]
ClientKeys = Annotated[dict[str, SecretStr], NoDecode, BeforeValidator(split_keys)]


def describe_errors(error: ValidationError) -> str:
    """Return one sentence for each wrong setting; it names the environment variable."""
    lines = []
    for item in error.errors(include_url=False, include_input=False):
        name = str(item["loc"][0]).upper() if item["loc"] else ""
        message = item["msg"].removeprefix("Value error, ")
        lines.append(f"{name}: {message}" if name else message)
    return "; ".join(lines)
