"""The page with the API, as a browser shows it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contract.conftest import running

pytestmark = [pytest.mark.slow, pytest.mark.services]

_REFUSED = ("Content Security Policy", "Refused to", "ERR_", "Uncaught")


@pytest.mark.finding("L7")
def test_a_browser_shows_every_operation_and_refuses_nothing(tmp_path: Path) -> None:
    """The policy allows neither inline scripts nor inline styles; Swagger UI works without."""
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("chromium is not installed")
    with running(enable_docs=True) as service:
        command = [browser, "--headless=new", "--disable-gpu", "--virtual-time-budget=10000", "--enable-logging=stderr"]
        command += [f"--user-data-dir={tmp_path}", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        command += ["--no-sandbox"] if os.geteuid() == 0 else []
        shown = subprocess.run(
            [*command, "--dump-dom", f"{service.url}/docs"], capture_output=True, text=True, timeout=90, check=True
        )
        operations = sum(len(methods) for methods in service.app.openapi()["paths"].values())
    assert shown.stdout.count('class="opblock-summary-path"') == operations
    console = [line for line in shown.stderr.splitlines() if "CONSOLE" in line]
    assert [line for line in console if any(word in line for word in _REFUSED)] == []
