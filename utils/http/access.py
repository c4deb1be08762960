"""Who may call what: API clients, their keys and scopes."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from pydantic import SecretStr

from utils.config.settings import SettingsError

_MIN_KEY_LENGTH = 16
_MOST_KEYS = 2  # of a client: the one in use, and the one that takes its place


class AccessScope(StrEnum):
    """Groups of routes that a key may open."""

    CHAT = "chat"
    DOCUMENTS = "documents"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class ApiClient:
    """A caller and what it may do."""

    name: str
    scopes: frozenset[AccessScope]


LOCAL_CLIENT = ApiClient("local", frozenset(AccessScope))
"""The caller when no keys are configured: whoever reaches the loopback address."""


class ApiKeyRing:
    """The configured keys. Only digests are kept."""

    def __init__(self, entries: Sequence[tuple[bytes, ApiClient]]) -> None:
        self._entries = tuple(entries)

    @classmethod
    def from_settings(cls, api_keys: Mapping[str, SecretStr]) -> Self:
        """Keys from ``name`` to ``key:scope|scope``, or to ``new-key old-key:scope`` while a client exchanges its key.

        Raises:
            SettingsError: a key is short or shared, or a scope is unknown; the message names the client, never the key.
        """
        entries = [
            entry for name, secret in api_keys.items() for entry in _parse_entry(name, secret.get_secret_value())
        ]
        if len({digest for digest, _ in entries}) < len(entries):
            raise SettingsError("API_KEYS: two clients share one key, or a client has the same key twice")
        return cls(entries)

    def take_over(self, other: ApiKeyRing) -> None:
        """Know the keys of ``other`` from now on, and no others."""
        self._entries = other._entries

    def __bool__(self) -> bool:
        return bool(self._entries)

    def identify(self, presented: bytes) -> ApiClient | None:
        """The client of a key, in a time that tells nothing of the keys."""
        digest = _digest(presented)
        found: ApiClient | None = None
        for expected, client in self._entries:
            if hmac.compare_digest(expected, digest):
                found = client
        return found


def _parse_entry(name: str, value: str) -> list[tuple[bytes, ApiClient]]:
    given, separator, listed = value.rpartition(":")
    if not separator:
        raise SettingsError(f"API_KEYS: {name} needs the form name=key:scope|scope")
    keys = given.split()
    if len(keys) > _MOST_KEYS:
        raise SettingsError(f"API_KEYS: {name} has at most {_MOST_KEYS} keys, with a space between them")
    if not keys or min(map(len, keys)) < _MIN_KEY_LENGTH:
        raise SettingsError(f"API_KEYS: the key of {name} needs at least {_MIN_KEY_LENGTH} characters")
    known = {scope.value for scope in AccessScope}
    names = {part.strip() for part in listed.split("|")}
    if not names <= known:
        raise SettingsError(f"API_KEYS: the scopes of {name} are among {', '.join(sorted(known))}")
    client = ApiClient(name, frozenset(AccessScope(scope) for scope in names))
    return [(_digest(key.encode()), client) for key in keys]


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()
