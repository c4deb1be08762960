"""All that a founder does beside asking, before a service with statutes and notices: each ends with what was wanted in the hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Download, expect

from routes import dependencies
from tests.e2e.conftest import serving
from tests.e2e.page.conftest import Shown
from tests.e2e.test_model_path import VAT
from tests.support.furnished import ARTICLE, furnished
from tests.support.notice_files import DAY
from utils.config.settings import Settings
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = [pytest.mark.slow, pytest.mark.services]

UNKNOWN = "중국에서 의류를 수입하면 관세율이 몇 %예요?"
UNPAID = "거래처가 물품대금을 안 줘요. 소송 말고 지급명령 신청은 어떻게 하나요?"


@pytest.fixture(scope="module")
def service(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    embedder: KiwiEmbedder,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    """On the day of the sample notices, since some of them are open then."""
    settings = furnished(starter_settings, tmp_path_factory.mktemp("tools"), tokenizer, embedder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dependencies, "korean_day", lambda: DAY)
        with serving(settings, tokenizer, today=DAY) as client:
            yield client


@pytest.fixture
def founder(service: httpx.Client, shown: Shown) -> Shown:
    shown.page.goto(str(service.base_url))
    return shown


def saved(download: Download, folder: Path) -> str:
    file = folder / download.suggested_filename
    download.save_as(file)
    return file.read_text(encoding="utf-8")


def test_an_article_opens_with_its_text(founder: Shown) -> None:
    founder.ask(VAT)
    founder.answer.locator(".cite").first.click()
    founder.answer.locator(".source").get_by_role("link", name=re.compile("부가가치세법 제49조")).first.click()
    dialog = founder.page.get_by_role("dialog")
    expect(dialog.locator(".statute-text")).to_contain_text(ARTICLE)
    expect(dialog.get_by_role("link", name="국가법령정보센터에서 보기")).to_have_attribute(
        "href", re.compile("law.go.kr")
    )


def test_deadlines_are_listed_for_a_kind_of_business_and_go_into_a_calendar(founder: Shown, tmp_path: Path) -> None:
    page = founder.page
    page.get_by_role("button", name="도구").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="세금 일정").click()
    expect(dialog.locator(".deadlines li").first).to_be_visible()
    everybody = dialog.locator(".deadlines li").count()
    dialog.get_by_label("간이과세자").check()
    expect(dialog.locator(".deadlines li").first).to_contain_text(re.compile(r"\d{4}\. \d+\. \d+\.\("))
    expect(dialog.locator(".deadlines li")).not_to_have_count(everybody)
    shown = dialog.locator(".deadlines li").count()
    with page.expect_download() as download:
        dialog.get_by_role("button", name="달력에 넣기").click()
    assert download.value.suggested_filename.endswith(".ics")
    assert saved(download.value, tmp_path).count("BEGIN:VEVENT") == shown


def test_notices_tell_why_they_fit_and_where_they_are_from_and_their_deadlines_are_saved(
    founder: Shown, tmp_path: Path
) -> None:
    page = founder.page
    page.get_by_role("button", name="내 회사").click()
    page.get_by_role("dialog").get_by_label("지역").fill("서울")
    page.get_by_role("dialog").get_by_role("button", name="저장").click()
    expect(page.get_by_role("button", name="서울 기준으로 답합니다")).to_be_visible()
    founder.ask("창업 지원사업 뭐가 있나요?")
    page.get_by_role("button", name="도구").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="지원사업 찾기").click()
    dialog.get_by_label("검색어").fill("청년창업")
    dialog.get_by_role("button", name="찾기", exact=True).click()
    notice = dialog.locator(".notices li", has_text="푸른나무 청년창업").first
    expect(notice.locator(".reasons-list .fits").first).to_contain_text("서울")
    expect(notice.get_by_role("link", name="공고 원문")).to_have_attribute("href", "https://example.org/notices/sp-01")
    expect(notice).to_contain_text("출처:")
    notice.get_by_label("마감일 담기").check()
    with page.expect_download() as download:
        dialog.get_by_role("button", name="고른 1건의 마감일 받기").click()
    assert "푸른나무" in saved(download.value, tmp_path).replace("\r\n ", "")


def test_the_answer_is_copied_with_its_sources(founder: Shown) -> None:
    founder.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    founder.ask(VAT)
    founder.answer.get_by_role("button", name="복사").click()
    expect(founder.page.get_by_text("출처와 함께 복사했습니다.").last).to_be_visible()
    copied = founder.page.evaluate("navigator.clipboard.readText()")
    answer, _, sources = copied.partition("\n출처\n")
    assert answer.startswith(VAT)
    assert "25일" in answer
    assert re.match(r"\[1\] .+ \(.+\) https://", sources)


def test_a_suggested_question_is_asked_by_a_click(founder: Shown) -> None:
    founder.ask(VAT)
    suggested = founder.answer.get_by_role("group", name="이어서 물어보기").get_by_role("button").first
    title = suggested.inner_text()
    suggested.click()
    expect(founder.page.locator(".turn")).to_have_count(2)
    expect(founder.page.locator(".turn").last.locator(".asked")).to_contain_text(title)
    expect(founder.answer.locator(".cite").first).to_be_visible()


def test_what_the_documents_do_not_say_is_said_so_and_nothing_is_made_up(founder: Shown) -> None:
    founder.ask(UNKNOWN)
    expect(founder.answer.locator(".unknown")).to_contain_text("관세율")
    expect(founder.answer.locator(".sentence.unsupported")).to_have_count(0)


def test_whom_to_ask_is_offered_with_a_telephone_number(founder: Shown) -> None:
    founder.ask(UNPAID)
    founder.answer.get_by_role("button", name="무료 법률상담 안내").click()
    dialog = founder.page.get_by_role("dialog")
    expect(dialog.get_by_role("link", name="132에 전화하기")).to_have_attribute("href", "tel:132")
    expect(dialog.get_by_role("link", name="누리집 열기")).to_have_attribute("href", "https://www.klac.or.kr/")


def test_a_conversation_is_read_back_from_the_service_and_removed_from_it(founder: Shown) -> None:
    page = founder.page
    founder.ask(VAT)
    page.evaluate("localStorage.removeItem('bizi.conversations')")
    page.reload()
    page.get_by_role("button", name="지난 대화").click()
    kept = page.get_by_role("dialog").get_by_role("listitem").filter(has_text="서비스에 저장됨")
    kept.get_by_role("button").first.click()
    expect(founder.answer).to_contain_text("25일")
    page.get_by_role("button", name="지난 대화").click()
    with page.expect_response(lambda response: response.request.method == "DELETE") as removed:
        kept.get_by_role("button", name=re.compile("^대화 지우기")).click()
    assert removed.value.ok
    page.reload()
    page.get_by_role("button", name="지난 대화").click()
    expect(page.get_by_role("dialog")).to_contain_text("아직 대화가 없습니다")
