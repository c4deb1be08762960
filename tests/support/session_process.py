"""Another process on a store of conversations: ``python -m tests.support.session_process PLACE say|hold SESSION [QUESTION…]``.

``say`` asks the questions one after the other and ends; ``hold`` takes the session, says so on its output and keeps it.
"""

from __future__ import annotations

import asyncio
import sys

from tests.support.session_stores import KIM, backend_at, say, store_of


async def _run(place: str, what: str, session_id: str, *questions: str) -> None:
    store = store_of(backend_at(place), max_turns=100, wait=60)
    async with store.running():
        if what == "hold":
            async with store.turn(KIM, session_id) as is_there:
                print("held" if is_there else "away", flush=True)
                await asyncio.sleep(600)
        for question in questions:
            await say(store, KIM, session_id, question)
            print(question, flush=True)


if __name__ == "__main__":
    asyncio.run(_run(*sys.argv[1:]))
