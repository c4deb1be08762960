"""Settings of what model calls cost; `utils.config.settings.Settings` takes them in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, field_validator
from pydantic_settings import BaseSettings, NoDecode

EVERY_OTHER_CLIENT = "*"
TOKENS = "tokens"

_SCHEMES = ("postgresql://", "postgresql+psycopg://", "postgres://")
_BUDGET = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?(tokens|[A-Z]{3})/(day|month)")
_FORM = "expected client=20USD/month or client=500000tokens/day, separated by commas"


@dataclass(frozen=True, slots=True)
class Budget:
    """An amount that a client may use in a period of Korea's calendar; ``unit`` is `TOKENS` or a currency."""

    amount: Decimal
    unit: str
    period: Literal["day", "month"]

    def __str__(self) -> str:
        return f"{self.amount}{self.unit}/{self.period}"


def read_budgets(value: object) -> object:
    """Return ``client=20USD/month, client=500000tokens/day`` as a mapping; what is no text stays as it is.

    Raises:
        ValueError: a part has another form, or two are of one client.
    """
    if not isinstance(value, str):
        return value
    budgets: dict[str, Budget] = {}
    for part in filter(None, map(str.strip, re.split(r"[,\n]", value))):
        name, _, written = map(str.strip, part.partition("="))
        if not name or name in budgets:
            raise ValueError(f"a client has one budget; {_FORM}")
        budgets[name] = _budget(written)
    return budgets


def _budget(written: str) -> Budget:
    found = _BUDGET.fullmatch(written)
    if found is None:
        raise ValueError(_FORM)
    try:
        amount = Decimal(found[1])
    except InvalidOperation:
        raise ValueError(_FORM) from None
    return Budget(amount, found[2], "day" if found[3] == "day" else "month")


ClientBudgets = Annotated[dict[str, Budget], NoDecode, BeforeValidator(read_budgets)]


class UsageSettings(BaseSettings):
    """Tokens and money of model calls."""

    usage_url: str | None = Field(
        None,
        repr=False,
        description="Database of the usage: postgresql://user:password@host/name; empty: SQLite in DATA_DIR.",
    )
    usage_timeout: float = Field(2.0, gt=0, description="Seconds one statement of that database may take.")
    price_file: Path | None = Field(
        None,
        description="Prices of models, in the form of data/prices/models.json, which is used when empty; an edit counts at once.",
    )
    client_budgets: ClientBudgets = Field(
        default_factory=dict,
        description="Budgets of API clients: web=20USD/month,kiosk=500000tokens/day; `*` for each client not named.",
    )
    budget_policy: Literal["extractive", "refuse"] = Field(
        "extractive",
        description="Over the budget: answers without a model, marked as degraded, or 429 until it renews.",
    )

    @field_validator("usage_url")
    @classmethod
    def _names_a_database(cls, value: str | None) -> str | None:
        if value and not value.startswith(_SCHEMES):
            raise ValueError("expected postgresql://user:password@host:port/name")
        try:
            urlsplit(value or "").port  # noqa: B018 - raises for what is none
        except ValueError:
            raise ValueError("the port is not a number from 0 to 65535") from None
        return value
