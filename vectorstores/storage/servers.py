"""The server that a configuration names for vectors."""

from __future__ import annotations

from importlib.util import find_spec

from utils.config.settings import Settings, SettingsError
from utils.config.vector_settings import VectorBackend
from vectorstores.storage.chroma import ChromaServer
from vectorstores.storage.milvus import MilvusServer
from vectorstores.storage.vector_table import VectorServer


def vector_server(settings: Settings) -> VectorServer | None:
    """The server of ``MILVUS_URI`` or ``CHROMA_HOST``, whichever ``VECTOR_BACKEND`` asks for; None: Chroma, embedded.

    Raises `SettingsError` where the client of Milvus is not installed.
    """
    if settings.vector_backend is VectorBackend.MILVUS:
        if find_spec("pymilvus") is None:
            raise SettingsError("VECTOR_BACKEND: Milvus에는 pymilvus가 있어야 합니다. 설치: make install-milvus")
        token = settings.milvus_token
        return MilvusServer(
            settings.milvus_uri or "", token.get_secret_value() if token else "", settings.milvus_timeout
        )
    if not settings.chroma_host:
        return None
    return ChromaServer(settings.chroma_host, settings.chroma_port, settings.chroma_timeout)
