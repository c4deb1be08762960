"""A small index built in milliseconds: words as terms, hashed words as vectors. The index itself is the real one."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np

from utils.config.settings import Settings
from utils.documents import LocatedTerms
from utils.protocols import AnalyzedText, Embedder, FloatMatrix, Morpheme
from vectorstores.build.draft import IngestResult
from vectorstores.build.ingest import BuildProviders, Ingest
from vectorstores.build.progress import Progress
from vectorstores.build.staging import Source
from vectorstores.live.index_store import IndexStore
from vectorstores.loaders.registry import loader_for

TODAY = date(2026, 11, 21)


class WordAnalyzer:
    """Splits at spaces; counts what it was given."""

    def __init__(self, analyzer_id: str = "words-1") -> None:
        self.id = analyzer_id
        self.analyzed = 0

    def terms(self, text: str) -> list[str]:
        self.analyzed += 1
        return text.split()

    def located(self, text: str) -> LocatedTerms:
        starts = tuple(match.start() for match in re.finditer(r"\S+", text))
        return LocatedTerms(tuple(self.terms(text)), starts)

    def located_many(self, texts: Iterable[str]) -> Iterator[LocatedTerms]:
        return (self.located(text) for text in texts)

    def morphemes(self, text: str) -> list[Morpheme]:
        raise NotImplementedError


@cache
def _direction(term: str, dimension: int) -> FloatMatrix:
    return np.random.default_rng(zlib.crc32(term.encode())).standard_normal(dimension).astype(np.float32)


class WordEmbedder:
    """A word is a direction; a text is the sum of its words, unit length."""

    dimension = 64

    def __init__(self, embedder_id: str = "hash-1") -> None:
        self.id = embedder_id

    def embed(self, items: Sequence[AnalyzedText]) -> FloatMatrix:
        result = np.zeros((len(items), self.dimension), dtype=np.float32)
        for row, item in enumerate(items):
            for term in item.terms:
                result[row] += _direction(term, self.dimension)
        norms = np.linalg.norm(result, axis=1, keepdims=True)
        return np.divide(result, norms, out=np.zeros_like(result), where=norms > 0)

    embed_passages = embed


class SmallKnowledge:
    """A data directory with an index: ingests files into it and opens the result."""

    def __init__(
        self,
        settings: Settings,
        analyzer: WordAnalyzer | None = None,
        today: date = TODAY,
        progress: Progress | None = None,
        embedder: Embedder | None = None,
        seconds: float | None = None,
    ) -> None:
        self.settings = settings
        self.analyzer = analyzer or WordAnalyzer()
        self.embedder = embedder or WordEmbedder()
        self.store = IndexStore(settings, self.analyzer.id, self.embedder.id)
        engines = BuildProviders(self.analyzer.id, self.embedder.id, lambda: (self.analyzer, self.embedder))
        self.ingest = Ingest(settings, engines, progress=progress, today=lambda: today, seconds=seconds)

    def add(self, *paths: Path, rebuild: bool = False, domain: str | None = None, mirror: bool = False) -> IngestResult:
        sources = [Source(path, loader_for(path), str(path), domain, mirror) for path in paths]
        return self.ingest.run(sources, rebuild=rebuild)

    def vector(self, text: str) -> FloatMatrix:
        return self.embedder.embed([AnalyzedText(text, tuple(text.split()))])


def record(document_id: str, content: str, domain: str = "hr_labor", **values: object) -> dict[str, object]:
    """Return a line of a knowledge file."""
    return {
        "id": document_id,
        "type": "guide",
        "domain": domain,
        "title": f"{document_id} 안내",
        "content": content,
        "source": {"name": "고용노동부", "url": "https://www.moel.go.kr"},
        **values,
    }


def write_lines(path: Path, *records: dict[str, object] | str) -> Path:
    lines = (record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
