"""The image's command and health check, run without a container, also on a read-only root."""

from __future__ import annotations

import json
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

pytestmark = pytest.mark.slow  # starts the commands of the image and of the compose file

DOCKERFILE = (PROJECT_ROOT / "Dockerfile").read_text(encoding="utf-8")
QUESTION = "부가가치세는 언제까지 신고해야 하나요?"


def _exec_form(instruction: str) -> list[str]:
    """The command of a ``CMD``, or of the ``HEALTHCHECK``'s, in exec form."""
    line = re.search(rf"^{instruction}(?:.*\\\n\s+CMD)? (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert line is not None, instruction
    command: list[str] = json.loads(line.group(1))
    return command


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
    until = time.monotonic() + 200
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


# As compose starts it: nothing but the volume and a temporary file system can be written to. The data folder is given first.
_READ_ONLY_ROOT = """\
set -eu
mount --make-rprivate /
mount --bind "$1" "$1"
mount -t tmpfs tmpfs "$2"
findmnt -rno TARGET,FSTYPE | while read -r place kind; do
    case "$place" in /proc*|/sys*|/dev*|"$1"*|"$2"*) ;; *) mount -o remount,bind,ro "$place" ;; esac
done
! touch main.py 2>/dev/null
shift 2
exec "$@"
"""


@pytest.fixture
def read_only(starter_settings: Settings, tmp_path: Path) -> Iterator[str]:
    """The address of a service on a read-only root, with a data folder of its own."""
    if subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("this user may not mount")
    data, temporary, log = tmp_path / "data", tmp_path / "tmp", tmp_path / "data" / "log"
    shutil.copytree(starter_settings.data_dir, data, symlinks=True)
    temporary.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    places = {"DATA_DIR": data, "HOME": data, "LOG_DIR": data / "logs", "TMPDIR": temporary}
    environment = {
        **os.environ,
        **{name: str(place) for name, place in places.items()},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PORT": str(port),
    }
    isolated = ["unshare", "-m", "sh", "-c", _READ_ONLY_ROOT, "sh", str(data), str(temporary)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*isolated, *_exec_form("CMD")], cwd=PROJECT_ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
        try:
            _wait_until_ready(port, process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)
    assert "Read-only file system" not in log.read_text(encoding="utf-8")


def test_it_answers_and_takes_documents_on_a_read_only_root(read_only: str, tmp_path: Path) -> None:
    document = {
        "id": "TEST_RO",
        "type": "guide",
        "domain": "startup_funding",
        "title": "도토리 안내",
        "content": "도토리 지원금은 매년 3월에 신청합니다.",
        "source": {"name": "시험"},
    }
    # large enough to need a temporary file
    upload = json.dumps(document, ensure_ascii=False).encode() + b"\n" * 2_000_000
    with httpx.Client(base_url=read_only, timeout=30) as client:
        asked = {"message": QUESTION, "session_id": "s", "user_context": {"user_id": "u"}}
        assert client.post("/api/chat", json=asked).json()["content"]
        kept = client.get("/api/user-data/export", params={"user_id": "u"}).json()
        assert [len(kept[name]) for name in ("sessions", "question_log", "chat_log")] == [1, 1, 1], "all can be written"
        assert {path.name for path in (tmp_path / "data").iterdir()} >= {"sessions", "questions", "logs"}
        accepted = client.post("/api/vectordb/ingest", files=[("files", ("a.jsonl", upload))])
        assert accepted.status_code == 202, accepted.text
        until = time.monotonic() + 200
        while (job := client.get(accepted.headers["location"]).json())["state"] in ("queued", "running"):
            assert time.monotonic() < until, job
            time.sleep(0.2)
        assert (job["state"], job["added"]) == ("done", 1), job
