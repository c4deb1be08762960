"""Refusing work early: a client that would wait in vain is told at once, and when to come back."""

from __future__ import annotations

from schemas.problems import ErrorCode
from utils.http.problems import ProblemError, retry_after
from utils.resilience.fair_pool import FairPool

_PIECES_OF_A_QUESTION = 10  # of work, one after the other
_SHARE_OF_THE_TIME = 0.5  # of a request that may go by waiting
_LONGEST_RETRY = 60.0
_DETAIL = "지금은 질문이 밀려 있어 제시간에 답할 수 없습니다. 잠시 후 다시 시도해 주세요."


class LoadShedder:
    """Refuses the questions of a client whose work would wait for more than half of ``request_timeout`` seconds."""

    def __init__(self, pool: FairPool, request_timeout: float) -> None:
        self._pool = pool
        self._longest_wait = request_timeout * _SHARE_OF_THE_TIME

    def check(self, client: str) -> None:
        """Refuse or return.

        Raises:
            ProblemError: the client has too much waiting, or all have (503).
        """
        wait = _PIECES_OF_A_QUESTION * self._pool.expected_wait(client)
        if wait > self._longest_wait:
            headers = retry_after(min(wait, _LONGEST_RETRY))
            raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _DETAIL, headers=headers)
