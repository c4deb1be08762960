"""The indexes that are built to be measured: the starter one, a sample of the statutes; and how fast they are built."""

from __future__ import annotations

import hashlib
import io
import math
import re
import shutil
import tarfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from utils.config.settings import Settings
from utils.protocols import Embedder
from vectorstores.build.ingest import BuildProviders, Ingest
from vectorstores.build.progress import Progress
from vectorstores.build.providers import open_store
from vectorstores.build.staging import Source
from vectorstores.cli import starter_source
from vectorstores.embedders.factory import build_embedder
from vectorstores.embedders.ids import embedder_id
from vectorstores.index import KnowledgeIndex
from vectorstores.loaders.base import LoadReport
from vectorstores.loaders.files import read_text_files
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import TOKENIZER_ID, KiwiTokenizer

_ARTICLE = re.compile(r"^#{5}\s+제\d+조".encode(), re.MULTILINE)
_SUPPLEMENT = re.compile(r"^##\s+부칙".encode(), re.MULTILINE)
_ANALYZED_CHARACTERS = 2_000_000  # of the sample, for the bare analyser: ten seconds
_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class IngestSpeed:
    """Characters a second of a whole ingest, and of the analyser alone on some of the same texts."""

    ingest: float
    analyzer: float


class BenchCorpus:
    """Builds indexes below ``folder`` with the settings of the service, always anew: an older one may be another version's."""

    def __init__(self, settings: Settings, folder: Path, progress: Progress) -> None:
        self._settings = settings
        self._folder = folder
        self._progress = progress

    def starter(self) -> Settings:
        """Settings of an index of the starter knowledge base."""
        settings = self._settings_for("starter")
        self._ingest(settings, [starter_source()], self._loaded_engines(settings))
        return settings

    def sample(self, statutes: Path, articles: int, *, with_starter: bool) -> tuple[Settings, IngestSpeed]:
        """Settings of an index of about so many statute articles, and how fast it was built."""
        settings = self._settings_for("sample")
        archive = settings.data_dir / "statutes.tar.gz"
        self._progress.start("sample: choosing statutes", None)
        write_sample(statutes, archive, articles)
        sources = [Source(archive, loader_for(archive), key="sample")]
        engines = self._loaded_engines(settings)
        started = time.perf_counter()
        self._ingest(settings, [*sources, *([starter_source()] if with_starter else [])], engines)
        seconds = time.perf_counter() - started
        return settings, self._speed(settings, seconds)

    def _settings_for(self, name: str) -> Settings:
        """A data directory of its own, which shares all caches but that of analysed texts: those are to be analysed."""
        data_dir = (self._folder / name).resolve()
        shutil.rmtree(data_dir, ignore_errors=True)
        cache = data_dir / "cache"
        cache.mkdir(parents=True)
        shared = self._settings.data_dir.resolve() / "cache"
        for entry in shared.iterdir() if shared.is_dir() else ():
            if not entry.name.startswith("analysis."):
                (cache / entry.name).symlink_to(entry)
        return self._settings.model_copy(update={"data_dir": data_dir})

    def _loaded_engines(self, settings: Settings) -> BuildProviders:
        """BuildProviders loaded now: loading is no part of what an ingest is measured at."""
        tokenizer = KiwiTokenizer()
        self._progress.start("analyser and embedder", None)
        embedder: Embedder = build_embedder(settings, tokenizer)
        return BuildProviders(TOKENIZER_ID, embedder_id(settings, TOKENIZER_ID), lambda: (tokenizer, embedder))

    def _ingest(self, settings: Settings, sources: Sequence[Source], engines: BuildProviders) -> None:
        Ingest(settings, engines, progress=self._progress).run(sources)

    def _speed(self, settings: Settings, seconds: float) -> IngestSpeed:
        index = open_store(settings).open_current()
        try:
            texts = _texts(index)
        finally:
            index.close()
        characters = sum(map(len, texts))
        chosen = texts[:: math.ceil(characters / _ANALYZED_CHARACTERS)]
        self._progress.start("bare analyser", len(chosen))
        tokenizer = KiwiTokenizer()
        started = time.perf_counter()
        for _ in tokenizer.kiwi.tokenize(iter(chosen)):
            self._progress.advance()
        analyzed = sum(map(len, chosen)) / (time.perf_counter() - started)
        return IngestSpeed(characters / seconds, analyzed)


def write_sample(statutes: Path, target: Path, articles: int) -> int:
    """Copy whole statutes, in an order that says nothing of them, until they hold ``articles``; returns how many they hold.

    A statute is a folder of the archive: its act, decree and rules stay together.
    """
    counts: dict[str, int] = {}
    for file in read_text_files(statutes, (".md",), LoadReport()):
        folder = _folder_of(file.path)
        counts[folder] = counts.get(folder, 0) + _articles(file.data)
    chosen: set[str] = set()
    total = 0
    for folder in sorted(counts, key=lambda name: hashlib.sha256(name.encode()).digest()):
        if total >= articles:
            break
        chosen.add(folder)
        total += counts[folder]
    with tarfile.open(target, "w:gz", compresslevel=1) as archive:
        for file in read_text_files(statutes, (".md",), LoadReport()):
            if _folder_of(file.path) in chosen:
                entry = tarfile.TarInfo(file.path)
                entry.size = len(file.data)
                archive.addfile(entry, io.BytesIO(file.data))
    return total


def _folder_of(path: str) -> str:
    return str(PurePosixPath(path).parent)


def _articles(data: bytes) -> int:
    supplement = _SUPPLEMENT.search(data)
    return sum(1 for _ in _ARTICLE.finditer(data, 0, supplement.start() if supplement else len(data)))


def _texts(index: KnowledgeIndex) -> list[str]:
    return [
        chunk.text
        for collection in index.collections.values()
        for start in range(0, collection.size, _BATCH)
        for chunk in collection.chunks(range(start, min(start + _BATCH, collection.size)))
    ]
