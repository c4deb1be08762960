"""Prices of models: a table with dates that operators edit while the service runs.

The file is ``{"currency", "as_of", "models": {name: [{"from", "input", "cached_input", "output"}, …]}}``; prices are per million
tokens. What was used on a day costs the latest price that holds from that day or before. A model that is not in the table, or not
yet on that day, has no price: nothing is guessed.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from utils.config.settings import PROJECT_ROOT
from utils.usage.records import UsageCounts

logger = logging.getLogger(__name__)

SHIPPED_PRICES = PROJECT_ROOT / "data" / "prices" / "models.json"

_MILLION = Decimal(1_000_000)
_OF_A_DAY = re.compile(r"-[0-9]{4}-?[0-9]{2}-?[0-9]{2}")
_LARGEST_FILE = 1_048_576
_Price = Annotated[Decimal, Field(ge=0, le=1_000_000_000)]


class PriceFileError(ValueError):
    """The file of prices cannot be used; the message says why."""


class ModelPrice(BaseModel):
    """Prices per million tokens from a day on; without ``cached_input`` cached input costs as much as other input."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    since: date = Field(alias="from")
    input: _Price
    cached_input: _Price | None = None
    output: _Price = Decimal(0)

    def cost(self, counts: UsageCounts) -> Decimal:
        """Return the price of tokens, in the currency of the table."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = counts.input_tokens - counts.cached_tokens
        return (fresh * self.input + counts.cached_tokens * cached + counts.output_tokens * self.output) / _MILLION


def _by_day(prices: Sequence[ModelPrice]) -> tuple[ModelPrice, ...]:
    if len({price.since for price in prices}) < len(prices):
        raise ValueError("a model has two prices from one day on")
    return tuple(sorted(prices, key=lambda price: price.since))


_History = Annotated[tuple[ModelPrice, ...], Field(min_length=1), AfterValidator(_by_day)]


class PriceTable(BaseModel):
    """The prices of models by name, the earliest first. ``as_of``: the day on which they were last looked through."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
    as_of: date
    note: str = ""
    models: Mapping[str, _History]

    @classmethod
    def read(cls, file: Path) -> PriceTable:
        """Read a file.

        Raises:
            PriceFileError: it cannot be read, or is none of prices.
        """
        try:
            if file.stat().st_size > _LARGEST_FILE:
                raise PriceFileError(f"{file}: larger than {_LARGEST_FILE:,} bytes")
            return cls.model_validate_json(file.read_bytes())
        except OSError as error:
            raise PriceFileError(f"{file}: {error.strerror or error}") from error
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise PriceFileError(f"{file}: {place}: {first['msg']}") from error

    def price(self, model: str, day: date) -> ModelPrice | None:
        """Return the price of a model on a day. A name with the day of its release counts as the name without it."""
        history = self.models.get(model) or self.models.get(_OF_A_DAY.sub("", model)) or ()
        return next((price for price in reversed(history) if price.since <= day), None)

    def cost(self, model: str, day: date, counts: UsageCounts) -> Decimal | None:
        """Return the price of tokens used on a day, in ``currency``; None where the model has none."""
        price = self.price(model, day)
        return None if price is None else price.cost(counts)


@dataclass(frozen=True, slots=True)
class _Edition:
    stamp: tuple[int, int, int]
    table: PriceTable


class PriceBook:
    """The table in force: that of the file as it was last edited. A file that is spoilt leaves the one before in force."""

    def __init__(self, file: Path | None = None) -> None:
        """Raises `PriceFileError` where the file cannot be used now."""
        self._file = file or SHIPPED_PRICES
        self._edition = self._read()
        self._spoilt: tuple[int, int, int] | None = None
        self.fault = ""

    @property
    def table(self) -> PriceTable:
        """The prices in force."""
        return self._edition.table

    def refresh(self) -> None:
        """Read the file again where it was edited; blocking, and never fails: ``fault`` says what is wrong with it."""
        try:
            stamp = self._stamp()
        except OSError as error:
            self._note(None, f"{self._file}: {error.strerror or error}")
            return
        if stamp == self._edition.stamp:
            self._spoilt, self.fault = None, ""
            return
        if stamp == self._spoilt:
            return
        try:
            self._edition = self._read()
        except PriceFileError as error:
            self._note(stamp, str(error))
            return
        self._spoilt, self.fault = None, ""
        logger.info("모델 가격표를 다시 읽었습니다 (%s 기준).", self.table.as_of)

    def _note(self, stamp: tuple[int, int, int] | None, fault: str) -> None:
        if fault != self.fault:
            logger.warning("모델 가격표를 읽을 수 없어 전의 가격을 씁니다 (%s)", fault)
        self._spoilt, self.fault = stamp, fault

    def _read(self) -> _Edition:
        try:
            stamp = self._stamp()
        except OSError as error:
            raise PriceFileError(f"{self._file}: {error.strerror or error}") from error
        return _Edition(stamp, PriceTable.read(self._file))

    def _stamp(self) -> tuple[int, int, int]:
        found = self._file.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino
