"""Where not all documents fit into the prompt: only those that the model could read are told, and cited."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

from tests.contract.wire import parse_frames
from tests.e2e.conftest import serving_with_model
from tests.e2e.test_model_path import CAFE, GOOD, UNDERSTOOD_CAFE, VAT, WRONG, ask, script
from tests.support.scripted_openai import Call, Fail, ScriptedOpenAI
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

_HEAD = re.compile(r"<document>\n\[(\d+)\] (.*)")


@pytest.fixture(scope="module")
def narrow(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    model_server: ScriptedOpenAI,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    """A service whose prompts hold few documents."""
    data_dir = tmp_path_factory.mktemp("narrow") / "var"
    with serving_with_model(starter_settings, tokenizer, model_server, data_dir, context_max_length=900) as service:
        yield service.client


def read_by(call: Call) -> list[tuple[int, str]]:
    """Numbers and titles of the documents in a prompt, in order of the numbers."""
    return sorted((int(number), title) for number, title in _HEAD.findall(call.prompt))


def first_sentence(call: Call) -> str:
    """An answer that holds: what the first document says."""
    text = re.findall(r"\n\[1\] .*\n출처: .*\n((?:.|\n)+?[.…])\s", call.prompt)[0]
    return f"{text.removesuffix('.')}. [1]"


@pytest.mark.parametrize(("message", "understood"), [(VAT, None), (CAFE, UNDERSTOOD_CAFE)], ids=["one", "several"])
def test_answer_stream_and_prompt_have_the_same_documents(
    narrow: httpx.Client, model_server: ScriptedOpenAI, message: str, understood: dict[str, object] | None
) -> None:
    said = {"understanding": understood, "generation": first_sentence} if understood else {}
    model_server.reset(script(**said))
    answer = ask(narrow, message)
    assert (answer["model"], answer["retry_count"]) == ("gpt-4o-mini", 0)
    read = read_by(model_server.calls_for("generation")[0])
    assert 0 < len(read) < answer["trace"]["documents"], "some did not fit"
    assert [(source["index"], source["title"]) for source in answer["sources"]] == read[:1], "what it cites"
    frames = parse_frames(narrow.post("/api/chat/stream", json={"message": message}).text)
    assert [(frame.data.source.index, frame.data.source.title) for frame in frames if frame.event == "source"] == read
    assert [(source.index, source.title) for source in frames[-1].data.sources] == read[:1]


def test_what_is_quoted_in_place_of_the_model_is_from_these_sources(
    narrow: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script(generation=Fail(400)))
    answer = ask(narrow)
    assert answer["model"] == "extractive"
    sources = {(source["index"], source["title"]) for source in answer["sources"]}
    assert sources <= set(read_by(model_server.calls_for("generation")[0]))
    assert {int(number) for number in re.findall(r"\[(\d+)\]", answer["content"])} == {number for number, _ in sources}


def test_the_sources_of_a_retry_are_those_of_its_own_prompt(narrow: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset(script(generation=[WRONG, GOOD, GOOD]))
    answer = ask(narrow)
    assert answer["retry_count"] == 1
    prompts = [read_by(call) for call in model_server.calls_for("generation")[1:]]
    assert [(source["index"], source["title"]) for source in answer["sources"]] in [read[:1] for read in prompts]
