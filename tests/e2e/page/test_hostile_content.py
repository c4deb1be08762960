"""Hostile texts in what the whole service is given: documents, the model's words, questions, file names, words of domains. Nothing runs."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import serving
from tests.e2e.page.conftest import Shown
from tests.e2e.page.test_safety import ATTACKS
from tests.e2e.test_model_path import script
from tests.support.furnished import furnished
from tests.support.scripted_openai import Hang, ScriptedOpenAI
from tests.support.small_index import record, write_lines
from utils.config.settings import Settings
from vectorstores.build.ingest import BuildProviders, Ingest
from vectorstores.build.staging import Source
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = [pytest.mark.slow, pytest.mark.services]

QUESTION = "달빛수당은 언제까지 신고하나요?"
TRUE = "달빛수당은 매년 3월 25일까지 신고합니다."
ALL = " ".join(ATTACKS)
FILE = "<img src=x onerror=document.title='hit'>.jsonl"


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedOpenAI]:
    understood = {
        "kind": "consult",
        "domains": ["finance_tax"],
        "question": QUESTION,
        "sub_queries": [{"domain": "finance_tax", "query": QUESTION}],
        "variants": [],
    }
    with ScriptedOpenAI(script(understanding=understood, generation=f"{TRUE} [1]")) as model:
        yield model


@pytest.fixture(scope="module")
def service(
    model: ScriptedOpenAI,
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    embedder: KiwiEmbedder,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("hostile")
    settings = furnished(starter_settings, folder, tokenizer, embedder, openai_base_url=model.base_url)
    lines = [
        record(
            f"HOSTILE-{number}",
            f"{TRUE} {attack}",
            "finance_tax",
            title=f"달빛수당 신고 {attack}",
            source={"name": f"국세청 {attack}", "url": "https://example.org/?q=%3Cscript%3E"},
            metadata={"related_laws": f"{attack} 제1조"},
        )
        for number, attack in enumerate(ATTACKS)
    ]
    file = write_lines(folder / "hostile.jsonl", *lines)
    engines = BuildProviders(tokenizer.id, embedder.id, lambda: (tokenizer, embedder))
    result = Ingest(settings, engines).run([Source(file, loader_for(file), str(file), None)])
    assert result.added == len(ATTACKS)
    with serving(settings, tokenizer) as client:
        yield client


def open_all(page: Page) -> None:
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")


def untouched(page: Page, title: str) -> None:
    assert page.title() == title
    assert page.locator("iframe, #page img, #page style, #page script").count() == 0
    bad = "links => links.filter((a) => !['http:', 'https:', 'tel:'].includes(a.protocol)).length"
    assert page.locator("a").evaluate_all(bad) == 0
    assert page.locator("body").is_visible()


def test_what_the_model_says_is_text_while_it_says_it(
    service: httpx.Client, model: ScriptedOpenAI, shown: Shown
) -> None:
    """An answer loses at its end what no source holds; until then it stands in the page."""
    good = dict(model.script)
    model.script["generation"] = Hang(f"{TRUE} [1] {ALL}")
    page = shown.page
    page.goto(str(service.base_url))
    page.fill("#question", QUESTION)
    page.keyboard.press("Enter")
    expect(shown.answer.locator(".text")).to_contain_text(ATTACKS[0])
    untouched(page, "Bizi · 창업과 경영 상담")
    page.get_by_role("button", name="답변 멈추기").click()
    expect(shown.answer).to_contain_text("답변을 멈췄습니다")
    untouched(page, "Bizi · 창업과 경영 상담")
    model.reset(good)


def test_documents_are_text(service: httpx.Client, shown: Shown) -> None:
    page = shown.page
    page.goto(str(service.base_url))
    shown.ask(QUESTION)
    expect(shown.answer.locator(".text")).to_contain_text("3월 25일")
    shown.answer.locator(".cite").first.click()
    open_all(page)
    expect(shown.answer.locator(".source").first).to_contain_text("달빛수당 신고")
    untouched(page, "Bizi · 창업과 경영 상담")
    shown.answer.locator(".source a.statute", has_text="제1조").last.click()
    expect(page.get_by_role("dialog").locator(".note, .statute-text, .problem").first).to_be_visible()
    untouched(page, "Bizi · 창업과 경영 상담")
    shown.complaints = [text for text in shown.complaints if "422" not in text]


def test_an_operator_reads_names_questions_and_words_as_text(service: httpx.Client, shown: Shown) -> None:
    page, title = shown.page, "Bizi · 운영"
    for attack in ATTACKS:
        service.post("/api/chat", json={"message": f"{attack} 달빛 관세율은 몇 퍼센트인가요?"}).raise_for_status()
    page.goto(f"{service.base_url}/ops#index")
    line = json.dumps({"id": ATTACKS[0], "question": ATTACKS[1]}).encode()
    page.locator("input[type=file]").set_input_files({"name": FILE, "mimeType": "text/plain", "buffer": line})
    page.get_by_role("button", name="올리기").click()
    job = page.get_by_role("region", name="최근 작업").get_by_role("listitem").first
    expect(job).to_contain_text("읽지 못한 것 1건", timeout=60_000)
    open_all(page)
    untouched(page, title)
    page.get_by_role("tab", name="분야").click()
    page.get_by_label("고칠 분야").select_option("hr_labor")
    page.get_by_label("더할 질문").fill(ATTACKS[1])
    page.get_by_role("button", name="더하기").last.click()
    open_all(page)
    expect(page.get_by_text(ATTACKS[1], exact=True)).to_be_visible()
    page.get_by_label("질문", exact=True).fill(ALL[:1000])
    expect(page.locator(".bars")).to_be_visible()
    untouched(page, title)
    page.get_by_role("tab", name="답하지 못한 질문").click()
    expect(page.get_by_role("table")).to_be_visible()
    open_all(page)
    untouched(page, title)
