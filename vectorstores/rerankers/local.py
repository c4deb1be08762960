"""A cross-encoder of sentence-transformers in this process."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence

import numpy as np

from vectorstores.providers.neural import NeuralRuntime, failed, load_model
from vectorstores.rerankers.text_reranker import TextReranker

BATCH = 16

_SETTING = "RERANK_PROVIDER=local (RERANK_MODEL)"
_PROBE = "사업자등록"
_AT_ONCE = 1_024  # sorted by length before they are batched


class LocalReranker(TextReranker):
    """``model`` is a name or a folder; one that is not in the runtime's ``cache_dir`` yet is downloaded there.

    ``max_tokens``: what is read of question and passage together, and no more than the model takes.

    Raises:
        ProviderUnavailable: on construction: the model cannot be loaded, or does not give one score a pair.
    """

    def __init__(self, model: str, runtime: NeuralRuntime, batch_size: int, max_tokens: int) -> None:
        super().__init__(f"local-{model}", _AT_ONCE)
        self._batch_size = batch_size
        self._encoder = load_model(_SETTING, "CrossEncoder", model, runtime)
        self._encoder.max_seq_length = min(self._encoder.max_seq_length or max_tokens, max_tokens)
        self._sigmoid = importlib.import_module("torch").nn.Sigmoid()  # some models are configured to answer logits
        self._lock = threading.Lock()  # a fast tokenizer used by two threads raises "Already borrowed"
        self._checked(_PROBE, [_PROBE])

    def _score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        with self._lock:
            try:
                scores = self._encoder.predict(
                    [(question, text) for text in texts],
                    activation_fn=self._sigmoid,
                    batch_size=self._batch_size,
                    show_progress_bar=False,
                )
            except (RuntimeError, ValueError, IndexError) as error:  # out of memory, mostly
                raise failed(_SETTING, "재순위를 매기지 못했습니다", error) from error
        return list(np.asarray(scores, dtype=np.float64).reshape(-1).tolist())
