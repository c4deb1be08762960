"""Crawled pages, by path."""

from __future__ import annotations

import io
import tarfile
from datetime import date
from pathlib import Path

import pytest

from tests.support.packs import shipped_collections
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.registry import loader_for

PAGES = {
    "drive/files_list.txt": (
        "Source URL: https://example.com/files?hl=ko\n\n홈 [https://example.com/?hl=ko]\n도움이 되었나요?\nMethod: files.list\n"
        "bookmark_border\n이 페이지의 내용\n파일을 나열합니다. 색인 [https://example.com/i]을 참조하세요.\n의견 보내기"
    ),
    "firestore/ttl.txt": "Source URL: https://example.com/ttl\nTitle: TTL 정책\nbookmark_border\n\n만료를 정합니다.",
    "map/maps_3d.txt": "Source URL: https://example.com/3d\n\n지도 안내",
    "map/bare.txt": "머리 없는 글",
    "map/none.txt": "Source URL: https://example.com/none\n의견 보내기\n",
    "LICENSE": "MIT",
}


@pytest.fixture(params=["folder", "archive"])
def pages(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "folder":
        for name, text in PAGES.items():
            (tmp_path / "pages" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "pages" / name).write_text(text, encoding="utf-8")
        return tmp_path / "pages"
    with tarfile.open(tmp_path / "pages.tar.gz", "w:gz") as archive:
        for name, text in PAGES.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return tmp_path / "pages.tar.gz"


def load(path: Path, domain: str | None = "law_common") -> tuple[dict[str, SourceDocument], LoadReport]:
    loader, report = loader_for(path), LoadReport()
    assert loader.name == "webpages"
    options = LoadOptions(date(2026, 11, 21), domain, collections=shipped_collections())
    return {found.document.id: found for found in loader.load(path, options, report)}, report


def test_a_page_is_a_document_under_its_path(pages: Path) -> None:
    documents, report = load(pages)
    assert sorted(documents) == ["drive/files_list.txt", "firestore/ttl.txt", "map/maps_3d.txt"]
    page = documents["drive/files_list.txt"].document
    assert (page.title, page.source.url) == ("Method: files.list", "https://example.com/files?hl=ko")
    assert page.content == "홈\nMethod: files.list\n파일을 나열합니다. 색인을 참조하세요."
    assert page.metadata == {"tag": "drive", "page": "files_list.txt"}
    assert documents["drive/files_list.txt"].prefix == page.title, "every passage of a long page bears its title"
    assert documents["drive/files_list.txt"].heading == "Method: files.list files list", "commit finds documents.commit"
    assert documents["firestore/ttl.txt"].heading == "TTL 정책", "ttl stands in the title already"
    assert documents["firestore/ttl.txt"].document.title == "TTL 정책"
    assert documents["map/maps_3d.txt"].document.title == "maps 3d"
    assert sorted(problem.path for problem in report.problems) == ["map/bare.txt", "map/none.txt"]


def test_the_collection_must_be_named(pages: Path) -> None:
    with pytest.raises(IngestError, match="--collection"):
        load(pages, domain=None)
