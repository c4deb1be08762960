"""M7, M6: the service over a damaged index: it starts, says what is damaged, and answers from the rest."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores.build.providers import open_store
from vectorstores.integrity.damage_messages import REPAIR_COMMAND

pytestmark = [pytest.mark.finding("M6", "M7"), pytest.mark.slow]

HR, TAX = "hr_labor_db", "finance_tax_db"
ABOUT_WAGES, ABOUT_TAX = "주휴수당은 어떻게 계산하나요?", "부가가치세는 언제까지 신고해야 하나요?"


def start(data_dir: Path, port: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "DATA_DIR": str(data_dir), "PORT": str(port), "API_KEYS": "", "LOG_FORMAT": "text"}
    return subprocess.Popen(
        [sys.executable, "main.py"],
        cwd=PROJECT_ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def damage(data_dir: Path, pattern: str, name: str) -> None:
    layout = open_store(Settings(data_dir=data_dir)).layout
    pointer = layout.pointer()
    assert pointer is not None
    (path,) = layout.collection_dir(layout.manifest(pointer.current).collections[name]).glob(pattern)
    content = bytearray(path.read_bytes())
    for place in range(len(content) // 4, len(content), len(content) // 4):
        content[place - 1] ^= 0xFF
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("pattern", "component"),
    [
        ("chroma/*/data_level0.bin", "vector"),  # the process died of it
        ("bm25/indices.csc.index.npy", "bm25"),
        ("vocabulary.bin", "bm25"),  # the warm-up failed with a traceback
        ("chunks.sqlite", "index"),
    ],
)
def test_the_service_starts_and_answers_around_the_damage(
    starter_settings: Settings, tmp_path: Path, pattern: str, component: str
) -> None:
    shutil.copytree(starter_settings.data_dir, tmp_path / "data")
    damage(tmp_path / "data", pattern, HR)
    port = free_port()
    with start(tmp_path / "data", port) as process, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        try:
            until = time.monotonic() + 90
            while process.poll() is None and time.monotonic() < until:
                try:
                    if client.get("/health/ready").status_code == 200:
                        break
                except httpx.TransportError:
                    time.sleep(0.2)
            wages = client.post("/api/chat", json={"message": ABOUT_WAGES}, timeout=60).json()
            tax = client.post("/api/chat", json={"message": ABOUT_TAX}, timeout=60).json()
            report = client.get("/health").json()
        finally:
            process.terminate()
            assert process.stderr is not None
            log = process.stderr.read()
    assert "Traceback" not in log
    of_wages = [degraded for degraded in wages["degraded"] if degraded["component"] == component]
    assert of_wages
    assert REPAIR_COMMAND in of_wages[0]["reason"]
    assert [degraded for degraded in tax["degraded"] if "finance_tax" in degraded["reason"]] == []
    assert tax["sources"]
    assert report["status"] == "degraded"
    assert report["capabilities"]["index"]["state"] == "degraded"
    assert REPAIR_COMMAND in report["capabilities"]["index"]["reason"]


def test_with_nothing_to_answer_from_it_refuses_to_start_in_a_sentence(
    starter_settings: Settings, tmp_path: Path
) -> None:
    shutil.copytree(starter_settings.data_dir, tmp_path / "data")
    for path in (tmp_path / "data" / "index").glob("*/*/chunks.sqlite"):
        path.write_bytes(path.read_bytes()[:-1])
    with start(tmp_path / "data", free_port()) as process:
        _, log = process.communicate(timeout=90)
    assert process.returncode != 0
    assert REPAIR_COMMAND in log
    assert "Traceback" not in log
