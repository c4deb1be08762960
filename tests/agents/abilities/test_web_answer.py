"""The web is asked where the documents do not answer, and what it says stands apart from them."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agents.abilities.web_answer import WebAnswerAbility, WebGate
from agents.state import Answer, RouterState
from chains.extractive.chat_model import MODEL_NAME
from schemas.chat import Component
from tests.support.hits import make_hit
from utils.config.settings import Settings
from utils.documents import Hit
from utils.http.web_search import WebResult, WebSearchUnavailable
from utils.prompts.messages import NOT_FOUND
from utils.prompts.web import EMPTY, FAILED, HEADING

GATE = WebGate()
ANSWERED = "- 월세액의 17%를 공제한다 [1]"


def hits(*relevances: float, text: str = "월세액 " * 100) -> tuple[Hit, ...]:
    return tuple(make_hit(text, each, chunk_id=f"D{number}") for number, each in enumerate(relevances))


@pytest.mark.parametrize(
    ("answer", "found", "reason"),
    [
        (ANSWERED, (), "no results"),
        (ANSWERED, hits(0.9, text="짧은 글"), "short context"),
        (ANSWERED, hits(0.14, 0.1), "low score"),
        (ANSWERED, hits(0.15, 0.1), ""),
        (ANSWERED, hits(0.24, 0.22), "no margin"),
        (ANSWERED, hits(0.22, 0.24), "no margin"),
        (ANSWERED, hits(0.24, 0.20), ""),
        (ANSWERED, hits(0.25, 0.25), ""),
        (ANSWERED, hits(0.24), ""),
        (f"{NOT_FOUND} 다시 적어 주세요.", hits(0.9), "not in the document"),
    ],
)
def test_the_gate(answer: str, found: tuple[Hit, ...], reason: str) -> None:
    assert GATE.reason(answer, found) == reason


class Web:
    """A search that gives these results, or fails; it remembers what was asked."""

    def __init__(self, *results: WebResult, fails: bool = False) -> None:
        self.results, self.fails = results, fails
        self.asked: list[str] = []

    async def search(self, question: str, most: int) -> Sequence[WebResult]:
        self.asked.append(question)
        if self.fails:
            raise WebSearchUnavailable("down")
        return self.results[:most]


async def ended(web: Web | None, content: str = NOT_FOUND, found: tuple[Hit, ...] = ()) -> RouterState:
    tools = SimpleNamespace(
        parameters_as=lambda kind: kind.model_validate({}), settings=Settings(), model=SimpleNamespace(name=MODEL_NAME)
    )
    ability = WebAnswerAbility(cast("Any", tools))
    ability._search = web
    state: RouterState = {
        "query": "자동차세는 언제 내나요?",
        "documents": found,
        "answer": Answer(content, (), (), MODEL_NAME),
    }
    return await ability.before_end(state, cast("Any", SimpleNamespace(context=None)))


def result(text: str, url: str = "https://example.com/a") -> WebResult:
    return WebResult("자동차세 안내", url, text)


@pytest.mark.asyncio
async def test_results_stand_below_the_answer_under_a_heading_of_their_own() -> None:
    web = Web(
        *(result(f"자동차세는 {month}월에 납부합니다.") for month in (6, 12, 1, 3)),
        result("자동차세는 6월에 납부합니다."),
    )
    content = (await ended(web))["answer"].content
    assert web.asked == ["자동차세는 언제 내나요?"]
    answer, _, part = content.partition(f"\n\n{HEADING}\n")
    assert answer == NOT_FOUND
    assert part.splitlines() == [
        f"- 자동차세는 {month}월에 납부합니다. (자동차세 안내, https://example.com/a)" for month in (6, 12, 1)
    ]


@pytest.mark.asyncio
async def test_an_address_that_is_none_is_not_shown() -> None:
    content = (await ended(Web(result("자동차세는 6월에 납부합니다.", "javascript:alert(1)"))))["answer"].content
    assert content.endswith("- 자동차세는 6월에 납부합니다. (자동차세 안내)")


@pytest.mark.asyncio
async def test_a_search_that_fails_or_finds_nothing_points_to_the_tax_office() -> None:
    failed = await ended(Web(fails=True))
    assert failed["answer"].content == f"{NOT_FOUND}\n\n{FAILED}"
    assert [item.component for item in failed["degraded"]] == [Component.WEB]
    assert (await ended(Web()))["answer"].content == f"{NOT_FOUND}\n\n{EMPTY}"
    assert "126" in FAILED
    assert "세무서" in FAILED


@pytest.mark.asyncio
async def test_the_web_is_left_alone_where_documents_answer_or_it_is_off() -> None:
    web = Web(result("자동차세는 6월에 납부합니다."))
    assert await ended(web, ANSWERED, hits(0.9)) == {"trace": {"web": ""}}
    assert web.asked == []
    assert await ended(None) == {"trace": {"web": "no results"}}
