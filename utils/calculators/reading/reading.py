"""The inputs of a calculator that a question tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Reading:
    """``inputs`` by name; None where a question does not tell. ``needed`` are those without which nothing can be computed, with
    their Korean names. ``needs_amount``: with so little told, the sum is given only to who asks how much."""

    inputs: Mapping[str, Any]
    needed: Mapping[str, str]
    assumptions: tuple[str, ...] = ()
    needs_amount: bool = False

    @property
    def missing(self) -> tuple[str, ...]:
        """The Korean names of what is needed and not told."""
        return tuple(label for name, label in self.needed.items() if self.inputs.get(name) is None)

    def told(self) -> dict[str, Any]:
        """The inputs that are told."""
        return {name: value for name, value in self.inputs.items() if value is not None}

    @property
    def is_told_in_part(self) -> bool:
        """Return True if a figure that is needed is told; a kind or a region alone begins no sum."""
        told = (self.inputs.get(name) for name in self.needed)
        return any(isinstance(value, int | float) and not isinstance(value, bool) for value in told)
