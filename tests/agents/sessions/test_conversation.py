"""What a conversation hands on, and by which versions it is ordered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agents.sessions.conversation import Conversation, Owner, first_version, new_version, written_at
from schemas.chat import MOST_MESSAGES, ChatRequest, Turn, UserContext
from tests.support.session_stores import answered

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
TURNS = st.lists(
    st.builds(
        Turn, role=st.sampled_from(["user", "assistant"]), content=st.text("가나다 ", min_size=1).map("말 ".__add__)
    ),
    min_size=1,
    max_size=MOST_MESSAGES,
)
TIMES = st.integers(946_684_800_000, 4_102_444_800_000).map(lambda time: datetime.fromtimestamp(time / 1000, UTC))


@given(TURNS)
def test_messages_in_any_order_are_handed_on_as_they_were_given(history: list[Turn]) -> None:
    read = Conversation.begun("s", NOW).replaced_by(history, NOW).history()
    assert [(turn.role, turn.content) for turn in read] == [(turn.role, turn.content.strip()) for turn in history]


def test_as_many_messages_are_handed_on_as_a_client_may_send() -> None:
    conversation = Conversation.begun("s", NOW)
    for number in range(15):
        conversation = conversation.continued(f"질문 {number}", f"답 {number}", answered(), NOW, 50)
    assert len(conversation.turns) == 15
    assert [turn.content for turn in conversation.history()][:2] == ["질문 5", "답 5"]
    assert len(conversation.history()) == MOST_MESSAGES
    assert ChatRequest(message="다음", history=conversation.history()).history == conversation.history()


def test_what_is_handed_on_is_cleaned_as_what_a_client_sends() -> None:
    conversation = Conversation.begun("s", NOW).continued(
        "질문", "답\u200b입니다\r\n" + "가" * 9000, answered(), NOW, 3
    )
    assert [turn.content for turn in conversation.history()] == ["질문", "답입니다\n" + "가" * 7993]


@given(TIMES, TIMES)
def test_a_later_turn_has_a_later_version_even_if_the_clock_was_set_back(first: datetime, second: datetime) -> None:
    before = new_version(first, None)
    after = new_version(second, before)
    assert len(before) == len(after) == 26
    assert before < after
    assert abs(written_at(before) - first) < timedelta(milliseconds=2)


@given(TIMES, st.integers(1, 10**6))
def test_what_was_written_before_a_time_lies_below_it(time: datetime, milliseconds: int) -> None:
    time = time.replace(microsecond=0)
    assert new_version(time - timedelta(milliseconds=milliseconds), None) < first_version(time)
    assert new_version(time, None) >= first_version(time)


def test_whose_a_session_is() -> None:
    nobody = Owner.of(ChatRequest(message="가"), "web")
    assert nobody == Owner.of(ChatRequest(message="가", user_context=UserContext(user_id=" ")), "web")
    kim = Owner.of(ChatRequest(message="가", user_context=UserContext(user_id="kim")), "web")
    owners = [nobody, kim, Owner("web2", "kim"), Owner("web", "web"), Owner("webkim", ""), Owner("we", "bkim")]
    assert len({owner.digest for owner in owners}) == len({owner.thread("s") for owner in owners}) == len(owners)
    assert kim.thread("s") != kim.thread("t")
