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
from agents.state import RouterState, RunContext, Trace, Understanding, WordedQuery
from agents.understanding import ReadingOrders
from utils.english.term_pairs import TermPairs, identifier_parts, word_forms
from utils.prompts.abilities import tagged_queries as prompt
from utils.question_decomposer import SubQuery
from vectorstores.search.identifiers import identifier_spelling

_LATIN = re.compile(r"[A-Za-z]{3,}")
_TOLD_WORDS = 8  # of a tag, in the orders to the model


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
    """Parameters of the ability in a pack; ``glossary`` and ``tags`` are files beside it.

    ``history`` are the messages that a model reads with a question, ``queries`` the most that it may make of one.
    """

    glossary: str
    tags: str
    history: int = Field(4, ge=0, le=20)
    queries: int = Field(3, ge=1, le=10)
    collections: tuple[SearchedCollection, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class TagChoice:
    """Chooses tags by rule, or as a model named them."""

    tags: tuple[Tag, ...]

    def by_rule(self, question: str) -> tuple[Tag, ...]:
        """Return the tags of which the question has a word; none where it has none."""
        text = " ".join(question.lower().split())
        return tuple(tag for tag in self.tags if any(word.lower() in text for word in tag.words))

    def named(self, names: Sequence[str]) -> tuple[Tag, ...]:
        """Return the tags of these names, of which a model may have made some up."""
        wanted = frozenset(name.strip().lower() for name in names)
        return tuple(tag for tag in self.tags if tag.name.lower() in wanted)


class TaggedSearchAbility(Ability):
    """Chooses tags for each query, adds what it is called in the other language, and searches every collection for it."""

    name: ClassVar[str] = "tagged_search"

    def __init__(self, tools: AbilityTools) -> None:
        super().__init__(tools)
        self.parameters = _validated(tools)
        self.pairs = TermPairs.load(tools.folder / self.parameters.glossary)
        self.choice = TagChoice(_tags(tools.folder / self.parameters.tags))

    async def after_decompose(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Search for each query in all collections, in both languages, among the documents of its tags."""
        return await self.tools.chain.in_pool(self._planned, state["understanding"])

    def reading_orders(self) -> ReadingOrders:
        """Return the orders for queries in both languages with their tags."""
        main = self.tools.routing.packs.domains[0]
        tags = "\n".join(f"- {tag.name}: {', '.join(tag.words[:_TOLD_WORDS])}" for tag in self.choice.tags)
        system = prompt.SYSTEM_PROMPT.format(
            label=main.label,
            scope=main.description,
            tags=tags,
            kinds="{kinds}",
            domain=main.key,
            most=self.parameters.queries,
        )
        return ReadingOrders(system, self.parameters.history)

    def _planned(self, understanding: Understanding) -> RouterState:
        """The queries of the model, with its tags or those of their words; without any the question itself, by rule."""
        asked = understanding.queries[: self.parameters.queries] or (WordedQuery(understanding.question),)
        searches: list[SubQuery] = []
        chosen: dict[str, None] = {}
        for each in asked:
            query = self.repaired(each.korean)
            tags = self.choice.named(each.tags) or self.choice.by_rule(f"{query} {each.english}")
            searches += self.sub_queries(query, f"{each.english} {self.other_words(query)}".strip(), tags)
            chosen.update((tag.name, None) for tag in tags)
        trace: Trace = {"tags": ",".join(chosen)}
        if understanding.queries:
            trace["queries"] = " | ".join(f"{each.korean} / {each.english}" for each in asked)
        return {"sub_queries": tuple(searches), "trace": trace}

    def repaired(self, text: str) -> str:
        """Return ``text`` with wrong terms and identifiers put right: those of the glossary, and what is one key away from a known one."""
        return identifier_spelling(self.tools.chain.searcher.index).repaired(self.pairs.repaired(text))

    async def after_retrieve(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Answer each query once, whatever the number of collections that were searched for it."""
        once = {part.query: part for part in reversed(state["sub_queries"])}
        return {"sub_queries": tuple(reversed(once.values()))}

    def sub_queries(self, query: str, terms: str, tags: Sequence[Tag]) -> tuple[SubQuery, ...]:
        """Return the query for each collection that holds anything."""
        held = self.tools.chain.searcher.index.collections
        documents = tuple(tag.documents for tag in tags)
        return tuple(
            SubQuery(each.domain, query, (), terms, documents, each.k)
            for each in self.parameters.collections
            if (found := held.get(self._collection(each.domain))) is not None and found.size
        )

    def _collection(self, domain: str) -> str:
        return self.tools.routing.packs.get(domain).collection

    def other_words(self, question: str) -> str:
        """Return the terms of the question in the other language, its identifiers in parts, and English words in the forms that the index has."""
        words = " ".join((*self.pairs.counterparts(question), *identifier_parts(question)))
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
