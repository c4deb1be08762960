"""A question that cites a statute article, over HTTP: that article first, or a plain word that it is not there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from schemas.problems import ErrorCode
from tests.contract.wire import assert_problem, parse_frames
from tests.e2e.conftest import serving
from tests.support.small_index import record, write_lines
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.build.staging import Source
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer

PENSION = {
    "제7조 (자격)": "가입자는 회사의 직원으로 한다.",
    "제8조 (퇴직금제도의 설정)": "**①** 회사는 근속 1년에 30일분의 임금을 퇴직금으로 정한다.\n\n"
    "**②** 다음 각 호의 때에는 미리 줄 수 있다.\n\n  1\\. 집을 살 때\n\n  2\\. 법 제54조제1항에 따른 병이 났을 때",
    "제9조": "삭제 <2022.4.14>",
    "제11조 (기한)": "회사는 14일 안에 퇴직금을 준다.",
}
DECREE = {"제3조 (미리 주는 사유)": "집을 사려는 사람은 신청서를 낸다."}
GUIDES = [
    record("FT_A", "부가가치세 예정신고는 25일 안에 합니다(부가가치세법 제48조).", "finance_tax"),
    record("FT_B", "부가가치세는 홈택스에서 신고합니다.", "finance_tax"),
    record("HR_A", "퇴직금은 30일분 이상의 임금으로 계산합니다.", "hr_labor"),
]


@pytest.fixture(scope="module")
def statutes(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    """A service that has one act with its decree, and guides on another act."""
    folder = tmp_path_factory.mktemp("cited")
    (folder / "kr").mkdir()
    write_statute(folder / "kr", "근로자퇴직급여 보장법", PENSION)
    write_statute(folder / "kr", "근로자퇴직급여 보장법 시행령", DECREE)
    guides = write_lines(folder / "guides.jsonl", *GUIDES)
    (folder / "var").mkdir()
    (folder / "var" / "cache").symlink_to(starter_settings.data_dir / "cache")
    settings = starter_settings.model_copy(update={"data_dir": folder / "var"})
    sources = [Source(path, loader_for(path), str(path), None) for path in (folder / "kr", guides)]
    assert not Ingest(settings, build_providers(settings)).run(sources).problems
    with serving(settings, tokenizer) as client:
        yield client


def ask(service: httpx.Client, message: str, **more: Any) -> dict[str, Any]:
    response = service.post("/api/chat", json={"message": message, **more})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert answer["evaluation"]["passed"], answer
    assert answer["evaluation"]["grounding"]["passed"]
    assert all(check["verdict"] == "supported" for check in answer["evaluation"]["grounding"]["sentences"])
    return answer


@pytest.mark.parametrize(
    "question", ["근퇴법 8조", "근로자퇴직급여보장법 제8조 내용이 뭐야?", "「근로자 퇴직급여 보장법」 §8을 보여 주세요"]
)
def test_the_article_is_first_and_quoted(statutes: httpx.Client, question: str) -> None:
    answer = ask(statutes, question)
    assert answer["kind"] == "consult"
    assert answer["sources"][0]["title"] == "근로자퇴직급여 보장법 제8조(퇴직금제도의 설정)"
    assert answer["content"].split("\n") == [
        "**근로자퇴직급여 보장법 제8조(퇴직금제도의 설정)**",
        "① 회사는 근속 1년에 30일분의 임금을 퇴직금으로 정한다. [1]",
        "② 다음 각 호의 때에는 미리 줄 수 있다. [1]",
        "1. 집을 살 때 [1]",
        "2. 법 제54조제1항에 따른 병이 났을 때 [1]",
    ]


def test_the_clause_asked_for_is_quoted_alone(statutes: httpx.Client) -> None:
    content = ask(statutes, "퇴직급여법 8조 2항 1호")["content"]
    assert "② 다음 각 호의 때에는" in content
    assert "1. 집을 살 때" in content
    assert "①" not in content
    assert "2. 법" not in content


def test_a_clause_that_is_not_there_is_said_to_be_missing(statutes: httpx.Client) -> None:
    content = ask(statutes, "근퇴법 8조 3항")["content"]
    assert content.startswith("근로자퇴직급여 보장법 제8조에는 제3항이 없습니다. [1]")
    assert "① 회사는" in content


def test_the_decree_is_not_the_act(statutes: httpx.Client) -> None:
    answer = ask(statutes, "근퇴법 시행령 3조")
    assert answer["sources"][0]["title"] == "근로자퇴직급여 보장법 시행령 제3조(미리 주는 사유)"
    assert "신청서를 낸다" in answer["content"]


def test_an_article_that_does_not_exist(statutes: httpx.Client) -> None:
    answer = ask(statutes, "근퇴법 제999조")
    assert answer["content"] == (
        "근로자퇴직급여 보장법 제999조는 제공된 문서에 없습니다. "
        "문서에 있는 근로자퇴직급여 보장법 조문은 제7조부터 제11조까지입니다."
    )
    between = ask(statutes, "근퇴법 제10조가 뭐죠?")["content"]
    assert "제10조는 제공된 문서에 없습니다" in between
    assert between.endswith("앞뒤 조문은 제9조와 제11조입니다.")


def test_a_deleted_article_says_so(statutes: httpx.Client) -> None:
    answer = ask(statutes, "근퇴법 9조 알려줘")
    assert answer["content"] == "근로자퇴직급여 보장법 제9조는 2022. 4. 14. 삭제된 조문입니다. [1]"


def test_a_statute_that_is_not_there_is_answered_from_guides(statutes: httpx.Client) -> None:
    content = ask(statutes, "부가세법 48조")["content"]
    assert content.startswith("부가가치세법의 조문은 제공된 문서에 없습니다.")
    assert "예정신고는 25일 안에 합니다(부가가치세법 제48조)." in content
    assert ask(statutes, "형법 제250조")["content"] == "형법의 조문은 제공된 문서에 없습니다."


def test_several_statutes_and_a_missing_one(statutes: httpx.Client) -> None:
    answer = ask(statutes, "근퇴법 8조와 시행령 3조, 그리고 근퇴법 99조")
    assert [source["metadata"].get("article") for source in answer["sources"][:2]] == ["제8조", "제3조"]
    assert answer["content"].startswith("근로자퇴직급여 보장법 제99조는 제공된 문서에 없습니다.")
    assert "① 회사는" in answer["content"]
    assert "신청서를 낸다" in answer["content"]


def test_a_question_about_an_article_is_answered_and_names_what_is_missing(statutes: httpx.Client) -> None:
    answer = ask(statutes, "근퇴법 11조에 따르면 퇴직금은 며칠 안에 줘야 하나요?")
    assert answer["sources"][0]["title"] == "근로자퇴직급여 보장법 제11조(기한)"
    assert "14일" in answer["content"]
    missing = ask(statutes, "근퇴법 111조에 따르면 퇴직금은 며칠 안에 줘야 하나요?")["content"]
    assert missing.startswith("근로자퇴직급여 보장법 제111조는 제공된 문서에 없습니다.")


def test_a_follow_up_keeps_the_statute(statutes: httpx.Client) -> None:
    history = [
        {"role": "user", "content": "근퇴법 8조"},
        {"role": "assistant", "content": "퇴직금제도의 설정입니다. [1]"},
    ]
    assert "14일 안에" in ask(statutes, "그럼 11조는?", history=history)["content"]
    assert "신청서를 낸다" in ask(statutes, "동법 시행령 3조", history=history)["content"]


@pytest.mark.parametrize("question", ["근퇴법 8조", "근퇴법 999조", "근퇴법 9조"])
def test_the_stream_tells_the_same(statutes: httpx.Client, question: str) -> None:
    frames = parse_frames(statutes.post("/api/chat/stream", json={"message": question}).text)
    text = "".join(frame.data.content for frame in frames if frame.event == "token").strip()
    assert text == ask(statutes, question)["content"]
    assert all(frame.data.check.verdict == "supported" for frame in frames if frame.event == "check")
    assert not [frame for frame in frames if frame.event == "replace"]


def test_the_plain_search_puts_the_article_first(statutes: httpx.Client) -> None:
    found = statutes.post("/api/vectordb/search", json={"query": "근퇴법 8조, 11조", "k": 2}).json()["results"]
    assert [result["metadata"]["article"] for result in found] == ["제8조", "제11조"]
    assert "exact" in found[0]["found_by"]
    elsewhere = {"query": "근퇴법 8조", "k": 2, "collection": "finance_tax"}
    found = statutes.post("/api/vectordb/search", json=elsewhere).json()["results"]
    assert {result["collection"] for result in found} == {"finance_tax"}


@pytest.mark.parametrize("question", ["제8조가 뭐야?", "8조 알려줘", "제8조 제1항 내용"])
def test_an_article_of_no_statute_is_asked_back(statutes: httpx.Client, question: str) -> None:
    answer = statutes.post("/api/chat", json={"message": question}).json()
    assert answer["content"].startswith("어느 법의 제8조인지")
    assert answer["sources"] == []


def articles(service: httpx.Client, reference: str) -> dict[str, Any]:
    response = service.get("/api/articles", params={"reference": reference})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


@pytest.mark.parametrize("reference", ["근로자퇴직급여 보장법 제8조", "근퇴법 8조", "「근로자퇴직급여보장법」 §8"])
def test_an_article_by_its_reference(statutes: httpx.Client, reference: str) -> None:
    found = articles(statutes, reference)
    (article,) = found["articles"]
    assert found["missing"] == []
    assert (article["law"], article["article"]) == ("근로자퇴직급여 보장법", "제8조")
    assert article["title"] == "근로자퇴직급여 보장법 제8조(퇴직금제도의 설정)"
    assert article["effective_date"] == "2020-07-01"
    assert not article["deleted"]
    for words in ("① 회사는 근속 1년에", "② 다음 각 호의", "2. 법 제54조제1항에 따른 병이 났을 때"):
        assert words in article["content"]
    assert statutes.get(f"/api/vectordb/documents/{article['id']}").json()["title"] == article["title"]


def test_the_clause_of_a_reference_stands_beside_the_whole_article(statutes: httpx.Client) -> None:
    (article,) = articles(statutes, "근퇴법 8조 2항 1호")["articles"]
    assert article["clause"] == "제2항 제1호"
    assert "1. 집을 살 때" in article["clause_content"]
    assert "2. 법" not in article["clause_content"]
    assert "① 회사는" in article["content"]
    (lacking,) = articles(statutes, "근퇴법 8조 9항")["articles"]
    assert (lacking["clause"], lacking["clause_content"]) == ("제9항", None)


def test_missing_and_deleted_articles_of_a_reference(statutes: httpx.Client) -> None:
    found = articles(statutes, "근퇴법 9조, 10조, 시행령 3조, 형법 제250조")
    assert [(article["article"], article["deleted"]) for article in found["articles"]] == [
        ("제9조", True),
        ("제3조", False),
    ]
    between, unknown = found["missing"]
    assert (between["article"], between["statute_known"], between["neighbours"]) == (
        "제10조",
        True,
        ["제9조", "제11조"],
    )
    assert (unknown["law"], unknown["statute_known"]) == ("형법", False)
    assert unknown["detail"] == "형법의 조문은 제공된 문서에 없습니다."


@pytest.mark.parametrize("reference", ["제8조", "근로기준법", "퇴직금이 얼마예요?"])
def test_what_cites_no_article_of_a_statute_is_refused(statutes: httpx.Client, reference: str) -> None:
    response = statutes.get("/api/articles", params={"reference": reference})
    problem = assert_problem(response, ErrorCode.VALIDATION_FAILED)
    assert problem.errors[0].path == "reference"
    assert "근로기준법 제26조" in problem.errors[0].message
