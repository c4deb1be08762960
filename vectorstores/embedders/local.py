"""Embeddings of a sentence-transformers model in this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from numpy.typing import ArrayLike

from utils.config.settings import EmbeddingProvider
from vectorstores.embedders.base import TextEmbedder
from vectorstores.neural import load_model

MAX_TOKENS = 8192  # what BAAI/bge-m3 reads; longer texts are truncated

_BATCH = 16


class LocalEmbedder(TextEmbedder):
    """``model`` is a name or a folder; a model that is not in ``cache_dir`` yet is downloaded there."""

    def __init__(self, model: str, cache_dir: Path) -> None:
        self._model = load_model("EMBEDDING_PROVIDER=local (EMBEDDING_MODEL)", "SentenceTransformer", model, cache_dir)
        self._model.max_seq_length = min(self._model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
        self._lock = threading.Lock()  # a fast tokenizer used by two threads raises "Already borrowed"
        super().__init__(EmbeddingProvider.LOCAL, model, _BATCH)

    def _encode(self, texts: Sequence[str]) -> ArrayLike:
        with self._lock:
            vectors: ArrayLike = self._model.encode(list(texts), batch_size=_BATCH, show_progress_bar=False)
            return vectors
