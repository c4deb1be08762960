"""The domain data of a running service over HTTP: two services on one database, with the real routing and an answer cache."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents import routing as agents_routing
from schemas.problems import ErrorCode
from tests.contract.wire import assert_problem
from tests.e2e.conftest import serving
from tests.support.sql_servers import MariaDBServer, PostgreSQLServer, SQLServer
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

LABOR, TAX, LAW = "hr_labor", "finance_tax", "law_common"
ASKED = "퇴직금은 언제까지 줘야 하나요?"
FARM = {
    "key": "farming",
    "label": "농업·농촌",
    "agent_label": "영농 상담사",
    "description": "농지와 직불금",
    "collection": "farming_db",
    "neighbours": [LAW],
    "keywords": {"core": ["농지취득자격증명", "직불금"]},
    "rules": [["농사", "짓다"]],
    "examples": ["농지를 사려면 어떤 증명이 필요한가요?", "직불금은 누가 받을 수 있나요?"],
}
FARM_QUESTION = "농지취득자격증명을 발급받는 데 며칠이나 걸리나요?"


@dataclass(frozen=True)
class Pair:
    """Two services on one database of domain data; each has an index and a cache of its own."""

    here: httpx.Client
    there: httpx.Client
    folder: Path


@pytest.fixture(scope="module")
def pair(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("pair")
    changes = {
        "database_url": f"sqlite:///{folder}/domains.db",
        "enable_response_cache": True,
        "enable_question_log": True,
    }
    clients = []
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setattr(agents_routing, "_POLL_SECONDS", 0.2)
        for name in ("here", "there"):
            shutil.copytree(starter_settings.data_dir, folder / name, symlinks=True)
            settings = starter_settings.model_copy(update={**changes, "data_dir": folder / name})
            clients.append(stack.enter_context(serving(settings, tokenizer)))
        here, there = clients
        yield Pair(here, there, folder)


@pytest.fixture
def _as_shipped(pair: Pair) -> Iterator[None]:
    """Put back what the test has changed."""
    exported = pair.here.get("/api/domains/data-files")
    yield
    back = pair.here.put("/api/domains/data-files?new_collection=true", json=exported.json(), headers={"If-Match": "*"})
    assert back.status_code == 200, back.text


def tag(client: httpx.Client, path: str) -> dict[str, str]:
    return {"If-Match": client.get(path).raise_for_status().headers["etag"]}


def ask(client: httpx.Client, question: str) -> dict[str, Any]:
    answer: dict[str, Any] = client.post("/api/chat", json={"message": question}).raise_for_status().json()
    return answer


def eventually(condition: Callable[[], object]) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until, "it did not come about"
        time.sleep(0.05)


@pytest.mark.usefixtures("_as_shipped")
def test_an_edit_acts_on_the_next_question_of_every_service_and_no_cache_knows_the_old_one(pair: Pair) -> None:
    before = [ask(client, FARM_QUESTION)["domains"] for client in (pair.here, pair.there)]
    assert [ask(client, FARM_QUESTION)["cached"] for client in (pair.here, pair.there)] == [True, True]
    refused = pair.here.post("/api/domains", json=FARM)
    assert assert_problem(refused, ErrorCode.VALIDATION_FAILED).errors[0].path == "collection"
    made = pair.here.post("/api/domains?new_collection=true", json=FARM)
    assert (made.status_code, made.headers["location"]) == (201, "/api/domains/farming")
    assert made.json()["in_force"] is True
    now = ask(pair.here, FARM_QUESTION)
    assert (now["domains"], now["cached"]) == (["farming"], False), "at once where it was made"
    assert before[0] != ["farming"]
    eventually(lambda: ask(pair.there, FARM_QUESTION)["domains"] == ["farming"])
    assert_problem(pair.there.post("/api/domains", json=FARM), ErrorCode.CONFLICT)
    removed = pair.there.delete("/api/domains/farming", headers=tag(pair.there, "/api/domains/farming"))
    assert removed.json()["changed"] == [{"key": "farming", "kind": "removed", "etag": None}]
    assert ask(pair.there, FARM_QUESTION)["domains"] == before[1]
    eventually(lambda: ask(pair.here, FARM_QUESTION)["domains"] == before[0])
    assert_problem(pair.here.get("/api/domains/farming"), ErrorCode.NOT_FOUND)


@pytest.mark.usefixtures("_as_shipped")
def test_two_operators_do_not_overwrite_each_other(pair: Pair) -> None:
    path = f"/api/domains/{TAX}"
    domain, seen = pair.here.get(path).json(), tag(pair.here, path)
    assert_problem(pair.here.put(path, json=domain), ErrorCode.PRECONDITION_REQUIRED)
    first = pair.here.put(path, json={**domain, "label": "세무"}, headers=seen)
    assert first.status_code == 200, first.text
    second = pair.there.put(path, json={**domain, "label": "세금"}, headers=seen)
    assert_problem(second, ErrorCode.PRECONDITION_FAILED)
    assert second.headers["etag"] == first.headers["etag"]
    assert pair.there.get(path).json()["label"] == "세무"
    assert_problem(pair.there.delete(path, headers=seen), ErrorCode.PRECONDITION_FAILED)
    assert_problem(
        pair.there.put(f"{path}/keywords", json=domain["keywords"], headers=seen), ErrorCode.PRECONDITION_FAILED
    )
    weak = {"If-Match": f"W/{first.headers['etag']}"}
    assert_problem(pair.there.put(path, json=domain, headers=weak), ErrorCode.PRECONDITION_FAILED)
    again = pair.there.put(path, json=domain, headers={"If-Match": f'"x", {first.headers["etag"]}'})
    assert again.status_code == 200


@pytest.mark.usefixtures("_as_shipped")
@pytest.mark.slow
def test_parts_are_edited_as_lists_and_one_by_one(pair: Pair) -> None:
    base = f"/api/domains/{LABOR}"
    entries: dict[str, tuple[Any, Any]] = {
        "keywords": ({"tier": "common", "word": "새말하나"}, {"tier": "common", "word": "새말하나"}),
        "rules": ({"lemmas": ["새말", "둘"]}, {"lemma": ["둘", "새말"]}),
    }
    for part, (added, dropped) in entries.items():
        path = f"{base}/{part}"
        before = pair.here.get(path).json()
        assert pair.here.post(path, json=added).json()["changed"][0]["key"] == LABOR
        assert_problem(pair.here.post(path, json=added), ErrorCode.VALIDATION_FAILED)
        assert pair.here.get(path).json() != before
        assert pair.here.delete(path, params=dropped).status_code == 200
        assert_problem(pair.here.delete(path, params=dropped), ErrorCode.NOT_FOUND)
        assert pair.here.get(path).json() == before
    questions = pair.here.get(f"{base}/examples").json()
    replaced = pair.here.put(f"{base}/examples", json=questions[:-1], headers=tag(pair.here, f"{base}/examples"))
    assert replaced.status_code == 200
    assert pair.here.post(f"{base}/examples", json={"question": questions[-1]}).status_code == 200
    assert pair.here.get(f"{base}/examples").json() == questions
    assert_problem(pair.here.get("/api/domains/nowhere/rules"), ErrorCode.NOT_FOUND)


@pytest.mark.usefixtures("_as_shipped")
def test_what_is_wrong_is_said_by_field_in_korean(pair: Pair) -> None:
    path = f"/api/domains/{LABOR}"
    domain = pair.here.get(path).json()
    wrong = {
        "neighbours": ([LAW, "nowhere"], "neighbours.1"),
        "keywords": ({"core": ["급여", ""]}, "keywords.core.1"),
        "rules": ([["하나뿐"]], "rules.0"),
        "examples": (["같은가요?", "같은가요?"], "examples.1"),
        "prompt": ("가" * 8_001, "prompt"),
        "collection": ("typo_db", "collection"),
        "labell": ("x", "labell"),
    }
    for field, (value, expected) in wrong.items():
        refused = pair.here.put(path, json={**domain, field: value}, headers={"If-Match": "*"})
        problem = assert_problem(refused, ErrorCode.VALIDATION_FAILED)
        assert [error.path for error in problem.errors] == [expected], problem
        assert any("가" <= letter <= "힣" for letter in problem.errors[0].message)
    named = pair.here.put(path, json={**domain, "key": "other"}, headers={"If-Match": "*"})
    assert assert_problem(named, ErrorCode.VALIDATION_FAILED).errors[0].path == "key"
    in_use = assert_problem(pair.here.delete(f"/api/domains/{LAW}", headers={"If-Match": "*"}), ErrorCode.CONFLICT)
    assert TAX in in_use.detail


@pytest.mark.usefixtures("_as_shipped")
@pytest.mark.slow
def test_kinds_of_rejection_are_edited_too(pair: Pair) -> None:
    kind = {"kind": "praise", "label": "칭찬", "response": "고맙습니다.", "phrases": ["정말 훌륭한 서비스네"]}
    assert pair.here.post("/api/domains/rejection-kinds", json=kind).status_code == 201
    assert ask(pair.here, "정말 훌륭한 서비스네")["content"] == "고맙습니다."
    path = "/api/domains/rejection-kinds/praise"
    read = pair.here.get(path).json()
    changed = pair.here.put(path, json={**read, "response": "감사합니다!"}, headers=tag(pair.here, path))
    assert changed.status_code == 200
    assert ask(pair.here, "정말 훌륭한 서비스네")["content"] == "감사합니다!"
    assert pair.here.delete(path, headers=tag(pair.here, path)).status_code == 200
    assert_problem(pair.here.get(path), ErrorCode.NOT_FOUND)


@pytest.mark.usefixtures("_as_shipped")
def test_a_dry_run_says_what_would_move_and_stores_nothing(pair: Pair) -> None:
    ask(pair.here, "밀린 급여 신고는 어디에 하나요?")
    eventually(lambda: list(pair.folder.glob("here/questions/*.jsonl")))
    before = pair.here.get("/api/domains").headers["etag"]
    wanted = {
        "edits": [{"op": "add", "part": "keywords", "key": TAX, "entry": {"tier": "core", "word": "퇴직금"}}],
        "questions": [ASKED, "부가세 신고는 언제 하나요?", "퇴직금을 나눠 줘도 되나요?"],
        "per_set": 60,
    }
    tried = pair.here.post("/api/domains/dry-run", json=wanted).raise_for_status().json()
    sets = {found["name"]: found for found in tried["sets"]}
    assert [found["tried"] for found in sets.values()] == [found["questions"] for found in sets.values()]
    assert tried["complete"] is True
    assert (sets["given"]["questions"], sets["examples"]["questions"], sets["units"]["questions"]) == (3, 60, 60)
    assert sets["log"]["questions"] >= 1
    assert pair.here.get("/api/domains").headers["etag"] == before
    wholesale = {
        "edits": [
            {"op": "set_keywords", "key": LABOR, "keywords": {}},
            {"op": "set_examples", "key": LABOR, "examples": []},
        ],
        "questions": [ASKED],
        "sets": [],
    }
    moved = pair.here.post("/api/domains/dry-run", json=wholesale).json()["moved"]
    assert [found["question"] for found in moved] == [ASKED]
    assert LABOR in moved[0]["before"]["domains"]
    assert LABOR not in moved[0]["after"]["domains"]
    assert ask(pair.here, ASKED)["domains"] == [LABOR]
    bad = pair.here.post("/api/domains/dry-run", json={"edits": [{"op": "remove", "key": LAW}]})
    assert f"{TAX}.neighbours.1" in [error.path for error in assert_problem(bad, ErrorCode.VALIDATION_FAILED).errors]


@pytest.mark.usefixtures("_as_shipped")
def test_a_preview_gives_domains_and_grounds(pair: Pair) -> None:
    found = pair.here.post("/api/domains/route-preview", json={"question": ASKED}).raise_for_status().json()
    assert found["domains"] == ask(pair.here, ASKED)["domains"] == [LABOR]
    best = found["scores"][0]
    assert (best["key"], best["chosen"], best["matched"]) == (LABOR, True, ["퇴직금"])
    assert best["score"] >= found["score_threshold"]
    assert found["relevance"] >= found["relevance_threshold"]
    assert {near["of"] for near in found["nearest"][:2]} == {LABOR}
    turned_away = pair.here.post("/api/domains/route-preview", json={"question": "김치찌개 레시피 알려줘"}).json()
    assert (turned_away["kind"], turned_away["domains"]) == ("out_of_scope", [])
    assert any("out_of_scope" in cue for cue in turned_away["cues"])


@pytest.mark.usefixtures("_as_shipped")
def test_files_go_out_are_edited_and_come_in_whole(pair: Pair) -> None:
    exported = pair.here.get("/api/domains/data-files")
    files = exported.json()["files"]
    seen = {"If-Match": exported.headers["etag"]}
    edited = [
        {**file, "content": file["content"].replace('label = "인사·노무"', 'label = "노무"')}
        if file["name"] == f"{LABOR}.toml"
        else file
        for file in files
    ]
    broken = [
        {**file, "content": file["content"].replace(f'neighbours = ["{LAW}"', 'neighbours = ["nowhere"')}
        for file in edited
    ]
    refused = assert_problem(
        pair.here.put("/api/domains/data-files", json={"files": broken}, headers=seen), ErrorCode.VALIDATION_FAILED
    )
    assert f"{LABOR}.toml:neighbours.0" in [error.path for error in refused.errors]
    assert pair.here.get("/api/domains/data-files").json()["files"] == files, "nothing of it was taken"
    tried = pair.here.post("/api/domains/dry-run", json={"files": edited, "sets": []}).json()
    assert [change["key"] for change in tried["changes"]] == [LABOR]
    done = pair.here.put("/api/domains/data-files", json={"files": edited}, headers=seen).raise_for_status()
    assert [change["key"] for change in done.json()["changed"]] == [LABOR]
    assert pair.here.get(f"/api/domains/{LABOR}").json()["label"] == "노무"
    assert_problem(
        pair.there.put("/api/domains/data-files", json={"files": files}, headers=seen), ErrorCode.PRECONDITION_FAILED
    )


@pytest.mark.usefixtures("_as_shipped")
def test_every_change_is_in_the_audit_log(pair: Pair) -> None:
    sent = {"X-Request-ID": "audited-1"}
    pair.here.post(f"/api/domains/{TAX}/keywords", json={"word": "새말 010-1234-5678"}, headers=sent).raise_for_status()
    entries = pair.there.get("/api/audit", params={"kind": "domain.replaced", "target": TAX, "limit": 1}).json()
    entry = entries["entries"][0]
    assert (entry["request_id"], entry["client"], entry["outcome"]) == ("audited-1", "local", "done")
    assert entry["details"] == {"keywords.core +": ["새말 [전화번호]"]}
    rolled = pair.here.post("/api/vectordb/rollback")
    deleted = pair.here.delete("/api/vectordb/documents/nope")
    assert (rolled.status_code, deleted.status_code) == (409, 404)
    first, second = pair.here.get("/api/audit", params={"limit": 2}).json()["entries"]
    assert (first["kind"], first["outcome"], second["kind"], second["outcome"]) == (
        "index.delete",
        "refused",
        "index.rollback",
        "refused",
    )
    named = pair.here.get("/api/audit", params={"document": "nope"}).json()["entries"]
    assert [found["id"] for found in named] == [first["id"]]
    assert_problem(pair.here.get("/api/audit", params={"kind": "x"}), ErrorCode.VALIDATION_FAILED)


@pytest.fixture
def own(starter_settings: Settings, tmp_path: Path) -> Settings:
    """Settings with an index of a test's own."""
    shutil.copytree(starter_settings.data_dir, tmp_path / "var", symlinks=True)
    return starter_settings.model_copy(update={"data_dir": tmp_path / "var"})


def test_without_its_database_the_service_answers_and_takes_no_changes(own: Settings, tokenizer: KiwiTokenizer) -> None:
    nowhere = own.model_copy(update={"database_url": "postgresql://nobody@127.0.0.1:9/nothing"})
    with serving(nowhere, tokenizer) as client:
        listed = client.get("/api/domains").raise_for_status().json()
        assert (listed["origin"], [lack["component"] for lack in listed["degraded"]]) == ("in_force", ["domain_db"])
        assert ask(client, ASKED)["domains"] == [LABOR]
        domain = client.get(f"/api/domains/{LABOR}").json()
        for refused in (
            client.put(f"/api/domains/{LABOR}", json=domain, headers={"If-Match": "*"}),
            client.post(f"/api/domains/{LABOR}/keywords", json={"word": "새말"}),
            client.put(
                "/api/domains/data-files", json=client.get("/api/domains/data-files").json(), headers={"If-Match": "*"}
            ),
            client.post("/api/vectordb/rollback"),
            client.get("/api/audit"),
        ):
            assert_problem(refused, ErrorCode.SERVICE_UNAVAILABLE)
            assert int(refused.headers["retry-after"]) >= 1
        moved = client.post("/api/domains/dry-run", json={"edits": [], "questions": [ASKED], "sets": []}).json()
        assert moved["moved"] == []


@pytest.mark.services
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("server", [MariaDBServer, PostgreSQLServer])
def test_nothing_is_lost_while_the_database_is_away(
    own: Settings, tokenizer: KiwiTokenizer, server: type[SQLServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agents_routing, "_POLL_SECONDS", 0.2)
    path = f"/api/domains/{LABOR}/keywords"
    with server() as database, serving(own.model_copy(update={"database_url": database.url}), tokenizer) as client:
        assert client.post(path, json={"word": "첫째말"}).status_code == 200
        database.kill()
        assert_problem(client.post(path, json={"word": "둘째말"}), ErrorCode.SERVICE_UNAVAILABLE)
        assert "첫째말" in client.get(path).json()["core"], "what was read last goes on serving"
        assert ask(client, ASKED)["domains"] == [LABOR]
        database.start()
        eventually(lambda: client.post(path, json={"word": "셋째말"}).status_code == 200)
        words = client.get(path).json()["core"]
        assert {"첫째말", "셋째말"} <= set(words)
        assert "둘째말" not in words
        entries = client.get("/api/audit").json()["entries"]
        assert [entry["details"] for entry in entries] == [
            {"keywords.core +": ["셋째말"]},
            {"keywords.core +": ["첫째말"]},
        ]
