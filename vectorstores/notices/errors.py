"""Faults of notices, as the service and its commands know them."""

from __future__ import annotations

from vectorstores.errors import KnowledgeIndexError


class NoticeDataError(KnowledgeIndexError):
    """The files of packs, words or regions make no sense; the message names file and fault."""


class NoticesUnavailable(KnowledgeIndexError):
    """The database of the notices cannot be used, and none were read before."""

    reason = "공고 데이터베이스를 쓸 수 없습니다."


class NoticeSourceError(KnowledgeIndexError):
    """An API of notices did not do what it was asked for; the message carries no key."""


class NoticeSourceRefused(NoticeSourceError):
    """The API refuses: the key is not registered or its quota is used up. Asking again at once is no use."""
