"""Tiny neural models on disk, so that the neural path is tested without a download."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

NO_NEURAL_EXTRA = "the neural extra (sentence-transformers) is not installed"

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_SHAPE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
_SPREAD = 0.5  # of the random weights: with the usual 0.02 all texts look alike
_LENGTH = 128


def save_tiny_encoder(folder: Path, texts: Sequence[str]) -> Path:
    """A sentence-transformers model that knows the words of ``texts``; skips without the ``neural`` extra."""
    models, transformers, torch = _neural()
    torch.manual_seed(0)
    tokenizer, config = _tokenizer_and_config(transformers, texts)
    transformers.BertModel(config).eval().save_pretrained(folder / "bert")
    tokenizer.save_pretrained(folder / "bert")
    model = models.SentenceTransformer(str(folder / "bert"))  # mean pooling by default
    model.save(str(folder / "encoder"))
    return folder / "encoder"


def save_tiny_cross_encoder(folder: Path, texts: Sequence[str], labels: int = 1) -> Path:
    """A cross-encoder with ``labels`` scores that knows the words of ``texts``; skips without the ``neural`` extra."""
    _, transformers, torch = _neural()
    torch.manual_seed(0)
    tokenizer, config = _tokenizer_and_config(transformers, texts, num_labels=labels)
    transformers.BertForSequenceClassification(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _neural() -> tuple[Any, Any, Any]:
    models = pytest.importorskip("sentence_transformers", reason=NO_NEURAL_EXTRA)
    return models, pytest.importorskip("transformers"), pytest.importorskip("torch")


def _tokenizer_and_config(transformers: Any, texts: Sequence[str], **config: Any) -> tuple[Any, Any]:
    words = sorted({word for text in texts for word in re.findall(r"\w+", text)})
    vocabulary = {token: number for number, token in enumerate((*_SPECIAL, *words))}
    # transformers 5 ignores `vocab_file` without a word: everything would be unknown
    tokenizer = transformers.BertTokenizerFast(vocab=vocabulary, do_lower_case=False, model_max_length=_LENGTH)
    shape = transformers.BertConfig(
        vocab_size=len(vocabulary), max_position_embeddings=_LENGTH, initializer_range=_SPREAD, **_SHAPE, **config
    )
    return tokenizer, shape
