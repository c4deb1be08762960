"""A Chroma server of a test's own; it keeps its port and its data."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx

from tests.support.own_server import OwnServer, program


class ChromaProcess(OwnServer):
    """Stores in ``folder``."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._program = program("chroma", str(Path(sys.executable).parent))
        self._folder = folder

    def _command(self) -> list[str]:
        return [self._program, "run", "--path", str(self._folder), "--host", "127.0.0.1", "--port", str(self.port)]

    def _answers(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/api/v2/heartbeat", timeout=1).is_success
        except httpx.HTTPError:
            return False
