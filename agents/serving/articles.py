"""Cited statute articles as they leave the service: the whole text of each, put together from its chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.answering.cited_articles import missing_note
from schemas.knowledge.articles import Article, ArticleResults, MissingArticleItem
from utils.documents import Chunk
from utils.law.article_text import clause_of
from vectorstores.search.articles import ArticleLookup, FoundArticle, MissingArticle


def article_results(lookup: ArticleLookup, domains: Mapping[str, str]) -> ArticleResults:
    """Return the wire form of a lookup; ``domains`` maps the names of collections to the keys of their domains."""
    return ArticleResults(
        articles=[_article(found, domains) for found in lookup.found],
        missing=[_missing(missing) for missing in lookup.missing],
    )


def _article(found: FoundArticle, domains: Mapping[str, str]) -> Article:
    chunks = [hit.chunk for hit in found.hits]
    first, clauses = chunks[0], found.reference.clauses
    return Article(
        id=first.doc_id,
        law=found.reference.law,
        article=found.article,
        title=first.title,
        content=whole_text(chunks),
        clause=" ".join(clauses),
        clause_content=_clause_text(chunks, clauses) if clauses else None,
        deleted=found.is_deleted,
        collection=domains.get(first.collection, first.domain),
        source=first.source_name,
        url=first.source_url,
        effective_date=first.effective_date,
        metadata=dict(first.metadata),
    )


def whole_text(chunks: Sequence[Chunk]) -> str:
    """Return the text of neighbouring chunks of a document, without what two of them both hold."""
    texts: list[str] = []
    before: frozenset[str] = frozenset()
    for chunk in chunks:
        start = next((start for start, end in chunk.sentences if chunk.text[start:end] not in before), 0)
        texts.append(chunk.text[start:].strip())
        before = frozenset(chunk.sentence_texts())
    return "\n".join(texts)


def _clause_text(chunks: Sequence[Chunk], clauses: Sequence[str]) -> str | None:
    sentences = list(dict.fromkeys(sentence for chunk in chunks for sentence in chunk.sentence_texts()))
    wanted = clause_of(sentences, clauses)
    return "\n".join(wanted) if wanted is not None else None


def _missing(missing: MissingArticle) -> MissingArticleItem:
    return MissingArticleItem(
        law=missing.reference.law,
        article=missing.reference.article or "",
        statute_known=bool(missing.articles),
        neighbours=list(missing.neighbours),
        detail=missing_note(missing),
    )
