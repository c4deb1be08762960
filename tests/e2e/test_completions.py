"""The assistants through OpenAI's interface: what its official client and LangChain's `ChatOpenAI` get is what ``/api/chat`` says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from langchain_core.messages import AIMessageChunk
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr

from agents.serving.answer_text import source_list
from schemas.chat import ChatResponse
from tests.e2e.test_model_path import GOOD, VAT, script
from tests.support.scripted_openai import ScriptedOpenAI
from utils.grounding.answer_sentences import CITATION

QUESTIONS = [
    "부가가치세는 언제까지 신고해야 하나요?",
    "카페를 열려고 해요. 사업자등록은 어떻게 하고 처음에 세금은 뭘 챙겨야 하나요?",
    "직원이 네 명인데 연차를 줘야 하나요?",
    "오늘 서울 날씨 어때?",
]


@pytest.fixture(scope="module")
def programs(service: httpx.Client) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{service.base_url}/v1", api_key="unused", max_retries=0) as client:
        yield client


def ask(service: httpx.Client, message: str, **more: Any) -> ChatResponse:
    return ChatResponse.model_validate(service.post("/api/chat", json={"message": message, **more}).json())


def extra(model: BaseModel) -> dict[str, Any]:
    """Return what the client's own types do not know."""
    return model.model_extra or {}


def said(question: str) -> Any:
    return [{"role": "user", "content": question}]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_official_client_gets_the_answer_and_every_citation(
    service: httpx.Client, programs: openai.OpenAI, question: str
) -> None:
    expected = ask(service, question)
    completion = programs.chat.completions.create(model="bizi", messages=said(question), temperature=0)
    message = completion.choices[0].message
    assert message.content == expected.content + source_list(expected.sources)
    annotations = [annotation.url_citation for annotation in message.annotations or ()]
    marks = [message.content[each.start_index : each.end_index] for each in annotations]
    assert all(CITATION.fullmatch(mark) for mark in marks)
    assert {(each.title, each.url) for each in annotations} == {(each.title, each.url) for each in expected.sources}
    assert bool(annotations) is (expected.kind == "consult")
    details = ChatResponse.model_validate({**extra(completion)["bizi"], "content": expected.content})
    assert (details.sources, details.evaluation, details.actions) == (
        expected.sources,
        expected.evaluation,
        expected.actions,
    )


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_stream_of_the_official_client_is_the_same(programs: openai.OpenAI, question: str) -> None:
    whole = programs.chat.completions.create(model="bizi", messages=said(question))
    chunks = list(programs.chat.completions.create(model="bizi", messages=said(question), stream=True))
    deltas = [chunk.choices[0].delta for chunk in chunks]
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    annotations = extra(deltas[-1]).get("annotations", [])
    assert annotations == [each.model_dump() for each in whole.choices[0].message.annotations or ()]
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert len(chunks) > 3 or not annotations


def test_the_next_question_of_a_conversation_reads_the_one_before(
    service: httpx.Client, programs: openai.OpenAI
) -> None:
    first, second = "퇴직금은 언제까지 줘야 하나요?", "그거 안 주면 어떻게 되나요?"
    before = ask(service, first)
    history = [{"role": "user", "content": first}, {"role": "assistant", "content": before.content}]
    expected = ask(service, second, history=history)
    told = programs.chat.completions.create(model="bizi", messages=said(first)).choices[0].message
    turns = [*said(first), told.model_dump(), *said(second)]
    answer = programs.chat.completions.create(model="bizi", messages=turns).choices[0].message.content
    assert answer == expected.content + source_list(expected.sources)
    assert answer != ask(service, second).content


def test_langchain_gets_the_answer_with_its_sources(service: httpx.Client) -> None:
    expected = ask(service, QUESTIONS[0])
    model = ChatOpenAI(base_url=f"{service.base_url}/v1", api_key=SecretStr("unused"), model="bizi", temperature=0)
    assert model.invoke(QUESTIONS[0]).content == expected.content + source_list(expected.sources)
    streamed = AIMessageChunk(content="")
    for chunk in model.stream(QUESTIONS[0], stream_usage=True):
        streamed += chunk
    assert streamed.content == expected.content + source_list(expected.sources)
    assert streamed.usage_metadata is not None


def test_a_corrected_stream_ends_with_the_answer_of_api_chat(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    """The model states a figure that no source holds: it is streamed, and then taken back."""
    model_server.reset(script(generation=f"{GOOD} 무신고 가산세는 37퍼센트입니다. [1]"))
    with openai.OpenAI(base_url=f"{model_service.base_url}/v1", api_key="unused", max_retries=0) as client:
        chunks = list(client.chat.completions.create(model="bizi", messages=said(VAT), stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    details = extra(chunks[-1])["bizi"]
    start = details["answer_start"]
    assert "37퍼센트" in text[:start]
    assert "37퍼센트" not in text[start:]
    expected = ask(model_service, VAT)
    assert text[start:] == expected.content + source_list(expected.sources)
    cited = extra(chunks[-1].choices[0].delta)["annotations"][0]["url_citation"]
    assert text[cited["start_index"] : cited["end_index"]] == "[1]"
