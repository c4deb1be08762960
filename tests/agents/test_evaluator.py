"""Scoring an answer: what the code checked no model overrules, and what no source holds does not go out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from agents.evaluator import EvaluatorAgent
from agents.state import Answer, RetrievalResult, RouterState, RunContext, Understanding
from chains.models.usage import ModelFailureReason, ModelPurpose
from schemas.chat import Component, Verdict
from tests.support.hits import make_hit
from tests.support.routing import LABOR
from tests.support.written_model import WrittenChatModel, chain_of, language_model
from utils.config.settings import Settings
from utils.grounding.answer_judge import AnswerJudge
from utils.grounding.ask_fit import AskFit
from utils.grounding.check import AnswerChecker
from utils.grounding.rule_evaluator import CRITERIA, RuleEvaluator
from utils.korean.coverage import QuestionReader
from utils.korean.word_rarity import WordRarity
from utils.law.question_references import LawReference
from utils.prompts.messages import NOT_FOUND
from utils.question_decomposer import SubQuery
from utils.resilience.deadline import Deadline
from vectorstores.search.articles import NOTHING_CITED, ArticleLookup, MissingArticle
from vectorstores.tokenizer import KiwiTokenizer

QUESTION = "퇴직금은 언제까지 지급하나요?"
TEXT = "퇴직금은 직원이 퇴직한 날부터 14일 이내에 지급해야 합니다."
GOOD, WRONG, UNCITED = f"{TEXT} [1]", "퇴직금은 99일 이내에 지급합니다. [1]", "퇴직금은 통장으로 보냅니다."
PRAISE = WrittenChatModel(pieces=(json.dumps(dict.fromkeys(CRITERIA, 20) | {"feedback": "좋습니다."}),))


class Judge:
    """The evaluate stage over a model that writes its scores; without one only the rules score."""

    def __init__(self, tokenizer: KiwiTokenizer, chat: WrittenChatModel | None = None, *, asks: bool = True) -> None:
        settings = Settings(enable_llm_evaluation=asks)
        purposes = [ModelPurpose.GENERATION] if chat is None else list(ModelPurpose)
        chain = chain_of(language_model("m", chat or WrittenChatModel(), purposes), settings)
        rules = RuleEvaluator(
            QuestionReader(tokenizer), AnswerJudge.load(), AskFit(WordRarity.load()), settings.evaluation_threshold
        )
        self.agent = EvaluatorAgent(settings, chain, rules, AnswerChecker())
        self.failures: list[tuple[Component, str]] = []

    async def __call__(self, content: str, state: RouterState | None = None) -> Answer:
        run = RunContext("1", Deadline.after(10), date(2026, 1, 1), streaming=False)
        given = Answer(content, (make_hit(TEXT, 0.9),), (), "m")
        answer, degraded = await self.agent.evaluate(state or state_of(), given, run)
        self.failures = [(lack.component, lack.reason) for lack in degraded]
        return answer

    async def settled(self, content: str, state: RouterState | None = None) -> tuple[Answer, Answer]:
        """The evaluated answer, and what of it goes out."""
        answer = await self(content, state)
        return answer, self.agent.without_unsupported(answer, state or state_of())


def state_of(query: str = QUESTION, articles: ArticleLookup = NOTHING_CITED, *, found: bool = True) -> RouterState:
    return {
        "query": query,
        "history": (),
        "understanding": Understanding(query),
        "sub_queries": (SubQuery(LABOR, query),),
        "retrieval_results": (RetrievalResult(LABOR, query, (), found, "HYBRID"),),
        "documents": (make_hit(TEXT, 0.9),),
        "articles": articles,
    }


def scores(answer: Answer) -> dict[str, float]:
    assert answer.evaluation is not None
    return dict(answer.evaluation.scores)


def passed(answer: Answer) -> bool:
    assert answer.evaluation is not None
    return answer.evaluation.passed


@pytest.fixture
def by_rule(tokenizer: KiwiTokenizer) -> Judge:
    return Judge(tokenizer)


async def test_rules_score_where_no_model_does(by_rule: Judge) -> None:
    good, wrong = await by_rule(GOOD), await by_rule(WRONG)
    assert (passed(good), passed(wrong)) == (True, False)
    assert by_rule.failures == []


async def test_praise_does_not_make_up_for_what_the_code_found(tokenizer: KiwiTokenizer, by_rule: Judge) -> None:
    praised = Judge(tokenizer, PRAISE)
    strict, lenient = await by_rule(UNCITED), await praised(UNCITED)
    assert [scores(lenient)[name] for name in ("accuracy", "citation")] == [
        scores(strict)[name] for name in ("accuracy", "citation")
    ]
    assert scores(lenient)["completeness"] == 20, "the rest is the model's to say"
    assert not passed(await praised(WRONG))
    assert passed(await praised(GOOD))


async def test_a_stricter_model_is_believed(tokenizer: KiwiTokenizer) -> None:
    severe = WrittenChatModel(pieces=(json.dumps(dict.fromkeys(CRITERIA, 5) | {"feedback": "\u202e부족합니다."}),))
    answer = await Judge(tokenizer, severe)(GOOD)
    assert scores(answer) == dict.fromkeys(CRITERIA, 5.0)
    assert not passed(answer)
    assert answer.evaluation is not None
    assert answer.evaluation.feedback == "부족합니다."


@pytest.mark.parametrize("written", ["", "모르겠습니다", '{"accuracy": 20}', json.dumps(dict.fromkeys(CRITERIA, 99))])
async def test_scores_that_cannot_be_read_are_those_of_the_rules_and_said_so(
    tokenizer: KiwiTokenizer, by_rule: Judge, written: str
) -> None:
    judge = Judge(tokenizer, WrittenChatModel(pieces=(written,)))
    assert (await judge(GOOD)).evaluation == (await by_rule(GOOD)).evaluation
    assert judge.failures == [(Component.LLM, "evaluation: garbage")]


async def test_a_model_that_is_away_is_named(tokenizer: KiwiTokenizer, by_rule: Judge) -> None:
    judge = Judge(tokenizer, WrittenChatModel(failure=ModelFailureReason.TIMEOUT))
    assert (await judge(GOOD)).evaluation == (await by_rule(GOOD)).evaluation
    assert judge.failures == [(Component.LLM, "evaluation: timeout")]


async def test_switched_off_no_model_is_asked(tokenizer: KiwiTokenizer) -> None:
    chat = WrittenChatModel(pieces=PRAISE.pieces)
    await Judge(tokenizer, chat, asks=False)(GOOD)
    assert chat.asked == []
    await Judge(tokenizer, chat)(GOOD)
    [(messages, _)] = chat.asked
    assert all(text in str(messages[1].content) for text in (QUESTION, TEXT, GOOD))


async def test_a_search_that_failed_or_an_article_that_is_missing_costs_marks(by_rule: Judge) -> None:
    missing = ArticleLookup(missing=(MissingArticle(LawReference("근로기준법", "제999조")),))
    best = scores(await by_rule(GOOD))["retrieval_quality"]
    for state in (state_of(found=False), state_of(articles=missing)):
        assert scores(await by_rule(GOOD, state))["retrieval_quality"] < best


async def test_an_answer_that_holds_goes_out_as_it_is(by_rule: Judge) -> None:
    answer, settled = await by_rule.settled(f"{GOOD} {UNCITED}")
    assert settled is answer, "a sentence that only lacks its citation stays, marked"
    unchecked = Answer(WRONG, (), (), "m")
    assert by_rule.agent.without_unsupported(unchecked, state_of()) is unchecked


async def test_saying_that_the_documents_do_not_tell_rests_on_no_source(by_rule: Judge) -> None:
    _, settled = await by_rule.settled(f"{NOT_FOUND} [1]")
    assert (settled.content, settled.cited_sources) == (NOT_FOUND, ())
    answer, settled = await by_rule.settled(
        "퇴직금은 14일 이내에 지급하며 그 밖의 내용은 문서에서 확인할 수 없습니다. [1]"
    )
    assert settled is answer, "it says something, too"


async def test_a_sentence_that_no_source_holds_does_not_go_out(by_rule: Judge) -> None:
    answer, settled = await by_rule.settled(f"{GOOD} {WRONG} {UNCITED}")
    assert settled.content == f"{GOOD} {UNCITED}"
    assert settled.evaluation is not None
    assert answer.evaluation is not None
    assert settled.evaluation.total_score == answer.evaluation.total_score, "the score is of what was written"
    checks = settled.evaluation.grounding.sentences
    assert [check.verdict for check in checks] == [Verdict.SUPPORTED, Verdict.UNCITED]
    assert [settled.content[check.start : check.end].strip() for check in checks] == [GOOD, UNCITED]


async def test_where_nothing_is_left_the_documents_do_not_tell(by_rule: Judge) -> None:
    for content in (
        WRONG,
        f"{WRONG} [1]",
        f"{WRONG} {WRONG}",
        f"- {WRONG}\n- {WRONG}",
        f"**{WRONG}**",
        f"---\n{WRONG}",
    ):
        _, settled = await by_rule.settled(content)
        assert settled.content == NOT_FOUND


async def test_a_figure_of_the_user_s_that_an_answer_agreed_with_is_not_confirmed(by_rule: Judge) -> None:
    state = state_of("퇴직금은 99일까지 지급하면 되나요?")
    _, settled = await by_rule.settled(WRONG, state)
    assert settled.content == "말씀하신 99일에 대해서는 제공된 문서에서 확인할 수 없습니다."
    _, settled = await by_rule.settled(f"{GOOD} {WRONG} {WRONG}", state)
    assert settled.content == f"{GOOD}\n\n말씀하신 99일에 대해서는 제공된 문서에서 확인할 수 없습니다."


def judged_on(
    tokenizer: KiwiTokenizer, state: RouterState, content: str | None = None, *, limit: float | None = None, **own: Any
) -> Answer:
    """The run's answer, or another text in its place, evaluated by rule; ``limit`` is what every model says yes from."""
    learned = AnswerJudge.load()
    if limit is not None:
        models = {each: model.model_copy(update={"threshold": limit}) for each, model in learned.models.items()}
        learned = AnswerJudge(models)
    settings = Settings(enable_llm_evaluation=False)
    rules = RuleEvaluator(QuestionReader(tokenizer), learned, AskFit(WordRarity.load()))
    chain = chain_of(language_model("m", WrittenChatModel()), settings)
    agent = EvaluatorAgent(settings, chain, rules, AnswerChecker())
    answer = replace(state["answer"], content=content or state["answer"].content, **own)
    run = RunContext("1", Deadline.after(10), date(2026, 1, 1), streaming=False)
    return asyncio.run(agent.evaluate(state, answer, run))[0]


LEAVE = "직원이 3명인데 연차를 줘야 하나요?"


def test_an_answer_of_the_right_unit_passes_in_whatever_words(
    tokenizer: KiwiTokenizer, asked: Callable[[str], RouterState]
) -> None:
    state = asked(LEAVE)
    assert passed(judged_on(tokenizer, state))
    retold = "아니요. 상시 직원이 4명 이하인 사업장이라면 연차 유급휴가 규정은 적용되지 않아요. [1]"
    assert passed(judged_on(tokenizer, state, retold, model="gpt"))


@pytest.mark.parametrize(
    "wrong",
    [
        "네, 상시 4명 이하 사업장에는 연차 유급휴가 규정이 적용되지 않습니다(근로기준법 시행령 제7조). [1]",
        NOT_FOUND,
    ],
)
def test_the_opposite_verdict_and_a_needless_refusal_fail(
    tokenizer: KiwiTokenizer, asked: Callable[[str], RouterState], wrong: str
) -> None:
    answer = judged_on(tokenizer, asked(LEAVE), wrong, model="gpt")
    assert answer.evaluation is not None
    assert answer.evaluation.unanswered == (0,)
    assert answer.evaluation.total_score < 70


def test_one_thing_of_two_is_not_enough(tokenizer: KiwiTokenizer, asked: Callable[[str], RouterState]) -> None:
    state = asked("퇴직금은 며칠 안에 줘야 하나요? 그리고 주휴수당은 몇 시간부터 줘야 하나요?")
    assert passed(judged_on(tokenizer, state))
    first, *_ = state["answer"].content.split("\n\n")
    half = judged_on(tokenizer, state, first)
    assert not passed(half)
    assert half.evaluation is not None
    assert half.evaluation.unanswered == (1,)
    assert "주휴수당" in half.evaluation.feedback


def test_another_attempt_is_made_only_where_it_may_be_better(
    tokenizer: KiwiTokenizer, asked: Callable[[str], RouterState]
) -> None:
    state = asked(LEAVE)
    failed = judged_on(tokenizer, state, limit=1.0)
    assert not passed(failed)
    assert failed.is_final, "quoting would choose the same again"
    assert not judged_on(tokenizer, state, limit=1.0, model="gpt").is_final, "a model may write another answer"
    without = tuple(replace(hit, chunk=replace(hit.chunk, has_units=False)) for hit in state["answer"].documents)
    assert not judged_on(tokenizer, state, limit=1.0, documents=without).is_final, "other documents may be found"
    refused = judged_on(tokenizer, state, NOT_FOUND)
    assert not passed(refused)
    assert refused.is_final, "every unit was compared already"
