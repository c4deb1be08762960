"""The stages: what they hand on, what they tell the stream, and which answer of a retry goes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from types import SimpleNamespace
from typing import Any, cast

import pytest
from langgraph.errors import NodeError

from agents.abilities.hooks import AbilityHooks
from agents.answering.prompt_builder import GenerationTask
from agents.nodes import Stages
from agents.retrieval.agent_set import AgentSet
from agents.retrieval.alternatives import Alternative
from agents.retrieval.inquiry import RetrievalInquiry, RetrievalOutcome, Rewording
from agents.state import Answer, Emit, RouterState, RunContext, Understanding
from schemas.chat import Component, Degradation
from schemas.events import ReplaceEvent, StreamEvent, TokenEvent
from tests.support.hits import make_hit
from tests.support.packs import shipped_packs
from tests.support.written_model import WrittenChatModel, chain_of, language_model
from utils.config.settings import Settings
from utils.documents import Hit
from utils.domain_classifier import DomainClassificationResult
from utils.grounding.check import GroundingReport
from utils.grounding.rule_evaluator import AnswerEvaluation
from utils.law.question_references import LawNameFinder
from utils.prompts.messages import NOT_FOUND
from utils.protocols import AnalyzedText
from utils.question_decomposer import SubQuery
from utils.resilience.deadline import Deadline
from vectorstores.errors import VectorServerUnavailable
from vectorstores.search.articles import NOTHING_CITED

QUESTION = "퇴직금은 언제까지 지급하나요?"
PARTS = (SubQuery("hr_labor", QUESTION),)


def lack(component: Component, reason: str) -> Degradation:
    return Degradation(component=component, reason=reason)


ASKING, SEARCHING, WRITING, SCORING = (
    lack(Component.LLM, "alternatives: timeout"),
    lack(Component.VECTOR, "꺼짐"),
    lack(Component.LLM, "generation: timeout"),
    lack(Component.LLM, "evaluation: timeout"),
)


def scored(content: str, score: float, degraded: tuple[Degradation, ...] = ()) -> Answer:
    evaluation = AnswerEvaluation({}, score, score >= 70, "", GroundingReport(()))
    return Answer(content, (), (), "m", evaluation, degraded)


class Attempts:
    """The agents of a retry whose attempts each score what they are told, in turn; None: nothing could be searched.

    Keeps the inquiries and the documents written from.
    """

    def __init__(self, *scores: float | None, content: str = "둘째", found: Sequence[Hit] = ()) -> None:
        self._searches = scores
        self._scores = [score for score in scores if score is not None]
        self._content = content
        self._found = tuple(found)
        self.inquiries: list[RetrievalInquiry] = []
        self.tasks: list[GenerationTask] = []

    async def alternatives(self, *_: object) -> tuple[tuple[Alternative, ...], tuple[Degradation, ...]]:
        return tuple(Alternative(f"{number}", PARTS) for number, _ in enumerate(self._searches)), (ASKING,)

    async def wordings(self, question: str, run: RunContext) -> Rewording:
        return Rewording()

    async def retrieve(self, inquiry: RetrievalInquiry, today: date) -> RetrievalOutcome:
        self.inquiries.append(inquiry)
        if inquiry.question.isdigit() and self._searches[int(inquiry.question)] is None:
            raise VectorServerUnavailable("http://10.0.0.7:8000 does not answer")
        return RetrievalOutcome((), self._found, self._found, NOTHING_CITED, (), (SEARCHING,), {})

    async def generate(self, task: GenerationTask, _: object, emit: Emit | None) -> Answer:
        self.tasks.append(task)
        if emit is not None:
            emit(TokenEvent(content=self._content))
        return scored(self._content, 0, (WRITING,))

    async def evaluate(self, _: object, answer: Answer, __: object) -> tuple[Answer, tuple[Degradation, ...]]:
        return scored(answer.content, self._scores.pop(0), answer.degraded), (SCORING,)

    def without_unsupported(self, answer: Answer, _: object) -> Answer:
        """The answer without what stands in brackets."""
        kept = answer.content.partition(" (")[0]
        return answer if kept == answer.content else replace(answer, content=kept)


class Running:
    """The stages over written agents; keeps what the stream is told."""

    def __init__(
        self, agents: Attempts | None = None, routing: Any = None, *, streaming: bool = False, **settings: Any
    ) -> None:
        self.agents = agents or Attempts()
        made = Settings(**settings)
        searcher = SimpleNamespace(
            law_names=LawNameFinder(["부가가치세법"], {}), analyze=lambda text: AnalyzedText(text, tuple(text.split()))
        )
        chain = chain_of(language_model("m", WrittenChatModel()), made, searcher)
        parts = cast("Any", self.agents)
        domains = AgentSet(shipped_packs(), chain)
        nothing = cast("Any", None)
        notices = cast("Any", SimpleNamespace(params_for=lambda *told: dict(told[-1])))
        self.stages = Stages(
            made, chain, domains, nothing, routing, parts, parts, parts, parts, notices, AbilityHooks(())
        )
        self.told: list[StreamEvent] = []
        self._run = RunContext("1", Deadline.after(10), date(2026, 1, 1), streaming=streaming)

    @property
    def runtime(self) -> Any:
        return SimpleNamespace(context=self._run, stream_writer=self.told.append)


def state_of(answer: Answer | None = None, **values: Any) -> RouterState:
    state: RouterState = {
        "query": QUESTION,
        "history": (),
        "understanding": Understanding(QUESTION),
        "domains": ("hr_labor",),
        "sub_queries": PARTS,
        "documents": (),
        "articles": NOTHING_CITED,
        "actions": (),
        "degraded": (),
        "answer": answer or scored("첫째", 50),
    }
    return cast("RouterState", {**state, **values})


async def retried(scores: Sequence[float | None]) -> RouterState:
    """The update of the retry of an answer that scored 50."""
    running = Running(Attempts(*scores))
    return await running.stages.retry_with_alternatives(state_of(), running.runtime)


async def test_what_the_winning_attempt_lacked_is_named() -> None:
    update = await retried([90])
    assert update["answer"].content == "둘째"
    assert set(update["degraded"]) == {ASKING, SEARCHING, WRITING, SCORING}


async def test_what_losing_attempts_lacked_is_named_too() -> None:
    update = await retried([10, 20])
    assert update["answer"].content == "첫째"
    assert set(update["degraded"]) == {ASKING, SEARCHING, WRITING, SCORING}


def test_only_a_failed_answer_that_may_become_better_is_tried_again() -> None:
    stages = Running().stages
    assert stages.needs_retry(state_of(scored("첫째", 50)))
    assert not stages.needs_retry(state_of(scored("첫째", 90)))
    assert not stages.needs_retry(state_of(replace(scored("첫째", 50), is_final=True)))
    assert not Running(enable_post_eval_retry=False).stages.needs_retry(state_of(scored("첫째", 50)))


async def test_an_attempt_that_cannot_search_leaves_the_answer_as_it_is() -> None:
    update = await retried([None, None])
    assert update["answer"].content == "첫째"
    [lost] = set(update["degraded"]) - {ASKING}
    assert lost.component is Component.INDEX
    assert "10.0.0.7" not in lost.reason, "an address is for operators"


async def test_an_attempt_that_cannot_search_does_not_take_the_other_with_it() -> None:
    update = await retried([None, 90])
    assert update["answer"].content == "둘째"
    assert Component.INDEX in {lack.component for lack in update["degraded"]}


@pytest.mark.parametrize(
    ("error", "level"),
    [(TimeoutError(), "WARNING"), (VectorServerUnavailable("http://10.0.0.7"), "WARNING"), (KeyError("x"), "ERROR")],
    ids=repr,
)
async def test_a_failed_retry_leaves_the_first_answer_as_it_may_go_out(
    error: Exception, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    running = Running()
    told = await running.stages.keep_first_answer(
        state_of(scored("다 (틀림)", 50)), NodeError("retry_with_alternatives", error), running.runtime
    )
    update = cast("RouterState", told.update)
    assert update["answer"].content == "다", "without what its sources do not say"
    assert [lack.component for lack in update["degraded"]] == [Component.INDEX], "and it is not kept in the cache"
    assert "10.0.0.7" not in update["degraded"][0].reason
    assert [record.levelname for record in caplog.records] == [level]


@pytest.mark.parametrize(
    ("first", "content", "score", "kept"),
    [
        (("첫째", 50), "둘째", 60, "둘째"),
        (("첫째", 50), "둘째", 40, "첫째"),
        (("첫째", 50), "둘째", 50, "첫째"),
        (("첫째", 60), NOT_FOUND, 65, "첫째"),
        (("첫째", 60), NOT_FOUND, 80, NOT_FOUND),
        ((NOT_FOUND, 69), "둘째", 10, "둘째"),
    ],
    ids=["better", "worse", "no better", "silence", "silence that passes", "words instead of silence"],
)
async def test_the_best_answer_goes_out(first: tuple[str, float], content: str, score: float, kept: str) -> None:
    running = Running(Attempts(score, content=content))
    update = await running.stages.retry_with_alternatives(state_of(scored(*first)), running.runtime)
    assert update["answer"].content == kept
    is_new = kept == content
    assert update["trace"] == {"retry": "replaced" if is_new else "kept"}
    assert [event.type for event in running.told] == (["replace"] if is_new else [])
    assert update["retry_count"] == 1


async def test_an_attempt_is_written_from_what_it_found_and_what_was_computed() -> None:
    computed = replace(make_hit("기한은 1월 26일입니다."), found_by=frozenset({"computed"}))
    running = Running(Attempts(90, found=[make_hit("새로 찾은 문서")]))
    state = state_of(documents=(make_hit("처음 찾은 문서"), computed))
    await running.stages.retry_with_alternatives(state, running.runtime)
    [task] = running.agents.tasks
    assert [hit.chunk.text for hit in task.documents] == ["새로 찾은 문서", "기한은 1월 26일입니다."]
    assert [inquiry.question for inquiry in running.agents.inquiries] == ["0"], "by the other wording"


@pytest.mark.parametrize(("score", "enabled", "retries"), [(69, True, True), (70, True, False), (69, False, False)])
async def test_an_answer_is_tidied_up_once_it_is_sure_to_go_out(score: float, enabled: bool, retries: bool) -> None:
    running = Running(Attempts(score), enable_post_eval_retry=enabled)
    state = state_of(scored("다 (틀림)", 0))
    update = await running.stages.evaluate(state, running.runtime)
    assert running.stages.needs_retry({**state, **update}) is retries
    assert update["answer"].content == ("다 (틀림)" if retries else "다")
    replaced = [event for event in running.told if isinstance(event, ReplaceEvent)]
    assert [(event.reason, event.content) for event in replaced] == ([] if retries else [("grounding", "다")])
    assert update["degraded"] == (SCORING,)


async def test_an_answer_without_an_evaluation_is_not_retried() -> None:
    assert not Running().stages.needs_retry(state_of(Answer("안녕하세요", (), (), "rule")))


async def test_a_stream_hears_of_sources_before_the_answer_and_of_next_steps_behind_it() -> None:
    running = Running(Attempts(90), streaming=True)
    state = state_of(
        understanding=Understanding("부가세 해고"), domains=("finance_tax", "hr_labor"), documents=(make_hit("문서"),)
    )
    update = await running.stages.generate(state, running.runtime)
    assert [event.type for event in running.told] == ["source", "source", "token", "action", "action"]
    assert [action.type.value for action in update["actions"]] == ["tax_calendar", "document_generation"]
    [task] = running.agents.tasks
    assert [hit.chunk.title for hit in task.documents] == ["안내", "부가가치세 확정신고·납부 일정 계산"]
    assert update["documents"] == task.documents


async def test_switched_off_nothing_is_proposed_or_computed() -> None:
    running = Running(Attempts(90), enable_action_aware_generation=False)
    state = state_of(understanding=Understanding("부가세 해고"), domains=("finance_tax", "hr_labor"))
    update = await running.stages.generate(state, running.runtime)
    assert (update["actions"], update["documents"]) == ((), ())
    assert running.told == [], "nobody follows the writing"


WHOLE = "가게를 열어요. 세금과 해고는요?"
TAX_PART, LABOR_PART = SubQuery("finance_tax", "세금은요?", ("부가세",)), SubQuery("hr_labor", "해고는요?", ("해임",))


@pytest.mark.parametrize(
    ("domains", "given", "expected"),
    [
        (("hr_labor", "finance_tax"), (TAX_PART, LABOR_PART), (LABOR_PART, TAX_PART)),
        (("hr_labor",), (LABOR_PART,), (SubQuery("hr_labor", WHOLE, ("해임",)),)),
        (("hr_labor",), (), (SubQuery("hr_labor", WHOLE),)),
        (
            ("hr_labor", "finance_tax"),
            (LABOR_PART,),
            (SubQuery("hr_labor", "규칙 hr_labor", ("해임",)), SubQuery("finance_tax", "규칙 finance_tax")),
        ),
    ],
    ids=[
        "by the model, in the order of the domains",
        "one domain gets the whole",
        "no model",
        "the model left one out",
    ],
)
async def test_each_domain_gets_its_sub_question(
    domains: tuple[str, ...], given: tuple[SubQuery, ...], expected: tuple[SubQuery, ...]
) -> None:
    by_rule = SimpleNamespace(decompose=lambda _, names, __: tuple(SubQuery(name, f"규칙 {name}") for name in names))
    running = Running(routing=SimpleNamespace(decomposer=by_rule))
    state = state_of(understanding=Understanding(WHOLE, given), domains=domains)
    assert (await running.stages.decompose(state, running.runtime))["sub_queries"] == expected


@pytest.mark.parametrize(
    ("streaming", "awaited", "degraded", "asks"),
    [
        (False, True, (), True),
        (True, False, (), True),
        (True, True, (), False),
        (False, False, (WRITING,), False),
        (False, False, (SEARCHING,), True),
    ],
    ids=["whole answer", "first call of a stream", "third call of a stream", "the model failed", "all else failed"],
)
async def test_other_wordings_are_asked_for_only_where_the_wait_is_worth_it(
    streaming: bool, awaited: bool, degraded: tuple[Degradation, ...], asks: bool
) -> None:
    agents = Attempts()
    running = Running(agents, streaming=streaming)
    state = state_of(understanding=Understanding(QUESTION, awaited=awaited), degraded=degraded)
    await running.stages.retrieve(state, running.runtime)
    assert (agents.inquiries[0].reword is not None) is asks


@pytest.mark.parametrize(
    ("question", "kind", "said"),
    [
        ("안녕하세요", "chitchat", "안녕하세요! 저는"),
        ("블랙홀은요?", "out_of_scope", "제가 다루는 분야가 아닙니다"),
        ("ㅁㄴㅇㄹ", "unintelligible", "질문을 이해하지 못했습니다"),
        ("뭐든지요", "consult", "제가 다루는 분야가 아닙니다"),
        ("제49조는?", "out_of_scope", "어느 법의 제49조인지"),
    ],
)
async def test_who_is_turned_away_is_told_why(question: str, kind: str, said: str) -> None:
    running = Running(routing=SimpleNamespace(packs=shipped_packs()))
    result = DomainClassificationResult((), 1.0, False, "keyword", (), kind)
    state = state_of(understanding=Understanding(question), classification_result=result)
    update = await running.stages.respond_directly(state, running.runtime)
    assert said in update["answer"].content
    assert running.told == [TokenEvent(content=update["answer"].content)]
    assert (update["answer"].sources, update["sub_queries"], update["actions"]) == ((), (), ())
