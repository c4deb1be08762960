"""The lines of an answer's prompt about the things asked, and about what they are to be answered from."""

from __future__ import annotations

from collections.abc import Sequence

CASE = "질문한 사람의 사정: {facts}"
ASK = "물음 {number}: {ask}"
VERDICT = "네/아니요: {verdict}"
ANSWERED_BY = "답할 문서: {documents}"
NOT_HELD = "답: 문서에서 확인되지 않음"
NEAREST = "답: 문서에서 확인되지 않음. 가장 가까운 글: [{document}]의 ‘{name}’"
PERHAPS_HELD = "답: 찾아 둔 글이 없음. ‘그 밖의 문서’에 있을 때만 답함"
NOTE = "- 기준(답에 꼭 함께 적음): {note}"
OTHER_TEXT = "그 밖의 글"
OTHER_DOCUMENTS = "그 밖의 문서"
IS_MET = "이 사정에 맞음"
IS_OPEN = "맞는지 알 수 없음"
REQUESTS = "더 알아야 계산할 수 있습니다. 답변의 끝에 이렇게 부탁합니다: {requests}"


def unit_heading(asks: Sequence[int], name: str, condition: str) -> str:
    """Above the sentences of a unit: which asks it answers, by number, and when it holds."""
    return f"물음 {_listed(asks)}에 답하는 글 ‘{name}’{f' ({condition})' if condition else ''}"


def sum_heading(asks: Sequence[int]) -> str:
    """Above a computed conclusion."""
    return f"물음 {_listed(asks)}에 답하는 계산"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
