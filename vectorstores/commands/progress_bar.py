"""A bar for each stage of long work, for a person who waits for it."""

from __future__ import annotations

import sys
from typing import NoReturn

from tqdm import tqdm


class TqdmProgress:
    """A progress bar for each stage, on standard error."""

    def __init__(self) -> None:
        self._bar: tqdm[NoReturn] | None = None

    def start(self, stage: str, total: int | None) -> None:
        self.close()
        self._bar = tqdm(desc=stage, total=total, file=sys.stderr, unit="건", dynamic_ncols=True)

    def advance(self, steps: int = 1) -> None:
        if self._bar is not None:
            self._bar.update(steps)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
