"""The pages for everybody: a keyboard alone, a screen reader, a narrow phone, a slow processor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.contract.conftest import Service
from tests.e2e.page.conftest import Shown, scripted
from tests.e2e.page.page_speed import first_visit
from tests.e2e.page.test_asking import SCRIPTS

pytestmark = [pytest.mark.slow, pytest.mark.services]

_FIRST_PAINT = 1000  # milliseconds
_WIRE = 200_000  # bytes


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with scripted(SCRIPTS) as (service, _):
        yield service


def _serious(page: Page) -> list[str]:
    page.wait_for_timeout(250)  # colours in transition are none of either state
    found = Axe().run(page).response["violations"]
    return [
        f"{violation['id']}: {violation['nodes'][0]['html'][:120]}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_the_page(service: Service, shown: Shown, scheme: str) -> None:
    page = shown.page
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.goto(service.url)
    page.locator(".example").first.wait_for()
    assert _serious(page) == []
    for question in ("확인", "계산", "모름", "늦음"):
        shown.ask(question)
    page.locator(".cite").first.click()
    assert _serious(page) == []
    for menu in ("도구", "내 회사", "설정", "지난 대화"):
        page.get_by_role("navigation").get_by_role("button", name=menu).click()
        page.get_by_role("dialog").wait_for()
        assert _serious(page) == [], menu
        page.keyboard.press("Escape")
    shown.complaints = [complaint for complaint in shown.complaints if "404" not in complaint]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_the_page_of_operators(service: Service, shown: Shown, scheme: str) -> None:
    page = shown.page
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.goto(f"{service.url}/ops")
    for tab in ("상태", "지식 색인", "답하지 못한 질문", "분야"):
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_role("tabpanel").locator(".card").first).to_be_visible()
        assert _serious(page) == [], tab
    shown.complaints = [complaint for complaint in shown.complaints if "404" not in complaint]


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until what has this name has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        label = page.evaluate("document.activeElement?.ariaLabel || document.activeElement?.innerText?.trim() || ''")
        if name in label:
            return
    raise AssertionError(f"{name} is not reached by Tab")


def test_a_keyboard_is_enough(service: Service, shown: Shown) -> None:
    page = shown.page
    page.goto(service.url)
    page.locator(".example").first.wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="질문 칸으로 가기")).to_be_focused()
    page.keyboard.press("Enter")
    page.locator("#question").focus()
    page.keyboard.type("확인")
    page.keyboard.press("Enter")
    shown.answer.locator(".toolbar").wait_for()
    page.evaluate("document.activeElement.blur()")
    _tab_to(page, "출처 1 부가가치세 신고")
    page.keyboard.press("Enter")
    expect(shown.answer.locator(".block .source")).to_be_visible()
    _tab_to(page, "원문 보기")
    _tab_to(page, "복사")
    _tab_to(page, "다시 답하기")
    _tab_to(page, "아쉬워요")
    page.keyboard.press("Space")
    expect(page.get_by_text("무엇이 아쉬웠나요?")).to_be_visible()
    page.locator("nav").get_by_role("button", name="도구").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("nav").get_by_role("button", name="도구")).to_be_focused()


@pytest.mark.parametrize("width", [320, 390])
def test_a_narrow_screen_needs_no_sideways_scrolling(service: Service, shown: Shown, width: int) -> None:
    page = shown.page
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(service.url)
    for question in ("확인", "계산", "모름"):
        shown.ask(question)
        if question != "모름":
            shown.answer.locator(".cite").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_first_paint_comes_within_a_second_on_a_slow_phone_and_little_is_sent(
    service: Service, browser: Browser
) -> None:
    visits = [first_visit(browser, service.url) for _ in range(3)]
    assert min(visit.painted for visit in visits) < _FIRST_PAINT  # what else the machine does is not the page's
    assert all(0 < visit.sent <= _WIRE for visit in visits)
