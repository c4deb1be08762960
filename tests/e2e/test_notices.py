"""Notices over HTTP: search, the dialogue with and without sessions, deadlines as a calendar. The day is that of the samples."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from routes import dependencies
from schemas.events import DoneEvent
from tests.contract.wire import parse_frames
from tests.e2e.conftest import serving
from tests.support.notice_files import DAY, fill
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

SEARCH = "부산 지원사업 공고 찾아줘"


@pytest.fixture(scope="module")
def notices(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    data_dir = tmp_path_factory.mktemp("notices") / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)
    own = {
        "data_dir": data_dir,
        "log_dir": data_dir / "log",
        "enable_sessions": True,
        "enable_response_cache": True,
        "enable_chat_log": True,
    }
    settings = starter_settings.model_copy(update=own)
    fill(settings, tokenizer)
    with serving(settings, tokenizer, today=DAY) as client:
        yield client


@pytest.fixture(autouse=True)
def _the_day_of_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependencies, "korean_day", lambda: DAY)


class Talk:
    """A conversation: by session, or with the state sent back and forth."""

    def __init__(self, client: httpx.Client, session_id: str | None) -> None:
        self._client = client
        self._session_id = session_id
        self._state: Any = None

    def __call__(self, message: str) -> dict[str, Any]:
        own = {"session_id": self._session_id} if self._session_id else {"session_state": self._state}
        response = self._client.post("/api/chat", json={"message": message, "debug": True, **own})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        self._state = answer["session_state"] or self._state
        return answer


@pytest.fixture(params=["session", "state"])
def talk(request: pytest.FixtureRequest, notices: httpx.Client) -> Talk:
    name = request.node.name.replace("[", "-").replace("]", "").replace(".", "-")
    return Talk(notices, name if request.param == "session" else None)


def intent(answer: dict[str, Any]) -> str | None:
    return answer["debug_info"] and str(answer["debug_info"]["intent"])


def ids(answer: dict[str, Any]) -> list[str]:
    return [str(source["metadata"]["id"]) for source in answer["sources"]]


def test_a_list_a_reference_and_questions_on_it(talk: Talk) -> None:
    listed = talk(SEARCH)
    assert (intent(listed), listed["kind"], listed["domain"]) == ("new_search", "notice", "startup_funding")
    assert ids(listed) == ["sp-04", "sp-05", "sp-14", "sp-13"]
    assert all(f"[{number}]" in listed["content"] for number in range(1, 5))
    assert "2일 남음" in listed["content"]

    second = talk("두번째 거 알려줘")
    assert (intent(second), ids(second)) == ("reference_prev", ["sp-05"])
    detail = talk("그거 신청기간이 언제야?")
    assert intent(detail) == "detail_question"
    assert "접수기간" in detail["debug_info"]["expansion"]
    assert "예산 소진시까지" in detail["content"]
    assert set(ids(detail)) == {"sp-05"}
    assert "051-000-2102" in talk("문의는 어디로 해요?")["content"]
    assert ids(talk("마지막 거는?")) == ["sp-13"]
    beyond = talk("9번 보여줘")
    assert (intent(beyond), beyond["sources"]) == ("clarification", [])
    assert "4건" in beyond["content"]


def test_a_question_of_another_matter_is_answered_from_documents_and_the_selection_stays(talk: Talk) -> None:
    talk(SEARCH)
    talk("1번 자세히 알려줘")
    consulted = talk("직원이 네 명인데 연차를 줘야 하나요?")
    assert (consulted["kind"], intent(consulted)) == ("consult", None)
    assert consulted["domains"] == ["hr_labor"]
    assert "2026년 12월 10일" in talk("언제 발표해?")["content"]
    assert talk("고마워요")["kind"] != "notice"
    assert intent(talk("서류는 뭐 내야 해?")) == "detail_question"


def test_what_the_state_does_not_allow_asks_back(talk: Talk) -> None:
    without_list = talk("2번 알려줘")
    assert (intent(without_list), without_list["sources"]) == ("clarification", [])
    assert "먼저 공고를" in without_list["content"]
    unknown = talk("뉴욕 지원사업 공고 찾아줘")
    assert intent(unknown) == "clarification"
    assert "뉴욕" in unknown["content"]
    assert unknown["sources"] == []
    talk(SEARCH)
    assert "번호" in talk("신청 자격이 어떻게 돼?")["content"]


def test_housing_is_the_same_ability_with_another_pack(talk: Talk) -> None:
    listed = talk("경기도 국민임대 공고 찾아줘")
    assert (ids(listed), listed["kind"], listed["domain"]) == (["hs-01"], "notice", None)
    assert set(ids(talk("마감된 것도 보여줘"))) == {"hs-01", "hs-08"}
    assert "2026-11-27" in talk("1번 청약기간이 언제야?")["content"]


def test_a_search_is_narrowed_and_gone_on_with(talk: Talk) -> None:
    talk("경기도 지원사업 공고 보여줘")
    narrowed = talk("기술 분야만")
    assert narrowed["debug_info"]["conditions"] == {"지역": "경기", "분야": "기술"}
    assert set(ids(narrowed)) == {"sp-08", "sp-09"}
    assert ids(talk("부산은?"))[0] == "sp-04"
    assert "더 보여 드릴" in talk("더 보여줘")["content"]


def test_questions_of_consulting_stay_consulting(notices: httpx.Client) -> None:
    for message in ("창업 지원금 받으면 세금 내나요?", "예비창업패키지 신청 자격이 어떻게 되나요?"):
        answer = notices.post("/api/chat", json={"message": message}).json()
        assert answer["kind"] == "consult"
        assert answer["session_state"] is None


def test_a_stream_says_the_same(notices: httpx.Client) -> None:
    whole = notices.post("/api/chat", json={"message": "제주 지원사업 공고 알려줘"}).json()
    frames = parse_frames(notices.post("/api/chat/stream", json={"message": "제주 지원사업 공고 알려줘 "}).text)
    told = "".join(frame.data.content for frame in frames if frame.event == "token")
    done = frames[-1].data
    assert isinstance(done, DoneEvent)
    assert told == whole["content"]
    assert done.session_state is not None
    assert [ref.id for ref in done.session_state.prev_anncs] == ids(whole)
    assert [frame.event for frame in frames].index("source") < [frame.event for frame in frames].index("token")
    session = {"message": SEARCH, "session_id": "streamed"}
    notices.post("/api/chat/stream", json=session)
    follow = parse_frames(notices.post("/api/chat/stream", json={**session, "message": "1번 자세히"}).text)
    assert "sp-04" in {frame.data.source.metadata["id"] for frame in follow if frame.event == "source"}


def test_answers_are_kept_by_what_they_go_on_from(notices: httpx.Client) -> None:
    first = notices.post("/api/chat", json={"message": "인천 지원사업 공고 알려줘"}).json()
    again = notices.post("/api/chat", json={"message": "인천  지원사업 공고 알려줘"}).json()
    assert (first["cached"], again["cached"]) == (False, True)
    assert again["session_state"]["chat_history"][0]["content"] == "인천  지원사업 공고 알려줘"
    state = {**first["session_state"], "prev_anncs": first["session_state"]["prev_anncs"][:1]}
    whole = notices.post("/api/chat", json={"message": "마지막 거", "session_state": first["session_state"]}).json()
    other = notices.post("/api/chat", json={"message": "마지막 거", "session_state": state}).json()
    assert ids(whole) != ids(other)
    assert other["cached"] is False


def test_a_state_is_checked(notices: httpx.Client) -> None:
    for state in (
        {"prev_anncs": [{"pack": "support", "id": "x"}] * 21},
        {"selected_annc": {"pack": "support", "id": "../etc"}},
        {"search": {"pack": "support", "page": 0}},
        {"unknown": 1},
    ):
        response = notices.post("/api/chat", json={"message": "1번", "session_state": state})
        assert response.status_code == 422
        assert response.json()["code"] == "validation_failed"
    gone = {"prev_anncs": [{"pack": "support", "id": "gone", "title": "사라진"}]}
    answer = notices.post("/api/chat", json={"message": "1번 자세히", "session_state": gone}).json()
    assert "사라진" in answer["content"]
    nowhere = {"prev_anncs": [{"pack": "nowhere", "id": "gone"}], "search": {"pack": "nowhere"}}
    assert notices.post("/api/chat", json={"message": "더 보여줘", "session_state": nowhere}).status_code == 200
    assert notices.post("/api/chat", json={"message": "1번", "session_state": nowhere}).status_code == 200


def test_search_by_conditions_and_profile(notices: httpx.Client) -> None:
    def found(**wanted: Any) -> dict[str, Any]:
        response = notices.post("/api/funding/search", json=wanted)
        assert response.status_code == 200, response.text
        told: dict[str, Any] = response.json()
        return told

    aliases = [found(region=name)["items"] for name in ("서울", "서울시", "서울특별시")]
    assert aliases[0] == aliases[1] == aliases[2]
    assert aliases[0][0]["id"] == "sp-01"
    assert aliases[0][0]["days_left"] == 3
    fitting = found(company={"region": "서울 강남구", "years_in_business": 2, "industry_name": "도소매"})
    assert "sp-03" not in [item["id"] for item in fitting["items"]], "of three years at least"
    reasons = {reason["criterion"]: reason["verdict"] for reason in fitting["items"][0]["reasons"]}
    assert reasons["지역"] == "fits"
    assert "unchecked" in reasons.values()
    pages = [found(size=5, page=page) for page in (1, 2, 3, 4)]
    every = [item["id"] for page in pages for item in page["items"]]
    assert len(every) == len(set(every)) == pages[0]["total"]
    assert found(size=5, page=9)["items"] == []
    assert all(item["status"] != "closed" for item in found(size=50)["items"])
    assert [item["id"] for item in found(status="마감", region="부산")["items"]] == ["sp-06", "sp-15"]
    nothing = found(keyword="우주선")
    assert (nothing["total"], "없습니다" in nothing["message"]) == (0, True)


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ({"region": "뉴욕"}, "region"),
        ({"field": ["요리"]}, "field"),
        ({"status": "몰라"}, "status"),
        ({"stage": "은퇴"}, "stage"),
        ({"pack": "cars"}, "pack"),
        ({"page": 0}, "page"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_a_wrong_condition_is_named(notices: httpx.Client, wanted: dict[str, Any], path: str) -> None:
    response = notices.post("/api/funding/search", json=wanted)
    assert response.status_code == 422
    assert response.headers["content-type"].startswith("application/problem+json")
    assert response.json()["errors"][0]["path"].startswith(path)


def test_the_action_of_an_answer_can_be_posted(notices: httpx.Client) -> None:
    profile = {"user_type": "prospective", "company": {"region": "부산 해운대구", "employee_count": 2}}
    consulted = notices.post(
        "/api/chat", json={"message": "정책자금은 어떻게 신청하나요?", "user_context": profile}
    ).json()
    actions = [action for action in consulted["actions"] if action["type"] == "funding_search"]
    listed = notices.post("/api/chat", json={"message": SEARCH, "user_context": profile}).json()
    actions += [action for action in listed["actions"] if action["type"] == "funding_search"]
    assert len(actions) == 2
    for action in actions:
        response = notices.post("/api/funding/search", json=action["params"])
        assert response.status_code == 200, response.text
        assert response.json()["applied"]["지역"].startswith("부산")
        done = notices.post("/api/actions", json={"type": "funding_search", "params": action["params"]})
        assert done.json() == response.json()
    refused = notices.post("/api/actions", json={"type": "funding_search", "params": {"stage": "은퇴"}})
    assert refused.json()["errors"][0]["path"].endswith("stage")
    profile["company"] = {"region": "어딘가"}
    unknown = notices.post(
        "/api/chat", json={"message": "정책자금은 어떻게 신청하나요?", "user_context": profile}
    ).json()
    [action] = [action for action in unknown["actions"] if action["type"] == "funding_search"]
    assert notices.post("/api/funding/search", json=action["params"]).status_code == 200


def test_deadlines_as_a_calendar(notices: httpx.Client) -> None:
    response = notices.get("/api/funding/notices.ics", params={"ids": ["sp-04", "sp-13", "none"]})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/calendar")
    assert response.text.count("BEGIN:VEVENT") == 1, "of those with a deadline"
    assert "DTSTART;VALUE=DATE:20261126" in response.text
    assert notices.get("/api/funding/notices.ics", params={"ids": "none"}).status_code == 404
    assert notices.get("/api/funding/notices.ics").status_code == 422


def test_what_is_told_of_an_answer_elsewhere(notices: httpx.Client) -> None:
    notices.post("/api/chat", json={"message": "대구 지원사업 공고 찾아줘 010-1234-5678"})
    metrics = notices.get("/metrics").text
    assert 'bizi_answers_total{degraded="no",kind="notice"}' in metrics


def test_a_service_without_notices_answers_as_before(service: httpx.Client) -> None:
    answer = service.post("/api/chat", json={"message": SEARCH}).json()
    assert answer["kind"] != "notice"
    found = service.post("/api/funding/search", json={"region": "서울"}).json()
    assert found["total"] == 0
    assert "notices import" in found["message"]


def test_personal_data_do_not_reach_the_log(notices: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> None:
    notices.post("/api/chat", json={"message": "제주 지원사업 공고 알려줘 연락처 010-9876-5432"})
    until = time.monotonic() + 10
    logs: list[Path] = []
    text = ""
    while "제주 지원사업" not in text and time.monotonic() < until:
        time.sleep(0.1)
        logs = list(tmp_path_factory.getbasetemp().glob("notices*/var/log/chat.log"))
        text = "".join(log.read_text(encoding="utf-8") for log in logs)
    assert "제주 지원사업" in text
    assert "9876-5432" not in text
