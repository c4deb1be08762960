"""Calls of a model server as the metrics tell them: the real client against a scripted server."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any, cast

import pytest
from langchain_core.messages import HumanMessage
from pydantic import BaseModel

from chains.models.errors import ModelUnavailable
from chains.models.openai import build_openai_model
from chains.models.usage import ModelPurpose, UsageMeter
from tests.support.scripted_openai import Fail, Say, ScriptedOpenAI
from utils.config.settings import Settings
from utils.observability.telemetry import Telemetry
from utils.resilience.deadline import Deadline
from utils.usage.budgets import ClientBudgets
from utils.usage.ledger import UsageLedger
from utils.usage.prices import PriceBook

ANSWER = "부가가치세 확정신고는 25일 이내에 합니다. [1]"
QUESTION = [HumanMessage("부가가치세는 언제까지 신고하나요?")]


class Reply(BaseModel):
    """A structured reply."""

    question: str


async def test_calls_are_counted_by_purpose_outcome_and_tokens() -> None:
    telemetry = Telemetry()
    script: dict[str, Any] = {
        "understanding": [Fail(500), {"question": "부가세"}],
        "generation": [Say(ANSWER, pace=0.01), Say(ANSWER, pace=0.01)],
        "evaluation": Fail(401),
    }
    with ScriptedOpenAI(script) as server:
        settings = Settings(openai_base_url=server.base_url, openai_model="scripted", llm_timeout=5)
        ledger = UsageLedger(None, PriceBook(), ClientBudgets({}), telemetry.metrics)
        model = build_openai_model(settings, telemetry, ledger)
        deadline, meter = Deadline.after(20), UsageMeter()
        await model.complete_json(ModelPurpose.UNDERSTANDING, QUESTION, Reply, deadline, meter)
        with pytest.raises(ModelUnavailable):
            await model.complete_json(ModelPurpose.EVALUATION, QUESTION, Reply, deadline, meter)
        async with aclosing(model.stream(ModelPurpose.GENERATION, QUESTION, deadline, meter)) as texts:
            assert "".join([text async for text in texts]) == ANSWER
        async with aclosing(model.stream(ModelPurpose.GENERATION, QUESTION, deadline, meter)) as texts:
            await anext(texts)  # and the client leaves
        await model.aclose()

    def seen(name: str, **labels: str) -> float:
        return cast(float, telemetry.metrics.exposed.get_sample_value(name, labels) or 0)

    assert seen("bizi_model_calls_total", purpose="understanding", outcome="server_error") == 1
    assert seen("bizi_model_calls_total", purpose="understanding", outcome="ok") == 1
    assert seen("bizi_model_calls_total", purpose="evaluation", outcome="unauthorized") == 1
    assert seen("bizi_model_calls_total", purpose="generation", outcome="ok") == 1
    assert seen("bizi_model_calls_total", purpose="generation", outcome="left") == 1
    assert seen("bizi_model_call_seconds_count", purpose="generation") == 2
    assert seen("bizi_model_first_token_seconds_count", purpose="generation") == 2
    told, prompt = len(ANSWER), len(QUESTION[0].text)
    # the client that left was told no usage: its prompt is estimated, and the piece that it got
    assert seen("bizi_model_tokens_total", purpose="generation", direction="output") in range(told + 1, 2 * told)
    assert seen("bizi_model_tokens_total", purpose="generation", direction="input") > prompt
    assert seen("bizi_model_estimated_tokens_total", purpose="generation") > 0
    assert seen("bizi_model_estimated_tokens_total", purpose="understanding") == 0
    assert seen("bizi_model_tokens_total", purpose="evaluation", direction="input") == 0
    total = meter.total()
    assert total.model_calls == 5
    assert total.output_tokens == sum(
        seen("bizi_model_tokens_total", purpose=purpose, direction="output") for purpose in ModelPurpose
    )
