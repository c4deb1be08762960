"""``python -m tests.e2e.page.screenshots``: the pictures of docs/page.md, of the service with its starter documents.

The service runs by itself on a free port of loopback; the index of ``DATA_DIR`` has to be there (``make index``).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import FilePayload, Page, sync_playwright

from evaluation.bench.service import RunningService
from utils.config.settings import PROJECT_ROOT, load_settings

IMAGES = PROJECT_ROOT / "docs" / "images" / "page"
QUESTION = "시급 11,000원, 주 5일 하루 5시간 일하는 알바 주휴수당이 얼마예요?"
DISMISSAL = "직원이 세 명인데 한 명을 내보내려고 해요. 한 달 치 월급을 줘야 하나요?"
UNKNOWN = "중국에서 의류를 수입하면 관세율이 몇 %예요?"
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 860}
BROWSER = "/usr/bin/chromium"


def _ask(page: Page, question: str) -> None:
    turns = page.locator(".turn").count()
    page.fill("#question", question)
    page.keyboard.press("Enter")
    page.locator(".turn").nth(turns).locator(".toolbar").wait_for()
    page.wait_for_timeout(800)  # the scrolling ends


def _begin_anew(page: Page) -> None:
    page.get_by_role("button", name="새 대화").click()
    page.locator(".turn").wait_for(state="detached")


def _save(page: Page, name: str) -> None:
    page.screenshot(path=IMAGES / f"{name}.png")


def _conversation(page: Page, url: str, name: str) -> None:
    page.goto(url)
    page.locator(".example").first.wait_for()
    _save(page, f"{name}-start")
    _ask(page, QUESTION)
    page.locator(".cite").first.click()
    page.wait_for_timeout(300)
    _save(page, f"{name}-computed")
    _begin_anew(page)
    _ask(page, DISMISSAL)
    page.locator(".cite").first.click()
    page.wait_for_timeout(300)
    _save(page, f"{name}-source")
    _begin_anew(page)
    _ask(page, UNKNOWN)
    _save(page, f"{name}-unknown")
    _begin_anew(page)
    _ask(page, QUESTION)
    page.get_by_role("button", name="근로계약서 초안 만들기").click()
    page.get_by_role("dialog").wait_for()
    page.wait_for_timeout(300)
    _save(page, f"{name}-document")


def _operation(page: Page, url: str, name: str, document: FilePayload) -> None:
    """``document``: a file to take in, which makes a new version of the index."""
    page.goto(f"{url}/ops")
    page.locator("table").first.wait_for()
    _save(page, f"{name}-ops-health")
    page.get_by_role("tab", name="지식 색인").click()
    page.locator("input[type=file]").set_input_files(document)
    page.get_by_label("분야 (PDF와 안내문에는 필요)").select_option("law_common")
    page.get_by_role("button", name="올리기").click()
    page.locator("li progress").first.wait_for()
    page.locator("li progress").first.scroll_into_view_if_needed()
    _save(page, f"{name}-ops-index")
    page.locator("li", has_text="더함 1").first.wait_for(timeout=120_000)
    page.get_by_role("tab", name="답하지 못한 질문").click()
    page.locator("table details").first.click()
    _save(page, f"{name}-ops-gaps")
    page.get_by_role("tab", name="분야").click()
    page.get_by_label("고칠 분야").select_option("hr_labor")
    page.get_by_label("질문", exact=True).fill("퇴직금 줄 때 세금은 얼마나 떼나요?")
    page.locator(".bars").wait_for()
    page.wait_for_timeout(300)
    _save(page, f"{name}-ops-domains")


def _index_in(folder: Path) -> Path:
    """A data directory of its own, to take a document into and to ask in vain in."""
    shutil.copytree(load_settings().data_dir / "index", folder / "var" / "index", symlinks=True)
    return folder / "var"


def _document(name: str) -> FilePayload:
    faq = {"id": f"ours-{name}", "question": f"{name} 공유주방은 몇 시까지 하나요?", "answer": "밤 11시까지 합니다."}
    line = json.dumps(faq, ensure_ascii=False)
    return {"name": "공유주방 문답.jsonl", "mimeType": "application/jsonl", "buffer": line.encode()}


def main() -> int:
    """Write the pictures of both screens in both schemes."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with (
        tempfile.TemporaryDirectory() as folder,
        RunningService(_index_in(Path(folder)), Path(folder) / "log", {"API_KEYS": ""}) as service,
        sync_playwright() as playwright,
    ):
        url = service.address[0]
        korean: dict[str, str | float | bool] = {
            **os.environ,
            "LANGUAGE": "ko",
        }  # what the browser itself says, as in a field for a date
        browser = playwright.chromium.launch(executable_path=BROWSER, args=options, env=korean)
        for screen, size in (("phone", PHONE), ("desk", DESK)):
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport=size, color_scheme=scheme, locale="ko-KR")  # type: ignore[arg-type]
                _conversation(page, url, f"{screen}-{scheme}")
                _operation(page, url, f"{screen}-{scheme}", _document(f"{screen}-{scheme}"))
                page.context.close()
                print(f"{screen}, {scheme}: written to {IMAGES}", flush=True)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
