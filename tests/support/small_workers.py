"""Workers around an app that says who it is: ``python -m tests.support.small_workers COUNT FOLDER``.

It writes its port into ``FOLDER/port``, and a line into ``FOLDER/starts`` for each start of a worker. A worker cannot start while
there is a file ``FOLDER/broken``, and dies in its start while there is ``FOLDER/deadly``.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from utils.middleware.drain import DrainMiddleware
from utils.server.drain import Drain
from utils.server.uvicorn_server import DrainingServer
from utils.server.workers import Workers, bound_listener


async def who(_: Request) -> PlainTextResponse:
    return PlainTextResponse(str(os.getpid()))


async def slowly(_: Request) -> StreamingResponse:
    async def lines() -> object:
        yield f"{os.getpid()}\n"
        await asyncio.sleep(1.5)
        yield "end\n"

    return StreamingResponse(lines())  # type: ignore[arg-type]


def build() -> uvicorn.Server:
    folder = Path(os.environ["SMALL_WORKERS"])
    with (folder / "starts").open("a") as starts:
        starts.write(f"{os.getpid()}\n")
    if (folder / "broken").exists():
        sys.exit(3)
    if (folder / "deadly").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    drain = Drain()
    app = Starlette(routes=[Route("/", who), Route("/slowly", slowly)], middleware=[Middleware(DrainMiddleware, drain)])
    return DrainingServer(uvicorn.Config(app, lifespan="off", log_config=None), drain, 10, 0.5)


def main() -> int:
    logging.basicConfig(level=logging.INFO)
    count, folder = int(sys.argv[1]), Path(sys.argv[2])
    os.environ["SMALL_WORKERS"] = str(folder)
    listener = bound_listener("127.0.0.1", 0)
    (folder / "port").write_text(str(listener.getsockname()[1]))
    workers = Workers(build, count, listener)
    workers.run()
    return 3 if workers.failed else 0


if __name__ == "__main__":
    sys.exit(main())
