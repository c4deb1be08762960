"""The housing assistant over HTTP: the intents in their order, the state with and without sessions, and its own documents."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from agents.assistants import directory
from tests.e2e.conftest import serving
from tests.support.housing import NAME, housing_settings
from tests.support.notice_files import DAY
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer


@pytest.fixture(scope="module")
def client(
    tokenizer: KiwiTokenizer,
    embedder: KiwiEmbedder,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("housing")
    settings = housing_settings(folder, tokenizer, embedder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directory, "_POLL_SECONDS", 0.1)
        with serving(settings, tokenizer, today=DAY) as served:
            until = time.monotonic() + 60
            while not health(served)["ready"]:
                assert time.monotonic() < until, "the assistant did not open"
                time.sleep(0.02)
            yield served


def health(client: httpx.Client, name: str = NAME) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/health").json()["assistants"][name]
    return found


class Talk:
    """A conversation with an assistant: by session, or with the state sent back and forth."""

    def __init__(self, client: httpx.Client, session_id: str | None, name: str = NAME) -> None:
        self._client = client
        self._session_id = session_id
        self._name = name
        self.state: Any = None

    def __call__(self, message: str) -> dict[str, Any]:
        own = {"session_id": self._session_id} if self._session_id else {"session_state": self.state}
        body = {"message": message, "debug": True, **own}
        response = self._client.post(f"/api/assistants/{self._name}/chat", json=body)
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        self.state = answer["session_state"]
        return answer


@pytest.fixture(params=["session", "state"])
def talk(request: pytest.FixtureRequest, client: httpx.Client) -> Talk:
    name = request.node.name.replace("[", "-").replace("]", "")[:120]
    return Talk(client, name if request.param == "session" else None)


def intent(answer: dict[str, Any]) -> str:
    return str(answer["debug_info"]["intent"])


def ids(answer: dict[str, Any]) -> list[str]:
    return [str(source["metadata"]["id"]) for source in answer["sources"]]


def test_a_region_and_a_state_make_a_list(talk: Talk) -> None:
    seoul = talk("서울특별시 주택 찾아줘")
    assert (intent(seoul), set(ids(seoul))) == ("new_search", {"hs-03", "hs-04"})
    assert {item["id"] for item in seoul["session_state"]["prev_anncs"]} == {"hs-03", "hs-04"}
    assert seoul["session_state"]["selected_annc"] is None
    gyeonggi = talk("경기도는?")
    assert set(ids(gyeonggi)) == {"hs-01", "hs-02"}, "접수중 and 공고중 both, none that is closed"
    assert ids(talk("공고중인 것만 보여줘")) == ["hs-02"]
    assert set(ids(talk("접수중인 것만 보여줘"))) == {"hs-01"}
    assert set(ids(talk("마감된 것도 보여줘"))) == {"hs-01", "hs-02", "hs-08"}
    assert ids(talk("인천 검단 공고")) == ["hs-10"], "words of the title"


def test_a_number_or_an_ordinal_selects(talk: Talk) -> None:
    listed = ids(talk("서울 임대주택 공고 보여줘"))
    for said, index in (("2번", 1), ("첫 번째 거 알려줘", 0), ("마지막 공고", -1), ("두번째", 1), ("-1번 보여줘", -1)):
        answer = talk(said)
        assert (intent(answer), ids(answer)) == ("reference_prev", [listed[index]]), said
        assert answer["session_state"]["selected_annc"]["id"] == listed[index]
        assert [item["id"] for item in answer["session_state"]["prev_anncs"]] == listed, "the list stays"


def test_a_number_goes_before_a_question_and_a_question_before_a_search(talk: Talk) -> None:
    talk("부산 주택 공고 보여줘")
    first = talk("1번 신청기간이 언제야?")
    assert intent(first) == "reference_prev"
    detail = talk("신청기간이 언제야?")
    assert (intent(detail), set(ids(detail))) == ("detail_question", set(ids(first)))
    assert {"접수기간", "청약기간", "모집기간"} <= set(detail["debug_info"]["expansion"])
    again = talk("서울 공고 신청기간 알려줘")
    assert intent(again) in ("new_search", "detail_question")


def test_an_intent_is_corrected_by_the_state(talk: Talk) -> None:
    for said in ("2번 자세히 알려줘", "접수기간이 언제예요?"):
        answer = talk(said)
        assert (intent(answer), answer["sources"]) == ("clarification", []), said
        assert "먼저 공고를" in answer["content"]
    talk("서울 임대주택 보여줘")
    unselected = talk("접수기간이 언제예요?")
    assert intent(unselected) == "clarification"
    assert "번호" in unselected["content"]


def test_an_index_out_of_range_and_an_unknown_region_get_a_sentence(talk: Talk) -> None:
    talk("서울 임대주택 보여줘")
    for said in ("7번 보여줘", "열 번째 공고"):
        beyond = talk(said)
        assert (intent(beyond), beyond["sources"]) == ("clarification", [])
        assert "2건" in beyond["content"]
    unknown = talk("평양 임대주택 찾아줘")
    assert (intent(unknown), unknown["sources"]) == ("clarification", [])
    assert "평양" in unknown["content"]
    assert "서울" in unknown["content"], "it says which there are"


def test_other_questions_are_general_and_keep_the_state(talk: Talk) -> None:
    listed = ids(talk("서울 임대주택 보여줘"))
    for said in ("고마워요", "주거급여는 누가 받나요?", "오늘 점심 뭐 먹지?"):
        answer = talk(said)
        assert intent(answer) == "general_chat", said
        assert [item["id"] for item in answer["session_state"]["prev_anncs"]] == listed
    assert ids(talk("2번")) == [listed[1]]


def test_questions_on_the_rules_are_answered_from_its_documents(talk: Talk) -> None:
    answer = talk("영구임대주택은 얼마 동안 살 수 있나요?")
    assert (answer["kind"], intent(answer)) == ("consult", "general_chat")
    assert "50년" in answer["content"]
    assert answer["domain"] == "public_housing"
    foreign = talk("부가가치세는 언제까지 신고해야 하나요?")
    assert "25일" not in foreign["content"], "that is another assistant's"


def test_the_state_holds_ten_turns(client: httpx.Client) -> None:
    talk = Talk(client, None)
    for number in range(12):
        talk(f"{'서울' if number % 2 else '경기'} 임대주택 보여줘")
    history = talk.state["chat_history"]
    assert set(talk.state) >= {"chat_history", "prev_anncs", "selected_annc"}
    assert [turn["role"] for turn in history] == ["user", "assistant"] * 10
    assert history[0]["content"] == "경기 임대주택 보여줘"


def test_it_talks_of_no_notices_but_its_own(client: httpx.Client) -> None:
    talk = Talk(client, None)
    assert all(found.startswith("hs-") for found in ids(talk("서울 공고 보여줘")))
    own = client.post("/api/chat", json={"message": "서울 창업 지원사업 공고 찾아줘"}).json()
    answer = client.post(
        f"/api/assistants/{NAME}/chat", json={"message": "1번 자세히", "session_state": own["session_state"]}
    ).json()
    assert answer["sources"] == [], "the list of another assistant is none here"


def test_without_debug_nothing_is_told_of_the_reading(client: httpx.Client) -> None:
    answer = client.post(f"/api/assistants/{NAME}/chat", json={"message": "서울 임대주택 보여줘"}).json()
    assert answer["debug_info"] is None


def test_a_conversation_belongs_to_the_assistant_it_is_held_with(client: httpx.Client) -> None:
    housing, bizi = Talk(client, "shared-id"), Talk(client, "shared-id", "bizi")
    listed = ids(housing("서울 임대주택 보여줘"))
    other = bizi("1번 자세히 알려줘")
    assert intent(other) == "clarification", "nothing was listed in that conversation"
    assert ids(housing("1번")) == listed[:1]
    kept = client.get("/api/sessions").json()["sessions"]
    mine = {each["assistant"]: each["turns"] for each in kept if each["session_id"] == "shared-id"}
    assert mine == {NAME: 2, "bizi": 1}
    read = client.get("/api/sessions/shared-id", params={"assistant": NAME}).json()
    assert (read["assistant"], read["turns"][0]["question"]) == (NAME, "서울 임대주택 보여줘")
    assert client.get("/api/sessions/shared-id").json()["assistant"] == "bizi"
    assert client.delete("/api/sessions/shared-id", params={"assistant": NAME}).json() == {"deleted": 1}
    assert client.get("/api/sessions/shared-id", params={"assistant": NAME}).status_code == 404
    assert client.get("/api/sessions/shared-id").status_code == 200
    assert client.get("/api/sessions/shared-id", params={"assistant": "../x"}).status_code == 422


def test_health_knows_each_assistant(client: httpx.Client) -> None:
    report = client.get("/health").json()
    assert report["assistants"][NAME] == {"ready": True, "missing": []}
    assert report["assistants"]["bizi"]["ready"] is True
    listed = client.get("/api/assistants").json()["assistants"]
    needs = next(item["needs"] for item in listed if item["name"] == NAME)
    assert {"name": "notices:housing", "is_met": True, "remedy": ""} in needs
