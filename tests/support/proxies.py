"""Reverse proxies on loopback in front of a service: nginx with the configuration that ships, and a small one of our own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from utils.config.settings import PROJECT_ROOT

_MAIN = """\
{user}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/bizi.conf;
}}
"""


@contextmanager
def nginx(upstream: int, folder: Path) -> Iterator[str]:
    """The address of nginx with docs/nginx.conf; only the two ports are others. A skip where it is not installed."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        pytest.skip("nginx is not installed")
    port = _free_port()
    shipped = (PROJECT_ROOT / "docs" / "nginx.conf").read_text(encoding="utf-8")
    ours, changes = re.subn(r"listen 80;", f"listen 127.0.0.1:{port};", shipped)
    ours, more = re.subn(r"server 127\.0\.0\.1:8001;", f"server 127.0.0.1:{upstream};", ours)
    assert (changes, more) == (1, 1)
    (folder / "bizi.conf").write_text(ours, encoding="utf-8")
    user = "user root root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(_MAIN.format(folder=folder, user=user), encoding="utf-8")
    log = folder / "error.log"
    process = subprocess.Popen([program, "-p", str(folder), "-e", str(log), "-c", str(folder / "nginx.conf")])
    try:
        _wait_for(port, lambda: process.poll() is None)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def small_proxy(upstream: int, folder: Path) -> Iterator[str]:
    """The address of a proxy that names the client in ``X-Forwarded-For`` and passes on all else as it comes."""
    port = _free_port()
    loops: list[asyncio.AbstractEventLoop] = []
    stop = asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _pass_on(upstream, reader, writer)

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        async with await asyncio.start_server(handle, "127.0.0.1", port):
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    try:
        _wait_for(port, thread.is_alive)
        yield f"http://127.0.0.1:{port}"
    finally:
        loops[0].call_soon_threadsafe(stop.set)
        thread.join(10)


async def _pass_on(upstream: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
        head = await reader.readuntil(b"\r\n\r\n")
        kept = [
            line
            for line in head[:-4].split(b"\r\n")
            if not line.lower().startswith((b"x-forwarded-for:", b"connection:"))
        ]
        client: str = writer.get_extra_info("peername")[0]
        kept += [b"X-Forwarded-For: " + client.encode(), b"Connection: close"]
        back, forth = await asyncio.open_connection("127.0.0.1", upstream)
        forth.write(b"\r\n".join(kept) + b"\r\n\r\n")
        copies = [asyncio.create_task(_copy(reader, forth)), asyncio.create_task(_copy(back, writer))]
        await asyncio.wait(copies, return_when=asyncio.FIRST_COMPLETED)
        for copy in copies:
            copy.cancel()
        await asyncio.gather(*copies, return_exceptions=True)
        forth.close()
    writer.close()


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while part := await source.read(65536):
        sink.write(part)
        await sink.drain()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def _wait_for(port: int, alive: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        assert alive(), "the proxy ended"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    raise TimeoutError("the proxy did not start")
