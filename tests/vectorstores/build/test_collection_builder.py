"""The build of a collection: every file speaks of the same chunk under the same number, however the work was cut."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.support.small_index import WordAnalyzer, WordEmbedder
from utils.protocols import AnalyzedText
from vectorstores.build import collection_builder
from vectorstores.build.analysis_cache import AnalysisCache
from vectorstores.build.collection_builder import Analysis, CollectionBuilder, Record, passage_text
from vectorstores.build.progress import NoProgress
from vectorstores.collections import CollectionSpec
from vectorstores.index import CollectionIndex
from vectorstores.integrity.checksums import damaged_files
from vectorstores.storage.chunk_store import ChunkRow, DocumentRow
from vectorstores.storage.files import VECTORS_FILE
from vectorstores.storage.lexical import LEXICAL_SETTINGS
from vectorstores.versions.versions import CollectionBuild

SPEC = CollectionSpec("hr_labor", "hr_labor_db")


def record(number: int, *texts: str, law: str = "") -> Record:
    label = f"{law}|제{number}조" if law else None
    row = DocumentRow(
        id=f"D{number}", hash=b"h", origin="o", type="law" if law else "guide", domain="hr_labor", title=f"제목{number}",
        heading=f"제목{number}", name=law, label=label, source_name="청", source_url="", effective_date=None,
        related_laws=(), metadata={"law_kind": "법률"} if law else {},
    )  # fmt: skip
    return row, [ChunkRow(f"D{number}#{place}", text, ((0, len(text)),)) for place, text in enumerate(texts)]


RECORDS = [
    record(1, "연차 휴가 는 연차", "퇴직 금"),
    record(2, "해고 예고", law="근로기준법"),
    record(3),
    record(4, "임금 지급", "임금 체불", "연차 수당"),
    record(5, "휴가 사용", law="근로기준법"),
]
CHUNKS = [(row, chunk) for row, chunks in RECORDS for chunk in chunks]


class Built:
    """A build in a folder of its own, and the analysis that it was made by."""

    def __init__(self, folder: Path, cache: AnalysisCache, next_uid: int = 3) -> None:
        self.directory = folder / "v1" / SPEC.name
        self.analyzer, self.embedder = WordAnalyzer(), WordEmbedder()
        analysis = Analysis(cache, self.analyzer, self.embedder)
        self.directory.parent.mkdir(parents=True)
        builder = CollectionBuilder(self.directory, analysis, next_uid, NoProgress())
        self.record: CollectionBuild = builder.build(SPEC, "v1", iter(RECORDS), LEXICAL_SETTINGS, None)

    def open(self) -> CollectionIndex:
        return CollectionIndex(self.record, self.directory, None)

    def files(self) -> dict[str, bytes]:
        """All files but those of the vector store, which names things by chance."""
        paths = [path for path in self.directory.rglob("*") if path.is_file() and "chroma" not in path.as_posix()]
        return {path.relative_to(self.directory).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[AnalysisCache]:
    opened = AnalysisCache(tmp_path / "cache.sqlite")
    yield opened
    opened.close()


def test_texts_terms_and_vectors_of_a_chunk_stand_under_one_number(tmp_path: Path, cache: AnalysisCache) -> None:
    built = Built(tmp_path, cache)
    index = built.open()
    assert [chunk.text for chunk in index.chunks(range(index.size))] == [chunk.text for _, chunk in CHUNKS]
    bodies, headings = index.terms_of(range(index.size)), index.terms_of(range(index.size), "heading")
    for (row, chunk), body, heading in zip(CHUNKS, bodies, headings, strict=True):
        assert index.vocabulary.strings(body) == chunk.text.split()
        assert index.vocabulary.strings(heading) == row.heading.split()
    passages = [AnalyzedText("", tuple(passage_text(row, chunk).split())) for row, chunk in CHUNKS]
    expected = built.embedder.embed(passages)
    stored = np.load(built.directory / VECTORS_FILE).astype(np.float32)
    assert np.abs(stored - expected).max() < 1e-3
    nearest = [ordinals.tolist() for ordinals, _ in index.vector_search(expected, 1)]
    assert nearest == [[ordinal] for ordinal in range(len(CHUNKS))]
    index.close()


def test_a_statute_is_embedded_by_its_text_and_a_guide_with_its_title() -> None:
    assert passage_text(*CHUNKS[0]) == "제목1\n연차 휴가 는 연차"
    assert passage_text(*CHUNKS[2]) == "해고 예고"


def test_bm25_finds_a_chunk_by_the_words_of_its_text_and_of_its_heading(tmp_path: Path, cache: AnalysisCache) -> None:
    index = Built(tmp_path, cache).open()
    assert np.flatnonzero(index.bm25_scores(["체불"])).tolist() == [4]
    assert np.flatnonzero(index.bm25_scores(["제목4"])).tolist() == [3, 4, 5]
    assert np.flatnonzero(index.bm25_scores(["없는말"])).tolist() == []
    assert [index.document_frequency(term) for term in ("연차", "휴가", "없는말")] == [2, 2, 0]
    index.close()


def test_the_record_of_a_build_says_what_is_in_it(tmp_path: Path, cache: AnalysisCache) -> None:
    built = Built(tmp_path, cache)
    made = built.record
    assert (made.name, made.domain, made.built_in) == ("hr_labor_db", "hr_labor", "v1")
    assert (made.documents, made.chunks, made.next_uid) == (5, 7, 10)
    words = {word for row, chunk in CHUNKS for word in (*chunk.text.split(), *row.heading.split(), *row.name.split())}
    assert made.terms == len(words)
    assert damaged_files(built.directory, made.files) == []
    assert set(built.files()) <= set(made.files), "a file without a checksum could break unnoticed"


def test_how_the_work_is_cut_changes_no_file(
    tmp_path: Path, cache: AnalysisCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Built(tmp_path / "whole", cache).files()
    monkeypatch.setattr(collection_builder, "_BATCH_CHUNKS", 2)
    fresh = AnalysisCache(tmp_path / "fresh.sqlite")
    cut = Built(tmp_path / "cut", fresh).files()
    fresh.close()
    assert cut.keys() == whole.keys()
    assert [name for name in whole if cut[name] != whole[name]] == []


def test_what_was_analysed_once_is_not_analysed_again(tmp_path: Path, cache: AnalysisCache) -> None:
    first = Built(tmp_path / "first", cache)
    again = Built(tmp_path / "again", cache)
    assert first.analyzer.analyzed > 0
    assert again.analyzer.analyzed == 0
    assert again.files() == first.files()
