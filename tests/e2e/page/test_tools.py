"""The page before the whole service: a real answer, and what it offers to do."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import serving
from tests.e2e.page.conftest import Shown
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = [pytest.mark.slow, pytest.mark.services]

WAGES = "시급 11,000원, 주 5일 하루 5시간 일하는 알바 주휴수당이 얼마예요?"


@pytest.fixture(scope="module")
def whole(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    data_dir = tmp_path_factory.mktemp("page") / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)
    changes = {"data_dir": data_dir, "enable_question_log": True, "enable_sessions": True}
    with serving(starter_settings.model_copy(update=changes), tokenizer) as client:
        yield client


@pytest.fixture
def asking(whole: httpx.Client, shown: Shown) -> Shown:
    shown.page.goto(str(whole.base_url))
    return shown


def test_a_document_is_filled_in_by_the_answer_checked_and_saved(asking: Shown, tmp_path: Path) -> None:
    asking.ask(WAGES)
    expect(asking.answer).to_contain_text("55,000원")
    asking.answer.get_by_role("button", name="근로계약서 초안 만들기").click()
    dialog = asking.page.get_by_role("dialog")
    expect(dialog.locator("#f-wage")).to_have_value("11000")
    dialog.locator("#f-wage").fill("9000")
    dialog.get_by_role("button", name="문서 받기").click()
    expect(dialog.get_by_role("alert")).to_contain_text("최저임금")
    dialog.locator("#f-wage").fill("11000")
    dialog.get_by_role("button", name="확인만 하기").click()
    expect(dialog.get_by_text("법이 적으라고 정했는데 비어 있는 것")).to_be_visible()
    with asking.page.expect_download() as saved:
        dialog.get_by_role("button", name="문서 받기").click()
    file = tmp_path / "contract.docx"
    saved.value.save_as(file)
    assert saved.value.suggested_filename.endswith(".docx")
    assert "11,000" in zipfile.ZipFile(file).read("word/document.xml").decode()
    asking.complaints = [text for text in asking.complaints if "422" not in text]


def test_feedback_with_a_reason_is_kept(whole: httpx.Client, asking: Shown) -> None:
    asking.ask("부가가치세는 언제까지 신고해야 하나요?")
    asking.answer.get_by_role("button", name="아쉬워요").click()
    asking.answer.get_by_label("내 경우와 다름").check()
    asking.answer.get_by_label("더 하실 말씀").fill("간이과세자예요")
    asking.answer.get_by_role("button", name="의견 보내기").click()
    expect(asking.answer.get_by_text("의견을 남겼습니다")).to_be_visible()
    topics = whole.get("/api/gaps").json()["topics"]
    assert ["간이과세자예요"] in [topic["comments"] for topic in topics]


def test_the_tax_calendar_of_a_kind_of_business_is_saved(asking: Shown) -> None:
    asking.page.get_by_role("button", name="도구").click()
    dialog = asking.page.get_by_role("dialog")
    dialog.get_by_role("button", name="세금 일정").click()
    expect(dialog.locator(".deadlines li").first).to_be_visible()
    dialog.get_by_label("간이과세자").check()
    expect(dialog.get_by_text("부가가치세", exact=False).first).to_be_visible()
    with asking.page.expect_download() as saved:
        dialog.get_by_role("button", name="달력에 넣기").click()
    assert Path(saved.value.path()).read_text(encoding="utf-8").startswith("BEGIN:VCALENDAR")


def test_a_statute_that_is_not_there_is_said_and_leads_to_its_official_text(asking: Shown) -> None:
    asking.ask("직원을 해고하려면 며칠 전에 알려야 하나요?")
    asking.answer.locator(".statute").first.click()
    dialog = asking.page.get_by_role("dialog")
    expect(dialog.locator(".note")).to_contain_text("없습니다")
    expect(dialog.get_by_role("link")).to_have_attribute("href", re.compile(r"^https://www\.law\.go\.kr/"))


def test_a_conversation_of_the_service_is_found_again_and_removed(whole: httpx.Client, asking: Shown) -> None:
    asking.ask("부가가치세는 언제까지 신고해야 하나요?")
    user = asking.page.evaluate("localStorage.getItem('bizi.user')")
    asking.page.evaluate("localStorage.removeItem('bizi.conversations')")
    asking.page.reload()
    asking.page.get_by_role("button", name="지난 대화").click()
    dialog = asking.page.get_by_role("dialog")
    expect(dialog.get_by_text("서비스에 저장됨")).to_be_visible()
    dialog.get_by_role("button", name="대화 지우기").click()
    expect(dialog.get_by_text("아직 대화가 없습니다.")).to_be_visible()
    asking.page.wait_for_load_state("networkidle")
    assert whole.get("/api/sessions", params={"user_id": user}).json()["sessions"] == []


def test_an_operator_adds_a_word_and_sees_the_question_move(asking: Shown, whole: httpx.Client) -> None:
    page = asking.page
    page.goto(f"{whole.base_url}/ops#domains")
    page.get_by_label("고칠 분야").select_option("hr_labor")
    page.get_by_label("질문", exact=True).fill("삐약이는 언제까지 줘야 하나요?")
    preview = page.get_by_role("region", name="질문이 가는 분야")
    expect(preview.get_by_text("받지 않는 질문").or_(preview.locator(".bars"))).to_be_visible()
    page.get_by_label("더할 낱말").fill("삐약이")
    page.get_by_role("button", name="더하기").first.click()
    expect(page.get_by_text("‘삐약이’을(를) 더했습니다.")).to_be_visible()
    expect(preview.locator(".bars .chosen")).to_contain_text("인사·노무")
    expect(preview.get_by_text("맞은 낱말: 삐약이")).to_be_visible()


def test_an_operator_uploads_documents_and_goes_back(asking: Shown, whole: httpx.Client) -> None:
    page = asking.page
    page.goto(f"{whole.base_url}/ops#index")
    line = '{"id": "T1", "question": "삐약이 수당은 얼마인가요?", "answer": "삐약이 수당은 하루 7,000원입니다."}'
    page.get_by_label("파일").set_input_files(
        {"name": "문답.jsonl", "mimeType": "application/json", "buffer": line.encode()}
    )
    page.get_by_label("분야 (PDF와").select_option("hr_labor")
    page.get_by_role("button", name="올리기").click()
    expect(page.get_by_text("더함 1")).to_be_visible(timeout=120_000)
    page.get_by_role("button", name="이전 버전으로 되돌리기").click()
    page.get_by_role("dialog").get_by_role("button", name="되돌리기").click()
    expect(page.get_by_text("버전을 쓰고 있습니다.")).to_be_visible()
    versions = whole.get("/api/vectordb/versions").json()["versions"]
    assert [version["current"] for version in versions] == [True, False]
    assert versions[1]["documents"] == versions[0]["documents"] + 1
