"""What each stage of the graph does with the state: it calls an agent and says what changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from langgraph.runtime import Runtime

from agents.actions import ActionPlanner
from agents.base import BaseAgent
from agents.evaluator import EvaluatorAgent
from agents.generator import ResponseGeneratorAgent
from agents.prompt_builder import GenerationTask, user_text_of
from agents.retrieval.inquiry import RetrievalInquiry
from agents.retrieval_agent import RetrievalAgent
from agents.retry import Alternative, AlternativeSearch
from agents.state import Answer, RouterState, RunContext
from agents.understanding import QuestionUnderstanding
from chains.rag_chain import RAGChain
from schemas.chat import Degradation
from schemas.events import ActionEvent, ReplaceEvent, SourceEvent, TokenEvent
from utils.config.settings import Settings
from utils.prompts.messages import direct_response, says_not_found, which_statute
from utils.question_decomposer import SubQuery
from utils.routing import Routing

_Runtime = Runtime[RunContext]


class Stages:
    """The nodes and the two conditions of the graph."""

    def __init__(
        self,
        settings: Settings,
        chain: RAGChain,
        agents: Mapping[str, BaseAgent],
        understanding: QuestionUnderstanding,
        routing: Callable[[], Routing],
        retrieval: RetrievalAgent,
        generator: ResponseGeneratorAgent,
        evaluator: EvaluatorAgent,
        alternatives: AlternativeSearch,
    ) -> None:
        self._settings = settings
        self._chain = chain
        self._understanding = understanding
        self._routing = routing
        self._retrieval = retrieval
        self._generator = generator
        self._evaluator = evaluator
        self._alternatives = alternatives
        self._actions = ActionPlanner(agents)

    async def classify(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Understand the question and choose its domains."""
        understood = await self._understanding.understand(state["query"], state["history"], runtime.context)
        result = understood.classification
        return {
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

    def is_for_us(self, state: RouterState) -> bool:
        """Whether a domain answers the question."""
        return bool(state["domains"])

    async def decompose(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """One self-contained sub-question for each domain."""
        understanding, domains = state["understanding"], state["domains"]
        given = {one.domain: one for one in understanding.sub_queries}
        if len(domains) > 1 and all(name in given for name in domains):
            return {"sub_queries": tuple(given[name] for name in domains)}
        if len(domains) == 1:
            return {"sub_queries": (SubQuery(domains[0], understanding.question),)}
        sub_queries = await self._chain.in_pool(
            self._routing().decomposer.decompose, understanding.question, domains, state["history"]
        )
        return {"sub_queries": tuple(sub_queries)}

    async def retrieve(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Find the documents."""
        understanding = state["understanding"]
        found = await self._retrieval.retrieve(
            RetrievalInquiry(
                understanding.question, state["sub_queries"], understanding.variants, state.get("user_context")
            )
        )
        return {
            "retrieval_results": found.results,
            "documents": found.documents,
            "articles": found.articles,
            "degraded": found.degraded,
            "trace": dict(found.trace),
        }

    async def generate(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Propose next steps, number the sources, write the answer and check each sentence as it is finished."""
        question = state["understanding"].question
        terms = self._chain.searcher.analyze(question).terms
        documents = state["documents"]
        state_update: RouterState = {"actions": ()}
        if self._settings.enable_action_aware_generation:
            proposed = self._actions.propose(terms, state["domains"], runtime.context.today)
            documents = (*documents, *proposed.sources)
            state_update["actions"] = proposed.actions
        for source in self._chain.documents_to_sources(documents):
            runtime.stream_writer(SourceEvent(source=source))
        task = GenerationTask.of(state, documents, state_update["actions"])
        emit = runtime.stream_writer if runtime.context.streaming else None
        answer = await self._generator.generate(task, runtime.context, emit)
        for action in state_update["actions"]:
            runtime.stream_writer(ActionEvent(action=action))
        state_update.update({"documents": documents, "answer": answer, "degraded": answer.degraded})
        return state_update

    async def evaluate(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Score the answer and check it against its sources."""
        answer, degraded = await self._evaluator.evaluate(state, state["answer"], runtime.context)
        update: RouterState = {"answer": answer, "degraded": degraded, "retry_count": 0}
        if not self.needs_retry({**state, **update}):
            update["answer"] = self._settled(answer, state, runtime)
        return update

    def needs_retry(self, state: RouterState) -> bool:
        """The retry rule: once, after a failed evaluation, if it is switched on and there was anything to answer from."""
        evaluation = state["answer"].evaluation
        return self._settings.enable_post_eval_retry and evaluation is not None and not evaluation.passed

    async def retry_with_alternatives(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """Search and write once more from two other queries, at the same time, and keep the best answer."""
        alternatives, degraded = await self._alternatives.alternatives(state, runtime.context)
        attempts = await asyncio.gather(*(self._attempt(state, one, runtime) for one in alternatives))
        best = max((state["answer"], *attempts), key=_rank)
        if best is not state["answer"]:
            runtime.stream_writer(ReplaceEvent(reason="retry", content=best.content, sources=list(best.sources)))
        return {
            "answer": self._settled(best, state, runtime),
            "documents": best.documents,
            "retry_count": 1,
            "degraded": (*degraded, *(best.degraded if best is not state["answer"] else ())),
            "trace": {"retry": "replaced" if best is not state["answer"] else "kept"},
        }

    async def respond_directly(self, state: RouterState, runtime: _Runtime) -> RouterState:
        """What the service can do, a friendly word, or which statute is meant: no search, no sources."""
        kind = state["classification_result"].kind
        unplaced = self._chain.searcher.law_names.articles_of_no_statute(state["understanding"].question)
        content = (
            which_statute(unplaced) if unplaced else direct_response("out_of_scope" if kind == "consult" else kind)
        )
        runtime.stream_writer(TokenEvent(content=content))
        return {"answer": Answer(content, (), (), "rule"), "actions": (), "sub_queries": (), "retry_count": 0}

    def _routing_degraded(self) -> tuple[Degradation, ...]:
        degradation = self._routing().degradation
        return (degradation,) if degradation else ()

    async def _attempt(self, state: RouterState, other: Alternative, runtime: _Runtime) -> Answer:
        understanding = state["understanding"]
        inquiry = RetrievalInquiry(other.query, other.sub_queries, (), state.get("user_context"))
        found = await self._retrieval.retrieve(inquiry)
        computed = tuple(hit for hit in state["documents"] if "computed" in hit.found_by)
        documents = state["articles"].leading(found.documents)
        task = GenerationTask.of(state, (*documents, *computed), state["actions"])
        answer = await self._generator.generate(task, runtime.context, None)
        evaluated, _ = await self._evaluator.evaluate(
            {**state, "retrieval_results": found.results, "understanding": understanding}, answer, runtime.context
        )
        return evaluated

    def _settled(self, answer: Answer, state: RouterState, runtime: _Runtime) -> Answer:
        """The answer without sentences that its sources do not support; the stream is told when some had to go."""
        settled = self._evaluator.without_unsupported(answer, user_text_of(state))
        if settled is not answer:
            runtime.stream_writer(
                ReplaceEvent(reason="grounding", content=settled.content, sources=list(settled.sources))
            )
        return settled


def _rank(answer: Answer) -> tuple[bool, bool, float]:
    """Answers that may stand before others, those that say something before an honest silence, then by score."""
    evaluation = answer.evaluation
    if evaluation is None:
        return False, False, 0.0
    says_something = not says_not_found(answer.content.split("\n", 1)[0])
    return evaluation.passed, says_something, evaluation.total_score
