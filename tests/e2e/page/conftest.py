"""The pages in Debian's Chromium, before a service that answers by script, or before the whole one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, expect, sync_playwright

from tests.contract.conftest import Service, running
from tests.contract.stub_service import StubServices
from tests.support.scripted_chat import Script, ScriptedChat
from tests.support.services import require_service

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 860}
_PATIENCE = 30_000  # milliseconds: a busy machine is no failure


# Of a module: while Playwright runs, its loop is the one of this process, and no asynchronous test can run.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = require_service("chromium")
    expect.set_options(timeout=_PATIENCE)
    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


class Shown:
    """A page with all that the browser complained about, and what ran that should not."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._logged)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._opened)

    def _logged(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def _opened(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def ask(self, question: str) -> None:
        """Type a question and wait for the end of its answer."""
        turns = self.page.locator(".turn").count()
        self.page.fill("#question", question)
        self.page.keyboard.press("Enter")
        self.page.locator(".turn").nth(turns).locator(".toolbar").wait_for()

    @property
    def answer(self) -> Any:
        return self.page.locator(".turn").last.locator(".answer")


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(viewport=PHONE, locale="ko-KR", accept_downloads=True) as context:  # type: ignore[arg-type]
        context.set_default_timeout(_PATIENCE)
        yield context


@pytest.fixture
def shown(context: BrowserContext) -> Iterator[Shown]:
    """A page of a phone; nothing may be refused, fail or open a dialog unless the test takes it off the list."""
    shown = Shown(context.new_page())
    yield shown
    assert shown.complaints == []


@contextmanager
def scripted(scripts: dict[str, Script], **settings: Any) -> Iterator[tuple[Service, ScriptedChat]]:
    """A running service with the pages, that answers by script."""
    chat, stubs = ScriptedChat(scripts), StubServices()
    stubs.chat = cast("Any", chat)
    with running(stubs, **settings) as service:
        yield service, chat
