"""Counting who uses something that is open, so that it is closed with the last one and not before."""

from __future__ import annotations

import threading


class Users:
    """Counter of the users of a resource; starts at 1 for the opener. Thread-safe."""

    def __init__(self) -> None:
        self._count = 1
        self._guard = threading.Lock()

    def enter(self) -> bool:
        """Count one more; False when the last has left: the thing is closed, or about to be."""
        with self._guard:
            if self._count == 0:
                return False
            self._count += 1
            return True

    def leave(self) -> bool:
        """Count one fewer; True for the last one, who has to close the thing. Leaving twice counts once."""
        with self._guard:
            if self._count == 0:
                return False
            self._count -= 1
            return self._count == 0
