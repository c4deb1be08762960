"""The deadline bounds what is left, never below zero."""

from __future__ import annotations

import time

import pytest

from utils.resilience.deadline import Deadline, DeadlineExceeded


def test_time_runs_out() -> None:
    deadline = Deadline.after(0.05)
    assert 0 < deadline.remaining() <= 0.05
    assert deadline.bound(0.01) == 0.01
    assert deadline.bound(60) <= 0.05
    deadline.check()

    time.sleep(0.06)
    assert deadline.remaining() == 0
    assert deadline.bound(60) == 0
    with pytest.raises(DeadlineExceeded):
        deadline.check()
