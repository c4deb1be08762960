"""The stages of the graph: each calls an agent and returns the changes to the state."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Literal

from langgraph.errors import NodeError
from langgraph.graph import END
from langgraph.runtime import Runtime
from langgraph.types import Command

from agents.abilities.hooks import AbilityHooks, Hook
from agents.answering.actions import NOTHING_PROPOSED, ActionPlanner, ProposedActions
from agents.answering.asked_sources import leads_of
from agents.answering.attempts import Attempt, rank_of
from agents.answering.computed import compute_sums
from agents.answering.prefill import told_in
from agents.answering.prompt_builder import GenerationTask, asks_of
from agents.base import BaseAgent
from agents.evaluator import EvaluatorAgent
from agents.generator import ResponseGeneratorAgent
from agents.notices.dialogue import NoticeDialogue
from agents.retrieval.alternatives import Alternative, AlternativeSearch
from agents.retrieval.inquiry import RetrievalInquiry, Reword, with_what_was_told
from agents.retrieval_agent import RetrievalAgent
from agents.routing import Routing
from agents.state import NO_SUMS, Answer, ComputedSums, RouterState, RunContext, Trace, merged
from agents.understanding import QuestionUnderstanding
from chains.rag_chain import RAGChain
from schemas.chat import ActionItem, ActionType, Component, Degradation
from schemas.events import ActionEvent, ReplaceEvent, SourceEvent, TokenEvent
from utils.config.settings import Settings
from utils.documents import Hit
from utils.english.reading import is_english
from utils.observability.metrics import GroundingFault
from utils.observability.sparse_log import SparseLog
from utils.prompts.messages import direct_response, which_statute
from utils.question_decomposer import SubQuery
from utils.routing.domain_pack import DEFAULT_REJECTION
from vectorstores.errors import KnowledgeIndexError, VectorStoreUnavailable

logger = logging.getLogger(__name__)
_log = SparseLog(logger)
_Runtime = Runtime[RunContext]

Way = Literal["ability", "consult", "direct"]
_NO_TIME_TO_SEARCH = "시간이 모자라 답변을 고치기 위한 검색을 끝내지 못했습니다."
_NOT_SEARCHED_AGAIN = "색인을 쓸 수 없어 답변을 고치기 위한 검색 일부를 하지 못했습니다."


class Stages:
    """The nodes and the two conditions of the graph."""

    def __init__(
        self,
        settings: Settings,
        chain: RAGChain,
        agents: Mapping[str, BaseAgent],
        understanding: QuestionUnderstanding,
        routing: Routing,
        retrieval: RetrievalAgent,
        generator: ResponseGeneratorAgent,
        evaluator: EvaluatorAgent,
        alternatives: AlternativeSearch,
        notices: NoticeDialogue,
        abilities: AbilityHooks,
    ) -> None:
        self._settings = settings
        self._chain = chain
        self._understanding = understanding
        self._routing = routing
        self._retrieval = retrieval
        self._generator = generator
        self._evaluator = evaluator
        self._alternatives = alternatives
        self._notices = notices
        self.abilities = abilities
        self._actions = ActionPlanner(agents)

    async def classify(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Understand the question and choose its domains, or leave it to an ability that takes it over."""
        prepared = await self.abilities.after("before_classify", state, {}, runtime)
        state = merged(state, prepared)
        if (claimed := await self.abilities.claimed(state, runtime)) is not None:
            return merged(prepared, claimed)
        update = merged(prepared, await self._classified(state, runtime))
        return await self.abilities.after("after_classify", state, update, runtime)

    async def _classified(self, state: RouterState, runtime: _Runtime) -> RouterState:
        understood = await self._understanding.understand(state["query"], state["history"], runtime.context)
        result = understood.classification
        update: RouterState = {
            "understanding": understood.understanding,
            "classification_result": result,
            "domains": result.domains,
            "degraded": (*understood.degraded, *self._routing_degraded()),
            "trace": {
                "method": result.method,
                "confidence": round(result.confidence, 3),
                **understood.spelling,
            },
        }
        if understood.understanding.from_english:
            update |= {"query": understood.query, "history": understood.history}
        return update

    async def ability(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Answer by the ability that took the question over."""
        return await self.abilities.answer(state, runtime)

    def way(self, state: RouterState) -> Way:
        """Return what answers the question: an ability, documents of a domain, or a fixed sentence."""
        if "claimed_by" in state:
            return "ability"
        return "consult" if state["domains"] else "direct"

    async def decompose(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Return a self-contained sub-question for each domain."""
        return await self.abilities.after("after_decompose", state, await self._decomposed(state), runtime)

    async def _decomposed(self, state: RouterState) -> RouterState:
        understanding, domains = state["understanding"], state["domains"]
        given = {sub_query.domain: sub_query for sub_query in understanding.sub_queries}
        variants = {name: given[name].variants if name in given else () for name in domains}
        if len(domains) > 1 and all(name in given for name in domains):
            return {"sub_queries": tuple(given[name] for name in domains)}
        if len(domains) == 1:
            return {"sub_queries": (SubQuery(domains[0], understanding.question, variants[domains[0]]),)}
        sub_queries = await self._chain.in_pool(
            self._routing.decomposer.decompose, understanding.question, domains, state["history"]
        )
        return {
            "sub_queries": tuple(replace(sub_query, variants=variants[sub_query.domain]) for sub_query in sub_queries)
        }

    async def retrieve(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Find the documents."""
        understanding = state["understanding"]
        found = await self._retrieval.retrieve(
            with_what_was_told(
                RetrievalInquiry(
                    understanding.question,
                    state["sub_queries"],
                    understanding.variants,
                    state.get("user_context"),
                    self._reword(state, runtime.context),
                ),
                state,
            ),
            runtime.context.today,
        )
        update: RouterState = {
            "retrieval_results": found.results,
            "documents": found.documents,
            "articles": found.articles,
            "units": found.units,
            "degraded": found.degraded,
            "trace": dict(found.trace),
        }
        return await self.abilities.after("after_retrieve", state, update, runtime)

    async def generate(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Propose next steps, number the sources, write the answer and check each sentence as it is finished."""
        task, sums = await self._chain.in_pool(self._prepared, state, runtime.context.today)
        for source in self._chain.documents_to_sources(task.documents):
            runtime.stream_writer(SourceEvent(source=source))
        emit = runtime.stream_writer if runtime.context.streaming else None
        answer = await self._generator.generate(task, runtime.context, emit)
        for action in task.actions:
            runtime.stream_writer(ActionEvent(action=action))
        update: RouterState = {
            "actions": task.actions,
            "sums": sums,
            "documents": task.documents,
            "answer": answer,
            "degraded": answer.degraded,
        }
        return await self._told_after("after_generate", state, update, runtime)

    def _prepared(self, state: RouterState, today: date) -> tuple[GenerationTask, ComputedSums]:
        """The task that the answer is written from, with the next steps, and the sums; in one turn of a worker thread."""
        documents = state["documents"]
        proposed, sums = NOTHING_PROPOSED, NO_SUMS
        if self._settings.enable_action_aware_generation:
            proposed = self._proposed(state, today)
        if self._settings.enable_calculations:
            question, units = state["understanding"].question, state.get("units", ())
            sums = compute_sums(question, units, state["domains"][0], today)
        computed = (conclusion.hit for conclusion in sums.conclusions)
        documents = (*computed, *documents, *proposed.sources)
        return self._task({**state, "sums": sums}, documents, proposed.actions), sums

    def _proposed(self, state: RouterState, today: date) -> ProposedActions:
        """The next steps; a search for support programmes carries what question and profile tell of it."""
        question = state["understanding"].question
        terms = self._chain.searcher.analyze(question).terms
        proposed = self._actions.propose(question, terms, state["domains"], today, told_in(state))
        told = partial(self._notices.params_for, question, state.get("user_context"), today)
        actions = (
            action.model_copy(update={"params": told(action.params)})
            if action.type is ActionType.FUNDING_SEARCH
            else action
            for action in proposed.actions
        )
        return replace(proposed, actions=tuple(actions))

    async def evaluate(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Score the answer and check it against its sources."""
        answer, degraded = await self._evaluator.evaluate(state, state["answer"], runtime.context)
        update: RouterState = {"answer": answer, "degraded": degraded, "retry_count": 0}
        update = await self.abilities.after("after_evaluate", state, update, runtime)
        if self.needs_retry(merged(state, update)):
            return update
        settled = await self._finalized(update["answer"], state, runtime)
        correction: RouterState = {"trace": noted} if (noted := _correction(update["answer"], settled)) else {}
        update = merged(update, {**correction, "answer": settled})
        return await self._told_after("before_end", state, update, runtime)

    def needs_retry(self, state: RouterState) -> bool:
        """Return True if the answer failed its evaluation, another attempt may be better, and retrying is switched on."""
        answer = state["answer"]
        failed = answer.evaluation is not None and not answer.evaluation.passed
        return self._settings.enable_post_eval_retry and failed and not answer.is_final

    async def retry_with_alternatives(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Search and write once more: as an ability does, else from two other queries at the same time, keeping the best answer."""
        write = partial(self._written, runtime=runtime)
        update = await self.abilities.try_again(state, runtime, write)
        if update is None:
            update = await self._best_of_alternatives(state, runtime)
        replaced = update["answer"] is not state["answer"]
        if replaced:
            self._tell(update["answer"], "retry", runtime)
        settled = await self._finalized(update["answer"], state, runtime)
        noted: Trace = {"retry": "replaced" if replaced else "kept", **_correction(update["answer"], settled)}
        update = merged(update, {"answer": settled, "retry_count": 1, "trace": noted})
        return await self._told_after("before_end", state, update, runtime)

    async def _best_of_alternatives(self, state: RouterState, runtime: _Runtime) -> RouterState:
        alternatives, degraded = await self._alternatives.alternatives(state, runtime.context)
        attempts = await asyncio.gather(*(self._attempt(state, alternative, runtime) for alternative in alternatives))
        best = max((state["answer"], *(attempt.answer for attempt in attempts)), key=rank_of)
        return {
            "answer": best,
            "documents": best.documents,
            # also of attempts that lost: with everything at hand they might have won
            "degraded": (*degraded, *(item for attempt in attempts for item in attempt.degraded)),
        }

    async def keep_first_answer(self, state: RouterState, error: NodeError, runtime: _Runtime) -> Command[str]:
        """Stand in for `retry_with_alternatives` where it failed or ran out of time: there is an answer, which is better than none."""
        ran_out = isinstance(error.error, TimeoutError)
        expected = ran_out or isinstance(error.error, KnowledgeIndexError)
        logger.log(
            logging.WARNING if expected else logging.ERROR,
            "retry with alternatives: %s",
            type(error.error).__name__,
            exc_info=None if expected else error.error,
        )
        lost = Degradation(component=Component.INDEX, reason=_NO_TIME_TO_SEARCH if ran_out else _NOT_SEARCHED_AGAIN)
        settled = await self._finalized(state["answer"], state, runtime)
        trace: Trace = {"retry": "failed", **_correction(state["answer"], settled)}
        update: RouterState = {"answer": settled, "degraded": (lost,), "retry_count": 1, "trace": trace}
        return Command(update=await self._told_after("before_end", state, update, runtime), goto=END)

    async def respond_directly(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Answer without search and sources: the abilities of the service, a friendly word, or which statute is meant."""
        kind = state["classification_result"].kind
        unplaced = self._chain.searcher.law_names.articles_of_no_statute(state["understanding"].question)
        refused = DEFAULT_REJECTION if kind == "consult" else kind
        response = self._routing.packs.response_to(refused)
        in_english = state["understanding"].from_english or is_english(state["query"])
        fixed = direct_response(refused, response, in_english=in_english)
        content = which_statute(unplaced) if unplaced else fixed
        runtime.stream_writer(TokenEvent(content=content))
        return {"answer": Answer(content, (), (), "rule"), "actions": (), "sub_queries": (), "retry_count": 0}

    def _routing_degraded(self) -> tuple[Degradation, ...]:
        degradation = self._routing.degradation
        return (degradation,) if degradation else ()

    def _reword(self, state: RouterState, run: RunContext) -> Reword | None:
        """Return the call that asks the model for other wordings while documents are searched for.

        None in a stream where that would be the third call to wait for before the first word, and for a model that has
        failed just now.
        """
        failed = any(item.component is Component.LLM for item in state["degraded"])
        if failed or (run.streaming and state["understanding"].awaited):
            return None
        return partial(self._alternatives.wordings, run=run)

    async def _attempt(self, state: RouterState, other: Alternative, runtime: _Runtime) -> Attempt:
        inquiry = with_what_was_told(
            RetrievalInquiry(other.query, other.sub_queries, (), state.get("user_context")), state
        )
        try:
            found = await self._retrieval.retrieve(inquiry, runtime.context.today)
        except VectorStoreUnavailable as error:  # there is an answer already, which is better than none
            _log.warning(f"retry with alternatives: {error}")
            lost = Degradation(component=Component.INDEX, reason=_NOT_SEARCHED_AGAIN)
            return Attempt(state["answer"], (lost,))
        computed = tuple(hit for hit in state["documents"] if "computed" in hit.found_by)
        documents = state["articles"].leading(found.documents)
        attempted: RouterState = {**state, "units": found.units, "retrieval_results": found.results}
        answer, missing = await self._written(attempted, (*documents, *computed), runtime)
        return Attempt(answer, (*found.degraded, *missing))

    async def _written(
        self, state: RouterState, documents: tuple[Hit, ...], runtime: _Runtime
    ) -> tuple[Answer, tuple[Degradation, ...]]:
        """An answer from these documents with its evaluation, of which no stream is told, and what was unavailable."""
        task = await self._chain.in_pool(self._task, state, documents, state["actions"])
        answer = await self._generator.generate(task, runtime.context, None)
        evaluated, unevaluated = await self._evaluator.evaluate(state, answer, runtime.context)
        return evaluated, (*answer.degraded, *unevaluated)

    def _task(self, state: RouterState, documents: tuple[Hit, ...], actions: tuple[ActionItem, ...]) -> GenerationTask:
        """Return the task that an answer is written from: only documents that fit into the prompt, for these alone can be its sources."""
        leads = leads_of(asks_of(state, documents), documents)
        return GenerationTask.of(state, self._chain.readable(documents, leads), actions)

    async def _finalized(self, answer: Answer, state: RouterState, runtime: _Runtime) -> Answer:
        """The answer without sentences that its sources do not support; the stream is told when some had to go."""
        settled = await self._chain.in_pool(self._evaluator.without_unsupported, answer, state)
        if settled is not answer:
            self._tell(settled, "grounding", runtime)
        return settled

    async def _told_after(self, hook: Hook, state: RouterState, update: RouterState, runtime: _Runtime) -> RouterState:
        """The changes of a stage with those of the abilities; the stream is told an answer that they changed."""
        changed = await self.abilities.after(hook, state, update, runtime)
        if changed["answer"].content != update["answer"].content:
            self._tell(changed["answer"], "grounding" if hook == "after_generate" else "retry", runtime)
        return changed

    def _tell(self, answer: Answer, reason: Literal["retry", "grounding"], runtime: _Runtime) -> None:
        sources = list(answer.cited_sources)
        runtime.stream_writer(ReplaceEvent(reason=reason, content=answer.content, sources=sources))


def _correction(written: Answer, settled: Answer) -> Trace:
    """Return the note that sentences had to go, where some had."""
    return {"grounding": GroundingFault.CORRECTED.value} if settled is not written else {}
