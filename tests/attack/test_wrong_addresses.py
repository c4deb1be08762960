"""A start with an address that cannot be right: one sentence for the operator, without a traceback or a password."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from utils.config.settings import PROJECT_ROOT, Settings

PASSWORD = "geheim-geheim"
pytestmark = [pytest.mark.timeout(300), pytest.mark.finding("M10")]


def start(data_dir: Path, setting: str, value: str) -> subprocess.CompletedProcess[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    environment = {**os.environ, "DATA_DIR": str(data_dir), "PORT": port, setting: value, "LOG_FORMAT": "text"}
    command = [sys.executable, "main.py"]
    return subprocess.run(command, cwd=PROJECT_ROOT, env=environment, capture_output=True, text=True, check=False)


def assert_one_sentence(started: subprocess.CompletedProcess[str], setting: str) -> None:
    said = started.stdout + started.stderr
    assert started.returncode
    complaints = [
        line for line in said.splitlines() if " INFO " not in line
    ]  # the record of all settings is no complaint
    assert sum(setting in line for line in complaints) == 1
    assert "Traceback" not in said
    assert PASSWORD not in said


@pytest.mark.parametrize("port", ["abc", "99999"])
def test_a_redis_port_that_is_none(tmp_path: Path, port: str) -> None:
    assert_one_sentence(start(tmp_path, "REDIS_URL", f"redis://:{PASSWORD}@127.0.0.1:{port}/0"), "REDIS_URL")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("DATABASE_URL", f"mysql://u:{PASSWORD}@127.0.0.1:port/x"),
        ("DATABASE_URL", f"postgresql://u:{PASSWORD}@127.0.0.1:99999/x"),
        ("DATABASE_URL", f"oracle://u:{PASSWORD}@127.0.0.1/x"),
        ("REDIS_URL", f"redis://:{PASSWORD}@127.0.0.1:6379/0?no_such_option=1"),
    ],
)
def test_an_address_that_only_its_library_can_judge(starter_settings: Settings, setting: str, value: str) -> None:
    assert_one_sentence(start(starter_settings.data_dir, setting, value), setting)
