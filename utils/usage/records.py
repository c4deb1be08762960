"""Counts of model calls, and what they are told apart by."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, NamedTuple, Self

from schemas.usage import UsagePurpose
from utils.http.access import LOCAL_CLIENT
from utils.observability.request_context import current_client

KOREA = timezone(timedelta(hours=9))
SERVICE = ""
"""The client of calls that the service makes for itself."""

_NAMED = "client:"  # of `utils.middleware.rate_limit.bucket_of`
_BYTES_A_TOKEN = 4  # of UTF-8: four letters of English, or one and a third syllables of Korean


class UsageKey(NamedTuple):
    """The place of a sum; ``day`` is that in Korea."""

    day: date
    client: str
    purpose: UsagePurpose
    model: str


@dataclass(frozen=True, slots=True)
class UsageCounts:
    """Calls and tokens. ``input_tokens`` include the cached ones; the estimated ones are part of all sums."""

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    estimated_calls: int = 0
    estimated_tokens: int = 0

    @classmethod
    def of_call(cls, input_tokens: int, output_tokens: int = 0, cached_tokens: int = 0, *, estimated: bool) -> Self:
        """Return the counts of a single call. Cached tokens are never more than there are."""
        known, written = max(0, input_tokens), max(0, output_tokens)
        return cls(
            calls=1,
            input_tokens=known,
            cached_tokens=min(max(0, cached_tokens), known),
            output_tokens=written,
            estimated_calls=int(estimated),
            estimated_tokens=known + written if estimated else 0,
        )

    def __add__(self, other: UsageCounts) -> UsageCounts:
        return UsageCounts(*(getattr(self, name) + getattr(other, name) for name in COUNTED))

    @property
    def tokens(self) -> int:
        """All tokens, read and written."""
        return self.input_tokens + self.output_tokens


COUNTED = tuple(each.name for each in fields(UsageCounts))


def total_of(counts: Iterable[UsageCounts]) -> UsageCounts:
    """Return the sum of any number of counts."""
    return sum(counts, UsageCounts())


def estimated_tokens(size: int) -> int:
    """Estimate the tokens of a text of ``size`` bytes in UTF-8: rather more than a tokenizer finds in Korean."""
    return math.ceil(size / _BYTES_A_TOKEN)


def size_of(*texts: str) -> int:
    """Return the bytes of texts in UTF-8; a lone surrogate counts as the character that stands in for it."""
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def reported_tokens(answer: Any) -> int | None:
    """Return the input tokens that an embedding or rerank server reports beside its result; None where it reports none."""
    usage = answer.get("usage") if isinstance(answer, dict) else None
    if not isinstance(usage, dict):
        return None
    told = [usage.get(name) for name in ("prompt_tokens", "total_tokens", "input_tokens")]
    return next((count for count in told if isinstance(count, int) and not isinstance(count, bool) and count > 0), None)


def current_account() -> str:
    """Return the name of the API client whose request is being served, `SERVICE` outside of requests."""
    bucket = current_client()
    if bucket.startswith(_NAMED):
        return bucket.removeprefix(_NAMED)
    return LOCAL_CLIENT.name if bucket else SERVICE


def korean_now() -> datetime:
    """Return the time, in Korea's zone."""
    return datetime.now(UTC).astimezone(KOREA)
