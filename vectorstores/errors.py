"""Typed failures of the knowledge index. Callers turn the two ``…Unavailable`` errors into a named degradation."""

from __future__ import annotations


class KnowledgeIndexError(Exception):
    """Base of everything the index raises; the message is one sentence for an operator."""


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


class VectorStoreUnavailable(KnowledgeIndexError):
    """The vector store of a collection is missing, damaged, unreachable or too slow."""


class RankingUnavailable(KnowledgeIndexError):
    """The learned order of candidates cannot be read, or belongs to another embedder or reranker."""


class ProviderUnavailable(KnowledgeIndexError):
    """An embedding or rerank provider cannot be loaded or did not answer; the message names its setting."""
