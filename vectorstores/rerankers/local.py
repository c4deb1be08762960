"""A cross-encoder of sentence-transformers in this process."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vectorstores.neural import load_model
from vectorstores.rerankers.text_reranker import TextReranker

MAX_TOKENS = 1024  # of question and passage together: the length the bge rerankers were trained on

_BATCH = 16


class LocalReranker(TextReranker):
    """``model`` is a name or a folder; a model that is not in ``cache_dir`` yet is downloaded there.

    Raises:
        ProviderUnavailable: on construction: the model cannot be loaded.
    """

    def __init__(self, model: str, cache_dir: Path) -> None:
        super().__init__(f"local-{model}", _BATCH)
        self._model = load_model("RERANK_PROVIDER=local (RERANK_MODEL)", "CrossEncoder", model, cache_dir)
        self._model.max_seq_length = min(self._model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
        self._sigmoid = importlib.import_module("torch").nn.Sigmoid()  # some models are configured to answer logits
        self._lock = threading.Lock()  # a fast tokenizer used by two threads raises "Already borrowed"

    def _score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        pairs = [(question, text) for text in texts]
        with self._lock:
            scores = self._model.predict(pairs, activation_fn=self._sigmoid, show_progress_bar=False)
        return list(np.asarray(scores, dtype=np.float64).reshape(-1).tolist())
