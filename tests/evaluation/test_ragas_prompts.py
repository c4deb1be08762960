"""The prompts that a model gets of RAGAS: Korean throughout, and made without a call."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from evaluation.ragas_evaluator import RagasEvaluator, RagasSample
from tests.evaluation.test_ragas_evaluator import ANSWER, QUESTION, SAMPLE, judge, same_direction
from tests.support.scripted_openai import Call, ScriptedOpenAI
from utils.config.settings import Settings
from utils.prompts import ragas as prompts
from utils.prompts.ragas import MetricPrompt

needs_ragas = pytest.mark.skipif(
    importlib.util.find_spec("ragas") is None, reason="the eval extra (ragas) is not installed"
)
WRITTEN = {name: value for name, value in vars(prompts).items() if isinstance(value, MetricPrompt)}
_ENGLISH_WORDS = re.compile(r"(?<![\w$\"])[A-Za-z]+ [a-z]+ [a-z]+")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


@pytest.mark.parametrize("name", WRITTEN)
def test_instructions_and_examples_are_korean(name: str) -> None:
    prompt = WRITTEN[name]
    texts = [prompt.instruction, *_texts(prompt.examples)]
    assert len(texts) > 2
    assert all(re.search("[가-힣]", text) for text in texts)
    assert not [text for text in texts if _ENGLISH_WORDS.search(text)]


def test_each_verdict_has_an_example() -> None:
    told = {name: json.dumps(WRITTEN[name].examples) for name in WRITTEN}
    for name, field in (("FAITHFULNESS", "verdict"), ("PRECISION", "verdict"), ("RECALL", "attributed"), ("RELEVANCY", "noncommittal")):  # fmt: skip
        assert f'"{field}": 0' in told[name]
        assert f'"{field}": 1' in told[name]


@needs_ragas
async def test_the_model_gets_korean_prompts_and_nothing_is_translated() -> None:
    prompts_sent: list[str] = []

    def reply(call: Call) -> dict[str, Any]:
        prompts_sent.append(call.prompt)
        return judge(call)

    with ScriptedOpenAI({"evaluation": reply}) as server:
        evaluator = RagasEvaluator(Settings(openai_base_url=server.base_url, llm_max_attempts=1), same_direction)
        assert not server.calls, "RAGAS's own adaptation would have a model translate"
        scores = await evaluator.score(RagasSample(QUESTION, ANSWER, SAMPLE.contexts, "25일 이내"))
        await evaluator.aclose()
    assert None not in scores.as_dict().values()
    instructions = {prompt.instruction for prompt in WRITTEN.values()}
    assert {prompt.partition("\n")[0] for prompt in prompts_sent} == instructions
    for prompt in prompts_sent:
        without_schema = re.sub(r"\n\{\"(?:\$defs|description)\".*\n", "\n", prompt)
        assert not _ENGLISH_WORDS.search(without_schema), prompt
        assert any(text in prompt for text in (QUESTION, "25일", "홈택스"))
