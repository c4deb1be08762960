"""Several processes on one port: uvicorn's supervisor, with the ends that a service needs.

A worker that dies is replaced. Workers that cannot start end the service with a sentence instead of being started for ever.
SIGHUP replaces one after the other, each by a process that already serves; SIGTERM lets all finish their requests; SIGTTIN and SIGTTOU
add and remove one.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import uvicorn
from uvicorn.supervisors.multiprocess import Multiprocess, Process

logger = logging.getLogger("bizi")

_START_SECONDS = 180  # reading a national index on a busy machine, with room
_SILENT_SECONDS = 60.0  # a thread of the worker answers; loading a library may hold the interpreter for seconds
_END_SECONDS = 60.0  # more than a drain takes
_FAILED_STARTS = 3
_POLL_SECONDS = 0.1

BuildServer = Callable[[], uvicorn.Server]


class _WorkerConfig(uvicorn.Config):
    """Goes to a worker, which builds its own server: nothing but the function is handed over."""

    def __init__(self, build: BuildServer, workers: int) -> None:
        super().__init__("", workers=workers, log_config=None)
        self.build = build


class Worker(Process):
    """A process that serves."""

    config: _WorkerConfig

    def __init__(self, config: _WorkerConfig, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self.has_served = False
        self._asked_at: float | None = None

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve; runs in the worker."""
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # of a terminal that closes; the supervisor decides
        threading.Thread(target=_end_with_supervisor, daemon=True).start()
        self._server = self.config.build()  # before the thread that says if it has started
        super().target(sockets)

    def always_pong(self) -> None:
        """Answer the supervisor as long as it asks; runs in the worker."""
        with suppress(EOFError, OSError):
            super().always_pong()

    def is_alive(self, timeout: float = _SILENT_SECONDS) -> bool:
        """Return False if the process is gone or has not answered for ``timeout`` seconds. Does not wait for an answer."""
        if not self.process.is_alive():
            return False
        try:
            if self._asked_at is None:
                self.parent_conn.send(b"ping")
                self._asked_at = time.monotonic()
            if self.parent_conn.poll():
                self.has_served = self.parent_conn.recv() or self.has_served
                self._asked_at = None
        except (OSError, EOFError):
            return False
        return self._asked_at is None or time.monotonic() - self._asked_at < timeout


class Workers(Multiprocess):
    """Keeps ``count`` workers on ``listener``, each with a server of its own that ``build`` makes in it.

    ``build`` must be found by its name in a new process. `run` it in the main thread, which then takes the signals.
    """

    processes: list[Worker]  # type: ignore[assignment]

    def __init__(self, build: BuildServer, count: int, listener: socket.socket) -> None:
        self._config = _WorkerConfig(build, count)
        super().__init__(self._config, [listener])
        self.failed = False
        self._were_all_serving = False
        self._failed_starts = 0
        self._retired: list[Worker] = []

    def init_processes(self) -> None:
        """Start all."""
        self.processes.extend(self._started() for _ in range(self.processes_num))

    def keep_subprocess_alive(self) -> None:
        """Replace who died; stop everything if starting is in vain."""
        for number, worker in enumerate(self.processes):
            if worker.is_alive():
                continue
            worker.kill()
            worker.join()
            if not worker.has_served and not self._may_start_again():
                logger.error(
                    "작업 프로세스가 시작하지 못해 서비스를 끝냅니다 (종료 코드 %s). 위의 기록에 까닭이 있습니다.",
                    worker.exitcode,
                )
                self.failed = True
                self.should_exit.set()
                return
            logger.warning("작업 프로세스 %s이(가) 죽어 새로 시작합니다 (종료 코드 %s).", worker.pid, worker.exitcode)
            self.processes[number] = self._started()
        if all(worker.has_served for worker in self.processes):
            self._failed_starts = 0
            if not self._were_all_serving:
                logger.info("작업 프로세스 %d개가 응답합니다.", len(self.processes))
            self._were_all_serving = True

    def restart_all(self) -> None:
        """Replace one after the other; the old one goes once the new one serves. Whatever fails, the old ones stay."""
        for number, old in enumerate(self.processes):
            new = self._started()
            self._wait(partial(_is_decided, new), _START_SECONDS)
            if not new.has_served:
                new.kill()
                new.join()
                if not self._is_asked_to_stop():
                    logger.error("새 작업 프로세스가 시작하지 못했습니다. 이전 것이 계속 답합니다.")
                return
            self.processes[number] = new
            self._retired.append(old)
            old.terminate()
            self._wait(partial(_has_ended, old), _END_SECONDS)
        self._bury()
        logger.info("작업 프로세스를 모두 새로 시작했습니다.")

    def handle_ttin(self) -> None:
        """Add a worker."""
        self.processes_num += 1
        self.processes.append(self._started())

    def join_all(self) -> None:
        """Wait until all have ended, and end those by force that do not."""
        self._retired += self.processes
        until = time.monotonic() + _END_SECONDS
        for worker in self._retired:
            worker.process.join(max(0.0, until - time.monotonic()))
        self._bury()

    def _started(self) -> Worker:
        worker = Worker(self._config, self.sockets)
        worker.start()
        return worker

    def _may_start_again(self) -> bool:
        """Return False at the first start, where trying again gives the same, and after a few replacements in a row."""
        self._failed_starts += 1
        return self._were_all_serving and self._failed_starts < _FAILED_STARTS

    def _wait(self, is_over: Callable[[], bool], seconds: float) -> None:
        """Wait so long at most, and no longer when all are to stop."""
        until = time.monotonic() + seconds
        while not is_over() and time.monotonic() < until and not self._is_asked_to_stop():
            time.sleep(_POLL_SECONDS)

    def _is_asked_to_stop(self) -> bool:
        return signal.SIGTERM in self.signal_queue or signal.SIGINT in self.signal_queue

    def _bury(self) -> None:
        for worker in self._retired:
            if worker.process.is_alive():
                worker.kill()
            worker.process.join()
        self._retired.clear()


def bound_listener(host: str, port: int) -> socket.socket:
    """Return a socket on the address; it listens once the first worker does.

    Raises:
        OSError: the address cannot be used.
    """
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


def _is_decided(worker: Worker) -> bool:
    return not worker.is_alive() or worker.has_served


def _has_ended(worker: Worker) -> bool:
    return not worker.process.is_alive()


def _end_with_supervisor() -> None:
    """End the worker as a signal would, once the supervisor is gone: nobody would replace or stop it."""
    if (supervisor := multiprocessing.parent_process()) is not None:
        supervisor.join()
        os.kill(os.getpid(), signal.SIGTERM)
