"""The tutorial for a new assistant does what it says: its files are written, its commands run, its answers come."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.assistants import directory
from tests.e2e.conftest import serving
from tests.support.two_document_service import ingest_for, small_settings
from utils.assistants.pack import SHIPPED_ASSISTANTS
from utils.config.settings import PROJECT_ROOT
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

PAGE = PROJECT_ROOT / "docs" / "assistants" / "tutorial.md"
PACKS = Path("data/assistants")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall(PAGE.read_text(encoding="utf-8"))


def write_files(root: Path) -> None:
    """Write the files of the page below ``root``, those that it writes by command as well."""
    (root / PACKS / "library").mkdir(parents=True)
    shutil.copytree(SHIPPED_ASSISTANTS / "bizi", root / PACKS / "bizi")
    for language, text in BLOCKS:
        head, _, body = text.partition("\n")
        if language in ("toml", "python"):
            file = root / head.removeprefix("# ")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body, encoding="utf-8")
        elif language == "bash" and text.startswith("cat >"):
            subprocess.run(["/bin/bash", "-ec", text], check=True, cwd=root)


@pytest.fixture(scope="module")
def client(
    tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    root = tmp_path_factory.mktemp("tutorial")
    write_files(root)
    settings = small_settings(root, tokenizer, embedder, assistant_dir=root / PACKS)
    [command] = [shlex.split(text) for language, text in BLOCKS if language == "bash" and text.startswith("make ")]
    given = dict(part.split("=") for part in command[2:])
    assert command[:2] == ["make", "assistant"]
    ingest_for(settings, given["NAME"], root / given["SOURCE"], tokenizer, embedder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directory, "_POLL_SECONDS", 0.1)
        with serving(settings, tokenizer) as served:
            until = time.monotonic() + 60
            while not served.get("/health").json()["assistants"]["library"]["ready"]:
                assert time.monotonic() < until, "the assistant did not open"
                time.sleep(0.02)
            yield served


def curls() -> list[tuple[str, dict[str, Any]]]:
    """The requests of the page, each with what it says of the answer."""
    told = [text for language, text in BLOCKS if language == "json"]
    asked = [text for language, text in BLOCKS if language == "bash" and text.startswith("curl ")]
    assert len(told) == len(asked) > 2
    return [(command, json.loads(answer)) for command, answer in zip(asked, told, strict=True)]


@pytest.mark.parametrize(("command", "expected"), curls())
def test_a_request_of_the_page_is_answered_as_it_says(
    client: httpx.Client, command: str, expected: dict[str, Any]
) -> None:
    words = shlex.split(command)
    path = next(word for word in words if word.startswith("http")).removeprefix("http://127.0.0.1:8001")
    body = json.loads(words[words.index("-d") + 1]) if "-d" in words else None
    answer = client.get(path) if body is None else client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    assert holds(answer.json(), expected), answer.json()


def test_its_ability_leaves_the_others_as_they_were(client: httpx.Client) -> None:
    answer = client.post("/api/chat", json={"message": "오늘 빌리면 언제까지 반납하나요?"}).json()
    assert "반납하시면 됩니다" not in answer["content"]


def holds(told: Any, expected: Any) -> bool:
    """Return whether an answer has what is expected of it: strings within strings, items among items."""
    if isinstance(expected, dict):
        return isinstance(told, dict) and all(
            name in told and holds(told[name], want) for name, want in expected.items()
        )
    if isinstance(expected, list):
        return all(any(holds(item, want) for item in told) for want in expected)
    return expected in told if isinstance(expected, str) else bool(told == expected)
