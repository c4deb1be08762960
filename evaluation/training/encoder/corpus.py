"""The encoder's training data as numbers: the texts of statutes and headnotes as lists of rows, and which belong together."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.training.encoder.headnotes import CitationReader, HeadnotePart, read_headnotes
from utils.protocols import Analyzer
from utils.routing.domain_pack import load_pack_files
from utils.routing.domain_store import SHIPPED_DOMAINS
from vectorstores.build.analysis_cache import AnalysisCache
from vectorstores.build.progress import Progress
from vectorstores.collections import Collections
from vectorstores.embedders.static_encoder import known_parts
from vectorstores.loaders.base import LoadOptions, LoadReport
from vectorstores.loaders.statutes import StatuteLoader
from vectorstores.storage.chunking import chunk_text
from vectorstores.storage.ragged import RaggedIds

_LEARNED_FROM = 60  # occurrences from which a word that Kiwi does not know gets a vector of its own
_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class ArticleText:
    """``text`` is what an index embeds: title and body, the first piece of a long article."""

    label: str
    name: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Lists of term rows and the pairs among them.

    ``articles``, ``titles`` (heading and name) and ``headings`` are parallel. ``citations`` has rows of (part, article,
    decision), ``rulings`` of (issue, holding, decision); parts, issues and holdings number ``parts``.
    """

    terms: tuple[str, ...]
    articles: RaggedIds
    titles: RaggedIds
    headings: RaggedIds
    parts: RaggedIds
    citations: NDArray[np.int64]
    rulings: NDArray[np.int64]


def add_corpus_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the texts lie, and where their analyses are kept."""
    parser.add_argument("--statutes", type=Path, required=True, help="statute archive (.tar.gz or folder of Markdown)")
    parser.add_argument("--headnotes", type=Path, required=True, help="gzipped JSONL of issues, holding, cited")
    parser.add_argument(
        "--exclude", type=Path, nargs="*", default=[], help="evaluation JSONL whose questions are left out"
    )
    parser.add_argument("--data-dir", type=Path, help="where analyses are kept (default: DATA_DIR)")


def read_articles(path: Path) -> Iterator[ArticleText]:
    """The articles in force of a statute archive, deleted ones left out; the same on any day."""
    collections = Collections(load_pack_files(SHIPPED_DOMAINS))
    policy = collections.find(collections.law).policy("law")
    for source in StatuteLoader().load(path, LoadOptions(today=date.max, collections=collections), LoadReport()):
        if source.label is not None and not source.document.metadata.get("deleted"):
            passages = chunk_text(source.document.content, policy, source.prefix)
            yield ArticleText(
                source.label, source.name, source.heading, passages[0].text if passages else source.prefix
            )


def build_corpus(
    statutes: Path,
    headnotes: Path,
    kiwi_terms: Sequence[str],
    excluded: Collection[str],
    texts: TextReader,
) -> Corpus:
    """Read and analyse everything. A statute archive that an ingest with the same cache has read is not analysed again."""
    articles = list(read_articles(statutes))
    numbers = {article.label: number for number, article in enumerate(articles)}
    parts = list(read_headnotes(headnotes, CitationReader(numbers), excluded))
    bodies = texts.read("법령", [article.text for article in articles])
    headings = texts.read("조문 제목", [article.heading for article in articles])
    names = texts.read("법령 이름", [article.name for article in articles])
    points = texts.read("판시사항·판결요지", list(chain.from_iterable((part.issue, part.holding) for part in parts)))
    terms, rows_of = _vocabulary(kiwi_terms, texts.terms, [*bodies, *points])
    return Corpus(
        terms=terms,
        articles=_in_rows(bodies, rows_of),
        titles=_in_rows([np.concatenate(pair) for pair in zip(headings, names, strict=True)], rows_of),
        headings=_in_rows(headings, rows_of),
        parts=_in_rows(points, rows_of),
        citations=_citations(parts, numbers),
        rulings=_rulings(parts),
    )


class TextReader:
    """Texts to lists of term numbers, through the analysis cache of a data directory; ``terms`` names the numbers."""

    def __init__(self, cache: AnalysisCache, analyzer: Analyzer, progress: Progress) -> None:
        self._cache = cache
        self._analyzer = analyzer
        self._progress = progress

    @property
    def terms(self) -> Sequence[str]:
        return self._cache.terms

    def read(self, what: str, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        """The term numbers of each text, repetitions kept, in order."""
        self._progress.start(f"{what}: 분석", len(texts))
        found: list[NDArray[np.int32]] = []
        remaining = iter(texts)
        while batch := list(islice(remaining, _BATCH)):
            found.extend(located[0] for located in self._cache.located_ids(batch, self._analyzer))
            self._progress.advance(len(batch))
        return found


def _vocabulary(
    kiwi_terms: Sequence[str], terms: Sequence[str], texts: Iterable[NDArray[np.int32]]
) -> tuple[tuple[str, ...], list[tuple[int, ...]]]:
    """The terms that have rows (Kiwi's, then frequent other words in byte order), and the rows of each of ``terms``."""
    counts: Counter[int] = Counter()
    for ids in texts:
        counts.update(ids.tolist())
    rows = {term: row for row, term in enumerate(kiwi_terms)}
    frequent = (terms[number] for number, count in counts.items() if count >= _LEARNED_FROM)
    learned = sorted(term for term in frequent if term not in rows and is_word(term))
    rows.update((term, len(kiwi_terms) + number) for number, term in enumerate(learned))
    return (*kiwi_terms, *learned), [known_parts(term, rows) for term in terms]


def is_word(term: str) -> bool:
    """Return whether a term may be learned: no figure, and no single letter (list marks: 가목, A, B)."""
    return len(term) > 1 and not any(character.isdigit() for character in term)


def _in_rows(texts: Sequence[NDArray[np.int32]], rows_of: Sequence[tuple[int, ...]]) -> RaggedIds:
    lists = [list(chain.from_iterable(rows_of[number] for number in ids.tolist())) for ids in texts]
    ends = np.concatenate([[0], np.cumsum([len(rows) for rows in lists], dtype=np.int64)])
    flat = np.fromiter(chain.from_iterable(lists), dtype=np.int32, count=int(ends[-1]))
    return RaggedIds(flat, ends)


def _citations(parts: Sequence[HeadnotePart], numbers: dict[str, int]) -> NDArray[np.int64]:
    """Return the citations, shape ``(n, 3)``: a part's issue (even number) or holding (odd), the article's number, the decision."""
    found = [
        (2 * number + side, numbers[label], part.decision)
        for number, part in enumerate(parts)
        for side, text in enumerate((part.issue, part.holding))
        for label in part.cited
        if text
    ]
    return np.asarray(found, dtype=np.int64).reshape(-1, 3)


def _rulings(parts: Sequence[HeadnotePart]) -> NDArray[np.int64]:
    found = [
        (2 * number, 2 * number + 1, part.decision) for number, part in enumerate(parts) if part.issue and part.holding
    ]
    return np.asarray(found, dtype=np.int64).reshape(-1, 3)
