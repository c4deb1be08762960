"""References to a list, and numbers that are none."""

from __future__ import annotations

import pytest

from agents.notices.references import LAST, NOWHERE, references_in, without_references


@pytest.mark.parametrize(
    ("text", "indexes"),
    [
        ("2번", (1,)),
        ("2번 자세히 알려줘", (1,)),
        ("첫 번째 거", (0,)),
        ("두번째 거", (1,)),
        ("마지막 거", (LAST,)),
        ("마지막 공고 알려줘", (LAST,)),
        ("끝에 거", (LAST,)),
        ("2번이랑 3번 비교", (1, 2)),
        ("3", (2,)),
        ("#1 자세히", (0,)),
        ("1번이나 지각했어요", ()),
        ("마지막으로 묻고 싶은데", ()),
        ("010-1234-5678번", ()),
        ("0번", (NOWHERE,)),
        ("세금 신고", ()),
    ],
)
def test_references(text: str, indexes: tuple[int, ...]) -> None:
    assert references_in(text) == indexes


def test_the_rest_of_a_message() -> None:
    assert without_references("2번 신청 자격 알려줘").split() == ["신청", "자격", "알려줘"]
    assert without_references("2") == ""
