"""Gaps out of the lines of a log, and the topics that they make."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from agents.question_log.gaps import Cause, Gap, Topic, TopicFinder, read_gaps
from agents.question_log.records import AnsweredQuestion, GivenFeedback
from schemas.chat import AskOutcome, Component, NearestDocument, ReplyKind
from schemas.feedback import FeedbackReason
from utils.korean.word_rarity import WordRarity
from vectorstores.tokenizer import KiwiTokenizer

NOW = datetime(2026, 11, 23, tzinfo=UTC)
NEAR = NearestDocument(id="HR_LEAVE_001", title="연차휴가", section="연차 일수", likelihood=0.4)
FAR = NearestDocument(id="HR_WAGE_003", title="임금명세서", likelihood=0.02)


def asked(
    request_id: str,
    *asks: AskOutcome,
    question: str = "질문",
    reply: ReplyKind = "consult",
    domains: tuple[str, ...] = ("hr_labor",),
    degraded: tuple[Component, ...] = (),
) -> AnsweredQuestion:
    return AnsweredQuestion(
        time=NOW,
        request_id=request_id,
        client="c",
        question=question,
        reply=reply,
        domains=domains,
        asks=asks,
        cited=(),
        refused=True,
        degraded=degraded,
        model="extractive",
        cached=False,
    )


def said(request_id: str, *, helpful: bool = False, client: str = "c", comment: str = "") -> GivenFeedback:
    reason = None if helpful else FeedbackReason.OUTDATED
    return GivenFeedback(
        time=NOW, request_id=request_id, client=client, helpful=helpful, reason=reason, comment=comment
    )


def missing(text: str, nearest: NearestDocument | None = None) -> AskOutcome:
    return AskOutcome(text=text, answered=False, nearest=nearest)


def told(text: str) -> AskOutcome:
    return AskOutcome(text=text, answered=True, nearest=NEAR)


def causes(*lines: AnsweredQuestion | GivenFeedback) -> list[tuple[str, tuple[str, ...]]]:
    return [(gap.text, gap.why) for gap in read_gaps(lines).gaps]


def test_each_thing_that_is_not_answered_is_a_gap_with_its_cause() -> None:
    line = asked("1", told("가"), missing("나", NEAR), missing("다", FAR), missing("라"))
    assert causes(line) == [("나", ("kept back",)), ("다", ("nothing found",)), ("라", ("nothing found",))]


def test_what_is_turned_away_is_a_gap_and_small_talk_is_none() -> None:
    lines = [
        asked("1", question="블랙홀", reply="out_of_scope", domains=()),
        asked("2", question="ㅁㄴㅇ", reply="unintelligible", domains=()),
        asked("3", question="제3조", domains=()),
        asked("4", question="안녕", reply="chitchat", domains=()),
    ]
    assert causes(*lines) == [(text, ("turned away",)) for text in ("블랙홀", "ㅁㄴㅇ", "제3조")]
    assert {gap.domain for gap in read_gaps(lines).gaps} == {"-"}


def test_an_answer_that_did_not_help_is_a_gap_with_the_reason() -> None:
    assert causes(asked("1", told("가")), said("1")) == [("가", ("unhelpful (outdated)",))]
    assert causes(asked("1", told("가"), missing("나")), said("1")) == [
        ("나", ("nothing found", "unhelpful (outdated)"))
    ]
    assert causes(asked("1", question="안녕", reply="chitchat", domains=()), said("1")) == [
        ("안녕", ("unhelpful (outdated)",))
    ]


def test_the_last_verdict_counts_and_only_that_of_the_one_who_asked() -> None:
    assert causes(asked("1", told("가")), said("1"), said("1", helpful=True)) == []
    assert causes(asked("1", told("가")), said("1", helpful=True), said("1")) != []
    assert causes(asked("1", told("가")), said("1", client="other")) == []
    assert causes(asked("1", told("가")), said("1"), asked("1", told("나"))) == [], "an id that was used again"


@pytest.mark.parametrize("part", [Component.INDEX, Component.VECTOR, Component.BM25, Component.RERANK])
def test_an_outage_is_no_gap_of_knowledge(part: Component) -> None:
    lines = [asked("1", missing("가"), degraded=(part,)), asked("2", missing("나"), degraded=(Component.LLM,))]
    log = read_gaps(lines)
    assert (log.asked, log.outages, [gap.text for gap in log.gaps]) == (2, 1, ["나"])
    assert [gap.text for gap in read_gaps([*lines, said("1")]).gaps] == ["가", "나"]


@pytest.fixture(scope="module")
def finder(tokenizer: KiwiTokenizer) -> TopicFinder:
    return TopicFinder(tokenizer.terms, WordRarity.load())


def topics(finder: TopicFinder, gaps: Sequence[AnsweredQuestion]) -> list[Topic]:
    return finder.topics(read_gaps(gaps).gaps)


def texts(found: list[Topic]) -> list[list[str]]:
    return [[gap.text for gap in topic.gaps] for topic in found]


def test_questions_with_the_same_rare_words_are_one_topic(finder: TopicFinder) -> None:
    drones = [
        "드론 방제 사업 면허가 필요한가요?",
        "농약 드론 방제하려면 자격증 있어야 해요?",
        "드론으로 방제해 주는 일을 시작하려고요",
    ]
    others = ["수제 맥주 양조장 허가는요?", "직원이 몇 명이면 필요한가요?"]
    lines = [asked(str(number), missing(text)) for number, text in enumerate([others[0], *drones, others[1]])]
    found = topics(finder, lines)
    assert texts(found) == [drones, [others[0]], [others[1]]]
    assert found[0].questions == 3
    assert {"드론", "방제"} <= set(found[0].label.split())


def test_a_document_that_is_near_to_all_names_the_topic(finder: TopicFinder) -> None:
    lines = [asked("1", missing("연차는 며칠?", NEAR)), asked("2", missing("쉬는 날은 언제 생겨요", NEAR))]
    [topic] = topics(finder, lines)
    assert topic.label == "연차휴가 · 연차 일수"
    assert topic.nearest == NEAR


def test_domains_keep_their_topics_and_the_most_asked_come_first(finder: TopicFinder) -> None:
    drone = "드론 방제 면허"
    lines = [
        asked("1", missing(drone), domains=("startup_funding",)),
        asked("2", missing("수제 맥주 양조장 허가"), domains=("law_common",)),
        asked("3", missing(drone), domains=("law_common",)),
        asked("4", missing(drone), domains=("law_common",)),
    ]
    found = topics(finder, lines)
    assert [(topic.domain, topic.questions) for topic in found] == [
        ("law_common", 2),
        ("law_common", 1),
        ("startup_funding", 1),
    ]


def test_the_same_log_gives_the_same_topics(finder: TopicFinder, tokenizer: KiwiTokenizer) -> None:
    words = ["드론", "방제", "면허", "양조장", "허가", "육아휴직", "급여", "신청"]
    lines = [
        asked(str(number), missing(f"{words[number % 8]} {words[number * 3 % 8]} {words[number // 8 % 8]}"))
        for number in range(64)
    ]
    again = TopicFinder(tokenizer.terms, WordRarity.load())
    first, second = topics(finder, lines), topics(again, lines)
    assert [(topic.label, texts([topic])) for topic in first] == [(topic.label, texts([topic])) for topic in second]


def test_a_text_without_a_word_is_a_topic_of_its_own(finder: TopicFinder) -> None:
    line = asked("1", question="?!", reply="unintelligible", domains=())
    [topic] = topics(finder, [line, asked("2", question="...", reply="unintelligible", domains=())])[:1]
    assert topic.label == "?!"
    assert [gap.causes for gap in topic.gaps] == [(Cause.TURNED_AWAY,)]
    assert isinstance(topic.gaps[0], Gap)
