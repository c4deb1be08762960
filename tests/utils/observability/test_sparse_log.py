from __future__ import annotations

import logging

import pytest

from utils.observability.sparse_log import SparseLog


def test_each_message_is_logged_once_in_a_while(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    log = SparseLog(logging.getLogger("sparse"), every=60, clock=lambda: now[0])
    for second in range(130):
        now[0] = float(second)
        log.warning("Redis is away")
        log.warning("100 % of the disk")
    assert [record.getMessage() for record in caplog.records] == ["Redis is away", "100 % of the disk"] * 3
