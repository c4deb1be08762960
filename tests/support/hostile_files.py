"""Taking in a file as the service does: kept as an upload, told what it is, read to its end, every text of it looked at."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from tests.support.packs import shipped_collections
from vectorstores.errors import IngestError
from vectorstores.jobs.uploads import UploadRefused, UploadStore
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.registry import loader_for

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)


def texts_of(source: SourceDocument) -> Iterator[tuple[str, str]]:
    """Every text of a document, each under its name."""
    document = source.document
    yield from (("id", document.id), ("title", document.title), ("content", document.content))
    yield from (("source", document.source.name), ("url", document.source.url))
    yield from (("heading", source.heading), ("name", source.name), ("prefix", source.prefix))
    yield from (("label", source.label or ""), *(("law", law) for law in document.related_laws))
    for key, value in document.metadata.items():
        yield from (("key", key), ("value", str(value)))
    for unit in source.units:
        yield from (("unit", unit.name), *(("ask", ask.text) for ask in unit.asks))
        yield from (("sentence", sentence.text) for sentence in unit.sentences)


def assert_plain(source: SourceDocument) -> None:
    """Nothing hidden in any text, and names on one line."""
    for name, text in texts_of(source):
        assert not HIDDEN.search(text), (name, text)
        if name not in ("content", "value"):
            assert "\n" not in text, (name, text)
    assert source.document.content.strip()


def load(path: Path, domain: str | None = "hr_labor") -> tuple[list[SourceDocument], LoadReport]:
    """The documents of a file of whatever format."""
    report = LoadReport()
    options = LoadOptions(today=date(2026, 11, 22), domain=domain, collections=shipped_collections())
    return list(loader_for(path).load(path, options, report)), report


def read_whole(path: Path) -> list[SourceDocument]:
    """Return the documents of a file, once all its texts and problems are plain; none for an unknown format."""
    try:
        documents, report = load(path)
    except IngestError:
        return []
    for source in documents:
        assert_plain(source)
    for problem in (*report.problems, *report.notes):
        assert not HIDDEN.search(str(problem))
        assert "\n" not in str(problem)
    return documents


def take_in(data_dir: Path, name: str, data: bytes) -> list[SourceDocument]:
    """The documents of an upload; none when it is refused, which takes a sentence on one line."""
    refusal = ""
    try:
        stored = UploadStore(data_dir).keep(name, io.BytesIO(data))
    except UploadRefused as refused:
        refusal = str(refused)
    if refusal:
        assert not HIDDEN.search(refusal)
        return []
    return read_whole(data_dir / stored.key)
