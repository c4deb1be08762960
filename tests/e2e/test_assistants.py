"""An assistant comes by data alone while the service runs, answers from an index of its own, and leaves the others as they were."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.assistants import directory
from tests.e2e.conftest import serving
from tests.support.fifth_domain import ANSWER, ASKED, KEY, LABEL, PACK, documents
from tests.support.small_index import write_lines
from utils.assistants.pack import SHIPPED_ASSISTANTS
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores.tokenizer import KiwiTokenizer

NAME = "farm"
FOREIGN = "부가가치세는 언제까지 신고해야 하나요?"
ASSISTANT = f'''
name = "{NAME}"
label = "영농 상담"
description = "농지와 직불금에 대한 질문에 답합니다."
source = "영농 안내"

[settings]
retrieval_k = 2
'''


@pytest.fixture(scope="module")
def data_dir(starter_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, because the embedded store has one owner."""
    folder = tmp_path_factory.mktemp("assistants") / "var"
    shutil.copytree(starter_settings.data_dir, folder, symlinks=True)
    return folder


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("packs")
    shutil.copytree(SHIPPED_ASSISTANTS / "bizi", root / "bizi")
    (root / NAME / "domains").mkdir(parents=True)
    (root / NAME / "assistant.toml").write_text(ASSISTANT, encoding="utf-8")
    alone = PACK.replace('neighbours = ["law_common"]', "neighbours = []")
    (root / NAME / "domains" / f"{KEY}.toml").write_text(alone, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def client(starter_settings: Settings, tokenizer: KiwiTokenizer, data_dir: Path, packs: Path) -> Iterator[httpx.Client]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directory, "_POLL_SECONDS", 0.2)
        own = {"data_dir": data_dir, "assistant_dir": packs}
        with serving(starter_settings.model_copy(update=own), tokenizer) as client:
            yield client


def listed(client: httpx.Client, name: str) -> dict[str, Any]:
    found = client.get("/api/assistants").raise_for_status().json()["assistants"]
    return next(item for item in found if item["name"] == name)


def ask(client: httpx.Client, name: str, message: str, **more: object) -> httpx.Response:
    return client.post(f"/api/assistants/{name}/chat", json={"message": message, **more})


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.timeout(600)
def test_an_assistant_answers_once_its_documents_are_there(
    client: httpx.Client, data_dir: Path, packs: Path, tmp_path: Path
) -> None:
    before = client.post("/api/chat", json={"message": FOREIGN}).json()
    assert listed(client, NAME)["ready"] is False
    refused = ask(client, NAME, ASKED)
    assert (refused.status_code, refused.json()["code"]) == (503, "service_unavailable")
    assert f"NAME={NAME}" in refused.json()["detail"]

    farm = write_lines(tmp_path / "farm.jsonl", *documents())
    command = [sys.executable, "-m", "vectorstores", "ingest", str(farm), "--assistant", NAME]
    environment = {**os.environ, "DATA_DIR": str(data_dir), "ASSISTANT_DIR": str(packs)}
    subprocess.run(command, check=True, env=environment, cwd=PROJECT_ROOT, capture_output=True)
    until = time.monotonic() + 240
    while not listed(client, NAME)["ready"]:
        assert time.monotonic() < until, "it did not come about"
        time.sleep(0.05)

    item = listed(client, NAME)
    assert (item["documents"], item["domains"]) == (len(documents()), {KEY: LABEL})
    answer = ask(client, NAME, ASKED).raise_for_status().json()
    assert ANSWER.removesuffix("(농지법 제8조).") in answer["content"]
    assert (answer["domain"], answer["sources"][0]["metadata"]["id"]) == (KEY, "FARM_PROOF")
    foreign = ask(client, NAME, FOREIGN).json()
    assert (foreign["sources"], "25일" in foreign["content"]) == ([], False), "taxes are another assistant's"
    after = client.post("/api/chat", json={"message": FOREIGN}).json()
    assert after["content"] == before["content"]


def test_the_default_assistant_is_the_one_of_api_chat(client: httpx.Client) -> None:
    by_name = ask(client, "bizi", FOREIGN).json()
    plain = client.post("/api/chat", json={"message": FOREIGN}).json()
    assert by_name["content"] == plain["content"]
    with client.stream("POST", "/api/assistants/bizi/chat/stream", json={"message": FOREIGN}) as stream:
        frames = [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]
    assert "".join(frame["content"] for frame in frames if frame["type"] == "token").strip() == plain["content"]
    assert frames[-1]["type"] == "done"


@pytest.mark.parametrize(
    ("name", "body", "status", "told"),
    [
        ("weather", {}, 404, "weather"),
        ("bizi", {"image": "https://example.com/a.png"}, 422, "이미지"),
        ("bizi", {"image": "file:///etc/passwd"}, 422, "image"),
    ],
)
def test_what_an_assistant_cannot_take_is_refused(
    client: httpx.Client, name: str, body: dict[str, str], status: int, told: str
) -> None:
    for path in ("chat", "chat/stream"):
        response = client.post(f"/api/assistants/{name}/{path}", json={"message": FOREIGN, **body})
        assert (response.status_code, told in response.text) == (status, True), response.text
