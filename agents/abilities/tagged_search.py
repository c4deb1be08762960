"""Searches a documentation by tag, in two languages: what is looked for where, in texts and in questions with answers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.abilities.base import Ability, AbilityTools
from agents.state import RouterState, RunContext
from utils.english.term_pairs import TermPairs, identifier_parts, word_forms
from utils.question_decomposer import SubQuery

_LATIN = re.compile(r"[A-Za-z]{3,}")


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SearchedCollection(_Frozen):
    """A domain that is searched for every query, for ``k`` documents."""

    domain: str
    k: Annotated[int, Field(ge=1, le=50)]


class Tag(_Frozen):
    """A tag by the name that users know, the value in the metadata of its documents, and the words that choose it."""

    name: str
    documents: str
    words: tuple[str, ...] = ()


class TaggedSearchParameters(_Frozen):
    """Parameters of the ability in a pack; ``glossary`` and ``tags`` are files beside it."""

    glossary: str
    tags: str
    collections: tuple[SearchedCollection, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class TagChoice:
    """Chooses tags by rule."""

    tags: tuple[Tag, ...]

    def by_rule(self, question: str) -> tuple[Tag, ...]:
        """Return the tags of which the question has a word; none where it has none."""
        text = " ".join(question.lower().split())
        return tuple(tag for tag in self.tags if any(word.lower() in text for word in tag.words))


class TaggedSearchAbility(Ability):
    """Chooses tags for each query, adds what it is called in the other language, and searches every collection for it."""

    name: ClassVar[str] = "tagged_search"

    def __init__(self, tools: AbilityTools) -> None:
        super().__init__(tools)
        self.parameters = _validated(tools)
        self.pairs = TermPairs.load(tools.folder / self.parameters.glossary)
        self.choice = TagChoice(_tags(tools.folder / self.parameters.tags))

    async def after_decompose(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Search for the question in all collections, in both languages, among the documents of its tags."""
        question = state["understanding"].question
        return await self.tools.chain.in_pool(self._planned, question)

    def _planned(self, question: str) -> RouterState:
        tags = self.choice.by_rule(question)
        return {
            "sub_queries": self.sub_queries(question, self.other_words(question), tags),
            "trace": {"tags": ",".join(tag.name for tag in tags)},
        }

    async def after_retrieve(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Answer each query once, whatever the number of collections that were searched for it."""
        once = {part.query: part for part in reversed(state["sub_queries"])}
        return {"sub_queries": tuple(reversed(once.values()))}

    def sub_queries(self, query: str, terms: str, tags: Sequence[Tag]) -> tuple[SubQuery, ...]:
        """Return the query for each collection that holds anything."""
        held = self.tools.chain.searcher.index.collections
        repaired = self.pairs.repaired(query)
        documents = tuple(tag.documents for tag in tags)
        return tuple(
            SubQuery(each.domain, repaired, (), terms, documents, each.k)
            for each in self.parameters.collections
            if (found := held.get(self._collection(each.domain))) is not None and found.size
        )

    def _collection(self, domain: str) -> str:
        return self.tools.routing.packs.get(domain).collection

    def other_words(self, question: str) -> str:
        """Return the terms of the question in the other language, its identifiers in parts, and English words in the forms that the index has."""
        repaired = self.pairs.repaired(question)
        words = " ".join((*self.pairs.counterparts(repaired), *identifier_parts(repaired)))
        latin = tuple(dict.fromkeys(word.lower() for word in _LATIN.findall(words)))
        forms = tuple(form for form in word_forms(latin) if form not in latin)
        searcher = self.tools.chain.searcher
        collections = [self._collection(each.domain) for each in self.parameters.collections]
        found = zip(forms, searcher.document_frequencies(collections, forms), strict=True)
        known = (form for form, frequency in found if frequency)
        return " ".join(dict.fromkeys((*words.split(), *known)))


def _validated(tools: AbilityTools) -> TaggedSearchParameters:
    parameters = tools.parameters_as(TaggedSearchParameters)
    known = tools.routing.packs.keys()
    if unknown := [each.domain for each in parameters.collections if each.domain not in known]:
        raise ValueError(f"collections: unknown domains {unknown}")
    return parameters


def _tags(path: Path) -> tuple[Tag, ...]:
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["tag"]
        return tuple(Tag.model_validate(row) for row in rows)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, ValidationError) as error:
        raise ValueError(f"{path}: {error}") from error
