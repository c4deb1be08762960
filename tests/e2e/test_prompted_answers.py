"""Answers of a model that follows its prompt, and of models that do not: the facts are those of the units, the sums and the gate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.contract.wire import parse_frames
from tests.e2e.conftest import serving_with_model
from tests.support.scripted_openai import Call, Fail, Reply, ScriptedOpenAI
from tests.support.unit_files import unit_text, write_document
from utils.config.settings import Settings
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.build.staging import Source
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer

NOTICE = "직원을 갑자기 내보내면 한 달 치 월급을 줘야 하나요?"
DEADLINE = "폐업하면 부가세는 언제까지 신고해요?"
PHONE = "노동청 담당자 전화번호도 알려주세요."
PAY = "시급 11,000원으로 하루 5시간 주 5일 일하는 알바 주휴수당은 얼마예요?"
RULE = "30일 전에 예고하지 않고 직원을 내보내면 30일분 이상의 통상임금을 줘야 합니다(근로기준법 제26조)."
CLOSING = "폐업하면 폐업일이 속한 달의 다음 달 25일까지 부가세를 신고해야 합니다(부가가치세법 제49조)."
SUM = "55,000원"


def write_base(folder: Path) -> Path:
    write_document(
        folder,
        unit_text(
            "해고예고수당을 줘야 하는지",
            properties=("측면: 가부",),
            asks=[
                f"{NOTICE} → 네",
                "갑자기 자르면 한 달 치 월급 안 줘도 되나요 → 아니요",
                "직원을 바로 내보낼 때 한 달 월급을 줘야 하나요 → 네",
                "예고 없이 내보내면 돈을 더 줘야 하나요 → 네",
                "해고예고수당을 안 줘도 되나요 → 아니요",
                "당일 해고하면 월급 한 달 치를 물어 줘야 하나요 → 네",
            ],
            sentences=[
                f"결론: {RULE}",
                "예외: 일한 지 3개월이 안 된 직원에게는 주지 않아도 됩니다(근로기준법 제26조).",
            ],
        ),
        unit_text(
            "해고예고를 하는 방법",
            properties=("측면: 절차",),
            asks=[
                "해고예고는 말로 해도 되나요",
                "예고는 어떻게 해요",
                "해고 예고 문자로 보내도 돼요",
                "예고 서면으로 하나요",
            ],
            sentences=["결론: 해고예고는 해고할 날을 정해 알려야 합니다."],
        ),
        head={"id": "HR_NOTICE_001", "title": "해고예고와 해고예고수당", "topic": "해고예고"},
    )
    write_document(
        folder,
        unit_text(
            "주휴수당 계산",
            properties=("측면: 계산", "계산: weekly_holiday_pay"),
            asks=[
                "알바 주휴수당은 얼마예요",
                "주휴수당 어떻게 계산해요",
                "하루 5시간 주 5일 알바 주휴수당 얼마 줘요",
                "시급으로 주휴수당 계산해 주세요",
                "단시간 알바 주휴수당 금액",
            ],
            sentences=["결론: 주휴수당은 1주 소정근로시간에 비례한 시간의 시급입니다(근로기준법 제55조)."],
        ),
        head={"id": "HR_PAY_001", "title": "주휴일과 주휴수당", "topic": "주휴수당"},
    )
    return folder


def write_tax_base(folder: Path) -> Path:
    write_document(
        folder,
        unit_text(
            "폐업하면 부가세를 언제까지 신고하나",
            properties=("측면: 기한",),
            asks=[
                DEADLINE,
                "가게 접으면 부가세 신고 언제까지예요",
                "폐업 부가세 신고 기한",
                "폐업신고하고 부가세는 며칠까지 내요",
            ],
            sentences=[f"결론: {CLOSING}"],
        ),
        head={
            "id": "FT_CLOSE_001",
            "title": "폐업할 때 부가가치세",
            "topic": "폐업",
            "source_url": "https://www.law.go.kr/법령/부가가치세법",
        },
    )
    return folder


@pytest.fixture(scope="module")
def service(
    tokenizer: KiwiTokenizer, model_server: ScriptedOpenAI, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    """A service on a base of three documents in the unit form."""
    folder = tmp_path_factory.mktemp("prompted")
    settings = Settings(data_dir=folder / "built", enable_llm_evaluation=False, enable_response_cache=False)
    bases = {"hr_labor": write_base(folder / "hr"), "finance_tax": write_tax_base(folder / "ft")}
    sources = [Source(path, loader_for(path), domain, domain) for domain, path in bases.items()]
    assert Ingest(settings, build_providers(settings)).run(sources).added == 3
    with serving_with_model(settings, tokenizer, model_server, folder / "var") as running:
        yield running.client


def script(question: str, generation: Reply, *domains: str) -> dict[str, Any]:
    named = domains or ("hr_labor",)
    parts = [{"domain": domain, "query": question} for domain in named] if len(named) > 1 else []
    understood = {"kind": "consult", "domains": named, "question": question, "sub_queries": parts, "variants": []}
    return {"understanding": understood, "generation": generation, "alternatives": Fail(500)}


def ask(service: httpx.Client, question: str) -> dict[str, Any]:
    answer: dict[str, Any] = service.post("/api/chat", json={"message": question}).json()
    return answer


def told(call: Call) -> dict[int, tuple[str, str | None, list[str]]]:
    """The things asked as a prompt tells them: question, yes or no, and the sentences that answer, each with its source."""
    asks: dict[int, tuple[str, str | None, list[str]]] = {}
    held: dict[int, list[str]] = {}
    source, answering = "", list[int]()
    for line in call.prompt.partition("<documents>")[2].partition("</documents>")[0].splitlines():
        if match := re.fullmatch(r"물음 (\d+): (.*)", line):
            current = int(match[1])
            asks[current] = (match[2], None, held.setdefault(current, []))
        elif match := re.fullmatch(r"네/아니요: (.*)", line):
            asks[current] = (asks[current][0], match[1], asks[current][2])
        elif match := re.match(r"\[(\d+)\] ", line):
            source = match[0].strip()
        elif match := re.match(r"물음 ([\d, ]+)에 답하는 (?:글|계산)", line):
            answering = [int(number) for number in match[1].split(", ")]
        elif line.startswith(("그 밖의", "</document>")):
            answering = []
        for number in answering:
            if not line.startswith("물음"):
                held.setdefault(number, []).append(
                    f"{line.partition(': ')[2] if line.startswith('- ') else line} {source}"
                )
    return asks


def follow(call: Call) -> str:
    """An answer as the prompt wants it: for each ask the verdict and the first sentence that answers, or that nothing does."""
    paragraphs = []
    for question, verdict, sentences in told(call).values():
        said = f"{f'{verdict}, ' if verdict else ''}{sentences[0]}" if sentences else ""
        paragraphs.append(said or f"‘{question}’에 대한 답은 문서에서 확인할 수 없습니다.")
    return "\n\n".join(paragraphs)


def test_a_model_that_follows_its_prompt_says_what_is_held_and_admits_the_rest(
    service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    question = f"{NOTICE} {PHONE}"
    model_server.reset(script(question, follow))
    answer = ask(service, question)
    assert answer["model"] == "gpt-4o-mini"
    notice, phone = answer["content"].split("\n\n")
    assert notice == f"네, {RULE} [1]"
    assert "확인할 수 없습니다" in phone
    assert answer["evaluation"]["grounding"]["passed"]
    assert [source["title"] for source in answer["sources"]] == ["해고예고와 해고예고수당"]


def test_a_sum_is_a_source_with_formula_figures_article_and_day(
    service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script(PAY, follow))
    answer = ask(service, PAY)
    assert SUM in answer["content"].split("\n")[0]
    assert answer["evaluation"]["grounding"]["passed"]
    [first, *_] = answer["sources"]
    assert first["metadata"]["computed"]
    block = model_server.calls_for("generation")[0].prompt.partition("주휴수당 계산\n")[2].partition("</document>")[0]
    assert "(기준일 2026-11-20)" in block
    for text in ("계산식: 주휴수당 = 시급", "11,000원 × 5시간 = 55,000원", "근거: 근로기준법 제55조"):
        assert text in block


def test_the_things_asked_stand_by_domain_in_their_order(service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    question = f"{DEADLINE} {NOTICE}"
    model_server.reset(script(question, follow, "hr_labor", "finance_tax"))
    answer = ask(service, question)
    prompt = model_server.calls_for("generation")[0].prompt
    assert [line for line in prompt.splitlines() if line.startswith(("분야:", "물음 1:", "물음 2:"))] == [
        "분야: 세무·회계",
        f"물음 1: {DEADLINE}",
        "분야: 인사·노무",
        f"물음 2: {NOTICE}",
    ]
    assert CLOSING in answer["content"]
    assert RULE in answer["content"]
    assert answer["evaluation"]["grounding"]["passed"]


def test_without_the_model_the_same_is_said(service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    question = f"{NOTICE} {PHONE}"
    model_server.reset(script(question, Fail(400)))
    answer = ask(service, question)
    assert answer["model"] == "extractive"
    assert f"네, {RULE} [1]" in answer["content"]
    assert "확인할 수 없습니다" in answer["content"]
    assert [source["title"] for source in answer["sources"]] == ["해고예고와 해고예고수당"]


def test_a_figure_that_no_source_has_does_not_go_out(service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    invented = "신고하지 않으면 과태료가 700만원입니다. [1]"
    model_server.reset(script(NOTICE, lambda call: f"{follow(call)} {invented}"))
    frames = parse_frames(service.post("/api/chat/stream", json={"message": NOTICE}).text)
    claims = [frame.data.check.unsupported_claims for frame in frames if frame.event == "check"]
    assert ["700만원"] in claims
    replaced = [frame.data for frame in frames if frame.event == "replace"][-1]
    assert "700만원" not in replaced.content
    assert RULE in replaced.content
    assert [source.index for source in replaced.sources] == [source.index for source in frames[-1].data.sources] == [1]


@pytest.mark.parametrize(
    "opposite",
    [
        f"아니요, {RULE} [1]",
        "아니요, 30일 전에 예고하지 않고 직원을 내보내도 30일분 이상의 통상임금을 주지 않아도 됩니다. [1]",
        "30일 전에 예고하지 않고 직원을 내보내면 30일분 이상의 통상임금을 줄 필요가 없습니다. [1]",
    ],
    ids=["no to a rule of yes", "no with what it means", "denied without a no"],
)
def test_the_opposite_of_what_is_held_does_not_go_out(
    service: httpx.Client, model_server: ScriptedOpenAI, opposite: str
) -> None:
    model_server.reset(script(NOTICE, opposite))
    answer = ask(service, NOTICE)
    assert not answer["evaluation"]["passed"]
    assert opposite not in answer["content"]
    assert answer["sources"] == [], "nothing is left that cites"


def test_a_dropped_ask_costs_marks(service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    question = f"{DEADLINE} {NOTICE}"
    domains = ("hr_labor", "finance_tax")
    model_server.reset(script(question, follow, *domains))
    whole = ask(service, question)["evaluation"]["scores"]
    model_server.reset(script(question, lambda call: follow(call).split("\n\n")[0], *domains))
    half = ask(service, question)["evaluation"]["scores"]
    assert half["completeness"] < whole["completeness"]


def test_silence_cites_nothing_whatever_the_model_marks(service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset(script(PHONE, "담당자 전화번호는 제공된 문서에서 확인할 수 없습니다. [1]"))
    answer = ask(service, PHONE)
    assert answer["content"] == "담당자 전화번호는 제공된 문서에서 확인할 수 없습니다."
    assert answer["sources"] == []
