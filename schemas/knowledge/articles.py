"""Wire types of ``/api/articles``."""

from __future__ import annotations

from pydantic import BaseModel, Field

from schemas.chat import Scalar

LONGEST_REFERENCE = 200
"""Characters of a reference: a few citations, with the longest names of statutes."""


class Article(BaseModel):
    """A statute article of the knowledge base with its whole text."""

    id: str = Field(description="Id of its document, for `/api/vectordb/documents/{id}`.")
    law: str = Field(description="Name of the statute in full.")
    article: str = Field(description="Like 제48조의2.")
    title: str = Field(description="Statute, article and heading, as answers show it.")
    content: str
    clause: str = Field("", description="The paragraph or item asked for, like 제2항 제1호; empty: the whole article.")
    clause_content: str | None = Field(
        None, description="The words of that paragraph or item; null where the article has none such."
    )
    deleted: bool = Field(description="The article is not in force any more.")
    collection: str = Field(description="Key of the domain that holds it.")
    source: str
    url: str = ""
    effective_date: str | None = None
    metadata: dict[str, Scalar] = Field(default_factory=dict)


class MissingArticleItem(BaseModel):
    """A cited article that the knowledge base does not have, with the sentence that answers say about it."""

    law: str
    article: str
    statute_known: bool = Field(description="Other articles of the statute are there.")
    neighbours: list[str] = Field(description="The articles before and behind it, where it would lie between two.")
    detail: str


class ArticleResults(BaseModel):
    """The articles that a reference cites, in its order: those that are there, and those that are not."""

    articles: list[Article]
    missing: list[MissingArticleItem]
