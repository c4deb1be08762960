"""Loads models of the ``neural`` extra, or says what is missing."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Literal

from vectorstores.errors import ProviderUnavailable


def load_model(setting: str, kind: Literal["SentenceTransformer", "CrossEncoder"], model: str, cache_dir: Path) -> Any:
    """A model of sentence-transformers, which is imported here and only here: it takes seconds and is optional.

    Raises:
        ProviderUnavailable: the extra is not installed, or the model cannot be loaded; ``setting`` is named.
    """
    try:
        package = importlib.import_module("sentence_transformers")
    except ImportError as error:
        raise ProviderUnavailable(
            f'{setting}: sentence-transformers가 없습니다. pip install "bizi-rag[neural]"로 설치하세요'
        ) from error
    try:
        return getattr(package, kind)(model, cache_folder=str(cache_dir))
    except (OSError, ValueError, RuntimeError) as error:
        raise ProviderUnavailable(
            f"{setting}: 모델 {model!r}을(를) 불러올 수 없습니다 ({type(error).__name__})"
        ) from error
