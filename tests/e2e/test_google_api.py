"""The assistant for Google APIs with a model, over HTTP: pictures, voice, two languages, the check and the second attempt, on good days and bad."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from agents.engine import Engine, build_engine
from main import create_app
from routes.dependencies import Services
from schemas.events import DoneEvent, ReplaceEvent
from services import services_of
from tests.contract.wire import parse_frames
from tests.support.api_pages import NAME, build_index
from tests.support.local_server import LocalServer
from tests.support.media import PNG, data_address, spoken
from tests.support.scripted_openai import GARBAGE, Cut, Fail, Hang, Say, ScriptedOpenAI
from utils.config.settings import Settings
from utils.observability.telemetry import Telemetry
from utils.resilience.breaker import CircuitBreaker
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = pytest.mark.timeout(300)

CHAT = f"/api/assistants/{NAME}/chat"
TRANSCRIBE = f"/api/assistants/{NAME}/transcribe"
LABELS = "Gmail 라벨은 몇 개까지 만들 수 있나요?"
GOOD = "라벨은 500개까지 만들 수 있습니다. [1]"
SEEN = "Gmail 화면에 ‘라벨을 더 만들 수 없습니다’라는 오류가 보입니다."
WEEKLY = "백업 일정은 하루에 한 번이나 한 주에 한 번 사본을 만듭니다. [1]"
HYDE = {
    "korean": "백업 일정은 하루나 한 주에 한 번 사본을 만듭니다.",
    "english": "A backup schedule takes a copy once a day or once a week.",
}
BACKUPS = {"korean": "Firestore 백업 일정", "english": "Firestore backup schedules", "tags": ["firestore"]}
FAILURES = {
    "timeout": Hang(),
    "server_error": Fail(500),
    "rate_limited": Fail(429, 30),
    "garbage": Say(GARBAGE),
}


def understood(kind: str = "consult", question: str = LABELS, *queries: dict[str, Any]) -> dict[str, Any]:
    asked = list(queries) or [{"korean": question, "english": "How many labels can I create", "tags": ["gmail"]}]
    return {"kind": kind, "domains": ["api_docs"], "question": question, "queries": asked if kind == "consult" else []}


def script(**changes: Any) -> dict[str, Any]:
    return {
        "understanding": understood(),
        "generation": GOOD,
        "evaluation": {"verdict": "good", "reason": "문서에 있습니다."},
        "alternatives": HYDE,
        "image": SEEN,
        "talk": "안녕하세요! 무엇을 도와드릴까요?",
        "voice": "지메일 라벨은 몇 개까지 되나요",
    } | changes


@dataclass(frozen=True)
class Service:
    """The running service, and the model server that it asks."""

    client: httpx.Client
    engine: Engine
    model: ScriptedOpenAI

    def ask(self, message: str, **more: Any) -> dict[str, Any]:
        response = self.client.post(CHAT, json={"message": message, **more})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    def prompt(self, purpose: str, number: int = 0) -> str:
        return self.model.calls_for(purpose)[number].prompt


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder
) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp(NAME)
    with ScriptedOpenAI({}) as model:
        service = Settings(
            data_dir=folder / "var",
            log_dir=folder / "logs",
            openai_base_url=model.base_url,
            openai_evaluation_model="o4-mini",
            openai_talk_model="gpt-4o-mini",
            llm_timeout=0.6,
            llm_evaluation_timeout=0.6,
            transcription_timeout=0.6,
            request_timeout=20,
            max_audio_seconds=3,
            max_image_bytes=4096,
            enable_response_cache=False,
            enable_understanding_cache=False,
        )
        build_index(service, folder, tokenizer, embedder)
        engines: list[Engine] = []

        @asynccontextmanager
        async def factory(wanted: Settings, telemetry: Telemetry) -> AsyncIterator[Services]:
            engine = build_engine(wanted, tokenizer=tokenizer, telemetry=telemetry, assistant=NAME)
            engines.append(engine)
            async with services_of(engine) as services:
                yield services

        with (
            LocalServer(create_app(service, factory), lifespan="on") as server,
            httpx.Client(base_url=server.url, timeout=30) as client,
        ):
            yield Service(client, engines[0], model)


@pytest.fixture
def service(running: Service) -> Service:
    """All breakers closed, and the script of a good day."""
    link = running.engine.parts.chain.model._server
    assert link is not None
    assert isinstance(link.breakers, dict)
    link.breakers.update({purpose: CircuitBreaker(purpose, threshold=3) for purpose in link.breakers})
    link.health._failed.clear()
    running.model.reset(script())
    return running


def test_a_question_is_searched_for_in_both_languages_within_its_tags(service: Service) -> None:
    service.model.reset(script(understanding=understood("consult", "Firestore 백업", BACKUPS), generation=WEEKLY))
    answer = service.ask("파이어스토어 백업 주기는?")
    assert "databases.backupSchedules.create" in service.prompt("generation"), "the page is an English one"
    assert "메일함" not in service.prompt("generation"), "the other product's page on backups is not looked at"
    assert answer["trace"]["tags"] == "firestore"
    assert "backup schedules" in answer["trace"]["queries"]
    told = service.prompt("understanding")
    assert "firestore: " in told, "the model chooses from the tags of the pack"
    assert "databases.gte" in told


def test_the_model_reads_the_last_four_messages(service: Service) -> None:
    history = [{"role": role, "content": f"{number}번째"} for number in range(6) for role in ("user", "assistant")][:6]
    service.ask(LABELS, history=history)
    told = service.prompt("understanding")
    assert "2번째" in told
    assert "0번째" not in told


def test_a_picture_is_described_first_and_its_description_joins_every_later_step(service: Service) -> None:
    answer = service.ask("이 오류는 왜 나나요?", image=data_address(PNG, "image/jpeg"))
    assert answer["degraded"] == []
    [shown] = service.model.calls_for("image")
    assert shown.body["max_tokens"] == 500
    assert shown.messages[1]["content"][1]["image_url"]["url"] == data_address(PNG), "of the type that it is"
    assert SEEN in service.prompt("understanding")
    assert answer["trace"]["image"] == len(SEEN)
    assert [call.purpose for call in service.model.calls] == ["image", "understanding", "generation", "evaluation"]


def test_talk_is_answered_from_the_picture_and_the_conversation_by_the_small_model(service: Service) -> None:
    service.model.reset(script(understanding=understood("chitchat", "무엇이 보이나요?"), talk=SEEN))
    answer = service.ask(
        "이 사진에 무엇이 보이나요?", image=data_address(PNG), history=[{"role": "user", "content": LABELS}]
    )
    assert (answer["kind"], answer["content"], answer["sources"]) == ("chitchat", SEEN, [])
    [call] = service.model.calls_for("talk")
    assert call.body["temperature"] == 0.4
    assert SEEN in call.prompt
    assert LABELS in call.prompt


def test_another_subject_is_named_by_the_model_and_by_rule_without_it(service: Service) -> None:
    paraphrase = "당뇨병 치료에 관해 물으셨네요. Google API에 대해 물어보세요."
    service.model.reset(script(understanding=understood("out_of_scope", "당뇨병 치료"), talk=paraphrase))
    assert service.ask("당뇨병은 어떻게 치료하나요?")["content"] == paraphrase
    service.model.reset(script(understanding=understood("out_of_scope", "당뇨병 치료"), talk=Fail(500)))
    answer = service.ask("당뇨병은 어떻게 치료하나요?")
    assert "당뇨병" in answer["content"]
    assert [(item["component"], item["reason"]) for item in answer["degraded"]] == [("llm", "talk: server_error")]


def test_an_evasive_answer_is_bad_and_tried_again_with_what_was_found_first(service: Service) -> None:
    asked = understood("consult", "백업 일정", {"korean": "백업 일정", "english": "backup schedule", "tags": []})
    final = "백업은 하루나 한 주에 한 번 만들어집니다. [1]"
    service.model.reset(script(understanding=asked, generation=["문서에서 확인할 수 없습니다.", final]))
    answer = service.ask("백업 일정은 어떻게 되나요?")
    assert answer["retry_count"] == 1
    assert answer["trace"]["check"] == "bad"
    assert service.model.count("evaluation") == 0, "an evasive answer needs no model to be bad, the second is final"
    assert service.model.count("generation") == 2
    first, second = service.prompt("generation", 0), service.prompt("generation", 1)
    shown = [line for line in first.splitlines() if line.startswith("[")]
    assert shown
    titles = [line.partition("] ")[2] for line in shown]
    assert all(title in second for title in titles), "the first documents are among those of the second attempt"


def test_what_the_check_calls_bad_is_written_again_once(service: Service) -> None:
    bad = {"verdict": "bad", "reason": "문서와 어긋납니다."}
    service.model.reset(script(evaluation=bad))
    answer = service.ask(LABELS)
    assert (answer["retry_count"], service.model.count("evaluation"), service.model.count("generation")) == (1, 1, 2)
    assert "문서와 어긋납니다." in service.prompt("alternatives")
    [check] = service.model.calls_for("evaluation")
    assert "temperature" not in check.body, "a reasoning model takes none"
    assert "max_completion_tokens" in check.body
    assert "max_tokens" not in check.body
    assert service.model.calls_for("generation")[0].body["temperature"] == 0.0


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("purpose", ["image", "understanding", "generation", "evaluation", "alternatives"])
def test_each_call_may_fail_in_each_way_and_the_answer_says_so(service: Service, purpose: str, failure: str) -> None:
    changes: dict[str, Any] = {purpose: FAILURES[failure]}
    if failure == "garbage" and purpose in ("image", "generation"):
        changes = {purpose: Cut("이 글은 여기서")}  # a text cannot be off its form, but break off
    if purpose == "alternatives":
        changes["evaluation"] = {"verdict": "bad", "reason": "어긋납니다."}
    service.model.reset(script(**changes))
    answer = service.ask(LABELS, **({"image": data_address(PNG)} if purpose == "image" else {}))
    assert "500개" in answer["content"]
    expected = ("image", "이미지") if purpose == "image" else ("llm", f"{purpose}: ")
    named = [(item["component"], item["reason"]) for item in answer["degraded"]]
    assert any(component == expected[0] and reason.startswith(expected[1]) for component, reason in named), named


@pytest.mark.parametrize(
    ("image", "told"),
    [
        (data_address(b"GIF87b" + bytes(30)), "PNG, JPEG"),
        (data_address(PNG + bytes(5000)), "너무 큽니다"),
        ("https://example.com/a.png", "주소는 받지 않습니다"),
    ],
)
def test_what_is_no_picture_is_refused_before_anything_is_asked(service: Service, image: str, told: str) -> None:
    for path in (CHAT, f"{CHAT}/stream"):
        response = service.client.post(path, json={"message": LABELS, "image": image})
        assert response.status_code == 422, response.text
        [problem] = response.json()["errors"]
        assert problem["path"] == "image"
        assert told in problem["message"]
    assert service.model.calls == []


def test_a_recording_becomes_a_question(service: Service) -> None:
    response = service.client.post(TRANSCRIBE, files={"file": ("내 목소리.mp3", spoken(), "audio/mpeg")})
    assert response.json() == {"text": "지메일 라벨은 몇 개까지 되나요"}
    [call] = service.model.calls_for("voice")
    assert (call.body["language"], call.body["model"]) == ("ko", "whisper-1")
    assert call.body["file"] == ("recording.wav", "audio/wav", spoken()), "no name of the user's leaves the house"
    assert service.ask(response.json()["text"])["content"] == GOOD


@pytest.mark.parametrize(
    ("failure", "status"),
    [(Hang(), 504), (Fail(500), 502), (Fail(429, 30), 503), (Say(GARBAGE), 502), (Say(""), 422)],
)
def test_a_recording_that_cannot_be_written_down_is_a_problem_in_korean(
    service: Service, failure: object, status: int
) -> None:
    service.model.reset(script(voice=failure))
    response = service.client.post(TRANSCRIBE, files={"file": ("a.wav", spoken(), "audio/wav")})
    assert (response.status_code, response.headers["content-type"]) == (status, "application/problem+json")
    assert "음성" in response.text or "들리는" in response.text


@pytest.mark.parametrize(
    ("form", "status", "told"),
    [
        ({"files": {"file": ("a.wav", spoken(5))}}, 422, "너무 깁니다"),
        ({"files": {"file": ("a.wav", PNG)}}, 422, "지원하지 않는"),
        ({"files": {"sound": ("a.wav", spoken())}}, 422, "파일이 필요합니다"),
        ({"data": {"file": "가나다"}, "files": {"x": ("b", b"")}}, 422, "알 수 없는"),
        ({"json": {"file": "가"}}, 415, "multipart"),
    ],
)
def test_a_wrong_upload_is_refused(service: Service, form: dict[str, Any], status: int, told: str) -> None:
    response = service.client.post(TRANSCRIBE, **form)
    assert (response.status_code, told in response.text) == (status, True), response.text
    assert service.model.calls == []


def test_a_stream_of_talk_that_breaks_off_is_replaced(service: Service) -> None:
    service.model.reset(script(understanding=understood("chitchat", "안녕"), talk=Cut("안녕하세요, 저는")))
    frames = parse_frames(service.client.post(f"{CHAT}/stream", json={"message": "안녕"}).text)
    [replaced] = [frame.data for frame in frames if isinstance(frame.data, ReplaceEvent)]
    assert (replaced.reason, "Google API" in replaced.content) == ("degraded", True)
    assert isinstance(frames[-1].data, DoneEvent)
    assert frames[-1].data.degraded[0].reason == "talk: cut"


def test_the_list_says_what_it_takes(service: Service) -> None:
    listed = service.client.get("/api/assistants").json()["assistants"]
    item = next(item for item in listed if item["name"] == NAME)
    assert item["takes"] == ["text", "image", "voice"]
    assert {need["name"] for need in item["needs"] if need["is_met"]} >= {"image_model", "voice_model"}
