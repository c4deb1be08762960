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


def save_tiny_causal_model(folder: Path, texts: Sequence[str], *, ends: bool) -> Path:
    """A language model that knows the words of ``texts``, with a chat template; skips without the ``neural`` extra.

    It ends its text with the last token that it may write, or never.
    """
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    torch.manual_seed(0)
    tokenizer, _ = _tokenizer_and_config(transformers, texts)
    tokenizer.add_special_tokens({"eos_token": "[EOS]"})
    tokenizer.chat_template = "{% for message in messages %}{{ message.content }} {% endfor %}"
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=_LENGTH,
        n_embd=32,
        n_layer=2,
        n_head=2,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=tokenizer.eos_token_id,
        initializer_range=_SPREAD,
    )
    model = transformers.GPT2LMHeadModel(config).eval()
    end = tokenizer.eos_token_id
    if ends:
        model.generation_config.forced_eos_token_id = end
    else:
        model.generation_config.suppress_tokens = [end]
    model.save_pretrained(folder)
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
