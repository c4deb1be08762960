"""A streamed completion in the OpenAPI document."""

from __future__ import annotations

from typing import Any

EVENT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "data": {
            "type": "string",
            "description": "JSON of a chat.completion.chunk or of an error; of the last event [DONE].",
        }
    },
    "required": ["data"],
}

_HEAD = '{"id":"chatcmpl-0b0e6e5c","object":"chat.completion.chunk","created":1795600000,"model":"bizi","choices":['
_SENTENCE = "제1기 부가가치세 확정신고 기한은 7월 25일입니다[1]."
_CITED = (
    '{"type":"url_citation","url_citation":{"start_index":26,"end_index":29,"title":"부가가치세법 제49조(확정신고와 납부)",'
    '"url":"https://www.law.go.kr/법령/부가가치세법/제49조"}}'
)

EXAMPLE_CHUNKS = "".join(
    f"data: {data}\n\n"
    for data in (
        _HEAD + '{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}',
        _HEAD + f'{{"index":0,"delta":{{"content":"{_SENTENCE}"}},"finish_reason":null}}]}}',
        _HEAD
        + f'{{"index":0,"delta":{{"annotations":[{_CITED}]}},"finish_reason":"stop"}}],"bizi":{{"answer_start":0}}}}',
        "[DONE]",
    )
)
