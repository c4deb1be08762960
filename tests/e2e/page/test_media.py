"""A service with a model: other assistants, pictures and voice, and an answer that is stopped where the model writes it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import serving
from tests.e2e.page.conftest import Shown
from tests.e2e.test_google_api import GOOD, LABELS, SEEN, script
from tests.support.api_pages import NAME
from tests.support.furnished import furnished
from tests.support.media import PNG, spoken
from tests.support.scripted_openai import Hang, ScriptedOpenAI
from utils.config.settings import Settings
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = [pytest.mark.slow, pytest.mark.services]


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI(script()) as model:
        yield model


@pytest.fixture(scope="module")
def service(
    model: ScriptedOpenAI,
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    embedder: KiwiEmbedder,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("media")
    settings = furnished(starter_settings, folder, tokenizer, embedder, openai_base_url=model.base_url)
    with serving(settings, tokenizer) as client:
        yield client


@pytest.fixture
def founder(service: httpx.Client, model: ScriptedOpenAI, shown: Shown) -> Shown:
    model.reset(script())
    shown.page.goto(str(service.base_url))
    shown.page.get_by_label("비서").select_option(NAME)
    expect(shown.page.get_by_label("이미지 넣기")).to_be_attached()
    return shown


def test_another_assistant_answers_and_the_first_one_takes_no_pictures(founder: Shown) -> None:
    with founder.page.expect_request(f"**/api/assistants/{NAME}/chat/stream"):
        founder.ask(LABELS)
    expect(founder.answer).to_contain_text(GOOD.removesuffix(" [1]"))
    founder.page.get_by_label("비서").select_option("bizi")
    expect(founder.page.locator(".turn")).to_have_count(0)
    expect(founder.page.get_by_label("이미지 넣기")).to_have_count(0)


def test_a_picture_goes_along_with_the_question(founder: Shown, model: ScriptedOpenAI) -> None:
    founder.page.get_by_label("이미지 넣기").set_input_files(
        {"name": "오류.png", "mimeType": "image/png", "buffer": PNG}
    )
    expect(founder.page.get_by_alt_text("올릴 이미지")).to_be_visible()
    founder.ask(LABELS)
    expect(founder.answer).to_contain_text(GOOD.removesuffix(" [1]"))
    expect(founder.page.locator(".turn").last).to_contain_text("이미지와 함께")
    expect(founder.page.get_by_alt_text("올릴 이미지")).to_have_count(0)
    assert model.count("image") == 1
    assert SEEN in model.calls_for("understanding")[0].prompt


def test_what_is_said_becomes_a_question_to_be_sent(founder: Shown) -> None:
    recording = {"name": "질문.wav", "mimeType": "audio/wav", "buffer": spoken()}
    founder.page.get_by_label("음성 파일로 묻기").set_input_files(recording)  # type: ignore[arg-type]
    box = founder.page.get_by_label("질문", exact=True)
    expect(box).to_have_value(str(script()["voice"]))
    box.press("Enter")
    expect(founder.answer).to_contain_text(GOOD.removesuffix(" [1]"))


def test_what_is_no_recording_is_said_in_the_page(founder: Shown) -> None:
    noise = {"name": "질문.wav", "mimeType": "audio/wav", "buffer": b"no sound at all"}
    founder.page.get_by_label("음성 파일로 묻기").set_input_files(noise)  # type: ignore[arg-type]
    expect(founder.page.get_by_role("alert")).to_contain_text("음성")
    founder.complaints = [text for text in founder.complaints if "422" not in text]


def test_stopping_stops_the_service_where_the_model_writes(
    founder: Shown, model: ScriptedOpenAI, service: httpx.Client
) -> None:
    model.reset(script(generation=Hang(GOOD[:12])))
    page = founder.page
    page.fill("#question", LABELS)
    page.keyboard.press("Enter")
    expect(founder.answer).to_contain_text(GOOD[:10])
    page.get_by_role("button", name="답변 멈추기").click()
    expect(founder.answer).to_contain_text("답변을 멈췄습니다")
    expect(founder.answer).to_contain_text(GOOD[:10])
    until = time.monotonic() + 20
    while not _cut_short(service):
        assert time.monotonic() < until, "the service went on writing"
        page.wait_for_timeout(100)
    model.reset(script())
    founder.answer.get_by_role("button", name="다시 답하기").click()
    expect(founder.answer).to_contain_text(GOOD.removesuffix(" [1]"))


def _cut_short(service: httpx.Client) -> float:
    """The number of streams whose reader left before their end."""
    told = (line.rpartition(" ") for line in service.get("/metrics").text.splitlines())
    return sum(float(number) for name, _, number in told if name.startswith("bizi_requests_cut_total{"))
