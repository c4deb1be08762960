"""`vectorstores.jobs.process` with the words and hashed vectors of `small_index`, and a place where it kills itself or waits.

``FAULT_AT`` names a function as ``module:qualified.name``; ``FAULT`` is what happens there: ``kill`` before it, ``kill-after``
behind it, ``hang`` before it and ``hang-after`` behind, once a file named by ``FAULT_TOLD`` has been made; ``fill`` writes that file until the disk is full.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from tests.support.small_index import WordAnalyzer, WordEmbedder
from utils.config.settings import Settings
from vectorstores.build.ingest import BuildProviders
from vectorstores.jobs import process as job_process

COMMAND = (sys.executable, "-m", "tests.support.small_job_process")


def small_engines(_: Settings) -> BuildProviders:
    analyzer, embedder = WordAnalyzer(), WordEmbedder()
    return BuildProviders(analyzer.id, embedder.id, lambda: (analyzer, embedder))


def _break(place: str, how: str, told: str) -> None:
    module_name, _, path = place.partition(":")
    owner: Any = importlib.import_module(module_name)
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    setattr(owner, name, _broken(getattr(owner, name), how, told))


def _broken(function: Callable[..., Any], how: str, told: str) -> Callable[..., Any]:
    @wraps(function)
    def broken(*args: Any, **kwargs: Any) -> Any:
        if how == "fill":
            fill_disk(Path(told))
            return function(*args, **kwargs)
        if how.endswith("-after"):
            function(*args, **kwargs)
        if told:
            Path(told).touch()
        if how.startswith("hang"):
            time.sleep(60)
        os.kill(os.getpid(), signal.SIGKILL)
        return None

    return broken


def fill_disk(ballast: Path) -> None:
    """Write ``ballast`` until no byte is free beside it."""
    with ballast.open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


if __name__ == "__main__":
    vars(job_process).update(build_providers=small_engines, _NICENESS=0)  # nothing else is to be given way to
    if "FAULT_AT" in os.environ:
        _break(os.environ["FAULT_AT"], os.environ["FAULT"], os.environ.get("FAULT_TOLD", ""))
    sys.exit(job_process.main())
