"""`LanguageModel` through the real client against a real server that misbehaves as models do."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import pytest_asyncio
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from chains.models.errors import ModelStreamCut, ModelUnavailable
from chains.models.health import ModelHealth
from chains.models.language_model import LanguageModel
from chains.models.openai import build_openai_model, takes_temperature
from chains.models.usage import ModelFailureReason, ModelPurpose, UsageMeter
from tests.support.crowd import wait_until
from tests.support.scripted_openai import Cut, Fail, Hang, Reply, Say, ScriptedOpenAI
from utils.config.settings import Settings
from utils.resilience.breaker import BreakerState, CircuitBreaker
from utils.resilience.deadline import Deadline

FOREVER = 3_600.0  # seconds: what waits so long does not end within a test
QUESTION = "부가가치세는 언제까지 신고해야 하나요?"
ANSWER = "부가가치세는 과세기간이 끝난 후 25일 이내에 신고합니다 [1]."
MESSAGES: list[BaseMessage] = [
    SystemMessage("문서로만 답한다."),
    HumanMessage(QUESTION, additional_kwargs={"extractive_task": {"documents": ["제48조"]}}),
]

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Understanding(BaseModel):
    domains: list[str]
    rewrite: str = ""


class Caller:
    """A `LanguageModel` with a server, a deadline and a meter at hand."""

    def __init__(self, server: ScriptedOpenAI, model: LanguageModel) -> None:
        self.server = server
        self.model = model
        self.meter = UsageMeter()

    def state(self, purpose: ModelPurpose = ModelPurpose.GENERATION) -> BreakerState:
        assert self.model._server is not None
        return self.model._server.breakers[purpose].state

    async def understand(
        self, seconds: float = 10.0, purpose: ModelPurpose = ModelPurpose.UNDERSTANDING
    ) -> Understanding:
        return await self.model.complete_json(purpose, MESSAGES, Understanding, Deadline.after(seconds), self.meter)

    async def generate(self, seconds: float = 10.0) -> list[str]:
        texts: list[str] = []
        await self.generate_into(texts, seconds)
        return texts

    async def generate_into(self, texts: list[str], seconds: float = 10.0) -> None:
        stream = self.model.stream(ModelPurpose.GENERATION, MESSAGES, Deadline.after(seconds), self.meter)
        async with aclosing(stream):
            async for text in stream:
                texts.append(text)  # noqa: PERF401 - what came before a failure is kept


CallerOf = Callable[..., AbstractAsyncContextManager[Caller]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def caller() -> AsyncIterator[CallerOf]:
    """``caller(script, setting=…)``; models are built once for equal settings, each test has breakers of its own."""
    built: dict[frozenset[tuple[str, Any]], LanguageModel] = {}
    with ScriptedOpenAI() as server:

        @asynccontextmanager
        async def make(script: Mapping[str, Reply], recovery: float = 15.0, **overrides: Any) -> AsyncIterator[Caller]:
            server.reset(script)
            key = frozenset(overrides.items())
            if key not in built:
                values = {"openai_base_url": server.base_url, "openai_model": "scripted", "llm_timeout": 5.0}
                built[key] = build_openai_model(Settings.model_validate({**values, **overrides}))
            yield Caller(server, with_own_breakers(built[key], recovery))

        yield make
        for model in built.values():
            await model.aclose()


def with_own_breakers(model: LanguageModel, recovery: float) -> LanguageModel:
    assert model._server is not None
    breakers = {purpose: CircuitBreaker(purpose, threshold=3, recovery=recovery) for purpose in ModelPurpose}
    health = ModelHealth(breakers, model._server.health._look)
    return LanguageModel(model.name, model._models, replace(model._server, breakers=breakers, health=health))


async def failure_of(call: Any) -> ModelFailureReason:
    with pytest.raises(ModelUnavailable) as caught:
        await call
    return caught.value.reason


async def test_structured_reply_is_validated_and_counted(caller: CallerOf) -> None:
    async with caller({"understanding": {"domains": ["finance_tax"], "rewrite": QUESTION}}) as calling:
        understood = await calling.understand()

        assert understood == Understanding(domains=["finance_tax"], rewrite=QUESTION)
        call = calling.server.calls_for("understanding")[0]
        assert call.messages == [  # what rides on a message for the extractive model is not sent
            {"role": "system", "content": "문서로만 답한다."},
            {"role": "user", "content": QUESTION},
        ]
        total = calling.meter.total()
        assert total.model_calls == 1
        assert total.input_tokens == len(call.prompt)
        assert total.output_tokens > len(QUESTION)


async def test_stream_hands_out_pieces_as_they_are_written(caller: CallerOf) -> None:
    async with caller({"generation": Say(ANSWER)}) as calling:
        texts = await calling.generate()

        assert "".join(texts) == ANSWER
        assert len(texts) > 3
        assert all(texts)
        (call,) = calling.meter.calls
        assert call.output_tokens == len(ANSWER)
        assert call.first_token is not None
        assert call.ended is not None
        assert call.first_token <= call.ended


async def test_the_first_piece_is_there_before_the_last_is_written(caller: CallerOf) -> None:
    async with caller({"generation": Hang(ANSWER)}) as calling:
        stream = calling.model.stream(ModelPurpose.GENERATION, MESSAGES, Deadline.after(60.0), calling.meter)
        async with aclosing(stream):
            first = await anext(stream)
            assert ANSWER.startswith(first)
            assert calling.server.calls_for("generation")[0].ended is None, "the model is still writing"


@pytest.mark.parametrize(
    "reply",
    [
        '{"domains": ["finance_tax"',
        '{"rewrite": "domains가 없다"}',
        '{"domains": "finance_tax"}',
        "도메인은 finance_tax 입니다.",
        "[]",
        "",
    ],
)
async def test_garbage_is_tried_once_more_and_then_given_up(caller: CallerOf, reply: str) -> None:
    async with caller({"understanding": reply}) as calling:
        assert await failure_of(calling.understand()) is ModelFailureReason.GARBAGE
        assert calling.server.count("understanding") == 2
        assert [call.failure for call in calling.meter.calls] == [ModelFailureReason.GARBAGE] * 2


async def test_a_good_reply_after_garbage_is_taken(caller: CallerOf) -> None:
    async with caller({"understanding": ['{"domains": [', '```json\n{"domains": ["hr_labor"]}\n```']}) as calling:
        assert (await calling.understand()).domains == ["hr_labor"]


async def test_an_answer_broken_off_is_tried_again(caller: CallerOf) -> None:
    async with caller({"understanding": [Cut(), {"domains": ["hr_labor"]}]}) as calling:
        assert (await calling.understand()).domains == ["hr_labor"]


@pytest.mark.parametrize("nothing", ["", " \n ", "\u200b\u2060", "\x1b[31m\x1b[0m", " " * 3_000])
async def test_a_stream_without_a_word_is_empty_and_tried_again(caller: CallerOf, nothing: str) -> None:
    async with caller({"generation": nothing}) as calling:
        assert await failure_of(calling.generate()) is ModelFailureReason.EMPTY
        assert calling.server.count("generation") == 2
    async with caller({"generation": [nothing, ANSWER]}) as calling:
        assert "".join(await calling.generate()) == ANSWER


@pytest.mark.parametrize(
    ("finish_reason", "reason"),
    [
        ("length", ModelFailureReason.TRUNCATED),
        ("max_tokens", ModelFailureReason.TRUNCATED),
        ("content_filter", ModelFailureReason.FILTERED),
        ("abort", ModelFailureReason.CUT),
    ],
)
async def test_a_text_that_was_ended_for_the_model_is_no_answer(
    caller: CallerOf, finish_reason: str, reason: ModelFailureReason
) -> None:
    unfinished = {
        "generation": Say(ANSWER[:20], finish_reason=finish_reason),
        "understanding": Say('{"domains": ["hr_labor"]}', finish_reason=finish_reason),
    }
    async with caller(unfinished, llm_max_attempts=1) as calling:
        texts: list[str] = []
        with pytest.raises(ModelStreamCut) as caught:
            await calling.generate_into(texts)
        assert caught.value.reason is reason
        assert "".join(texts) == ANSWER[:20].rstrip()
        assert await failure_of(calling.understand()) is reason


async def test_a_text_beyond_all_measure_is_cut_off_where_it_passes_it(caller: CallerOf) -> None:
    runaway = Say("1. " * 100_000)
    async with caller({"generation": runaway, "understanding": runaway}, generation_max_tokens=64) as calling:
        texts: list[str] = []
        with pytest.raises(ModelStreamCut) as caught:
            await calling.generate_into(texts)
        assert caught.value.reason is ModelFailureReason.TOO_LONG
        assert len("".join(texts)) <= 4 * 64
        assert await failure_of(calling.understand()) is ModelFailureReason.TOO_LONG
        assert calling.server.count("generation") == 1


async def test_control_bidi_and_escape_characters_do_not_come_through(caller: CallerOf) -> None:
    hostile = (
        "\n\x1b[31m신고\x1b[0m는 \u202e25일\u202c\x07 이내\x1b]8;;https://evil.example\x1b\\입니다\x00. [1]\r\n \n"
    )
    async with caller({"generation": hostile}) as calling:
        assert "".join(await calling.generate()) == "신고는 25일 이내입니다. [1]"


@pytest.mark.parametrize("fault", [Fail(500), Fail(503), Fail(429), Cut(), Cut(abrupt=True)])
async def test_a_fault_before_the_first_token_is_retried(caller: CallerOf, fault: Fail | Cut) -> None:
    async with caller({"generation": [fault, ANSWER]}) as calling:
        assert "".join(await calling.generate()) == ANSWER
        assert calling.server.count("generation") == 2
        assert calling.meter.total().model_calls == 2


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fail(500), ModelFailureReason.SERVER_ERROR),
        (Fail(429), ModelFailureReason.RATE_LIMITED),
        (Cut(), ModelFailureReason.CUT),
    ],
)
async def test_a_lasting_fault_names_its_reason(
    caller: CallerOf, fault: Fail | Cut, reason: ModelFailureReason
) -> None:
    async with caller({"generation": fault}) as calling:
        assert await failure_of(calling.generate()) is reason
        assert calling.server.count("generation") == 2


async def test_a_refused_request_is_not_repeated(caller: CallerOf) -> None:
    async with caller({"understanding": Fail(401), "generation": Fail(400), "evaluation": Fail(404)}) as calling:
        assert await failure_of(calling.understand()) is ModelFailureReason.UNAUTHORIZED
        assert await failure_of(calling.generate()) is ModelFailureReason.REJECTED
        assert await failure_of(calling.understand(purpose=ModelPurpose.EVALUATION)) is ModelFailureReason.UNKNOWN_MODEL
        assert len(calling.server.calls) == 3


async def test_a_key_that_is_not_taken_ends_the_calls_and_a_question_that_is_not_does_not(caller: CallerOf) -> None:
    async with caller({"understanding": Fail(401), "generation": Fail(400)}) as calling:
        for _ in range(4):
            await failure_of(calling.understand())
            await failure_of(calling.generate())
        assert calling.server.count("understanding") == 3
        assert calling.state(ModelPurpose.UNDERSTANDING) is BreakerState.OPEN
        assert calling.server.count("generation") == 4
        assert calling.state() is BreakerState.CLOSED


async def test_a_purpose_that_works_does_not_hide_one_that_hangs(caller: CallerOf) -> None:
    script = {"evaluation": Hang(), "understanding": {"domains": ["hr_labor"]}}
    async with caller(script, llm_evaluation_timeout=0.1, llm_timeout=FOREVER) as calling:
        for _ in range(3):
            await calling.understand(FOREVER)
            scoring = calling.understand(FOREVER, ModelPurpose.EVALUATION)
            assert await failure_of(scoring) is ModelFailureReason.TIMEOUT
        assert calling.state(ModelPurpose.EVALUATION) is BreakerState.OPEN
        assert calling.state(ModelPurpose.UNDERSTANDING) is BreakerState.CLOSED
        assert calling.model.health is not None
        assert await calling.model.health.troubles() == {ModelPurpose.EVALUATION: ModelFailureReason.TIMEOUT}


async def test_scoring_a_finished_answer_has_less_patience(caller: CallerOf) -> None:
    async with caller({"evaluation": Hang()}, llm_evaluation_timeout=0.2, llm_timeout=FOREVER) as calling:
        scoring = calling.understand(purpose=ModelPurpose.EVALUATION, seconds=FOREVER)
        assert await failure_of(scoring) is ModelFailureReason.TIMEOUT


@pytest.mark.parametrize("abrupt", [False, True])
async def test_a_stream_cut_midway_is_an_error_and_never_retried(caller: CallerOf, abrupt: bool) -> None:
    async with caller({"generation": [Cut(ANSWER[:20], abrupt), ANSWER]}) as calling:
        texts: list[str] = []
        with pytest.raises(ModelStreamCut) as caught:
            await calling.generate_into(texts)

        assert caught.value.reason is ModelFailureReason.CUT
        assert "".join(texts) == ANSWER[:20]
        assert calling.server.count("generation") == 1


async def test_a_silence_midway_is_a_timeout(caller: CallerOf) -> None:
    async with caller({"generation": Hang(ANSWER[:16])}, llm_timeout=0.3) as calling:
        texts: list[str] = []
        with pytest.raises(ModelStreamCut) as caught:
            await calling.generate_into(texts, FOREVER)

        assert caught.value.reason is ModelFailureReason.TIMEOUT
        assert "".join(texts) == ANSWER[:16].rstrip()


async def test_a_slow_writer_within_the_pause_is_left_to_finish(caller: CallerOf) -> None:
    async with caller({"generation": Say(ANSWER, pace=0.25)}, llm_timeout=1.0) as calling:
        assert "".join(await calling.generate()) == ANSWER  # takes longer in all than the timeout


@pytest.mark.parametrize("method", ["understand", "generate"])
async def test_a_hanging_call_is_waited_for_once_whatever_the_tries(caller: CallerOf, method: str) -> None:
    hanging = {"understanding": Hang(), "generation": Hang()}
    async with caller(hanging, llm_timeout=0.2, llm_max_attempts=5) as calling:
        assert await failure_of(getattr(calling, method)()) is ModelFailureReason.TIMEOUT
        # counted here: on a busy machine the call may end before the server has seen it
        assert [call.failure for call in calling.meter.calls] == [ModelFailureReason.TIMEOUT]


async def test_a_try_after_a_fault_has_the_time_that_is_left(caller: CallerOf) -> None:
    async with caller({"understanding": [Fail(500), Hang()]}, llm_timeout=1.0, llm_max_attempts=5) as calling:
        assert await failure_of(calling.understand()) is ModelFailureReason.TIMEOUT
        assert [call.failure for call in calling.meter.calls] == [
            ModelFailureReason.SERVER_ERROR,
            ModelFailureReason.TIMEOUT,
        ]
        first, last = calling.meter.calls
        assert last.ended is not None
        assert last.ended - first.started < 2 * 1.0


async def test_a_circuit_opened_between_tries_does_not_hide_the_cause(caller: CallerOf) -> None:
    async with caller({"generation": Fail(500)}, llm_max_attempts=5) as calling:
        assert await failure_of(calling.generate()) is ModelFailureReason.SERVER_ERROR
        assert calling.server.count("generation") == 3  # the breaker of these tests opens then


@pytest.mark.parametrize("method", ["understand", "generate"])
async def test_the_deadline_is_total(caller: CallerOf, method: str) -> None:
    async with caller({"understanding": Hang(), "generation": Hang()}, llm_timeout=FOREVER) as calling:
        assert await failure_of(getattr(calling, method)(seconds=0.3)) is ModelFailureReason.DEADLINE
        assert len(calling.meter.calls) == 1


async def test_no_request_is_sent_after_the_deadline(caller: CallerOf) -> None:
    async with caller({"generation": ANSWER}) as calling:
        assert await failure_of(calling.generate(seconds=0.0)) is ModelFailureReason.DEADLINE
        assert calling.server.calls == []
        assert calling.meter.total().model_calls == 0


async def test_retry_after_is_honoured_within_the_deadline(caller: CallerOf) -> None:
    async with caller({"generation": [Fail(429, retry_after=1), ANSWER]}) as calling:
        assert "".join(await calling.generate()) == ANSWER
        first, second = calling.server.calls
        assert second.started - first.started >= 1.0


async def test_a_retry_after_beyond_the_deadline_is_not_waited_for(caller: CallerOf) -> None:
    async with caller({"generation": Fail(429, retry_after=2 * FOREVER)}, llm_timeout=FOREVER) as calling:
        assert await failure_of(calling.generate(seconds=FOREVER)) is ModelFailureReason.RATE_LIMITED
        assert calling.server.count("generation") == 1


async def test_an_unreachable_server_is_named_so(caller: CallerOf) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with caller({}, openai_base_url=f"http://127.0.0.1:{port}/v1") as calling:
        assert await failure_of(calling.generate()) is ModelFailureReason.UNREACHABLE


async def test_the_breaker_opens_spares_the_server_and_recovers(caller: CallerOf) -> None:
    async with caller({"generation": Fail(500)}, recovery=0.3, llm_max_attempts=1) as calling:
        for _ in range(3):
            assert await failure_of(calling.generate()) is ModelFailureReason.SERVER_ERROR
        assert calling.state() is BreakerState.OPEN

        assert await failure_of(calling.generate()) is ModelFailureReason.CIRCUIT_OPEN
        assert calling.server.count("generation") == 3
        assert calling.meter.total().model_calls == 3

        calling.server.script["generation"] = ANSWER
        await asyncio.sleep(0.35)
        assert calling.state() is BreakerState.HALF_OPEN
        assert "".join(await calling.generate()) == ANSWER
        assert calling.state() is BreakerState.CLOSED


async def test_leaving_a_stream_early_ends_the_request(caller: CallerOf) -> None:
    async with caller({"generation": Say(ANSWER * 20, pace=0.05)}) as calling:
        stream = calling.model.stream(ModelPurpose.GENERATION, MESSAGES, Deadline.after(10), calling.meter)
        async with aclosing(stream):
            async for _ in stream:
                break

        (call,) = calling.meter.calls
        assert call.ended is not None
        assert call.failure is None
        await asyncio.sleep(0.2)
        assert calling.server.calls[0].ended is None  # the server never got to the end


@pytest.mark.parametrize(("model", "temperature"), [("gpt-4o-mini", 0.1), ("gpt-4.1-mini", None), ("o1", None)])
async def test_temperature_goes_only_to_families_that_take_it(
    caller: CallerOf, model: str, temperature: float | None
) -> None:
    async with caller({"generation": ANSWER, "understanding": {"domains": []}}, openai_model=model) as calling:
        await calling.generate()
        await calling.understand()

        for call in calling.server.calls:
            assert call.body.get("temperature") == temperature
            limits = {name: value for name, value in call.body.items() if name.startswith("max_")}
            assert limits == {"max_completion_tokens" if temperature is None else "max_tokens": 2048}


async def test_families_without_temperature() -> None:
    without = ["gpt-5", "gpt-5-mini", "gpt-4.1", "GPT-4.1-nano", "o1", "o3-mini", "o4-mini", "openai/gpt-5", "ft:o3-x"]
    assert not [name for name in without if takes_temperature(name)]
    taking = ["gpt-4o", "gpt-4o-mini", "gpt-4", "solar-pro2", "exaone-4.0-32b", "Qwen/Qwen3-8B", "olmo-2", "llama3.1"]
    assert all(takes_temperature(name) for name in taking)


async def test_each_purpose_has_its_model_and_its_header(caller: CallerOf) -> None:
    script = {purpose.value: '{"domains": []}' for purpose in ModelPurpose}
    names = {"openai_understanding_model": "small", "openai_evaluation_model": "judge", "openai_model": "writer"}
    names |= {"openai_image_model": "eye", "openai_talk_model": "small talk"}
    async with caller(script, **names) as calling:
        for purpose in set(ModelPurpose) - {ModelPurpose.VOICE}:
            await calling.model.complete_json(purpose, MESSAGES, Understanding, Deadline.after(5), calling.meter)

        assert {call.purpose: call.model for call in calling.server.calls} == {
            "understanding": "small",
            "alternatives": "small",
            "generation": "writer",
            "evaluation": "judge",
            "image": "eye",
            "talk": "small talk",
        }
        assert calling.model.name == "writer"


async def test_parallel_calls_share_one_pool(caller: CallerOf) -> None:
    async with caller({"generation": ANSWER}) as calling:
        answers = await asyncio.gather(*(calling.generate() for _ in range(8)))
        assert all("".join(texts) == ANSWER for texts in answers)

        calling.server.script["generation"] = Hang()
        under_way = [asyncio.create_task(calling.generate(FOREVER)) for _ in range(8)]
        await asyncio.to_thread(wait_until, lambda: calling.server.count("generation") == 16, "none waits for another")
        for call in under_way:
            call.cancel()
        await asyncio.wait(under_way)


@pytest.mark.parametrize("method", ["understand", "generate"])
async def test_model_names_encode_behaviour(caller: CallerOf, method: str) -> None:
    async with caller(
        {"generation": ANSWER, "understanding": {"domains": []}}, openai_model="stub-slow-400"
    ) as calling:
        began = time.monotonic()
        await getattr(calling, method)()
        assert time.monotonic() - began >= 0.4
    async with caller({}, openai_model="stub-429-9") as calling:
        assert await failure_of(getattr(calling, method)(seconds=5.0)) is ModelFailureReason.RATE_LIMITED


async def test_a_model_in_this_process_runs_through_the_same_stream() -> None:
    heard: list[BaseMessage] = []

    class InProcess(GenericFakeChatModel):
        async def _astream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
            heard.extend(messages)
            for chunk in self._stream(messages):
                yield chunk

    model = LanguageModel("extractive", {ModelPurpose.GENERATION: InProcess(messages=iter([AIMessage(ANSWER)]))})
    meter = UsageMeter()
    question = HumanMessage(QUESTION, additional_kwargs={"documents": ["제48조"]})
    texts = [text async for text in model.stream(ModelPurpose.GENERATION, [question], Deadline.after(0), meter)]

    assert "".join(texts) == ANSWER
    assert heard[0].additional_kwargs == {"documents": ["제48조"]}
    assert meter.total().model_calls == 0
    assert model.supports(ModelPurpose.GENERATION)
    assert not model.supports(ModelPurpose.UNDERSTANDING)
    await model.aclose()
