"""A folder in which the processes of one service count together, as prometheus-client's multiprocess mode keeps it.

Each process has files of its own there, named by its process id; who is asked adds them all up. Prometheus takes a count that
begins anew for a restart, so the folder is emptied when the first process of a service starts.
"""

from __future__ import annotations

import os
from pathlib import Path

from prometheus_client import values
from prometheus_client.multiprocess import mark_process_dead
from prometheus_client.values import MultiProcessValue

_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def count_together(folder: Path) -> None:
    """Have every metric that is made from now on counted in ``folder``, which is made ready for this process.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _forget_the_dead(folder)
    # the library reads both where a metric is made; its own switch is read at import, before there are settings
    os.environ[_VARIABLE] = str(folder)
    values.ValueClass = MultiProcessValue()


def leave(folder: Path) -> None:
    """Take this process out of what is added up of living processes; its counters stay."""
    mark_process_dead(os.getpid(), str(folder))


def _forget_the_dead(folder: Path) -> None:
    """Empty the folder when nobody else counts there, else take those that are gone out of the gauges."""
    files = list(folder.glob("*_*.db"))  # once: another process that starts right now keeps its own
    names = (file.stem.rpartition("_")[2] for file in files)
    counting = {int(name) for name in names if name.isdigit()}
    alive = {number for number in counting if number != os.getpid() and _is_alive(number)}
    if not alive:
        for file in files:
            file.unlink(missing_ok=True)
    for number in counting - alive:
        mark_process_dead(number, str(folder))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
