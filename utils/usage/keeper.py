"""Usage as the service keeps it: written and read in a thread of its own, behind everybody's back."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from schemas.health import CapabilityState
from schemas.usage import UsageReport
from utils.observability.health import AVAILABLE, ProbeResult
from utils.usage.ledger import UsageLedger
from utils.usage.report import UsageQuery, usage_report
from utils.usage.store import UsageStore, UsageStoreError

logger = logging.getLogger(__name__)

_EVERY = 1.0  # second between two writes
_PAUSE = 5.0  # seconds after a write that failed
_STOP_SECONDS = 5.0
_AWAY = "사용량 저장소를 쓸 수 없어 모델 호출 {waiting:,}건의 기록을 메모리에 두고 있습니다."
_LOST = "사용량 저장소를 오래 쓸 수 없어 모델 호출 {lost:,}건의 기록을 잃었습니다."
_UNPRICED_BUDGET = "가격표에 없는 모델이 있어 돈으로 정한 예산이 그 모델에는 미치지 않습니다"
_OLD_PRICES = "가격표를 읽을 수 없어 전의 가격을 씁니다."

T = TypeVar("T")


class UsageKeeper:
    """Writes a ledger away every second, and reads the sums of all processes.

    ``models`` are the names of the models that calls will be made of: a budget in money needs their prices.
    """

    def __init__(self, ledger: UsageLedger, store: UsageStore, models: frozenset[str] = frozenset()) -> None:
        self._ledger = ledger
        self._store = store
        self._models = models
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="usage")
        self._is_broken = False
        self._failed = 0.0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep the ledger for the length of the block; what waits at its end is written, as long as that takes no time."""
        first = self._begin(self._tick)
        await asyncio.wait({first}, timeout=_STOP_SECONDS)  # else a restart would begin budgets anew
        keeping = asyncio.create_task(self._keep(), name="usage")
        try:
            yield
        finally:
            keeping.cancel()
            last = self._begin(self._save_quietly)
            await asyncio.wait({last}, timeout=_STOP_SECONDS)
            self._thread.shutdown(wait=False, cancel_futures=True)
            await asyncio.to_thread(self._store.close)

    async def report(self, query: UsageQuery, *, budgets_of: str | None) -> UsageReport:
        """Return sums with their prices, those not written yet included; budgets of a client, or of all (None).

        Raises:
            UsageStoreError: they cannot be read now.
        """
        reading = self._begin(lambda: self._told(lambda: self._report(query, budgets_of)))
        done, _ = await asyncio.wait({reading}, timeout=_STOP_SECONDS)
        if not done:
            raise UsageStoreError("the store does not answer")
        return reading.result()

    async def health(self) -> ProbeResult:
        """The check of a health probe: counts are written, and prices are known where budgets need them."""
        if self._ledger.lost:
            return ProbeResult(CapabilityState.DEGRADED, _LOST.format(lost=self._ledger.lost))
        if self._is_broken:
            return ProbeResult(CapabilityState.DEGRADED, _AWAY.format(waiting=self._ledger.waiting))
        if self._ledger.prices.fault:
            return ProbeResult(CapabilityState.DEGRADED, _OLD_PRICES)
        if unpriced := self._ledger.unpriced_in_budgets(self._models):
            return ProbeResult(CapabilityState.DEGRADED, f"{_UNPRICED_BUDGET}: {', '.join(unpriced)}.")
        return AVAILABLE

    def _begin(self, work: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(_EVERY)
            await self._begin(self._tick)

    def _tick(self) -> None:
        self._ledger.prices.refresh()
        if not self._is_broken or time.monotonic() - self._failed >= _PAUSE:
            self._save_quietly()

    def _save_quietly(self) -> None:
        try:
            with suppress(UsageStoreError):
                self._told(lambda: self._ledger.save(look=self._is_broken))
        except Exception:
            logger.exception("usage could not be written")

    def _report(self, query: UsageQuery, budgets_of: str | None) -> UsageReport:
        self._ledger.save(look=True)
        sums = self._store.sums(query.first, query.last, query.client, query.groups)
        spendings = self._ledger.spendings()
        if budgets_of is not None:
            spendings = [spending for spending in spendings if spending.client == budgets_of]
        return usage_report(query, sums, self._ledger.prices.table, spendings)

    def _told(self, work: Callable[[], T]) -> T:
        """Do some work on the store; tells once that it is away, and once that it is back. Raises `UsageStoreError`."""
        try:
            result = work()
        except UsageStoreError as error:
            if not self._is_broken:
                logger.warning("사용량 저장소를 쓸 수 없어 메모리에 둡니다 (%s)", error)
            self._is_broken, self._failed = True, time.monotonic()
            raise
        if self._is_broken:
            logger.info("사용량 저장소를 다시 씁니다.")
        self._is_broken = False
        return result
