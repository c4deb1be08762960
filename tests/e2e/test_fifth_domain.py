"""A fifth domain comes, is edited and goes while the service runs: by a file, and by rows of each database."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine, create_engine, delete, insert, update

from agents import routing as agents_routing
from tests.e2e.conftest import serving_with_model
from tests.support.fifth_domain import ANSWER, ASKED, KEY, LABEL, documents, write_fifth_domain
from tests.support.routing import DOMAINS_DIR
from tests.support.scripted_openai import ScriptedOpenAI
from tests.support.small_index import write_lines
from tests.support.sql_servers import MariaDBServer, PostgreSQLServer
from utils.config.settings import PROJECT_ROOT, Settings
from utils.routing.domain_pack import load_pack_files
from utils.routing.domain_tables import DomainTables, action_rows, entry_rows, pack_row
from vectorstores.tokenizer import KiwiTokenizer

NEW_LABEL, NEW_PROMPT = "영농·귀농", "당신은 새로 온 영농 상담사입니다."
UNDERSTOOD = {"kind": "consult", "domains": [KEY], "question": ASKED, "sub_queries": [], "variants": []}
SCORES = dict.fromkeys(("retrieval_quality", "accuracy", "completeness", "relevance", "citation"), 18)


class Operator(ABC):
    """Whoever edits the domain data, by one way or the other."""

    @abstractmethod
    def add(self) -> None: ...

    @abstractmethod
    def edit(self) -> None: ...

    @abstractmethod
    def break_it(self) -> None: ...

    @abstractmethod
    def remove(self) -> None: ...


class FileOperator(Operator):
    """Edits the files of ``DOMAIN_DIR``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self) -> None:
        self._path = write_fifth_domain(self._folder)

    def edit(self) -> None:
        text = self._path.read_text(encoding="utf-8").replace(LABEL, NEW_LABEL)
        self._put(re.sub(r'prompt = """.*?"""', f'prompt = "{NEW_PROMPT}"', text, flags=re.DOTALL))

    def break_it(self) -> None:
        self._put(self._path.read_text(encoding="utf-8").replace('"law_common"', '"nowhere"'))

    def remove(self) -> None:
        self._path.unlink()

    def _put(self, text: str) -> None:
        part = self._path.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.rename(self._path)


class TableOperator(Operator):
    """Edits rows, with a SQL client of its own."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._tables = DomainTables("bizi_domain_")
        shutil.copytree(DOMAINS_DIR, folder)
        write_fifth_domain(folder)
        self._pack = load_pack_files(folder).get(KEY)

    def add(self) -> None:
        with self._engine.begin() as connection:
            connection.execute(insert(self._tables.pack), [pack_row(self._pack, 9)])
            connection.execute(insert(self._tables.entry), entry_rows(self._pack))
            connection.execute(insert(self._tables.action), action_rows(self._pack))

    def edit(self) -> None:
        self._update(label=NEW_LABEL, prompt=NEW_PROMPT)

    def break_it(self) -> None:
        self._update(collection="hr_labor_db")

    def remove(self) -> None:
        with self._engine.begin() as connection:
            for table in (self._tables.entry, self._tables.action):
                connection.execute(delete(table).where(table.c.pack_key == KEY))
            connection.execute(delete(self._tables.pack).where(self._tables.pack.c.key == KEY))

    def _update(self, **values: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(update(self._tables.pack).where(self._tables.pack.c.key == KEY).values(values))


@dataclass(frozen=True)
class Running:
    """A service with a model behind it, whose domain data an operator edits."""

    client: httpx.Client
    model: ScriptedOpenAI
    operator: Operator
    environment: dict[str, str]

    def collections(self) -> dict[str, Any]:
        found = self.client.get("/api/vectordb/collections").raise_for_status().json()["collections"]
        return {collection["key"]: collection for collection in found}

    def ask(self) -> dict[str, Any]:
        response = self.client.post("/api/chat", json={"message": ASKED})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    def system_prompt(self) -> str:
        """Of the generation that was asked for last."""
        return str(self.model.calls_for("generation")[-1].messages[0]["content"])

    def documented(self) -> set[str]:
        """The keys of domains that the OpenAPI document lists, wherever it does."""
        found: set[str] = set()

        def walk(node: Any) -> None:
            if isinstance(node, dict):
                if node.get("format") == "domain-key":
                    found.update(node["enum"])
                for value in node.values():
                    walk(value)
            elif isinstance(node, list):
                for value in node:
                    walk(value)

        walk(self.client.get("/openapi.json").json())
        return found


def eventually(condition: Callable[[], object]) -> None:
    """Wait until it holds: the service looks at its domain data and its index by itself."""
    until = time.monotonic() + 240  # beside other work an upload takes its time
    while not condition():
        assert time.monotonic() < until, "it did not come about"
        time.sleep(0.05)


def _answer(_: object) -> str:
    return f"{ANSWER} [1]"


@pytest.fixture(
    params=[
        "files",
        pytest.param("sqlite", marks=pytest.mark.slow),
        pytest.param("mariadb", marks=[pytest.mark.services, pytest.mark.slow]),
        pytest.param("postgresql", marks=[pytest.mark.services, pytest.mark.slow]),
    ]
)
def running(
    request: pytest.FixtureRequest,
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Running]:
    monkeypatch.setattr(agents_routing, "_POLL_SECONDS", 0.2)
    folder, data_dir = tmp_path / "domains", tmp_path / "var"
    shutil.copytree(DOMAINS_DIR, folder)
    with ExitStack() as stack:
        url = None
        if request.param in ("mariadb", "postgresql"):
            url = stack.enter_context(MariaDBServer() if request.param == "mariadb" else PostgreSQLServer()).url
        model = stack.enter_context(
            ScriptedOpenAI({"understanding": UNDERSTOOD, "generation": _answer, "evaluation": SCORES})
        )
        changes = {
            "domain_dir": folder,
            "database_url": url,
            "enable_llm_domain_classification": False,
            "enable_response_cache": True,
            "enable_docs": True,
            "llm_timeout": 30.0,
            "request_timeout": 60.0,
        }
        service = stack.enter_context(serving_with_model(starter_settings, tokenizer, model, data_dir, **changes))
        operator: Operator = FileOperator(folder)
        if request.param != "files":
            plain = {"mariadb": "mysql+pymysql", "postgresql": "postgresql+psycopg"}
            address = (
                f"{plain[request.param]}://{url.partition('://')[2]}" if url else f"sqlite:///{data_dir}/domains.db"
            )
            engine = create_engine(address)
            stack.callback(engine.dispose)
            operator = TableOperator(engine, tmp_path / "fifth")
        environment = {"DATA_DIR": str(data_dir), "DOMAIN_DIR": str(folder)} | ({"DATABASE_URL": url} if url else {})
        yield Running(service.client, model, operator, environment)


@pytest.mark.timeout(600)
def test_a_fifth_domain_lives_by_data_alone(running: Running, tmp_path: Path) -> None:
    client, model = running.client, running.model
    four = set(running.collections())
    assert KEY not in running.documented()
    unknown = client.post("/api/vectordb/search", json={"query": "농지", "collection": KEY})
    assert (unknown.status_code, unknown.json()["errors"][0]["path"]) == (422, "collection")

    running.operator.add()
    eventually(lambda: KEY in running.collections())
    assert running.collections()[KEY] | {"label": LABEL, "documents": 0} == running.collections()[KEY]
    assert running.documented() == {*four, KEY}
    assert client.get("/health").json()["status"] == "ok", client.get("/health").text
    empty = running.ask()
    assert empty["domains"] == [KEY], "routed to, though it holds nothing yet"
    assert client.post("/api/vectordb/search", json={"query": "농지", "collection": KEY}).json()["results"] == []

    _ingest_by_upload_and_by_command(running, tmp_path)
    answer = running.ask()
    assert answer["domains"] == [KEY]
    assert answer["content"].startswith(ANSWER), answer["content"]
    assert answer["actions"][0]["label"] == "농업경영계획서 초안 만들기"
    assert "영농 상담사입니다. 농지와" in running.system_prompt()
    found = client.post("/api/vectordb/search", json={"query": "농막 설치", "collection": KEY}).json()["results"]
    assert {hit["collection"] for hit in found} == {KEY}
    assert found[0]["id"] == "FARM_HUT"
    pages = client.post("/api/vectordb/search/pages", json={"query": "농막", "collection": KEY})
    assert pages.json()["pages"] == []

    def edited_meanwhile(_: object) -> dict[str, Any]:
        running.operator.edit()
        eventually(lambda: running.collections()[KEY]["label"] == NEW_LABEL)
        return UNDERSTOOD

    model.reset(model.script | {"understanding": [edited_meanwhile, UNDERSTOOD]})
    begun_before = client.post("/api/chat", json={"message": f"{ASKED} 알려 주세요."})
    assert begun_before.status_code == 200
    assert NEW_PROMPT not in running.system_prompt(), "a run keeps the packs it began with"
    assert running.collections()[KEY]["label"] == NEW_LABEL
    assert running.ask()["cached"] is False, "what an edited domain answers is not taken from before"
    assert NEW_PROMPT in running.system_prompt()
    understanding = model.calls_for("understanding")[-1].messages[0]["content"]
    assert NEW_LABEL in understanding
    assert f" {LABEL}." not in understanding

    running.operator.break_it()
    eventually(lambda: client.get("/health").json()["capabilities"]["domain_db"]["state"] == "degraded")
    assert running.collections()[KEY]["label"] == NEW_LABEL, "the last good data stay in force"
    assert running.ask()["domains"] == [KEY]

    running.operator.remove()
    eventually(lambda: KEY not in running.collections())
    assert set(running.collections()) == four
    assert running.ask()["domains"] != [KEY]
    assert KEY not in running.documented()


def _ingest_by_upload_and_by_command(running: Running, tmp_path: Path) -> None:
    first, *others = documents()
    lines = json.dumps(first, ensure_ascii=False).encode()
    upload = running.client.post(
        "/api/vectordb/ingest", files=[("files", ("farm.jsonl", lines))], data={"collection": KEY}
    )
    assert upload.status_code == 202, upload.text
    address = upload.headers["Location"]
    eventually(lambda: running.client.get(address).json()["finished"])
    assert running.client.get(address).json() | {"state": "done", "added": 1} == running.client.get(address).json()
    assert running.collections()[KEY]["documents"] == 1
    file = write_lines(tmp_path / "more.jsonl", *others)
    done = subprocess.run(
        [sys.executable, "-m", "vectorstores", "ingest", str(file), "--collection", KEY],
        env={**os.environ, **running.environment},
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    eventually(lambda: running.collections()[KEY]["documents"] == len(documents()))
