"""The formats that can be ingested, in the order in which a path is tried."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.faq import FaqLoader
from vectorstores.loaders.headnotes import HeadnoteLoader
from vectorstores.loaders.jsonl import JsonlLoader
from vectorstores.loaders.markdown import MarkdownLoader
from vectorstores.loaders.pdf import PdfLoader
from vectorstores.loaders.precedents import PrecedentLoader
from vectorstores.loaders.sniff import Probe
from vectorstores.loaders.statutes import StatuteLoader
from vectorstores.loaders.units import UnitLoader
from vectorstores.loaders.web_pages import WebPageLoader


class Loader(Protocol):
    """Reads one format."""

    @property
    def name(self) -> str:
        """The key of ``--format``."""
        ...

    @property
    def version(self) -> int:
        """Raised when the same file yields other documents; a source read by an older version is read again."""
        ...

    @property
    def needs_collection(self) -> bool:
        """True if the text does not say which collection it belongs to."""
        ...

    def accepts(self, probe: Probe) -> bool:
        """Return True if the files at the path look like this format."""
        ...

    def load(self, path: Path, options: LoadOptions, report: LoadReport) -> Iterator[SourceDocument]:
        """Yield the documents of ``path``, lazily and in a stable order. Files that cannot be read go to ``report``."""
        ...


LOADERS: tuple[Loader, ...] = (
    FaqLoader(),
    HeadnoteLoader(),
    JsonlLoader(),
    UnitLoader(),
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
    probe = Probe(path)
    for loader in LOADERS:
        if loader.accepts(probe):
            return loader
    raise IngestError(f"형식을 알 수 없습니다: {path} (--format 으로 지정하십시오)")
