"""The clients that ``make clients`` makes, against the running service: their own tests, their types, and that they are of today's schema."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from evaluation.commands.documents.openapi import openapi_document
from tests.contract.conftest import CHAT_KEY, make_settings
from tests.e2e.conftest import serving_with_model
from tests.e2e.test_model_path import GOOD, script
from tests.support.own_server import program
from tests.support.scripted_openai import Call, Hang, ScriptedOpenAI
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = [pytest.mark.slow, pytest.mark.services]

DOCUMENT = PROJECT_ROOT / "docs" / "programs.md"
MADE = PROJECT_ROOT / "build" / "clients"
_CUT = 'bizi_requests_cut_total{route="/api/chat/stream"}'


def made(name: str) -> Path:
    """The folder of a client. Where it was not made: a skip, or a failure if services are required."""
    folder = MADE / name
    if not (folder / ".made").is_file():
        message = f"the client in {folder.relative_to(PROJECT_ROOT)} is not there: make clients (it needs npm for that of TypeScript)"
        (pytest.fail if os.environ.get("REQUIRE_SERVICES") == "1" else pytest.skip)(message)
    return folder


def generation(call: Call) -> Any:
    """The answer about severance pay does not come to an end; a client has to leave it."""
    return Hang("퇴직금은 지급 사유가 생긴 날부터") if "퇴직금" in call.prompt else GOOD


@pytest.fixture(scope="module")
def service(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    keys = make_settings(api_keys=f"web={CHAT_KEY}:chat").api_keys
    data_dir = tmp_path_factory.mktemp("clients") / "var"
    with (
        ScriptedOpenAI(script(generation=generation)) as model,
        serving_with_model(starter_settings, tokenizer, model, data_dir, api_keys=keys) as service,
    ):
        service.client.headers["X-API-Key"] = CHAT_KEY
        yield service.client


def cut_short(service: httpx.Client) -> float:
    """The number of streams whose client left before their end."""
    told = (line.rpartition(" ") for line in service.get("/metrics").text.splitlines())
    return sum(float(number) for name, _, number in told if name == _CUT)


def wait_for_cut_short(service: httpx.Client, number: float) -> None:
    """Wait until the service has stopped that many answers; it learns of a client that left a moment later."""
    until = time.monotonic() + 20
    while cut_short(service) < number:
        assert time.monotonic() < until, "the service went on writing for a client that had left"
        time.sleep(0.1)


def run(command: list[str | Path], folder: Path, service: httpx.Client | None = None) -> str:
    """Run a command of a client and return what it said; it must succeed."""
    address = {} if service is None else {"BIZI_URL": str(service.base_url), "BIZI_KEY": CHAT_KEY}
    environment = {**os.environ, **address}
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def example(language: str, service: httpx.Client) -> str:
    """The example of docs/programs.md that uses a client, for the service of the tests."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (found,) = [block for block in blocks if "bizi_client" in block or "bizi-client" in block]
    address = f'"{service.base_url}", "{CHAT_KEY}")'
    return str(re.sub(r'"http://127\.0\.0\.1:8001".*?\)', address.replace("\\", ""), found, count=1))


def test_the_clients_are_of_the_schema_of_today() -> None:
    made("python")
    assert json.loads((MADE / "openapi.json").read_text(encoding="utf-8")) == openapi_document(), "run `make clients`"


def test_the_client_for_python(service: httpx.Client) -> None:
    folder, left = made("python"), cut_short(service)
    python = MADE / "venv" / "bin" / "python"
    told = run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider"], folder, service)
    assert "passed" in told
    assert "skipped" not in told
    wait_for_cut_short(service, left + 2)
    shown = folder / "tests" / "example.py"
    shown.write_text(example("python", service), encoding="utf-8")
    assert "55,000원" in (said := run([python, shown], folder))
    assert "25일" in said
    run([python, "-m", "mypy", "bizi_client", "tests"], folder)


def test_the_client_for_typescript(service: httpx.Client) -> None:
    node, folder, left = program("node"), made("typescript"), cut_short(service)
    told = run([node, "--test", "--test-reporter=tap", "dist/test/"], folder, service)
    assert "\n# pass 7\n" in told
    wait_for_cut_short(service, left + 2)
    shown = folder / "test" / "example.ts"
    shown.write_text(example("typescript", service), encoding="utf-8")
    try:
        run([node, "node_modules/typescript/bin/tsc", "--noEmit"], folder)
        plain = shutil.copyfile(shown, folder / "dist" / "example.mjs")  # it has no types of its own
    finally:
        shown.unlink()
    assert "55,000원" in (said := run([node, plain], folder))
    assert "25일" in said
