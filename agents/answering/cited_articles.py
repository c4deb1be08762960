"""The notes on cited articles that stand before anything else in an answer, and its quotations of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chains.extractive_task import Quotation
from utils.documents import Hit
from utils.law.article_text import clause_of
from utils.law.question_references import LawReference
from utils.law.statute_names import squeeze
from utils.prompts import articles as wording
from utils.prompts.data import as_data
from vectorstores.search.articles import ArticleLookup, FoundArticle, MissingArticle

_DATE = re.compile(r"<\s*(\d{4})\.\s?(\d{1,2})\.\s?(\d{1,2})\.?\s*>")
_PICTURE = re.compile(r"\[그림\]|</?img>")  # stands for what only the official text shows
_MOST_FROM_GUIDES = 3  # sentences

_Numbered = tuple[int, str]


class CitedArticles:
    """The lookup of a question's articles beside the numbered documents of its answer."""

    def __init__(self, lookup: ArticleLookup, documents: Sequence[Hit]) -> None:
        self._lookup = lookup
        self._documents = documents
        self._numbers = {hit.chunk.id: number for number, hit in enumerate(documents, start=1)}

    @property
    def is_answer(self) -> bool:
        """True if notes and quotations are the whole answer."""
        return self._lookup.is_answer

    def notes(self) -> tuple[str, ...]:
        """A sentence for each article or clause that is not there, or not any more; each once."""
        missing = [missing_note(article) for article in self._lookup.missing]
        deleted = [self._deleted(article) for article in self._lookup.found if article.is_deleted]
        lacking = [
            self._lacking(article) for article in self._lookup.found if article.lacks_clause and not article.is_deleted
        ]
        return tuple(dict.fromkeys([*missing, *deleted, *lacking]))

    def quotations(self) -> tuple[Quotation, ...]:
        """The words of the found articles; of statutes that are not there, what guides say with reference to the article."""
        articles = [self._quotation(article) for article in self._lookup.found if not article.is_deleted]
        guides = [self._from_guides(article.reference) for article in self._lookup.missing if not article.articles]
        return tuple(quotation for quotation in (*articles, *guides) if quotation is not None)

    def prompt_block(self) -> str:
        """The block of the prompt that tells a model of them; empty when no article is cited."""
        lines = [wording.found_line(_citation(article), self._numbers_of(article)) for article in self._lookup.found]
        lines += [f"- {note}" for note in self.notes()]
        return wording.BLOCK.format(lines=as_data("\n".join(lines))) if lines else ""

    def _numbers_of(self, found: FoundArticle) -> list[int]:
        return [self._numbers[hit.chunk.id] for hit in found.hits if hit.chunk.id in self._numbers]

    def _quotation(self, found: FoundArticle) -> Quotation | None:
        """The words of an article; None where it is none of the documents."""
        clauses = () if found.lacks_clause else found.reference.clauses
        sentences = self._sentences(found)
        if clauses:
            wanted = clause_of([sentence for _, sentence in sentences], clauses) or ()
            rest = iter(sentences)
            sentences = [next(numbered for numbered in rest if numbered[1] == sentence) for sentence in wanted]
        heading = found.hits[0].chunk.title.replace(found.article, " ".join((found.article, *clauses)), 1)
        return Quotation(heading=heading, sentences=tuple(sentences)) if sentences else None

    def _sentences(self, found: FoundArticle) -> list[_Numbered]:
        """The sentences of an article in order, each once: neighbouring chunks of a long one overlap."""
        numbered: list[_Numbered] = []
        before: list[str] = []
        for hit in found.hits:
            own = hit.chunk.sentence_texts()
            number = self._numbers.get(hit.chunk.id)
            if number is None:
                break
            numbered += [
                (number, sentence) for sentence in own if sentence not in before and not _PICTURE.fullmatch(sentence)
            ]
            before = own
        return numbered

    def _from_guides(self, reference: LawReference) -> Quotation | None:
        cites = re.compile(re.escape(squeeze(f"{reference.law} {reference.article}")) + r"(?!의?\d)")
        found = [
            (number, sentence)
            for number, hit in enumerate(self._documents, start=1)
            if hit.chunk.label is None
            for sentence in hit.chunk.sentence_texts()
            if cites.search(squeeze(sentence))
        ]
        heading = wording.guides_heading(reference.law, str(reference.article))
        return Quotation(heading=heading, sentences=tuple(found[:_MOST_FROM_GUIDES])) if found else None

    def _deleted(self, found: FoundArticle) -> str:
        chunk = found.hits[0].chunk
        date = _DATE.search(chunk.text)
        when = f"{date[1]}. {int(date[2])}. {int(date[3])}." if date else ""
        return wording.deleted_article(found.reference.law, found.article, when, self._numbers.get(chunk.id))

    def _lacking(self, found: FoundArticle) -> str:
        reference = found.reference
        number = self._numbers.get(found.hits[0].chunk.id)
        return wording.missing_clause(reference.law, found.article, " ".join(reference.clauses), number)


def missing_note(missing: MissingArticle) -> str:
    """Return the sentence that says that an article, or its statute, is not there."""
    law, known = missing.reference.law, missing.articles
    if not known:
        return wording.missing_statute(law)
    return wording.missing_article(law, missing.reference.article or "", known[0], known[-1], missing.neighbours)


def _citation(found: FoundArticle) -> str:
    return " ".join((found.reference.law, found.article, *found.reference.clauses))
