"""The formats that can be ingested, in the order in which a path is tried."""

from __future__ import annotations

from pathlib import Path

from vectorstores.errors import IngestError
from vectorstores.loaders.base import Loader
from vectorstores.loaders.faq import FaqLoader
from vectorstores.loaders.headnotes import HeadnoteLoader
from vectorstores.loaders.jsonl import JsonlLoader
from vectorstores.loaders.markdown import MarkdownLoader
from vectorstores.loaders.pdf import PdfLoader
from vectorstores.loaders.precedents import PrecedentLoader
from vectorstores.loaders.statutes import StatuteLoader
from vectorstores.loaders.web_pages import WebPageLoader

LOADERS: tuple[Loader, ...] = (
    FaqLoader(),
    HeadnoteLoader(),
    JsonlLoader(),
    StatuteLoader(),
    PrecedentLoader(),
    PdfLoader(),
    WebPageLoader(),
    MarkdownLoader(),
)


def loader_for(path: Path, format_name: str | None = None) -> Loader:
    """The loader named, or the first that accepts ``path``."""
    if not path.exists():
        raise IngestError(f"경로가 없습니다: {path}")
    if format_name is not None:
        for loader in LOADERS:
            if loader.name == format_name:
                return loader
        raise IngestError(f"알 수 없는 형식입니다: {format_name!r} (가능한 값: {', '.join(x.name for x in LOADERS)})")
    for loader in LOADERS:
        if loader.accepts(path):
            return loader
    raise IngestError(f"형식을 알 수 없습니다: {path} (--format 으로 지정하십시오)")
