"""Events of an answer as chunks, and what a stream that was corrected leaves behind."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from agents.serving.answer_text import answer_alone, source_list
from routes.completions.answers import ChunkWriter
from schemas.chat import SourceItem, TokenUsage
from schemas.events import DoneEvent, ReplaceEvent, StreamEvent, TokenEvent

FIRST = SourceItem(
    index=1, title="부가가치세법\n제49조", content="", source="국가법령정보센터", url="https://law.example/49"
)
SECOND = SourceItem(index=2, title="안내", content="", source="국세청", effective_date="2026-01-01")


def done(*sources: SourceItem) -> DoneEvent:
    usage = TokenUsage(input_tokens=7, cached_input_tokens=2, output_tokens=5, model_calls=1)
    return DoneEvent(
        domain="finance_tax",
        domains=["finance_tax"],
        kind="consult",
        sources=list(sources),
        model="m",
        request_id="r",
        token_usage=usage,
    )


async def chunks(*events: StreamEvent) -> list[dict[str, Any]]:
    async def told() -> AsyncIterator[StreamEvent]:
        for event in events:
            yield event

    writer = ChunkWriter("r", "bizi", [], include_usage=True)
    *data, end = [text async for text in writer.written(told())]
    assert end == "[DONE]"
    return [json.loads(text) for text in data]


def text_of(found: list[dict[str, Any]]) -> str:
    return "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in found if chunk["choices"])


async def test_a_corrected_stream_ends_with_the_answer_that_holds() -> None:
    found = await chunks(
        TokenEvent(content="세율은 99%입니다[1]."),
        ReplaceEvent(reason="grounding", content="세율은 10%입니다[1, 2].", sources=[FIRST, SECOND]),
        done(FIRST, SECOND),
    )
    text, last = text_of(found), found[-2]
    start = last["bizi"]["answer_start"]
    assert text[:start] == "세율은 99%입니다[1].\n\n— 근거로 확인되지 않은 문장을 빼고 답변을 바꿉니다.\n\n"
    assert text[start:] == "세율은 10%입니다[1, 2]." + source_list([FIRST, SECOND])
    cited = [each["url_citation"] for each in last["choices"][0]["delta"]["annotations"]]
    assert [(text[each["start_index"] : each["end_index"]], each["title"], each["url"]) for each in cited] == [
        ("[1, 2]", "부가가치세법 제49조", "https://law.example/49"),
        ("[1, 2]", "안내", ""),
    ]
    assert last["choices"][0]["finish_reason"] == "stop"
    assert answer_alone(text) == "세율은 10%입니다[1, 2]."


async def test_an_answer_replaced_before_its_first_word_is_no_correction() -> None:
    found = await chunks(ReplaceEvent(reason="degraded", content="없습니다.", sources=[]), done())
    assert (text_of(found), found[-2]["bizi"]["answer_start"]) == ("없습니다.", 0)
    assert "annotations" not in found[-2]["choices"][0]["delta"]


async def test_usage_comes_last_and_counts_the_calls_of_the_answer() -> None:
    found = await chunks(TokenEvent(content="예."), done())
    assert [chunk["choices"] for chunk in found].count([]) == 1
    assert found[-1]["usage"] == {
        "prompt_tokens": 7,
        "completion_tokens": 5,
        "total_tokens": 12,
        "prompt_tokens_details": {"cached_tokens": 2},
    }
    assert not any("usage" in chunk for chunk in found[:-1])


def test_the_list_of_sources_is_a_line_for_each() -> None:
    assert source_list([FIRST, SECOND]) == (
        "\n\n출처\n- [1] 부가가치세법 제49조 — 국가법령정보센터 https://law.example/49\n- [2] 안내 — 국세청, 시행 2026-01-01"
    )
    assert source_list([]) == ""
    assert answer_alone("출처는 없습니다.") == "출처는 없습니다."
