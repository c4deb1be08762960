"""Keeps what was learned from the examples in a file: to analyse and embed hundreds of questions again at each start is
the longest part of building the routing, and with an embedder behind a network a call for each of them.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from utils.routing.examples import FittedExamples

logger = logging.getLogger(__name__)

_KEY = "key"


class FitCache:
    """The latest fit, under a key that tells all it depends on. A file that cannot be read or written costs time alone."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, key: str, fit: Callable[[], FittedExamples]) -> FittedExamples:
        """The fit that was kept for ``key``, else the result of ``fit``, which is kept from then on."""
        kept = self._read(key)
        if kept is not None:
            return kept
        fitted = fit()
        self._write(key, fitted)
        return fitted

    def _read(self, key: str) -> FittedExamples | None:
        try:
            with np.load(self._path, allow_pickle=False) as file:
                if file[_KEY].item() != key:
                    return None
                return FittedExamples(
                    tuple(file["terms"].tolist()), file["idf"], file["coefficients"], file["platt"], file["held_out"]
                )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            logger.warning("%s: %s", self._path, error)
            return None

    def _write(self, key: str, fitted: FittedExamples) -> None:
        part = self._path.with_suffix(f".{os.getpid()}.part")
        try:
            part.parent.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                np.savez(
                    file,
                    allow_pickle=False,
                    key=np.array(key),
                    terms=np.array(fitted.terms),
                    idf=fitted.idf,
                    coefficients=fitted.coefficients,
                    platt=fitted.platt,
                    held_out=fitted.held_out,
                )
            os.replace(part, self._path)
        except OSError as error:
            logger.warning("%s: %s", self._path, error)
