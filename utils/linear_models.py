"""The one file of linear weights that were learned, whatever learned them, and the one way to read it.

A file is only good for the tokenizer, embedder and reranker that its features came from, and for exactly the features that
the code computes: anything else is refused with `WeightsRefused`. docs/learned.md lists the files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

_DECIMALS = 4
_EMBEDDED = "kiwi"  # how the ids of the embedded embedder and reranker begin


class WeightsRefused(ValueError):
    """Weights that must not be used; the message names the file, the reason and the command that learns them anew."""


class LearnedWith(BaseModel):
    """Ids of what the features come from; ``reranker`` is None where none of them has to do with it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tokenizer: str
    embedder: str
    reranker: str | None = None


class LinearModel(BaseModel):
    """``score = intercept + Σ weight · feature``; a logistic model says yes from the probability ``threshold`` on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    weights: dict[str, float]
    intercept: float = 0.0
    threshold: float | None = Field(default=None, ge=0.0, le=1.0)

    @classmethod
    def of(
        cls, features: Sequence[str], weights: Iterable[float], intercept: float = 0.0, threshold: float | None = None
    ) -> Self:
        """Name the weights by their features, rounded to what a reader of the file can compare."""
        named = {name: round(float(weight), _DECIMALS) for name, weight in zip(features, weights, strict=True)}
        return cls(weights=named, intercept=round(float(intercept), _DECIMALS), threshold=threshold)

    @property
    def yes_from(self) -> float:
        """Return the probability from which the answer is yes: the threshold, or a half."""
        return 0.5 if self.threshold is None else self.threshold

    def vector(self, features: Sequence[str]) -> NDArray[np.float64]:
        """Return the weights in the order of ``features``."""
        return np.array([self.weights[name] for name in features], dtype=np.float64)


@dataclass(frozen=True)
class WeightsFile:
    """Where weights lie, the features of each of their models (None: any), and the command that learns them."""

    path: Path
    command: str
    features: Mapping[str, tuple[str, ...] | None]

    def learned_for(self, in_effect: LearnedWith) -> WeightsFile:
        """Return the file kept for these: the shipped one for the embedded models, one beside it for other providers."""
        ids = [model_id for model_id in (in_effect.embedder, in_effect.reranker) if model_id is not None]
        if all(model_id.startswith(_EMBEDDED) for model_id in ids):
            return self
        pair = "_".join(ids)
        return self.at(self.path.with_name(re.sub(r"[^\w.+-]+", "-", pair) + ".json"))

    def chosen(self, path: Path | None, in_effect: LearnedWith | None) -> WeightsFile:
        """Return the file at ``path`` if that is given, else the one kept for ``in_effect``, else the shipped one."""
        if path is not None:
            return self.at(path)
        own = self.learned_for(in_effect) if in_effect else self
        return own if own.path.exists() else self

    def at(self, path: Path) -> WeightsFile:
        """Return the same file in another place."""
        return WeightsFile(path, self.command, self.features)

    def refused(self, reason: object) -> WeightsRefused:
        """Return the error for this file, to be raised."""
        return WeightsRefused(
            f"{self.path.parent.name}/{self.path.name}: {reason}. 다시 배우는 명령: python -m evaluation {self.command}"
        )


class LearnedWeights(BaseModel):
    """Contents of a file: its models by name, and with what they were learned.

    ``questions`` is the number of questions learned from, ``cross_validated`` what the models reach on questions held out of the
    fit. ``marks`` are further numbers of the file's owner.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str
    learned_with: LearnedWith
    questions: int
    cross_validated: dict[str, float]
    models: dict[str, LinearModel]
    marks: dict[str, float] = Field(default_factory=dict)

    @classmethod
    def read(cls, file: WeightsFile, in_effect: LearnedWith | None) -> Self:
        """Read a file for use with what is ``in_effect``; None reads it whatever it was learned with, as a trainer may.

        Raises:
            WeightsRefused: the file cannot be read, is not of this form, has models or features other than those expected, or
                was learned with something else.
        """
        try:
            found = cls.model_validate_json(file.path.read_bytes())
        except OSError as error:
            raise file.refused(f"읽을 수 없습니다 ({error.strerror})") from error
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise file.refused(f"형식이 맞지 않습니다 ({place}: {first['msg']})") from error
        reason = _difference(file.features, found) or (in_effect and _mismatch(found.learned_with, in_effect))
        if reason:
            raise file.refused(reason)
        return found

    def write(self, path: Path) -> None:
        """Write the file so that a change of one weight is a change of one line."""
        plain = self.model_dump(exclude_none=True, exclude_defaults=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(plain, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _difference(expected: Mapping[str, tuple[str, ...] | None], found: LearnedWeights) -> str:
    if expected.keys() != found.models.keys():
        return f"모델이 {sorted(expected)}이어야 하는데 {sorted(found.models)}입니다"
    for name, features in expected.items():
        given = found.models[name].weights.keys()
        if features is not None and set(features) != given:
            missing, unknown = sorted(set(features) - given), sorted(given - set(features))
            return f"{name}의 특성이 다릅니다 (없는 것: {missing}, 모르는 것: {unknown})"
    return ""


def _mismatch(learned: LearnedWith, in_effect: LearnedWith) -> str:
    different = [
        f"{part} {before}(으)로 배웠는데 지금은 {now}입니다"
        for part, before in learned
        if before != (now := getattr(in_effect, part))
    ]
    return ", ".join(different)
