"""A Milvus Lite server of a test's own; it keeps its port and its data."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.own_server import OwnServer


class MilvusProcess(OwnServer):
    """Stores in ``folder``. A skip where the extra ``milvus`` is not installed."""

    def __init__(self, folder: Path) -> None:
        if find_spec("milvus_lite") is None or find_spec("pymilvus") is None:
            pytest.skip("milvus-lite is not installed")
        super().__init__()
        self._folder = folder

    @property
    def uri(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _command(self) -> list[str]:
        place = ["--data-dir", str(self._folder), "--host", "127.0.0.1", "--port", str(self.port)]
        return [sys.executable, "-m", "milvus_lite", "server", *place]

    def _answers(self) -> bool:
        from vectorstores.backends.milvus import MilvusServer
        from vectorstores.errors import VectorStoreUnavailable

        try:
            MilvusServer(self.uri, timeout=1).connect().close()
        except VectorStoreUnavailable:
            return False
        return True
