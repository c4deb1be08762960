"""The peer: `BM25Retriever` over rank-bm25, a Chroma retriever and `EnsembleRetriever`, as LangChain wires them.

It gets what our index was built from: the same chunks, terms and vectors. Analysing and embedding them again would cost
minutes and change nothing of its answers.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever

from evaluation.bench.machine import resident_memory
from evaluation.bench.searching import DEPTH, PlacedQuestion, time_each
from evaluation.measures.retrieval import RankedAnswer
from utils.config.settings import Settings
from utils.protocols import Analyzer
from vectorstores.backends.chroma import embedded_client
from vectorstores.build.progress import Progress
from vectorstores.build.providers import open_store
from vectorstores.embedders.factory import build_embedder
from vectorstores.index import CollectionIndex
from vectorstores.tokenizer import KiwiTokenizer

INSTALL = 'pip install -c constraints.txt ".[eval]"'
MEMORY_PER_CHUNK = 0.02
"""Megabytes a chunk of statutes takes while it is indexed here; 0.014 are left afterwards (measured on 20,000 articles)."""

_PACKAGES = ("langchain_community", "langchain_classic", "rank_bm25")
_NAME = "peer"
_BATCH = 5_000  # Chroma takes at most 5,461 records a call


def missing_packages() -> list[str]:
    """Return the packages that have to be installed before the peer can be measured."""
    return [name for name in _PACKAGES if find_spec(name) is None]


@dataclass(frozen=True, slots=True)
class PeerRun:
    """Result of the peer, and the megabytes of its indexes (None if the system does not tell)."""

    answers: list[RankedAnswer]
    memory: float | None


def run_peer(
    settings: Settings, questions: Sequence[PlacedQuestion], warm_up: Sequence[PlacedQuestion], progress: Progress
) -> PeerRun:
    """Index the collections of the questions and ask; best in a process of its own, which gives its memory back."""
    tokenizer = KiwiTokenizer()
    embedder = build_embedder(settings, tokenizer)
    assert isinstance(embedder, Embeddings), "every embedder of the service is one of LangChain's too"
    index = open_store(settings).open_current()
    peers: dict[str, LangChainPeer] = {}
    with TemporaryDirectory(dir=settings.data_dir, prefix="bench-peer-") as folder:
        try:
            before = resident_memory()
            for name in sorted({question.collection for question in questions}):
                peers[name] = LangChainPeer(index.collections[name], tokenizer, embedder, Path(folder) / name, DEPTH)
                peers[name].build(progress)
            after = resident_memory()

            def search(question: PlacedQuestion) -> list[str]:
                return peers[question.collection].search(question.text)

            progress.start("LangChain: search", len(warm_up) + len(questions))
            time_each(search, warm_up, progress)
            answers = time_each(search, questions, progress)
        finally:
            for peer in peers.values():
                peer.close()
            index.close()
    return PeerRun(answers, None if before is None or after is None else after - before)


class LangChainPeer:
    """A collection as LangChain searches it. ``directory`` takes its Chroma store."""

    def __init__(
        self, collection: CollectionIndex, analyzer: Analyzer, embeddings: Embeddings, directory: Path, k: int
    ) -> None:
        self._collection = collection
        self._analyzer = analyzer
        self._embeddings = embeddings
        self._client = embedded_client(directory)
        self._k = k
        self._retriever: BaseRetriever | None = None

    def build(self, progress: Progress) -> None:
        """Index the collection; minutes and gigabytes for all statutes."""
        from langchain_classic.retrievers import EnsembleRetriever
        from langchain_community.retrievers import BM25Retriever
        from rank_bm25 import BM25Okapi

        documents, terms = _read(self._collection, progress)
        progress.start(f"{self._collection.name}: rank-bm25", None)
        lexical = BM25Retriever(
            vectorizer=BM25Okapi(terms),
            docs=documents,
            k=self._k,
            preprocess_func=self._analyzer.terms,
        )
        dense = self._chroma_retriever(documents, progress)
        self._retriever = EnsembleRetriever(retrievers=[lexical, dense], weights=[0.5, 0.5])

    def search(self, question: str) -> list[str]:
        """Ranked ids (see `evaluation.measures.retrieval.ranked_id`)."""
        assert self._retriever is not None, "build first"
        return [str(found.metadata["id"]) for found in self._retriever.invoke(question)]

    def close(self) -> None:
        self._retriever = None
        self._client.close()

    def _chroma_retriever(self, documents: Sequence[Document], progress: Progress) -> BaseRetriever:
        from langchain_community.vectorstores import Chroma

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the successor is one more package with the same query
            store = Chroma(_NAME, self._embeddings, client=self._client)
        collection = self._client.get_collection(_NAME, embedding_function=None)
        progress.start(f"{self._collection.name}: LangChain Chroma", len(documents))
        for start in range(0, len(documents), _BATCH):
            part = documents[start : start + _BATCH]
            ordinals = range(start, start + len(part))
            collection.add(
                ids=[str(ordinal) for ordinal in ordinals],
                embeddings=self._collection.vectors_of(list(ordinals)),
                documents=[document.page_content for document in part],
                metadatas=[document.metadata for document in part],
            )
            progress.advance(len(part))
        retriever: BaseRetriever = store.as_retriever(search_kwargs={"k": self._k})
        return retriever


def _read(collection: CollectionIndex, progress: Progress) -> tuple[list[Document], list[list[str]]]:
    """Return the embedded texts and their terms. A statute's text begins with its title; any other text gets it here."""
    progress.start(f"{collection.name}: texts", collection.size)
    names = collection.vocabulary.terms()
    documents, terms = [], []
    for start in range(0, collection.size, _BATCH):
        ordinals = range(start, min(start + _BATCH, collection.size))
        headings = collection.terms_of(ordinals, "heading")
        bodies = collection.terms_of(ordinals, "body")
        for chunk, heading, body in zip(collection.chunks(ordinals), headings, bodies, strict=True):
            text = chunk.text if chunk.label else f"{chunk.title}\n{chunk.text}"
            documents.append(Document(page_content=text, metadata={"id": chunk.label or chunk.doc_id}))
            ids = body.tolist() if chunk.label else [*heading.tolist(), *body.tolist()]
            terms.append([names[term_id] for term_id in ids])
        progress.advance(len(ordinals))
    return documents, terms
