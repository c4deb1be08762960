"""A client that does what it can to keep the others waiting, within bounds that this machine survives."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

from evaluation.bench.load import LoadClient, LoadError

_WORDS = "부가가치세 신고 근로계약서 과태료 창업지원금 신청 법인설립 절차 주휴수당 계산 퇴직금 연차 해고 소득세 정책자금 임금체불".split()
_PARTICLES = "은 는 이 가 을 를 의 에".split()
_LONGEST = 2000
_RUN = 10  # words written as one
_AT_ONCE = 20
_ENDLESS_HEADS = 4
_HEAD_BYTES = 20_000_000
_SOURCE = "127.0.0.2"  # where it comes from: loopback has more than one address on Linux


def long_question(seed: int) -> str:
    """Return 2,000 syllables in words of some fifty, different for each seed.

    Longer ones cost less: the tokenizer reads the first 200 syllables of a word.
    """
    draw = random.Random(seed)  # noqa: S311 - a choice of words, no secret
    words = (
        "".join(draw.choice(_WORDS) + draw.choice(_PARTICLES) for _ in range(_RUN)) for _ in range(_LONGEST // _RUN)
    )
    return " ".join(words)[:_LONGEST]


class HostileClient:
    """Asks the dearest questions, holds bodies open, sends heads without an end and wrong keys, all at once."""

    def __init__(self, host: str, port: int, asking: LoadClient, guessing: LoadClient) -> None:
        self._host = host
        self._port = port
        self._asking = asking
        self._guessing = guessing
        self._asked = 0

    async def attack(self) -> None:
        """Go on until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(_AT_ONCE):
                group.create_task(self._ask())
                group.create_task(self._hold_a_body())
            for _ in range(_ENDLESS_HEADS):
                group.create_task(self._send_an_endless_head())
            group.create_task(self._guess_keys())

    async def _ask(self) -> None:
        while True:
            self._asked += 1
            question = self._asking.post("/api/chat", {"message": long_question(self._asked)})
            with suppress(LoadError):
                await self._asking.fetch(question)
            await asyncio.sleep(0.2)

    async def _guess_keys(self) -> None:
        while True:
            with suppress(LoadError):
                await self._guessing.fetch(self._guessing.post("/api/chat", {"message": "부가세"}))
            await asyncio.sleep(0.1)

    async def _hold_a_body(self) -> None:
        await self._trickle(self._asking.post("/api/chat", {"message": "가" * 500})[:-400], b" ", 10_000, pause=1.0)

    async def _send_an_endless_head(self) -> None:
        head = self._asking.get("/health/live")[:-2] + b"X-Endless: "
        await self._trickle(head, b"a" * 65_536, _HEAD_BYTES // 65_536, pause=0.01)

    async def _trickle(self, first: bytes, piece: bytes, pieces: int, pause: float) -> None:
        while True:
            with suppress(OSError):
                _, writer = await asyncio.open_connection(self._host, self._port, local_addr=(_SOURCE, 0))
                try:
                    writer.write(first)
                    for _ in range(pieces):
                        writer.write(piece)
                        await writer.drain()
                        await asyncio.sleep(pause)
                finally:
                    writer.close()
            await asyncio.sleep(0.2)
