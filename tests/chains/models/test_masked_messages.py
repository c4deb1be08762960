"""Personal data on its way to a model server: it leaves this process as placeholders, and is in the answer."""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import Any

import pytest
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from chains.models.masked_messages import masked_messages
from chains.models.openai import build_openai_model
from chains.models.usage import ModelPurpose, UsageMeter
from tests.support.scripted_openai import ScriptedOpenAI
from utils.config.settings import Settings
from utils.observability.pseudonyms import Pseudonyms
from utils.observability.request_context import bind_request_id
from utils.resilience.deadline import Deadline

PHONE, NUMBER, KEY = "010-1234-5678", "900101-1234567", "sk-abcdefghijklmnop0123"
QUESTION = f"제 번호 {PHONE}, 주민번호 {NUMBER}, 키 {KEY}로 신고하나요?"
MESSAGES: list[BaseMessage] = [SystemMessage("문서로만 답한다. 문의 1357."), HumanMessage(QUESTION)]
WRITTEN = "[전화번호1]로 전화하고 [주민등록번호1]을 적습니다 [1]. [전화번호9]는 모릅니다."
RESTORED = f"{PHONE}로 전화하고 {NUMBER}을 적습니다 [1]. [전화번호9]는 모릅니다."


class Reply(BaseModel):
    """A structured reply."""

    question: str
    variants: list[str]


async def asked(script: dict[str, Any], messages: list[BaseMessage], **changes: Any) -> tuple[str, Reply, str]:
    """The streamed text, the structured reply, and all that the server was sent."""
    with ScriptedOpenAI(script) as server:
        settings = Settings(openai_base_url=server.base_url, openai_model="scripted", llm_timeout=5, **changes)
        model = build_openai_model(settings)
        deadline, meter = Deadline.after(20), UsageMeter()
        bind_request_id("request-of-the-test")
        async with aclosing(model.stream(ModelPurpose.GENERATION, messages, deadline, meter)) as texts:
            pieces = [text async for text in texts]
        reply = await model.complete_json(ModelPurpose.UNDERSTANDING, messages, Reply, deadline, meter)
        await model.aclose()
        assert all(pieces)
        assert {call.headers["x-request-id"] for call in server.calls} == {"request-of-the-test"}
        return "".join(pieces), reply, json.dumps([call.body for call in server.calls], ensure_ascii=False)


SCRIPT = {"generation": WRITTEN, "understanding": {"question": WRITTEN, "variants": ["[비밀키1]의 신고"]}}


def test_a_picture_stays_beside_the_masked_text() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    asked = HumanMessage([{"type": "text", "text": f"제 번호 {PHONE}의 화면"}, picture])
    [sent] = masked_messages([asked], Pseudonyms())
    assert sent.content == [{"type": "text", "text": "제 번호 [전화번호1]의 화면"}, picture]


async def test_the_server_gets_placeholders_and_the_answer_has_the_data() -> None:
    text, reply, sent = await asked(SCRIPT, MESSAGES)
    assert [secret for secret in (PHONE, "1234-5678", NUMBER, KEY) if secret in sent] == []
    assert "제 번호 [전화번호1], 주민번호 [주민등록번호1], 키 [비밀키1]로 신고하나요?" in sent
    assert "문의 1357." in sent
    assert "글자 그대로 옮깁니다" in sent
    assert text == RESTORED
    assert (reply.question, reply.variants) == (RESTORED, [f"{KEY}의 신고"])


async def test_nothing_changes_where_there_is_nothing_to_mask() -> None:
    plain: list[BaseMessage] = [SystemMessage("문서로만 답한다."), HumanMessage("부가세는 언제 내나요?")]
    _, _, sent = await asked(SCRIPT, plain)
    assert "옮깁니다" not in sent
    assert "부가세는 언제 내나요?" in sent


async def test_where_it_is_switched_off_the_server_reads_what_was_written() -> None:
    text, _, sent = await asked(SCRIPT, MESSAGES, enable_model_masking=False)
    assert QUESTION in sent
    assert text == WRITTEN


@pytest.mark.parametrize("secret", ['a"b\\c@example.com', "hong@example.com"])
async def test_data_may_hold_what_json_escapes(secret: str) -> None:
    script = {"generation": "[이메일1] [1]", "understanding": {"question": "[이메일1]", "variants": []}}
    _, reply, sent = await asked(script, [SystemMessage("답한다."), HumanMessage(f"메일은 {secret}")])
    assert secret.endswith(reply.question)
    assert reply.question not in sent
