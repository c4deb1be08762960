"""Embeddings of a sentence-transformers model in this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from numpy.typing import ArrayLike

from vectorstores.embedders.base import TextEmbedder, TextModel
from vectorstores.providers.neural import NeuralRuntime, failed, load_model

BATCH = 16

_SETTING = "EMBEDDING_PROVIDER=local (EMBEDDING_MODEL)"
_AT_ONCE = 1_024  # sorted by length before they are batched, so that little is calculated for padding


class LocalEmbedder(TextEmbedder):
    """The model is a name or a folder; one that is not in the runtime's ``cache_dir`` yet is downloaded there.

    ``max_tokens``: what is read of a text, and no more than the model takes.
    """

    def __init__(self, model: TextModel, runtime: NeuralRuntime, max_tokens: int) -> None:
        self._encoder = load_model(_SETTING, "SentenceTransformer", model.name, runtime)
        self._encoder.max_seq_length = min(self._encoder.max_seq_length or max_tokens, max_tokens)
        self._lock = threading.Lock()  # a fast tokenizer used by two threads raises "Already borrowed"
        super().__init__(model, _AT_ONCE)

    def _encode(self, texts: Sequence[str]) -> ArrayLike:
        with self._lock:
            try:
                vectors: ArrayLike = self._encoder.encode(
                    list(texts),
                    # the prefixes are ours: a model's own default prompt would be put before both kinds of text
                    prompt="",
                    batch_size=self._model.batch_size,
                    show_progress_bar=False,
                )
            except (RuntimeError, ValueError, IndexError) as error:  # out of memory, mostly
                raise failed(_SETTING, "임베딩하지 못했습니다", error) from error
            return vectors
