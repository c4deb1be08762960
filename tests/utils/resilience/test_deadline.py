"""The deadline bounds what is left, never below zero."""

from __future__ import annotations

import time

import pytest

from utils.resilience.deadline import Deadline, DeadlineExceeded, is_silent, note_silent, request_time, within


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


def test_a_call_ends_with_the_request_where_that_comes_sooner() -> None:
    assert not within(60).of_request, "outside of a request"
    with request_time(5):
        assert 4 < within(60).remaining() <= 5
        assert within(60).of_request
        assert within(1).remaining() <= 1
        assert not within(1).of_request
        with request_time(60):
            assert within(120).remaining() <= 5, "what is called cannot have more than the request around it"
        with request_time(2):
            assert within(120).remaining() <= 2
        assert within(60).remaining() > 2
    assert within(60).remaining() > 5


def test_a_request_waits_for_who_is_silent_once() -> None:
    note_silent("rerank")
    assert not is_silent("rerank"), "outside of a request nobody is told from anybody else"
    with request_time(5):
        note_silent("rerank")
        assert is_silent("rerank")
        assert not is_silent("embedding")
    with request_time(5):
        assert not is_silent("rerank"), "the next request asks again"
