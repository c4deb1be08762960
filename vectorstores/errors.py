"""Typed failures of the knowledge index. Callers turn the ``…Unavailable`` errors into a named degradation."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

# Errors that readers of damaged files raise: SQLite, JSON, UTF-8 and numpy.
UNREADABLE = (OSError, ValueError, TypeError, LookupError, ArithmeticError, EOFError, MemoryError, sqlite3.Error)


class KnowledgeIndexError(Exception):
    """Base of everything the index raises; the message is one sentence for an operator.

    ``reason`` is what clients may read of it: no paths, no addresses, no texts of libraries.
    """

    reason: ClassVar[str] = "색인의 일부를 쓸 수 없습니다."


class IndexMissing(KnowledgeIndexError):
    """There is no built index in the data directory."""


class IndexDamaged(KnowledgeIndexError):
    """A part that nothing can stand in for (manifest, chunk store) is missing or unreadable."""


class IndexMismatch(KnowledgeIndexError):
    """The index was built by another tokenizer, embedder or vector store; the message names the command to run."""


class BuildInProgress(KnowledgeIndexError):
    """Another process is building in this data directory."""


class IngestError(KnowledgeIndexError):
    """An ingest cannot start: a path does not exist, a format is unknown, a collection is missing."""


class LexicalIndexUnavailable(KnowledgeIndexError):
    """The BM25 part of a collection is missing or damaged."""

    reason = "단어 색인(BM25)을 쓸 수 없어 벡터 검색만 했습니다."


class VectorStoreUnavailable(KnowledgeIndexError):
    """The vector store of a collection is missing, damaged, unreachable or too slow."""

    reason = "벡터 저장소를 쓸 수 없어 단어 검색(BM25)만 했습니다."


class VectorServerUnavailable(VectorStoreUnavailable):
    """The vector server does not answer in time, or not at all; none of its collections can be searched."""

    reason = "벡터 저장소 서버가 응답하지 않아 단어 검색(BM25)만 했습니다."


class EmbeddingUnavailable(VectorStoreUnavailable):
    """The embedding provider gave no vectors of a question, so there is nothing to search with."""

    reason = "임베딩 제공자가 응답하지 않아 단어 검색(BM25)만 했습니다."


class RankingUnavailable(KnowledgeIndexError):
    """The learned order of candidates cannot be read, or belongs to another embedder or reranker."""


class ProviderUnavailable(KnowledgeIndexError):
    """An embedding or rerank provider cannot be loaded or did not answer; the message names its setting."""


class AnalysisFailed(KnowledgeIndexError):
    """A process that analyses texts for a build was lost, cannot be reached, or has another analyser."""


class DiskFull(KnowledgeIndexError):
    """There is too little room on the disk of the data directory, or it ran out."""


class BackupRefused(KnowledgeIndexError):
    """A backup or its restoration would do harm where it was asked for."""


class BackupFailed(KnowledgeIndexError):
    """The index cannot be backed up as it is."""


class BackupUnusable(KnowledgeIndexError):
    """A file is no whole backup."""


class SourceUnreadable(IngestError):
    """A source broke its loader, or took more time or memory than it may; the message is for the log."""


class StatuteSourceError(IngestError):
    """A source of statutes gave no usable answer. What had been fetched before is kept, and the next run goes on from there."""


class StatuteSourceUnavailable(StatuteSourceError):
    """It does not answer in time, or only with errors of the server, after every try."""


class StatuteSourceRefused(StatuteSourceError):
    """It does not take the request: the key, or the address that it comes from, is not registered."""


class StatuteQuotaReached(StatuteSourceError):
    """It takes no more requests for longer than a run may wait."""


class StatuteAnswerMalformed(StatuteSourceError):
    """It answers with something else than the API's JSON (a page in HTML, another shape)."""


class StatuteListIncomplete(StatuteSourceError):
    """Its list of statutes holds fewer than it says: a page is missing."""


@contextmanager
def unreadable_as(error: type[KnowledgeIndexError], sentence: str) -> Iterator[None]:
    """Raise ``error`` with this sentence for whatever a reader of damaged files raises."""
    try:
        yield
    except UNREADABLE as reason:
        raise error(sentence) from reason
