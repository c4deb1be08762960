"""Fetching statutes into ``DATA_DIR/statutes``, and that tree as a source of the index."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from utils.config.settings import Settings
from vectorstores.build.progress import Progress
from vectorstores.build.staging import Source
from vectorstores.errors import BuildInProgress, IngestError
from vectorstores.loaders.registry import loader_for
from vectorstores.statute_book.mirror import FetchReport, update_tree
from vectorstores.statute_book.sources import ROOT, TreeSource
from vectorstores.storage.locks import FileLock

STATUTES_KEY = "statutes"
"""The folder of the tree below the data directory, and its name in the manifest of the index."""


def fetch(
    settings: Settings,
    report: FetchReport,
    progress: Progress,
    *,
    tree: Path | None = None,
    limit: int | None = None,
    prune: bool = False,
) -> None:
    """Bring the tree of the data directory up to date, from ``tree`` or from the open API; `update_tree` tells the rest.

    Raises `IngestError` (`StatuteSourceError` among them), `BuildInProgress` while another process fetches, and OSError.
    """
    root = settings.data_dir / STATUTES_KEY
    root.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(settings.data_dir / f"{STATUTES_KEY}.lock", shared=False)
    except BlockingIOError as error:
        raise BuildInProgress(f"다른 프로세스가 법령을 받고 있습니다: {root}") from error
    with lock:
        if tree is not None:
            update_tree(TreeSource(tree, report.reading), root, report, progress, limit, prune)
            return
        if settings.law_api_key is None:
            raise IngestError("LAW_API_KEY(국가법령정보센터 open API의 OC)가 없습니다. 또는 --tree PATH")
        # brings httpx with it, which other commands do not need
        from vectorstores.statute_book.open_api import OpenApiSource

        api = OpenApiSource(settings.law_api_key, settings.law_api_url, settings.law_api_timeout)
        with closing(api):
            update_tree(api, root, report, progress, limit, prune)


def statute_source(settings: Settings) -> Source | None:
    """The fetched tree, whose documents leave the index with their articles; None where nothing was fetched."""
    root = settings.data_dir / STATUTES_KEY
    if not any((root / ROOT).glob("*/*.md")):
        return None
    return Source(root, loader_for(root, "statutes"), STATUTES_KEY, mirror=True)
