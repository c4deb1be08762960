"""``python -m tests.e2e.page.first_answer``: the way of a newcomer, timed: clone, ``make serve``, the page, the first cited answer.

Everything happens in a folder that goes again. What pip or uv keep on this machine is used, as it would be on anybody's.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import sync_playwright

from tests.e2e.page.screenshots import BROWSER, PHONE
from utils.config.settings import PROJECT_ROOT

_QUESTION = "부가가치세는 언제까지 신고해야 하나요?"
_PATIENCE = 1800.0


class Stopwatch:
    """Prints how long each step took, in seconds, and how long all did at last."""

    def __init__(self) -> None:
        self._begun = self._last = time.monotonic()

    def step(self, name: str) -> None:
        now = time.monotonic()
        print(f"{name:<36} {now - self._last:7.1f} s", flush=True)
        self._last = now

    def end(self) -> None:
        print(f"{'from the clone to the cited answer':<36} {time.monotonic() - self._begun:7.1f} s")


@contextmanager
def _served(clone: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """``make serve`` as the quick start says; it ends with all that it started."""
    own = {name: value for name, value in os.environ.items() if name not in ("DATA_DIR", "MAKEFLAGS", "VIRTUAL_ENV")}
    with subprocess.Popen(
        ["make", "serve"], cwd=clone, env={**own, "PORT": str(port)}, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGTERM)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            if httpx.get(f"{url}/health/ready", trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass  # it is still being installed
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError("the service did not start")
        time.sleep(0.2)


def _ask(url: str, watch: Stopwatch) -> None:
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=options)
        page = browser.new_page(viewport=PHONE)  # type: ignore[arg-type]
        watch.step("a browser opens")
        page.goto(url)
        page.get_by_role("button", name=_QUESTION).click()
        page.locator(".answer .sentence.supported .cite").first.click()
        page.locator(".source mark").first.wait_for()
        watch.step("the page, the answer and its source")
        browser.close()


def main() -> int:
    """Go the way and print how long each step took; the exit status is 1 if there is no cited answer at its end."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        clone = Path(folder) / "bizi"
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        watch = Stopwatch()
        subprocess.run(["git", "clone", "--quiet", str(PROJECT_ROOT), str(clone)], check=True)
        watch.step("git clone")
        with _served(clone, port) as process:
            _wait_until_ready(f"http://127.0.0.1:{port}", process)
            watch.step("make serve: installed, indexed, ready")
            _ask(f"http://127.0.0.1:{port}", watch)
        watch.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
