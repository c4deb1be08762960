"""The words of an answer, and of the log, for a part of the index that was not there."""

from __future__ import annotations

import logging
from typing import Protocol

from schemas.chat import Component, Degradation
from utils.observability.sparse_log import SparseLog

_log = SparseLog(logging.getLogger(__name__))


class Unavailable(Protocol):
    """An error with a sentence for clients; its message is for operators."""

    @property
    def reason(self) -> str: ...


def degradation(component: Component, error: Unavailable) -> Degradation:
    """Name ``component`` with the reason for clients; what happened goes to the log, once in a while."""
    _log.warning(f"{component.value}: {error}")
    return Degradation(component=component, reason=error.reason)
