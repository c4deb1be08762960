"""Loads models of the ``neural`` extra, or says what is missing."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from utils.config.settings import Settings
from vectorstores.errors import ProviderUnavailable

_SHOWN = 200  # characters of what the library says


@dataclass(frozen=True, slots=True)
class NeuralRuntime:
    """Where local models are kept and how they calculate; a ``device`` of None is the best there is."""

    cache_dir: Path
    device: str | None = None
    dtype: str = "float32"
    threads: int | None = None

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(
            cache_dir=settings.data_dir / "models",
            device=settings.neural_device,
            dtype=settings.neural_dtype,
            threads=settings.neural_threads,
        )


def load_model(
    setting: str, kind: Literal["SentenceTransformer", "CrossEncoder"], model: str, runtime: NeuralRuntime
) -> Any:
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
    if runtime.threads is not None:
        importlib.import_module("torch").set_num_threads(runtime.threads)
    try:
        # the dtype is always named: a checkpoint of halves would else be calculated in halves, slowly on a CPU
        return getattr(package, kind)(
            model,
            device=runtime.device,
            cache_folder=str(runtime.cache_dir),
            model_kwargs={"dtype": runtime.dtype},
        )
    except Exception as error:  # what a broken file or a missing device raises is anything
        raise failed(setting, f"모델 {model!r}을(를) 불러올 수 없습니다", error) from error


def failed(setting: str, what: str, error: Exception) -> ProviderUnavailable:
    """The error that names the setting and the first line of what the library says."""
    said = (str(error).strip().splitlines() or [""])[0][:_SHOWN]
    return ProviderUnavailable(f"{setting}: {what} ({type(error).__name__}{': ' if said else ''}{said})")
