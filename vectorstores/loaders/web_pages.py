"""Crawled pages: text files whose first line is ``Source URL: …``, a folder a topic, in a folder or an archive.

A page is one document under its path, ``<topic>/<page>.txt``, so that a hit anywhere in a long page names the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from pydantic import ValidationError

from utils.documents import DocumentSource, KnowledgeDocument
from utils.english.term_pairs import identifier_parts
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument, problem_text
from vectorstores.loaders.files import TextFile, read_text_files
from vectorstores.loaders.sniff import Probe

_SUFFIXES = (".txt",)
_URL = re.compile(r"\ASource URL:[ \t]*(\S+)[ \t]*(?:\n|\Z)")
_PATH_WORD = re.compile(r"[a-z]{2,}")
_TITLE = "Title:"
_TITLE_MARK = "bookmark_border"  # the icon that stands below the title of a page
_LINK_TARGET = re.compile(r"[ \t]?\[https?://[^\[\]\s]*\]")
# Lines around the text that every page has.
_FURNITURE = frozenset(
    (
        _TITLE_MARK,
        "bookmark_borderbookmark",
        "도움이 되었나요?",
        "의견 보내기",
        "Send feedback",
        "Switch to English",
        "이 페이지는 Cloud Translation API를 통해 번역되었습니다.",
        "이 페이지의 내용",
        "컬렉션을 사용해 정리하기",
        "내 환경설정을 기준으로 콘텐츠를 저장하고 분류하세요.",
        "Stay organized with collections",
        "Save and categorize content based on your preferences.",
    )
)


class WebPageLoader:
    """A file, folder or ``.tar.gz`` of crawled pages. The collection must be named: the text does not say it."""

    name = "webpages"
    version = 3
    needs_collection = True

    def accepts(self, probe: Probe) -> bool:
        return any(map(_URL.match, probe.plain_texts))

    def load(self, path: Path, options: LoadOptions, report: LoadReport) -> Iterator[SourceDocument]:
        if options.domain is None:
            raise IngestError(f"{path}: 웹 문서는 --collection 으로 컬렉션을 지정해야 합니다")
        for file in read_text_files(path, _SUFFIXES, report):
            report.files += 1
            page = _page(file, options.domain, report)
            if page is not None:
                report.documents += 1
                yield page


def _page(file: TextFile, domain: str, report: LoadReport) -> SourceDocument | None:
    text = file.text(report)
    if text is None:
        return None
    url = _URL.match(text)
    if url is None:
        report.problem(file.path, "첫 줄에 Source URL이 없습니다")
        return None
    lines = [line.rstrip() for line in _LINK_TARGET.sub("", text[url.end() :]).split("\n")]
    path = PurePosixPath(file.path)
    title = _title(lines) or path.stem.replace("_", " ")
    content = "\n".join(line for line in lines if line.strip() not in _FURNITURE and not line.startswith(_TITLE))
    try:
        document = KnowledgeDocument(
            id=file.path,
            type="guide",
            domain=domain,
            title=title,
            content=content.strip(),
            source=DocumentSource(name=path.parent.name or path.stem, url=url[1]),
            metadata={"tag": path.parent.name, "page": path.name},
        )
    except ValidationError as error:
        report.problem(file.path, problem_text(error))
        return None
    return SourceDocument(document, origin=file.path, heading=_heading(title, url[1]), prefix=document.title)


def _heading(title: str, address: str) -> str:
    """The title with the words that its identifiers and the path of the page are made of.

    A page on ``projects.databases.documents.commit`` is asked for as commit, in whatever language; so is one at ``…/quickstart/python``.
    """
    of_path = _PATH_WORD.findall(urlsplit(address).path.lower())
    words = dict.fromkeys((*identifier_parts(title), *of_path))
    known = title.lower().split()
    return " ".join((title, *(word for word in words if word not in known)))


def _title(lines: list[str]) -> str:
    """Return the title of the page: its ``Title:`` line, else the line above the icon; empty if there is neither."""
    if lines and lines[0].startswith(_TITLE):
        return lines[0].removeprefix(_TITLE).strip()
    marked = (above.strip() for above, line in pairwise(lines) if line.strip() == _TITLE_MARK)
    return next(marked, "")
