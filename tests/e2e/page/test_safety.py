"""Texts of others are texts: nothing that a document, a model, a title, an address or a file name says runs or leads away."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from routes.page.page import PAGE_POLICY
from schemas.chat import (
    ActionItem,
    ActionType,
    AskOutcome,
    Component,
    Degradation,
    NearestDocument,
    SourceItem,
    Verdict,
)
from tests.contract.conftest import Service
from tests.e2e.page.conftest import Shown, scripted
from tests.support.scripted_chat import Script, ScriptedChat, sentence, told

pytestmark = [pytest.mark.slow, pytest.mark.services]

ATTACKS = (
    "<script>document.title='hit'</script>",
    "<img src=x onerror=\"document.title='hit'\">",
    "<svg onload=\"document.title='hit'\">",
    '"><iframe srcdoc="<script>parent.document.title=\'hit\'</script>">',
    "${document.title='hit'}",
    "<?lit$1$?>",
    "<a href=\"javascript:document.title='hit'\">여기</a>",
    "<style>body{display:none}</style>",
)
ADDRESSES = (
    "javascript:document.title='hit'",
    "data:text/html,<script>1</script>",
    "vbscript:x",
    "//evil.example",
    "file:///etc",
)
ARTICLE = "조문"


def _attack(text: str, address: str) -> Script:
    source = SourceItem(
        index=1,
        title=text,
        content=f"{text}\n계산식: {text}",
        source=text,
        url=address,
        effective_date=text[:20],
        metadata={"related_laws": f"{text} 제1조", "validity": text, "calculator": text},
    )
    action = ActionItem(
        type=ActionType.LEGAL_CONSULTATION, label=text, description=text, params={"url": address, "phone": text}
    )
    content = f"{text}[1]. ({text} 제1조)"
    near = NearestDocument(id="x", title=text, likelihood=0.5)
    return told(
        content,
        [source],
        [sentence(0, content, Verdict.UNSUPPORTED, 1, claims=[text])],
        actions=[action],
        asks=[AskOutcome(text=text, answered=False, nearest=near)],
        degraded=[Degradation(component=Component.LLM, reason=text)],
    )


SCRIPTS: dict[str, Script] = {
    text: _attack(text, ADDRESSES[number % len(ADDRESSES)]) for number, text in enumerate(ATTACKS)
}

SCRIPTS[ARTICLE] = told("해고는 30일 전에 예고합니다(근로기준법 제26조).", [], [])


@pytest.fixture(scope="module")
def hostile() -> Iterator[tuple[Service, ScriptedChat]]:
    with scripted(SCRIPTS) as running:
        yield running


def _is_untouched(page: Page) -> None:
    assert page.title() == "Bizi · 창업과 경영 상담"
    assert page.locator("iframe, #page img, #page style, #page script").count() == 0
    bad = page.locator("a").evaluate_all(
        "links => links.filter(a => !['http:', 'https:', 'tel:'].includes(a.protocol)).length"
    )
    assert bad == 0
    assert page.locator("body").is_visible()


@pytest.mark.parametrize("text", ATTACKS)
def test_nothing_of_an_answer_runs(hostile: tuple[Service, ScriptedChat], shown: Shown, text: str) -> None:
    page = shown.page
    page.goto(hostile[0].url)
    shown.ask(text)
    expect(shown.answer.locator(".text")).to_contain_text(text[:10])
    shown.answer.locator(".cite").first.click()
    shown.answer.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    _is_untouched(page)
    shown.answer.locator(".step").click()
    expect(page.get_by_role("dialog").get_by_role("heading").first).to_have_text(text)
    _is_untouched(page)
    page.keyboard.press("Escape")
    page.reload()
    page.get_by_role("button", name="지난 대화").click()
    expect(page.get_by_role("dialog")).to_contain_text(text[:10])
    _is_untouched(page)
    shown.complaints = [complaint for complaint in shown.complaints if "404" not in complaint]


def test_the_policy_stops_what_would_get_through(hostile: tuple[Service, ScriptedChat], shown: Shown) -> None:
    """As if a hole were found: inline scripts and handlers, foreign addresses and texts as HTML are all refused."""
    page = shown.page
    response = page.goto(hostile[0].url)
    assert response is not None
    assert response.headers["content-security-policy"] == PAGE_POLICY
    refused = page.evaluate(
        """async () => {
          const refused = [];
          addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
          try { document.createElement("script").src = "data:text/javascript,1"; } catch { refused.push("script"); }
          try { document.body.innerHTML += "<b>x</b>"; } catch { refused.push("innerHTML"); }
          try { await fetch("http://127.0.0.1:9/"); } catch { refused.push("fetch"); }
          const image = document.createElement("img");
          image.src = "http://127.0.0.1:9/x.png";
          document.body.append(image);
          await new Promise((done) => setTimeout(done, 300));
          return refused;
        }"""
    )
    assert {"script", "innerHTML", "fetch", "connect-src", "img-src"} <= set(refused)
    assert page.title() == "Bizi · 창업과 경영 상담"
    shown.complaints.clear()


@pytest.mark.parametrize("address", ADDRESSES)
def test_notices_and_articles_of_others_are_text(
    hostile: tuple[Service, ScriptedChat], shown: Shown, address: str
) -> None:
    page, text = shown.page, ATTACKS[1]
    notice = {
        "id": text,
        "title": text,
        "agency": text,
        "regions": [text],
        "target": text,
        "status": text,
        "status_label": text,
        "days_left": 0,
        "apply_end": "2026-12-01",
        "reasons": [{"verdict": text, "text": text}],
        "source": text,
        "seen_on": text,
        "url": address,
    }
    found = {"applied": {text: text}, "items": [notice], "message": text, "total": 1, "degraded": [{"reason": text}]}
    article = {"title": text, "source": text, "effective_date": text, "content": text, "clause_content": text}
    page.route("**/api/funding/search", lambda route: route.fulfill(json=found))
    page.route(
        "**/api/articles?*", lambda route: route.fulfill(json={"articles": [article], "missing": [{"detail": text}]})
    )
    page.goto(hostile[0].url)
    page.get_by_role("button", name="도구").click()
    page.get_by_role("dialog").get_by_role("button", name="지원사업 찾기").click()
    expect(page.locator(".notices li").first).to_contain_text(text)
    _is_untouched(page)
    page.keyboard.press("Escape")
    shown.ask(ARTICLE)
    shown.answer.locator("a.statute").click()
    expect(page.locator(".statute-text")).to_contain_text(text)
    _is_untouched(page)


def test_names_of_uploaded_files_are_shown_as_text(hostile: tuple[Service, ScriptedChat], shown: Shown) -> None:
    page = shown.page
    name = "<img src=x onerror=document.title='hit'>.jsonl"
    job = {
        "id": "j",
        "kind": "ingest",
        "state": "failed",
        "created": "2026-11-21T00:00:00Z",
        "files": [name],
        "reason": name,
        "problem_count": 1,
        "problems": [{"file": name, "message": name}],
    }
    page.route("**/api/vectordb/jobs*", lambda route: route.fulfill(json={"jobs": [job]}))
    page.goto(f"{hostile[0].url}/ops#index")
    expect(page.get_by_text(name).first).to_be_visible()
    assert page.title() == "Bizi · 운영"
    assert page.locator("#page img").count() == 0
