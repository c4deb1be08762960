"""Protocol for reporting the stages of long work."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """``start`` opens a stage of ``total`` steps (None: unknown); ``advance`` counts within it."""

    def start(self, stage: str, total: int | None) -> None: ...

    def advance(self, steps: int = 1) -> None: ...


class NoProgress:
    """Says nothing."""

    def start(self, stage: str, total: int | None) -> None: ...

    def advance(self, steps: int = 1) -> None: ...
