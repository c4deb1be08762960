"""Questions as they are typed in chats are read with their endings in full."""

from __future__ import annotations

import pytest

from vectorstores.search.chat_endings import written_out


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("두 달 일한 알바 짜르는데 해고수당 줘야댐?", "두 달 일한 알바 자르는데 해고수당 줘야되나요?"),
        ("명세서 카톡으로 보내도 됨?", "명세서 카톡으로 보내도 되나요?"),
        ("가족돌봄휴가 무급임?", "가족돌봄휴가 무급인가요?"),
        ("복식부기로 써야대여?", "복식부기로 써야되나요?"),
        ("신고 안 하면 벌금 있음?", "신고 안 하면 벌금 있나요?"),
        ("학원으로 등록하는 거에여?", "학원으로 등록하는 거에요?"),
    ],
)
def test_chat_endings_are_written_out(typed: str, written: str) -> None:
    assert written_out(typed) == written


@pytest.mark.parametrize(
    "text",
    [
        "누구 책임?",
        "렌터카 대여 얼마예요",
        "도대체 얼마예요",
        "그래도 대리운전은 되나요",
        "기여도",
        "모임 회비도 비용인가요?",
        "퇴직금은 됨됨이",
    ],
)
def test_other_words_stay_as_they_are(text: str) -> None:
    assert written_out(text) == text
