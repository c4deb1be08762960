"""A pool of threads that clients share fairly: who asks much waits for himself, and not everybody with him.

Start-time fair queueing (Goyal, Vin and Cheng 1996). The work of each client waits in a queue of its own; a thread that comes
free goes to the client that has had the least of the threads' time. A client that comes back after a pause starts level with
the others: unused time is not saved up.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ParamSpec, TypeVar

from utils.observability.request_context import NO_CLIENT, current_client

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_ACTIVE_SECONDS = 10.0
_SMOOTHING = 0.2
_FIRST_GUESS = 0.01  # seconds a piece of work takes, before any has
_LONG_WORK = 3.0  # times what work takes on average; a clock of the thread would not see what native threads calculate


@dataclass(eq=False, slots=True)
class _Work:
    future: Future[Any]
    call: Callable[[], Any]


@dataclass(eq=False, slots=True)
class _Share:
    """Waiting and finished work of one client: ``used`` is its virtual time, ``mean`` the mean seconds of a piece of its work."""

    used: float
    mean: float
    seen: float = 0.0
    running: int = 0
    waiting: deque[_Work] = field(default_factory=deque)


class FairPool(Executor):
    """``threads`` worker threads for the work of all clients; a piece of work belongs to the client of its context.

    While somebody else is active too, one client has at most half of the threads at once, so that a newcomer finds one free,
    and a single one if its work takes much longer than the others': threads share one interpreter and slow each other down.
    """

    def __init__(self, threads: int, thread_name_prefix: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self._workers = ThreadPoolExecutor(threads, thread_name_prefix)
        self._threads = threads
        self._clock = clock
        self._lock = threading.RLock()
        self._shares: OrderedDict[str, _Share] = OrderedDict()  # the one seen last comes last
        self._running = 0
        self._virtual = 0.0
        self._mean = _FIRST_GUESS
        self._closed = False

    def submit(
        self, fn: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Result]:
        """Queue a call for the client of the current context.

        Raises:
            RuntimeError: the pool is shut down.
        """
        work = _Work(Future(), partial(fn, *args, **kwargs))
        client = current_client()
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._share_of(client).waiting.append(work)
        work.future.add_done_callback(lambda _: self._forget_cancelled(client, work))
        self._hand_out()
        return work.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work; what waits is done only if the caller waits for it and does not cancel it."""
        with self._lock:
            self._closed = True
            futures = [work.future for share in self._shares.values() for work in share.waiting]
            if cancel_futures or not wait:
                for share in self._shares.values():
                    share.waiting.clear()
        if cancel_futures or not wait:
            for future in futures:
                future.cancel()
        else:
            wait_for(futures)
        self._workers.shutdown(wait)

    def expected_wait(self, client: str) -> float:
        """Seconds that a new piece of work of ``client`` would wait: its turn comes once for each piece before it."""
        with self._lock:
            share = self._shares.get(client) or _Share(self._virtual, self._mean)
            if self._running < self._threads and not share.waiting:
                return 0.0
            busy = sum(1 for share in self._shares.values() if share.waiting or share.running)
            turn = max(share.mean / self._most_of(client, share), busy * self._mean / self._threads)
            return (len(share.waiting) + 1) * turn

    def _share_of(self, client: str) -> _Share:
        now = self._clock()
        share = self._shares.pop(client, None) or _Share(self._virtual, self._mean)
        if not (share.waiting or share.running):
            share.used = max(share.used, self._virtual)
        share.seen = now
        self._shares[client] = share
        while (first := next(iter(self._shares.values()))).seen < now - _ACTIVE_SECONDS:
            if first.waiting or first.running:
                break
            self._shares.popitem(last=False)
        return share

    def _most_of(self, client: str, share: _Share) -> int:
        """Threads that a client may have at once."""
        others = len(self._shares) - (NO_CLIENT in self._shares) - (client in self._shares)
        if client == NO_CLIENT or others < 1:
            return self._threads
        return 1 if share.mean > _LONG_WORK * self._mean else max(1, self._threads // 2)

    def _hand_out(self) -> None:
        while True:
            with self._lock:
                chosen = self._choose()
                if chosen is None:
                    return
                share, work = chosen
                share.running += 1
                self._running += 1
                charged = share.mean
                share.used += charged
                self._workers.submit(self._do, share, work, charged)

    def _choose(self) -> tuple[_Share, _Work] | None:
        """The next piece of work, out of its queue; None while no thread is free or nobody may have one."""
        if self._running >= self._threads:
            return None
        ready = [
            share
            for client, share in self._shares.items()
            if share.waiting and share.running < self._most_of(client, share)
        ]
        if not ready:
            return None
        share = min(ready, key=lambda candidate: candidate.used)
        self._virtual = max(self._virtual, share.used)
        return share, share.waiting.popleft()

    def _do(self, share: _Share, work: _Work, charged: float) -> None:
        started = self._clock()
        try:
            if work.future.set_running_or_notify_cancel():
                try:
                    result = work.call()
                except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the result
                    work.future.set_exception(error)
                else:
                    work.future.set_result(result)
        finally:
            took = self._clock() - started
            with self._lock:
                share.running -= 1
                self._running -= 1
                share.used += took - charged
                share.mean += _SMOOTHING * (took - share.mean)
                self._mean += _SMOOTHING * (took - self._mean)
            self._hand_out()

    def _forget_cancelled(self, client: str, work: _Work) -> None:
        if not work.future.cancelled():
            return
        with self._lock:
            share = self._shares.get(client)
            if share is not None and work in share.waiting:
                share.waiting.remove(work)
