"""schemathesis with every check over the OpenAPI document of the real service: what it says is what the service does.

What it may not hold against the service stands in ``schemathesis.toml``, each with its reason. The number of cases is
fixed and not the time, so that a slower machine asks the same ones.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from utils.config.settings import PROJECT_ROOT, Settings

KEY = "fuzzer-0123456789-0123456789"
EXAMPLES = 50
# After ten wrong keys in a minute the answer is 429, and how many the fuzzer sends in a minute depends on its speed. Every
# route is asked without a key and with a wrong one by tests/attack/test_access.py.
EXCLUDED = "ignored_auth"
EXCEPTIONS = Path(__file__).with_name("schemathesis.toml")


@pytest.fixture
def address(starter_settings: Settings, tmp_path: Path) -> Iterator[str]:
    """The service as ``python main.py`` starts it, on a copy of the starter index."""
    data_dir = tmp_path / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)
    # the others have no index here, and answer 503 with what they need
    shutil.copytree(PROJECT_ROOT / "data" / "assistants" / "bizi", tmp_path / "assistants" / "bizi")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "DATA_DIR": str(data_dir),
        "ASSISTANT_DIR": str(tmp_path / "assistants"),
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "API_KEYS": f"fuzzer={KEY}:admin|chat|documents",
        "ENABLE_RATE_LIMIT": "false",
        "LLM_PROVIDER": "extractive",
        "LOG_LEVEL": "ERROR",
    }
    with (tmp_path / "log").open("wb") as log:
        service = subprocess.Popen([sys.executable, "main.py"], cwd=PROJECT_ROOT, env=environment, stderr=log)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_until_ready(address, service, tmp_path / "log")
        yield address
        assert service.poll() is None, "the service has ended"
    finally:
        service.terminate()
        service.wait(60)


def _wait_until_ready(address: str, service: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 90
    while time.monotonic() < until and service.poll() is None:
        try:
            if httpx.get(f"{address}/health/ready", timeout=2).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    pytest.fail(log.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.finding("L14")
@pytest.mark.timeout(900)
def test_the_service_does_what_its_schema_says(address: str, tmp_path: Path) -> None:
    fuzzer = shutil.which("st", path=str(Path(sys.executable).parent))
    assert fuzzer is not None
    command = [fuzzer, "--config-file", str(EXCEPTIONS), "--no-color", "run", f"{address}/openapi.json"]
    bounds = [
        "--checks",
        "all",
        "--exclude-checks",
        EXCLUDED,
        "--max-examples",
        str(EXAMPLES),
        "--seed",
        "1",
        "--no-shrink",
    ]
    found = subprocess.run(
        [*command, *bounds, "--header", f"X-API-Key: {KEY}", "--request-timeout", "20"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-8_000:] + found.stderr[-2_000:]
    tested = re.search(r"Tested: (\d+)", found.stdout)
    cases = re.search(r"(\d+) generated", found.stdout)
    assert tested is not None
    assert cases is not None
    assert int(tested[1]) >= 13
    assert int(cases[1]) > 500
