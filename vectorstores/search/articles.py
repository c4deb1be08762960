"""Looking up the statute articles that a question cites, in whatever collection holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from utils.documents import Hit
from utils.law.article_numbers import article_order
from utils.law.article_text import clause_of
from utils.law.question_references import LawReference
from vectorstores.index import CollectionIndex

_MOST_HITS = 15  # chunks of cited articles in one answer: a range of long ones must not fill the whole prompt


@dataclass(frozen=True, slots=True)
class FoundArticle:
    """An article that is there: its chunks in order, as hits found by ``exact``."""

    reference: LawReference
    hits: tuple[Hit, ...]

    @property
    def article(self) -> str:
        return str(self.reference.article)

    @property
    def is_deleted(self) -> bool:
        return self.hits[0].chunk.metadata.get("deleted") is True

    @property
    def lacks_clause(self) -> bool:
        """True if the question asks for a paragraph or item that the article does not have."""
        sentences = [sentence for hit in self.hits for sentence in hit.chunk.sentence_texts()]
        return bool(self.reference.clauses) and clause_of(sentences, self.reference.clauses) is None


@dataclass(frozen=True, slots=True)
class MissingArticle:
    """An article that is not there. ``articles`` are those of its statute that are, in order; none: nor is the statute."""

    reference: LawReference
    articles: tuple[str, ...] = ()

    @property
    def neighbours(self) -> tuple[str, ...]:
        """The articles right before and behind the one asked for; empty beyond the first and the last of the statute."""
        wanted = article_order(self.reference.article or "")
        before = [article for article in self.articles if article_order(article) < wanted]
        behind = [article for article in self.articles if article_order(article) > wanted]
        return (before[-1], behind[0]) if before and behind else ()


@dataclass(frozen=True, slots=True)
class ArticleLookup:
    """The articles that a question cites, those that are there and those that are missing.

    ``asks_nothing_else``: the question is a citation and asks nothing beside.
    """

    found: tuple[FoundArticle, ...] = ()
    missing: tuple[MissingArticle, ...] = ()
    asks_nothing_else: bool = False

    @property
    def hits(self) -> list[Hit]:
        """The chunks of the found articles, the first of each article first, at most 15."""
        rounds = zip_longest(*(article.hits for article in self.found))
        return [hit for row in rounds for hit in row if hit is not None][:_MOST_HITS]

    @property
    def is_answer(self) -> bool:
        """True if the articles, found or missing, are the whole answer: the question asks for articles and nothing else."""
        return self.asks_nothing_else and bool(self.found or self.missing)

    def leading(self, hits: Sequence[Hit], k: int | None = None) -> list[Hit]:
        """The cited articles before ``hits``, which they join with what a search says of them; at most ``k`` in all.

        Without ``k`` the list grows only where the articles alone are more than it held.
        """
        known = {hit.chunk.id: hit for hit in hits}
        exact = [
            replace(
                known.get(hit.chunk.id, hit), relevance=1.0, found_by=known.get(hit.chunk.id, hit).found_by | {"exact"}
            )
            for hit in self.hits
        ]
        ids = {hit.chunk.id for hit in exact}
        merged = [*exact, *(hit for hit in hits if hit.chunk.id not in ids)]
        return merged[: max(len(hits), len(exact)) if k is None else k]


NOTHING_CITED = ArticleLookup()


def look_up(collections: Iterable[CollectionIndex], references: Sequence[LawReference]) -> ArticleLookup:
    """The cited articles among ``references`` (those without an article are passed over), each from the first collection
    that holds it."""
    searched = list(collections)
    found: dict[str, FoundArticle] = {}
    missing: dict[str, MissingArticle] = {}
    for reference in references:
        label = reference.label
        if label is None or label in found or len(found) == _MOST_HITS:
            continue
        hits = next((hits for collection in searched if (hits := _hits(collection, label))), ())
        if hits:
            found[label] = FoundArticle(reference, hits)
        else:
            missing[label] = MissingArticle(reference, _articles_of(searched, reference.law))
    there = {present.article for present in found.values() if present.reference.is_one_of_several}
    lacking = [
        absent
        for absent in missing.values()
        if not absent.reference.is_one_of_several or absent.reference.article not in there
    ]
    return ArticleLookup(tuple(found.values()), tuple(lacking))


def _hits(collection: CollectionIndex, label: str) -> tuple[Hit, ...]:
    chunks = collection.chunks(collection.by_label(label))
    return tuple(Hit(chunk, score=1.0, relevance=1.0, found_by=frozenset({"exact"})) for chunk in chunks)


def _articles_of(collections: Sequence[CollectionIndex], law: str) -> tuple[str, ...]:
    articles = {article for collection in collections for article in collection.articles_of(law.replace(" ", ""))}
    return tuple(sorted(articles, key=article_order))
