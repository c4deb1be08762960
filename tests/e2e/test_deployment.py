"""The container files, and what they start, started without a container."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from utils.config.settings import PROJECT_ROOT, Settings

pytestmark = pytest.mark.slow  # starts the commands of the image and of the compose file

DOCKERFILE = (PROJECT_ROOT / "Dockerfile").read_text(encoding="utf-8")
QUESTION = "부가가치세는 언제까지 신고해야 하나요?"


def _compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((PROJECT_ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return loaded


def _exec_form(instruction: str) -> list[str]:
    """The command of a ``CMD``, or of the ``HEALTHCHECK``'s, in exec form."""
    line = re.search(rf"^{instruction}(?:.*\\\n\s+CMD)? (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert line is not None, instruction
    command: list[str] = json.loads(line.group(1))
    return command


def test_the_image_holds_everything_that_is_imported() -> None:
    copied = {
        name for names in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE) for name in names.split()
    }
    packages = {file.parent.name for file in PROJECT_ROOT.glob("*/__init__.py")} - {"tests"}
    modules = {file.name for file in PROJECT_ROOT.glob("*.py")}
    assert packages | modules | {"data", "pyproject.toml", "constraints.txt"} <= copied
    assert [name for name in copied if not (PROJECT_ROOT / name).exists()] == []


def test_the_build_context_lets_through_what_is_copied() -> None:
    ignored = (PROJECT_ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    copied = {
        name for names in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE) for name in names.split()
    }
    assert copied == {name.removeprefix("!") for name in ignored if name.startswith("!")}


def test_the_service_runs_as_nobody_special_and_without_build_tools() -> None:
    stages = DOCKERFILE.split("\nFROM ")
    runtime = next(stage for stage in stages if " AS runtime" in stage)
    assert "\nUSER bizi" in runtime
    assert "pip uninstall" in runtime
    assert stages[-1].split()[2] == "base", "a plain build gives the small image"
    assert all("pip uninstall" in stage for stage in stages if re.search(r" AS build-\w+", stage))


def test_compose_asks_for_keys_and_publishes_on_loopback_only() -> None:
    services = _compose()["services"]
    assert services["rag"]["environment"]["API_KEYS"].startswith("${API_KEYS:?")
    published = [port for service in services.values() for port in service.get("ports", [])]
    assert [port for port in published if not port.startswith("127.0.0.1:")] == []
    assert {name for name, service in services.items() if "profiles" not in service} == {"rag"}


def test_compose_passes_on_settings_that_exist() -> None:
    names = {name.upper() for name in Settings.model_fields}
    assert set(_compose()["services"]["rag"]["environment"]) <= names


@pytest.fixture(scope="module")
def started(starter_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a service that the image's command has started."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "DATA_DIR": str(starter_settings.data_dir),
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "LLM_PROVIDER": "extractive",  # whatever an .env in the folder says
    }
    log = tmp_path_factory.mktemp("service") / "log"
    with log.open("wb") as out:
        command = _exec_form("CMD")
        process = subprocess.Popen(command, cwd=PROJECT_ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            _wait_until_ready(port, process, log)
            yield environment
        finally:
            process.terminate()
            assert process.wait(30) in (0, -15), log.read_text(encoding="utf-8")


def _wait_until_ready(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 90
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/health/ready", timeout=2).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    pytest.fail(log.read_text(encoding="utf-8"))


def test_the_health_check_finds_the_service_alive(started: dict[str, str]) -> None:
    command = _exec_form("HEALTHCHECK")
    assert subprocess.run(command, env=started, check=False).returncode == 0
    with socket.create_server(("127.0.0.1", 0)) as free:
        unused = str(free.getsockname()[1])
    assert subprocess.run(command, env={**started, "PORT": unused}, check=False, capture_output=True).returncode != 0


def test_asking_it_prints_a_cited_answer(started: dict[str, str]) -> None:
    command = [sys.executable, "-m", "routes.ask", QUESTION]
    asked = subprocess.run(command, cwd=PROJECT_ROOT, env=started, capture_output=True, text=True, check=False)
    assert asked.returncode == 0, asked.stderr
    answer, _, sources = asked.stdout.partition("출처")
    assert re.search(r"\[\d+\]", answer)
    assert "부가가치세" in sources
