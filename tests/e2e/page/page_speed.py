"""``python -m tests.e2e.page.page_speed``: how soon a first visit paints, and how much it is sent, on a slow phone.

The service runs by itself on a free port of loopback; the index of ``DATA_DIR`` has to be there (``make index``).
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from evaluation.bench.service import RunningService
from tests.e2e.page.screenshots import BROWSER, PHONE
from utils.config.settings import load_settings

SLOWER = 4
"""Factor by which the processor is slowed."""
_LOADS = 7


@dataclass(frozen=True, slots=True)
class Visit:
    """A first visit: milliseconds until something was painted and until the page could be used, and bytes over the wire."""

    painted: float
    usable: float
    sent: int


def first_visit(browser: Browser, url: str) -> Visit:
    """Visit the page with nothing kept from before."""
    with browser.new_context(viewport=PHONE) as context:  # type: ignore[arg-type]
        page = context.new_page()
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.goto(url)
        page.locator(".example").first.wait_for()
        painted, usable, sent = page.evaluate(
            """() => [
              performance.getEntriesByName("first-contentful-paint")[0].startTime,
              performance.now(),
              [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")]
                .reduce((sum, entry) => sum + entry.transferSize, 0),
            ]"""
        )
    return Visit(float(painted), float(usable), int(sent))


def main() -> int:
    """Print each visit and the medians."""
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with (
        tempfile.TemporaryDirectory() as folder,
        RunningService(load_settings().data_dir, Path(folder) / "log", {"API_KEYS": ""}) as service,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=BROWSER, args=options)
        visits = [first_visit(browser, service.address[0]) for _ in range(_LOADS)]
        browser.close()
    for visit in visits:
        print(f"painted {visit.painted:6.0f} ms   usable {visit.usable:6.0f} ms   {visit.sent / 1000:6.1f} kB")
    painted = statistics.median(visit.painted for visit in visits)
    usable = statistics.median(visit.usable for visit in visits)
    print(
        f"median of {_LOADS} first visits, processor {SLOWER} times slower: painted {painted:.0f} ms, "
        f"usable {usable:.0f} ms, {max(visit.sent for visit in visits) / 1000:.1f} kB over the wire"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
