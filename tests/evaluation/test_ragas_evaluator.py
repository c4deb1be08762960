"""RAGAS scores, from the real metrics against a scripted model; and what is said where the extra is missing."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.__main__ import main
from evaluation.ragas_evaluator import RagasEvaluator, RagasMissing, RagasSample, RagasScores
from evaluation.ragas_log import RagasLog
from schemas.chat import ChatRequest, ChatResponse, SourceItem
from tests.support.scripted_openai import Call, Fail, ScriptedOpenAI
from utils.config.settings import Settings
from utils.protocols import FloatMatrix

INSTALLED = importlib.util.find_spec("ragas") is not None
needs_ragas = pytest.mark.skipif(not INSTALLED, reason="the eval extra (ragas) is not installed")

QUESTION = "부가가치세는 언제까지 신고하나요?"
ANSWER = "25일 이내에 신고합니다. [1] 홈택스에서 합니다. [1]"
SAMPLE = RagasSample(QUESTION, ANSWER, ("확정신고는 25일 이내에 합니다.",))


def judge(call: Call) -> dict[str, Any]:
    """Return a model's reply to each of RAGAS's prompts, told apart by the reply that they ask for."""
    prompt = call.prompt
    if '"title": "StatementGeneratorOutput"' in prompt:
        return {"statements": ["25일 이내에 신고한다.", "홈택스에서 신고한다."]}
    if '"title": "NLIStatementOutput"' in prompt:
        return {"statements": [{"statement": "25일", "reason": "", "verdict": 1}, {"statement": "홈택스", "reason": "", "verdict": 0}]}  # fmt: skip
    if '"title": "AnswerRelevanceOutput"' in prompt:
        return {"question": QUESTION, "noncommittal": 0}
    if '"title": "ContextPrecisionOutput"' in prompt:
        return {"reason": "", "verdict": 1}
    assert '"title": "ContextRecallOutput"' in prompt
    return {"classifications": [{"statement": "25일", "reason": "", "attributed": 1}]}


def same_direction(texts: Sequence[str]) -> FloatMatrix:
    return np.ones((len(texts), 1), dtype=np.float32)


async def scores_of(server: ScriptedOpenAI, sample: RagasSample) -> RagasScores:
    evaluator = RagasEvaluator(Settings(openai_base_url=server.base_url, llm_max_attempts=1), same_direction)
    try:
        return await evaluator.score(sample)
    finally:
        await evaluator.aclose()


@needs_ragas
async def test_the_metrics_are_computed_from_what_the_model_says() -> None:
    with ScriptedOpenAI({"evaluation": judge}) as server:
        scores = await scores_of(server, SAMPLE)
    assert scores == RagasScores(faithfulness=0.5, answer_relevancy=1.0, context_precision=1.0, context_recall=None)


@needs_ragas
async def test_with_a_reference_there_is_recall() -> None:
    with ScriptedOpenAI({"evaluation": judge}) as server:
        scores = await scores_of(server, RagasSample(QUESTION, ANSWER, SAMPLE.contexts, "25일 이내"))
    assert (scores.context_precision, scores.context_recall) == (1.0, 1.0)


@needs_ragas
async def test_a_model_that_fails_leaves_the_scores_open() -> None:
    with ScriptedOpenAI({"evaluation": Fail(500)}) as server:
        assert await scores_of(server, SAMPLE) == RagasScores()


@needs_ragas
async def test_answers_are_logged_without_personal_data(tmp_path: Path) -> None:
    file = tmp_path / "logs" / "ragas.log"
    response = ChatResponse(
        content=ANSWER,
        domain="finance_tax",
        domains=["finance_tax"],
        kind="consult",
        read=[SourceItem(index=1, title="제49조", content=SAMPLE.contexts[0], source="법령")],
        model="gpt-4o-mini",
        request_id="r1",
    )
    with ScriptedOpenAI({"evaluation": judge}) as server:
        evaluator = RagasEvaluator(Settings(openai_base_url=server.base_url), same_direction)
        log = RagasLog(evaluator, file)
        async with log.running():
            log.observe(ChatRequest(message=f"{QUESTION} 제 번호는 010-1234-5678입니다."), response)
            log.observe(ChatRequest(message="안녕"), response.model_copy(update={"read": []}))
            async with asyncio.timeout(10):
                while not (file.exists() and file.stat().st_size):  # noqa: ASYNC110 - written by a thread
                    await asyncio.sleep(0.02)
        await evaluator.aclose()
    (line,) = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert (line["request_id"], line["faithfulness"], line["context_recall"]) == ("r1", 0.5, None)
    assert "010-1234-5678" not in line["question"]


@pytest.mark.skipif(INSTALLED, reason="the eval extra is installed")
def test_without_the_extra_it_is_named() -> None:
    with pytest.raises(RagasMissing, match="eval extra"):
        RagasEvaluator(Settings(openai_base_url="http://127.0.0.1:9/v1"), same_direction)


def test_the_command_says_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ragas", "--dataset", "questions.jsonl", "--out", "scores.jsonl"]) == 1
    assert "OPENAI_API_KEY" in capsys.readouterr().err
