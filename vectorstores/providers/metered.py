"""Calls of an embedding or rerank server, counted for whom they are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from schemas.usage import UsagePurpose
from utils.usage.budgets import BudgetExhausted
from utils.usage.records import UsageCounts, estimated_tokens, reported_tokens, size_of
from utils.usage.sink import UsageSink
from vectorstores.errors import ProviderUnavailable


class MeteredCalls:
    """Makes calls of a model for a purpose; ``setting`` is named in errors."""

    def __init__(self, usage: UsageSink, purpose: UsagePurpose, model: str, setting: str) -> None:
        self._usage = usage
        self._purpose = purpose
        self._model = model
        self._setting = setting

    def made(self, read: Sequence[str], call: Callable[[], Any]) -> Any:
        """Return what ``call`` gives, and count its tokens: as the answer reports them, else by the texts that it ``read``.

        A call that fails costs nothing.

        Raises:
            ProviderUnavailable: the client of the current context has used up its budget, so nothing was called; or as ``call``.
        """
        try:
            self._usage.check(self._purpose)
        except BudgetExhausted as error:
            raise ProviderUnavailable(f"{self._setting}: 이 클라이언트의 예산을 다 써서 부르지 않습니다") from error
        answer = call()
        reported = reported_tokens(answer)
        tokens = estimated_tokens(size_of(*read)) if reported is None else reported
        counts = UsageCounts.of_call(tokens, estimated=reported is None)
        self._usage.note(self._purpose, self._model, counts)
        return answer
