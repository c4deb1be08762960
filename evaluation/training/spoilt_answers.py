"""Answers spoilt on purpose, from the units of the index: what a judge of answers has to find.

Made by rule from a seed, so that an answer is spoilt in the same way each time.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from agents.answering.prompt_builder import GenerationTask, PromptBuilder
from agents.state import AskedUnits, RouterState
from chains.context import PromptDocument
from chains.extractive.chat_model import ExtractiveWriter
from chains.extractive_task import ExtractiveAsk, ExtractiveTask
from utils.documents import Hit
from utils.knowledge.case import Standing, fit

_NEAR = 200  # units among which a rule of another case is looked for
_OTHERS = 6
_SEED = 20_261_123


class Form(StrEnum):
    """An answer as the service gave it, from another unit, or spoilt in one of seven ways."""

    INTACT = "intact"
    OTHER_UNIT = "other unit"  # right or wrong: by its grade
    NEIGHBOUR = "neighbouring unit"  # of the same document
    SIBLING = "sibling case"  # the nearest rule whose conditions the case contradicts
    ASPECT = "other aspect"  # the nearest unit of another aspect
    DROPPED = "dropped ask"
    UNRELATED = "unrelated document"  # of the same domain
    VERDICT = "wrong yes or no"
    LATE = "late answer"  # behind sentences of an unrelated document


SPOILT = (Form.NEIGHBOUR, Form.SIBLING, Form.ASPECT, Form.DROPPED, Form.UNRELATED, Form.VERDICT, Form.LATE)
"""The ways to spoil an answer."""

STILL_STATED = frozenset({Form.VERDICT, Form.LATE})
"""Those after which the key facts may still be there."""


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """An answer written anew: what it is, its text and its sources, and the place of the thing asked that was changed."""

    form: Form
    content: str
    documents: tuple[Hit, ...]
    ask: int


class AnswerSpoiler:
    """Writes the answers of the extractive writer once more, with something else in the place of what answers."""

    def __init__(self, prompts: PromptBuilder, writer: ExtractiveWriter) -> None:
        self._prompts = prompts
        self._writer = writer

    def written(self, state: RouterState) -> Iterator[WrittenAnswer]:
        """The answer with each thing asked that units answer treated in each way that it can be."""
        summed = {each.ask for each in state["sums"].conclusions}
        for place, asked in enumerate(state["units"]):
            if not asked.is_answered or asked.ask in summed:
                continue
            for form, number in _replacements(asked, f"{_SEED}:{state['query']}:{place}"):
                yield self._with_unit(state, place, form, number)
            task = self._task(state, state["answer"].documents)
            asks = list(task.asks)
            if len(asks) > 1:
                yield self._write(state, Form.DROPPED, place, task, (*asks[:place], *asks[place + 1 :]))
            if asked.verdict is not None and asks[place].units:
                best, *others = asks[place].units
                asks[place] = asks[place].model_copy(
                    update={"units": (best.model_copy(update={"verdict": not asked.verdict}), *others)}
                )
                yield self._write(state, Form.VERDICT, place, task, tuple(asks))

    def _with_unit(self, state: RouterState, place: int, form: Form, number: int) -> WrittenAnswer:
        asked = state["units"][place]
        if not (readable := asked.ranked.found(np.array([number]))):
            raise LookupError(f"unit {number} cannot be read")
        found = readable[0]
        documents = state["answer"].documents
        if found.chunk.doc_id not in {hit.chunk.doc_id for hit in documents}:
            documents = (*documents, Hit(found.chunk, score=found.score, relevance=found.answers))
        units = list(state["units"])
        said = (replace(found, score=asked.units[0].score), *asked.units[:1]) if form is Form.LATE else (found,)
        units[place] = replace(asked, units=said, answers_from=0.0, verdict=None)
        changed: RouterState = {**state, "units": tuple(units)}
        task = self._task(changed, documents)
        return replace(self._write(state, form, place, task, task.asks), documents=documents)

    def _write(
        self, state: RouterState, form: Form, place: int, task: ExtractiveTask, asks: tuple[ExtractiveAsk, ...]
    ) -> WrittenAnswer:
        content = "".join(self._writer.write(task.model_copy(update={"asks": asks})))
        return WrittenAnswer(form, content, state["answer"].documents, place)

    def _task(self, state: RouterState, documents: tuple[Hit, ...]) -> ExtractiveTask:
        numbered = [PromptDocument(hit, number, "") for number, hit in enumerate(documents, start=1)]
        return self._prompts.extractive_task(GenerationTask.of(state, numbered, ()))


def _replacements(asked: AskedUnits, seed: str) -> Iterator[tuple[Form, int]]:
    """The units to say in the place of the best one."""
    ranked, catalogue = asked.ranked, asked.ranked.match.catalogue
    best = ranked.number_of(asked.units[0])
    own = catalogue.units[best]
    order = [number for number in ranked.order.tolist() if number != best]
    beside = [number for number in (best + 1, best - 1) if number in catalogue.of_document(own.stored.document_id)]
    contradicted = [
        number
        for number in order[:_NEAR]
        if fit(catalogue.units[number].stored.unit.conditions, asked.case) is Standing.CONTRADICTED
    ]
    of_others = [number for number in order if catalogue.units[number].stored.unit.aspect is not own.stored.unit.aspect]
    unrelated = [
        number
        for number in sorted(order)
        if catalogue.units[number].domain == own.domain
        and catalogue.units[number].stored.document_id != own.stored.document_id
    ]
    chosen = random.Random(seed).choice(unrelated)  # noqa: S311  # repeatable, not secret
    yield from ((Form.NEIGHBOUR, number) for number in beside[:1])
    yield from ((Form.SIBLING, number) for number in contradicted[:1])
    yield from ((Form.ASPECT, number) for number in of_others[:1])
    yield from ((form, chosen) for form in (Form.UNRELATED, Form.LATE))
    yield from ((Form.OTHER_UNIT, number) for number in order[:_OTHERS])
