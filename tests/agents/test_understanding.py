"""Understanding of a question: the model is asked once for equal questions, and again after a failure."""

from __future__ import annotations

import asyncio
from datetime import date
from types import SimpleNamespace
from typing import Any, cast

from agents.state import RunContext
from agents.understanding import QuestionUnderstanding, UnderstandingReply, UnderstoodQuestion
from chains.models.errors import ModelUnavailable
from chains.models.usage import ModelFailureReason
from schemas.chat import Turn
from utils.config.settings import Settings
from utils.domain_classifier import DomainClassificationResult
from utils.law.question_references import LawNameFinder
from utils.resilience.deadline import Deadline
from utils.routing.domain_pack import DomainPack, PackSet
from vectorstores.search.spelling import Respelling

WAGES = "임금은 언제 주나요?"
PACK = DomainPack(key="hr_labor", label="인사·노무", description="노무", collection="hr_labor_db")


class Model:
    """Replies with its own number, after ``failures`` failed calls."""

    def __init__(self, failures: int = 0) -> None:
        self.asked: list[str] = []
        self._failures = failures

    def supports(self, _: object) -> bool:
        return True

    async def complete_json(self, _: object, messages: Any, *__: object) -> UnderstandingReply:
        self.asked.append(messages[1].content)
        await asyncio.sleep(0)
        if len(self.asked) <= self._failures:
            raise ModelUnavailable(ModelFailureReason.TIMEOUT)
        return UnderstandingReply(kind="consult", domains=["hr_labor"], question=f"임금 {len(self.asked)}")


class Chain:
    """Nothing to search: no statute is known, no unit answers, and nothing is misspelt."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.searcher = SimpleNamespace(law_names=LawNameFinder([], {}), units=SimpleNamespace(nearest=lambda _: None))

    def correct_spelling(self, text: str) -> Respelling:
        return Respelling(text)

    async def in_pool(self, work: Any, *args: object) -> Any:
        return work(*args)


class Asking:
    """A service that understands questions by ``model``, and by rule as nothing for us."""

    def __init__(self, model: Model, **settings: Any) -> None:
        rejected = DomainClassificationResult((), 0.0, False, "keyword", (), "out_of_scope")
        routing = SimpleNamespace(
            packs=PackSet(domains=(PACK,)),
            classifier=SimpleNamespace(classify=lambda _: rejected),
            decomposer=SimpleNamespace(resolve_follow_up=lambda question, _: question),
        )
        made = Settings(openai_base_url="http://127.0.0.1:9/v1", **settings)
        self._understanding = QuestionUnderstanding(made, cast("Any", routing), cast("Any", Chain(model)))

    async def __call__(self, question: str, *said: str) -> UnderstoodQuestion:
        run = RunContext("1", Deadline.after(10), date(2026, 1, 1), streaming=False)
        history = [Turn(role="user", content=text) for text in said]
        return await self._understanding.understand(question, history, run)


async def test_an_equal_question_is_not_asked_of_the_model_again() -> None:
    model = Model()
    ask = Asking(model)
    first, again = await ask(WAGES), await ask(WAGES)
    assert again.understanding.question == first.understanding.question == "임금 1"
    assert again.classification == first.classification
    assert len(model.asked) == 1
    assert [first.understanding.awaited, again.understanding.awaited] == [True, False]


async def test_equal_questions_at_the_same_time_are_one_call() -> None:
    model = Model()
    ask = Asking(model)
    answers = await asyncio.gather(*(ask(WAGES) for _ in range(5)))
    assert {answer.understanding.question for answer in answers} == {"임금 1"}
    assert len(model.asked) == 1


async def test_another_question_and_another_conversation_are_asked_anew() -> None:
    model = Model()
    ask = Asking(model)
    for asked in ((WAGES,), ("휴가는요?",), (WAGES, "알바를 씁니다."), (WAGES, "직원이 셋입니다.")):
        await ask(*asked)
    assert len(model.asked) == 4
    long_ago = [f"{number}번째 말" for number in range(6)]
    await ask(WAGES, "오래된 말", *long_ago)
    await ask(WAGES, "다른 오래된 말", *long_ago)
    assert len(model.asked) == 5, "turns that the model is not shown make no difference"


async def test_a_failure_is_not_kept() -> None:
    model = Model(failures=1)
    ask = Asking(model)
    failed = await ask(WAGES)
    assert [degraded.reason for degraded in failed.degraded] == ["understanding: timeout"]
    understood = await ask(WAGES)
    assert understood.understanding.question == "임금 2"
    assert not understood.degraded


async def test_switched_off_every_question_is_asked() -> None:
    model = Model()
    ask = Asking(model, enable_understanding_cache=False)
    assert [(await ask(WAGES)).understanding.question for _ in range(2)] == ["임금 1", "임금 2"]
