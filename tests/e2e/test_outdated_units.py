"""Answers after the days of a unit are over, or before they begin: the document is an operator's own, in the unit form."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import serving, serving_with_model
from tests.support.scripted_openai import Fail, ScriptedOpenAI
from tests.support.unit_files import unit_text, write_document
from utils.config.settings import Settings
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.build.staging import Source
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer

LAST_DAY, AFTER = date(2026, 12, 31), date(2027, 1, 1)
UNTIL = "이 내용은 2026년 12월 31일까지의 기준입니다."
FROM = "이 내용은 2027년 1월 1일부터 적용됩니다."
GRANT = "우리 조합 창업장려금은 얼마예요?"
GRANTED = "창업장려금은 점포마다 300만원입니다."
WAGE = "조합 최저임금 시급이 얼마예요?"
OLD_WAGE, NEW_WAGE = "조합의 최저임금 시급은 10,320원입니다.", "조합의 최저임금 시급은 10,700원입니다."


def write_base(folder: Path) -> Path:
    write_document(
        folder,
        unit_text(
            "조합 창업장려금의 금액",
            properties=("측면: 금액", "유효: 2026-01-01 ~ 2026-12-31", "검토: 2026-11-30"),
            asks=[GRANT, "창업장려금 얼마 받아요", "조합에서 주는 장려금 금액", "가게 열면 조합이 얼마 줘요"],
            sentences=[f"결론: {GRANTED}", "절차: 창업장려금은 조합 사무실에서 신청합니다."],
        ),
        head={"id": "TEAM_GRANT_001", "title": "조합 창업장려금", "topic": "장려금"},
    )
    write_document(
        folder,
        unit_text(
            "조합 최저임금 시급",
            properties=("측면: 금액", "유효: 2026-01-01 ~ 2026-12-31"),
            asks=[WAGE, "조합 최저시급 얼마인가요", "최저임금 시급 얼마 줘야 해요", "조합에서 정한 최저 시급"],
            sentences=[f"결론: {OLD_WAGE}"],
        ),
        unit_text(
            "새로 정한 조합 최저임금 시급",
            properties=("측면: 금액", "유효: 2027-01-01 ~"),
            asks=["조합 최저임금 시급 얼마로 정했어요", "새 최저시급 얼마예요", "최저임금 시급 올라서 얼마예요"],
            sentences=[f"결론: {NEW_WAGE}"],
        ),
        head={"id": "TEAM_WAGE_001", "title": "조합 최저임금", "topic": "최저임금"},
    )
    return folder


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("outdated")
    settings = Settings(data_dir=folder / "built", enable_llm_evaluation=False, enable_response_cache=False)
    base = write_base(folder / "hr_labor")
    source = Source(base, loader_for(base), "hr_labor", "hr_labor")
    assert Ingest(settings, build_providers(settings)).run([source]).added == 2
    return settings


@contextmanager
def service_on(day: date, settings: Settings, tokenizer: KiwiTokenizer, folder: Path) -> Iterator[httpx.Client]:
    shutil.copytree(settings.data_dir, folder, symlinks=True)  # an embedded store has one owner
    with serving(settings.model_copy(update={"data_dir": folder}), tokenizer, today=day) as client:
        yield client


@pytest.fixture(scope="module")
def before(
    settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    with service_on(LAST_DAY, settings, tokenizer, tmp_path_factory.mktemp("before") / "var") as client:
        yield client


@pytest.fixture(scope="module")
def after(
    settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    with service_on(AFTER, settings, tokenizer, tmp_path_factory.mktemp("after") / "var") as client:
        yield client


def ask(service: httpx.Client, question: str) -> dict[str, Any]:
    answer: dict[str, Any] = service.post("/api/chat", json={"message": question}).json()
    return answer


def test_on_its_last_day_a_unit_is_said_as_it_stands(before: httpx.Client) -> None:
    answer = ask(before, GRANT)
    assert answer["content"].startswith(f"{GRANTED} [1]")
    assert "기준입니다" not in answer["content"]
    assert "validity" not in answer["sources"][0]["metadata"]


def test_an_expired_unit_says_its_year_right_behind_its_conclusion(after: httpx.Client) -> None:
    answer = ask(after, GRANT)
    assert answer["content"].split("\n")[0].startswith(f"{GRANTED} [1] {UNTIL} [1] 창업장려금은 조합")
    assert answer["sources"][0]["metadata"]["validity"] == f"‘조합 창업장려금의 금액’: {UNTIL}"
    assert answer["evaluation"]["passed"]


def test_the_note_is_no_statement_without_a_source(after: httpx.Client) -> None:
    answer = ask(after, GRANT)
    verdicts = {
        answer["content"][check["start"] : check["end"]]: check["verdict"]
        for check in answer["evaluation"]["grounding"]["sentences"]
    }
    assert [verdict for text, verdict in verdicts.items() if UNTIL in text] == ["supported"]


def test_a_unit_that_holds_stands_before_one_that_does_not(before: httpx.Client, after: httpx.Client) -> None:
    answers = [ask(service, WAGE) for service in (before, after)]
    assert all(answer["evaluation"]["passed"] for answer in answers)
    old, new = (answer["content"] for answer in answers)
    assert old.startswith(f"{OLD_WAGE} [1]")
    assert new.startswith(f"{NEW_WAGE} [1]")
    assert f"{NEW_WAGE} [1] {FROM}" in old or NEW_WAGE not in old
    assert f"{OLD_WAGE} [1] {UNTIL}" in new or OLD_WAGE not in new


def test_who_asks_about_a_year_is_told_of_that_year(before: httpx.Client, after: httpx.Client) -> None:
    assert ask(before, "2027년 조합 최저임금 시급이 얼마예요?")["content"].startswith(f"{NEW_WAGE} [1] {FROM} [1]")
    assert ask(after, "2026년 조합 최저임금 시급이 얼마예요?")["content"].startswith(f"{OLD_WAGE} [1] {UNTIL} [1]")


def test_health_counts_what_is_out_of_date(before: httpx.Client, after: httpx.Client) -> None:
    due, both = (client.get("/health").json()["capabilities"]["knowledge"] for client in (before, after))
    assert due["state"] == both["state"] == "degraded"
    assert "유효 기간이 지난 단위 0개, 검토할 날이 지난 단위 1개" in due["reason"]
    assert "유효 기간이 지난 단위 2개, 검토할 날이 지난 단위 1개" in both["reason"]
    assert not both["required"]


def test_a_model_reads_the_note_with_the_unit(
    settings: Settings, tokenizer: KiwiTokenizer, model_server: ScriptedOpenAI, tmp_path: Path
) -> None:
    understood = {"kind": "consult", "domains": ["hr_labor"], "question": GRANT, "sub_queries": [], "variants": []}
    said = f"{GRANTED} [1] {UNTIL} [1]"
    with serving_with_model(settings, tokenizer, model_server, tmp_path / "var", AFTER) as running:
        model_server.reset({"understanding": understood, "generation": said, "alternatives": Fail(500)})
        answer = ask(running.client, GRANT)
        prompt = model_server.calls_for("generation")[0].prompt
    heading = next(line for line in prompt.splitlines() if "답하는 글 ‘조합 창업장려금의 금액’" in line)
    assert UNTIL in prompt.splitlines()[prompt.splitlines().index(heading) + 1]
    assert f"유효: ‘조합 최저임금 시급’: {UNTIL}" in prompt, "a document that is no answer carries it, too"
    assert answer["content"] == said
    assert [check["verdict"] for check in answer["evaluation"]["grounding"]["sentences"]] == ["supported", "supported"]
