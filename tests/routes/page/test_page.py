"""The pages as they are sent: whole, small, closed to everything from elsewhere, and below any prefix."""

from __future__ import annotations

import re

import httpx
import pytest

from routes.page.assets import STATIC, Assets
from routes.page.page import PAGE_POLICY
from tests.contract.conftest import running

_LIMIT = 200_000  # bytes of a page with all its files


@pytest.fixture(scope="module")
def page_addresses() -> dict[str, list[str]]:
    """The addresses that each page names, relative to the page."""
    pages = Assets.load().pages
    return {path: re.findall(r'(?:src|href)="(page/[^"]+)"', page.content.decode()) for path, page in pages.items()}


@pytest.mark.parametrize("prefix", ["", "/rag"])
def test_a_page_and_all_that_it_names_are_there(page_addresses: dict[str, list[str]], prefix: str) -> None:
    with running(root_path=prefix) as service, service.client() as client:
        for path, addresses in page_addresses.items():
            page = client.get(f"{prefix}{path}")
            assert page.headers["Content-Type"] == "text/html; charset=utf-8"
            assert page.headers["Content-Security-Policy"] == PAGE_POLICY
            assert page.headers["Cache-Control"] == "no-cache, no-store"
            base = httpx.URL(f"{service.url}{prefix}{path}")
            files = {address: client.get(base.join(address)) for address in addresses}
            assert [address for address, file in files.items() if file.status_code != 200] == []
            assert {file.headers["Cache-Control"] for file in files.values()} == {"public, max-age=31536000, immutable"}
            assert all(file.headers["X-Content-Type-Options"] == "nosniff" for file in files.values())


def test_a_page_stays_small_over_the_wire(page_addresses: dict[str, list[str]]) -> None:
    with running() as service, service.client() as client:
        for path, addresses in page_addresses.items():
            sent = 0
            for address in (path, *(f"/{address}" for address in addresses)):
                with client.stream("GET", address, headers={"Accept-Encoding": "gzip"}) as response:
                    assert response.headers["Content-Encoding"] == "gzip"
                    sent += sum(len(chunk) for chunk in response.iter_raw())
            assert 0 < sent <= _LIMIT, (path, sent)


def test_a_client_that_cannot_inflate_gets_plain_text() -> None:
    with running() as service, service.client() as client:
        plain = client.get("/", headers={"Accept-Encoding": "identity"})
        packed = client.get("/", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
    assert plain.text == packed.text
    assert "Accept-Encoding" in plain.headers["Vary"]


def test_every_module_that_is_imported_is_named_in_advance(page_addresses: dict[str, list[str]]) -> None:
    """Else a phone would find the modules one behind the other, each after a round trip."""
    for path, own in (("/", "chat"), ("/ops", "ops")):
        named = {address.split("/", 2)[2] for address in page_addresses[path] if address.endswith(".js")}
        for file in (STATIC / own).glob("*.js"):
            for imported in re.findall(r'from "([^"]+)"', file.read_text(encoding="utf-8")):
                target = (file.parent / imported).resolve().relative_to(STATIC).as_posix()
                assert target in named, (file.name, imported)


def test_no_file_of_ours_leads_from_text_to_html() -> None:
    ways = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|unsafeHTML|\beval\(|new Function|createPolicy"
    )
    own = [file for file in STATIC.rglob("*.js") if "vendor" not in file.parts]
    assert len(own) > 10
    assert [file.name for file in own if ways.search(file.read_text(encoding="utf-8"))] == []
    pages = [(STATIC / name).read_text(encoding="utf-8") for name in ("index.html", "ops.html")]
    assert [page for page in pages if re.search(r"<script>|style=|\son\w+=|https?://", page)] == []


def test_a_file_that_is_none_is_not_found() -> None:
    with running() as service, service.client() as client:
        place = next(iter(Assets.load().files)).rsplit("/", 1)[0]
        for path in (f"{place}/../../main.py", f"{place}/%2e%2e/page.py", "/page/000000000000/page.css"):
            assert client.get(path).status_code == 404


def test_the_library_keeps_its_licence() -> None:
    licence = (STATIC / "vendor" / "lit-html" / "LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("BSD 3-Clause License")
