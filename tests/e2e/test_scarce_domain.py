"""Worked example 4: a domain whose collection holds next to nothing, beside one that has what is asked for."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.contract.wire import parse_frames
from tests.e2e.conftest import serving
from tests.support.small_index import record, write_lines
from utils.config.settings import Settings
from utils.prompts.messages import says_not_found
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.build.staging import Source
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer

QUESTION = "온라인 쇼핑몰 창업에 필요한 통신판매업 신고는 어떻게 하고 부가가치세는 언제까지 신고해야 하나요?"

STARTUP = {
    "SF_A": "예비창업패키지는 창업 경험이 없는 예비창업자에게 사업화 자금을 지원합니다.",
    "SF_B": "사회적기업 인증은 한국사회적기업진흥원에 신청합니다. 유급 근로자를 고용하고 있어야 합니다.",
}
TAX = {
    "FT_A": "부가가치세 확정신고와 납부는 과세기간이 끝난 후 25일 이내에 합니다(부가가치세법 제49조).",
    "FT_B": "부가가치세 예정신고는 예정신고기간이 끝난 후 25일 이내에 합니다(부가가치세법 제48조).",
    "FT_C": "간이과세자는 부가가치세를 다음 해 1월 25일까지 신고합니다(부가가치세법 제67조).",
    "FT_D": "부가가치세를 기한까지 신고하지 않으면 무신고가산세 20퍼센트가 붙습니다(국세기본법 제47조의2).",
    "FT_E": "부가가치세 신고는 홈택스나 관할 세무서에서 합니다.",
}


@pytest.fixture(scope="module")
def scarce(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    """A service whose startup collection holds two documents, neither of which says what is asked."""
    folder = tmp_path_factory.mktemp("scarce")
    (folder / "var").mkdir()
    (folder / "var" / "cache").symlink_to(starter_settings.data_dir / "cache")
    settings = starter_settings.model_copy(update={"data_dir": folder / "var"})
    documents = {"startup_funding": STARTUP, "finance_tax": TAX}
    lines = [record(name, text, domain) for domain, texts in documents.items() for name, text in texts.items()]
    file = write_lines(folder / "knowledge.jsonl", *lines)
    _ingest(settings, file)
    with serving(settings, tokenizer) as client:
        yield client


def _ingest(settings: Settings, file: Path) -> None:
    source = Source(file, loader_for(file), str(file), None)
    assert not Ingest(settings, build_providers(settings)).run([source]).problems


def _ask(client: httpx.Client) -> dict[str, Any]:
    response = client.post("/api/chat", json={"message": QUESTION})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def test_the_scarce_domain_climbs_every_level_and_only_that_one(
    scarce: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="agents.retrieval"):
        answer = _ask(scarce)
    assert answer["domains"] == ["startup_funding", "finance_tax"]
    levels = answer["trace"]["startup_funding.retry"].split(" → ")
    assert levels[:2] == ["L1:fail", "L2:fail"]
    assert levels[2].startswith("L3(finance_tax):")
    assert "finance_tax.retry" not in answer["trace"]
    assert [record.getMessage() for record in caplog.records] == [
        f"graduated retry of startup_funding: {level}" for level in levels
    ]
    assert answer["timing_metrics"]["retrieve"] > 0


def test_the_answer_says_what_it_could_not_find(scarce: httpx.Client) -> None:
    answer = _ask(scarce)
    startup, tax = answer["content"].split("\n\n")
    assert says_not_found(startup)
    assert "통신판매업 신고" in startup
    assert "예비창업패키지" not in answer["content"]
    assert "부가가치세" in tax
    assert not says_not_found(tax)
    assert answer["evaluation"]["grounding"]["passed"]


def test_the_stream_says_it_too(scarce: httpx.Client) -> None:
    frames = parse_frames(scarce.post("/api/chat/stream", json={"message": QUESTION}).text)
    told = "".join(frame.data.content for frame in frames if frame.event == "token")
    assert says_not_found(told)
    assert "L3(finance_tax)" in str(frames[-1].data.trace["startup_funding.retry"])
