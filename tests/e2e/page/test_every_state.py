"""Every state of both pages, over the whole service: for a screen reader, for a keyboard alone, for a narrow phone, in light and in dark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.conftest import serving
from tests.e2e.page.conftest import Shown
from tests.e2e.test_model_path import VAT
from tests.support.api_pages import NAME
from tests.support.furnished import furnished
from utils.config.settings import Settings
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.timeout(300)]

HOLIDAY_PAY = "시급 11,000원, 주 5일 하루 5시간 일하는 알바 주휴수당이 얼마예요?"
UNKNOWN = "중국에서 의류를 수입하면 관세율이 몇 %예요?"
_STOPS_WITHIN = 6
"""Times that Tab may stop within one thing: a date has a year, a month, a day and a calendar."""

# What can be used by a pointer now; of radio buttons and tabs one is reached by Tab and the others by arrows from it.
_USABLE = """() => {
  const within = document.querySelector("dialog[open]") ?? document;
  const all = [...within.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")];
  window.usable = all.filter((one) => !one.disabled && one.checkVisibility({ visibilityProperty: true }))
    .filter((one) => one.type !== "file" || !one.hidden);
  window.reached = new Set();
  document.activeElement?.blur();
  return window.usable.length;
}"""
_STEP = """() => {
  const one = document.activeElement;
  const isNew = one !== document.body && !window.reached.has(one);
  if (one !== document.body) window.reached.add(one);
  const around = [one, one.closest("label"), one.closest(".box")].filter(Boolean);
  const shows = around.some((part) => getComputedStyle(part).outlineStyle !== "none");
  return { isNew, unseen: shows || one === document.body ? "" : one.outerHTML.slice(0, 120) };
}"""
_MISSED = """() => {
  const group = (one) => one.type === "radio" ? `radio ${one.name}` : one.role === "tab" ? "tab" : one;
  const reached = new Set([...window.reached].map(group));
  return window.usable.filter((one) => !reached.has(group(one))).map((one) => one.outerHTML.slice(0, 120));
}"""


@pytest.fixture(scope="module")
def service(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    embedder: KiwiEmbedder,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    settings = furnished(starter_settings, tmp_path_factory.mktemp("states"), tokenizer, embedder)
    with serving(settings, tokenizer) as client:
        refused = {"files": ("빈 파일.jsonl", json.dumps({"id": "x"}).encode())}
        client.post("/api/vectordb/ingest", files=refused).raise_for_status()
        client.post("/api/chat", json={"message": UNKNOWN}).raise_for_status()
        yield client


def answered(shown: Shown) -> None:
    shown.ask(VAT)
    shown.answer.locator(".cite").first.click()
    shown.answer.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")


def computed(shown: Shown) -> None:
    shown.ask(HOLIDAY_PAY)
    shown.answer.locator(".cite").first.click()


def unknown(shown: Shown) -> None:
    shown.ask(UNKNOWN)


def disliked(shown: Shown) -> None:
    shown.ask(VAT)
    shown.answer.get_by_role("button", name="아쉬워요").click()
    expect(shown.answer.locator(".reasons")).to_be_visible()


def article(shown: Shown) -> None:
    shown.ask(VAT)
    shown.answer.locator(".cite").first.click()
    shown.answer.locator(".source a.statute").first.click()
    expect(shown.page.locator(".statute-text, dialog .note").first).to_be_visible()


def document_of_an_action(shown: Shown) -> None:
    shown.ask("알바생 근로계약서는 어떻게 써야 하나요?")
    shown.answer.get_by_role("button", name="근로계약서 초안 만들기").click()


def checked_document(shown: Shown) -> None:
    document_of_an_action(shown)
    shown.page.get_by_role("button", name="확인만 하기").click()
    expect(shown.page.locator("dialog .outcome .note, dialog .outcome .problem").first).to_be_visible()


def tool(name: str, *buttons: str) -> Callable[[Shown], None]:
    def open_it(shown: Shown) -> None:
        shown.page.get_by_role("button", name=name).click()
        for button in buttons:
            shown.page.get_by_role("dialog").get_by_role("button", name=button).click()
        expect(shown.page.locator("dialog .dialog-body")).to_be_visible()
        shown.page.wait_for_load_state("networkidle")

    return open_it


def sum_of_figures(shown: Shown) -> None:
    computed(shown)
    shown.answer.get_by_role("button", name="숫자를 바꿔 계산").click()
    dialog = shown.page.get_by_role("dialog")
    for label, figure in (("시급", "12000"), ("1주에 일하는 날 수", "5"), ("하루 소정근로시간", "5")):
        dialog.get_by_label(label).fill(figure)
    dialog.get_by_role("button", name="계산하기").click()
    expect(dialog.locator(".conclusion")).to_be_visible()


def refused_sum(shown: Shown) -> None:
    computed(shown)
    shown.answer.get_by_role("button", name="숫자를 바꿔 계산").click()
    shown.page.get_by_role("dialog").get_by_label("시급").fill("-1")
    shown.page.get_by_role("dialog").locator("form").evaluate("form => { form.noValidate = true; }")
    shown.page.get_by_role("dialog").get_by_role("button", name="계산하기").click()
    expect(shown.page.locator("dialog .problem")).to_be_visible()
    shown.complaints = [text for text in shown.complaints if "422" not in text]


def past(shown: Shown) -> None:
    shown.ask(VAT)
    tool("지난 대화")(shown)


def other_assistant(shown: Shown) -> None:
    shown.page.get_by_label("비서").select_option(NAME)


def offline(shown: Shown) -> None:
    shown.page.context.set_offline(True)
    expect(shown.page.get_by_text("인터넷에 연결되어 있지 않습니다")).to_be_visible()
    shown.ask(VAT)
    shown.complaints = [text for text in shown.complaints if "ERR_" not in text]


def operators(tab: str) -> Callable[[Shown], None]:
    def open_it(shown: Shown) -> None:
        page = shown.page
        page.goto(page.url.rstrip("/") + "/ops")
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_role("tabpanel").locator(".card").first).to_be_visible()
        page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")

    return open_it


def edited_domain(shown: Shown) -> None:
    operators("분야")(shown)
    page = shown.page
    page.get_by_label("고칠 분야").select_option("hr_labor")
    page.get_by_label("질문", exact=True).fill("퇴직금 줄 때 세금은 얼마나 떼나요?")
    expect(page.locator(".bars")).to_be_visible()
    page.get_by_label("더할 낱말").fill("달빛수당")
    page.get_by_role("button", name="먼저 시험").click()
    expect(page.get_by_text("시험 결과")).to_be_visible()


STATES: dict[str, Callable[[Shown], None]] = {
    "start": lambda shown: None,
    "answered": answered,
    "computed": computed,
    "unknown": unknown,
    "disliked": disliked,
    "article": article,
    "document": document_of_an_action,
    "checked document": checked_document,
    "tools": tool("도구"),
    "calculators": tool("도구", "계산기"),
    "documents": tool("도구", "문서 만들기"),
    "deadlines": tool("도구", "세금 일정"),
    "notices": tool("도구", "지원사업 찾기"),
    "sum": sum_of_figures,
    "refused sum": refused_sum,
    "company": tool("내 회사"),
    "settings": tool("설정"),
    "key": tool("설정", "API 키 바꾸기"),
    "past": past,
    "other assistant": other_assistant,
    "offline": offline,
    "health": operators("상태"),
    "index": operators("지식 색인"),
    "gaps": operators("답하지 못한 질문"),
    "domains": operators("분야"),
    "edited domain": edited_domain,
}


@pytest.fixture(params=list(STATES.values()), ids=list(STATES))
def state(request: pytest.FixtureRequest, service: httpx.Client, shown: Shown) -> Page:
    shown.page.emulate_media(reduced_motion="reduce")
    shown.page.goto(str(service.base_url))
    shown.page.locator(".example").first.wait_for()
    request.param(shown)
    return shown.page


def test_it_is_for_everybody(state: Page) -> None:
    assert _serious_by_scheme(state) == []
    unseen = _tab_through(state)
    assert state.evaluate(_MISSED) == [], "not reached by a keyboard"
    assert unseen == [], "has the focus and does not show it"
    state.set_viewport_size({"width": 320, "height": 640})
    assert state.evaluate("document.documentElement.scrollWidth") <= 320
    assert state.evaluate("document.querySelector('dialog[open]')?.scrollWidth ?? 0") <= 320


def _serious_by_scheme(page: Page) -> list[str]:
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(250)  # colours in transition are none of either scheme
        found += [
            f"{scheme}: {violation['id']}: {node['html'][:120]}"
            for violation in Axe().run(page).response["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]
    return found


def _tab_through(page: Page) -> list[str]:
    """Press Tab until the focus comes to nothing new; returns what had it unseen."""
    assert page.evaluate(_USABLE) > 1
    unseen, since_new = set(), 0
    while since_new < _STOPS_WITHIN:
        page.keyboard.press("Tab")
        step = page.evaluate(_STEP)
        since_new = 0 if step["isNew"] else since_new + 1
        unseen |= {step["unseen"]} - {""}
    return sorted(unseen)
