"""A model that hands out what it was ordered: its system prompt is none of an answer."""

from __future__ import annotations

from collections.abc import Iterable

_LEAST = 20  # characters without blanks; shorter lines may stand in any answer


class RepeatedOrders:
    """Looks for a whole line of a system prompt in a text that comes in pieces; blanks do not count."""

    def __init__(self, orders: Iterable[str]) -> None:
        squeezed = ("".join(line.split()) for text in orders for line in text.splitlines())
        self._lines = tuple(line for line in squeezed if len(line) >= _LEAST)
        self._kept = max(map(len, self._lines), default=1) - 1
        self._tail = ""

    def are_in(self, piece: str) -> bool:
        """Return True if a line has come to its end with ``piece``."""
        text = self._tail + "".join(piece.split())
        self._tail = text[-self._kept :] if self._kept else ""
        return any(line in text for line in self._lines)
