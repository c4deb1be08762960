"""Our side of the comparison: one hybrid search with reranking, and the whole retrieve stage."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from agents.engine import Engine
from agents.retrieval.budget import DocumentBudget
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from evaluation.measures.retrieval import RankedAnswer, RetrievalRunner, ranked_id, score
from evaluation.questions import EvaluationQuestion
from utils.question_decomposer import SubQuery
from vectorstores.build.progress import Progress
from vectorstores.index import CollectionIndex, KnowledgeIndex

Question = TypeVar("Question")

DEPTH = 20
"""Ids ranked for a question, as `python -m evaluation retrieval` does by default."""


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    """A question and the collection in which it is searched; ``gold`` holds only what that collection holds."""

    id: str
    text: str
    domain: str
    collection: str
    gold: tuple[str, ...] = ()


def place(questions: Sequence[EvaluationQuestion], index: KnowledgeIndex) -> list[PlacedQuestion]:
    """Each question where its gold lies; those without gold here go to their own domain or the largest collection.

    When any question has gold here, those that have none are left out: nothing can be said of what is found for them.
    """
    largest = max(index.collections.values(), key=lambda collection: collection.size)
    with_gold, without = [], []
    for question in questions:
        homes = {
            collection.name: gold
            for collection in index.collections.values()
            if (gold := _held(question.gold, collection))
        }
        if homes:
            name = max(homes, key=lambda name: len(homes[name]))
            domain = index.collections[name].domain
            with_gold.append(PlacedQuestion(question.id, question.question, domain, name, homes[name]))
        else:
            home = next(
                (
                    collection
                    for collection in index.collections.values()
                    if collection.domain == question.domain and collection.size
                ),
                None,
            )
            home = home or largest
            without.append(PlacedQuestion(question.id, question.question, home.domain, home.name))
    return with_gold or without


def spread(questions: Sequence[Question], count: int | None) -> list[Question]:
    """``count`` of the questions, evenly spread; all of them for None."""
    if count is None or count >= len(questions):
        return list(questions)
    return [questions[number * len(questions) // count] for number in range(count)]


def figures(answers: Sequence[RankedAnswer], questions: Sequence[PlacedQuestion]) -> dict[str, float]:
    """`evaluation.measures.retrieval.score` of the answers to those questions."""
    gold = {question.id: question.gold for question in questions}
    return score([answer for answer in answers if answer.id in gold], gold)


def run_search(engine: Engine, questions: Sequence[PlacedQuestion], progress: Progress) -> list[RankedAnswer]:
    """Run one reranked search for each question, planned as in the retrieve stage, but without query variants and clauses."""
    parts = engine.parts
    searcher = engine.live.searcher
    planner = SearchPlanner(engine.settings, MultiQueryExpander(parts.glossary, parts.analyzer, 0))
    budget = DocumentBudget(DEPTH, DEPTH, DEPTH)

    def search(question: PlacedQuestion) -> list[str]:
        plan = planner.plan(searcher, SubQuery(question.domain, question.text), question.collection, budget)
        alone = replace(plan.request, clauses=())
        return [ranked_id(hit) for hit in searcher.search(question.collection, alone).hits]

    return time_each(search, questions, progress)


def time_each(
    search: Callable[[PlacedQuestion], Sequence[str]], questions: Sequence[PlacedQuestion], progress: Progress
) -> list[RankedAnswer]:
    """Search for each question in turn."""
    answers = []
    for question in questions:
        started = time.perf_counter()
        found = search(question)
        elapsed = (time.perf_counter() - started) * 1000
        answers.append(RankedAnswer(question.id, tuple(dict.fromkeys(found)), elapsed))
        progress.advance()
    return answers


def run_stage(engine: Engine, questions: Sequence[PlacedQuestion], progress: Progress) -> list[RankedAnswer]:
    """The retrieve stage with its query variants; the engine has the settings of `evaluation_settings`."""
    domains = {question.domain for question in questions}
    runners = {domain: RetrievalRunner(engine.parts, [domain], DEPTH) for domain in domains}
    return asyncio.run(_stage_of_all(runners, questions, progress))


async def _stage_of_all(
    runners: Mapping[str, RetrievalRunner], questions: Sequence[PlacedQuestion], progress: Progress
) -> list[RankedAnswer]:
    answers = []
    for question in questions:
        answers.append(await runners[question.domain].run(question.id, question.text))
        progress.advance()
    return answers


def _held(gold: Sequence[str], collection: CollectionIndex) -> tuple[str, ...]:
    return tuple(reference for reference in gold if collection.by_label(reference) or collection.by_document(reference))
