"""Faults of the store of conversations, as the service knows them."""

from __future__ import annotations


class SessionsUnavailable(RuntimeError):
    """The store did not do what it was asked for; the message carries no address, which may hold a password."""


class SessionBusy(RuntimeError):
    """Another request has held the session for too long."""


class SessionStoreRefused(RuntimeError):
    """The store can never be used as it is configured; the message is for whoever starts the service, and says what to do."""
