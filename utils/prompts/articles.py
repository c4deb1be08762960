"""Texts about the statute articles that a question cites: sentences for the user, and the block of the prompt."""

from __future__ import annotations

from collections.abc import Sequence

BLOCK = """
<cited_articles>
질문이 가리킨 조문을 찾은 결과입니다. 있는 조문은 그 문서로 답합니다. 없거나 삭제된 조문은 먼저 그렇다고 밝히고 다른 조문으로 바꾸어 답하지 않습니다.
{lines}
</cited_articles>
"""
CUT_OFF = "이하 내용은 줄였으며 전체 조문은 출처에서 볼 수 있습니다."

_WITH_FINAL = frozenset("013678")  # 영(십), 일, 삼, 육, 칠, 팔 end on a consonant


def found_line(citation: str, documents: Sequence[int]) -> str:
    """Where in the prompt an article stands."""
    return f"- {citation}: 문서 {''.join(f'[{number}]' for number in documents)}"


def missing_article(law: str, article: str, first: str, last: str, neighbours: Sequence[str]) -> str:
    """That a statute of the documents has no such article, and which it has."""
    near = f" 앞뒤 조문은 {'와 '.join(neighbours)}입니다." if neighbours else ""
    return f"{_topic(f'{law} {article}')} 제공된 문서에 없습니다. 문서에 있는 {law} 조문은 {first}부터 {last}까지입니다.{near}"


def missing_statute(law: str) -> str:
    """That the documents hold no text of a statute."""
    return f"{law}의 조문은 제공된 문서에 없습니다."


def deleted_article(law: str, article: str, when: str, number: int | None) -> str:
    """That an article was deleted; ``when`` is the date as the statute writes it, or empty.

    ``number`` is None for an article that did not fit into the prompt.
    """
    return f"{_topic(f'{law} {article}')} {f'{when} ' if when else ''}삭제된 조문입니다.{_cited(number)}"


def missing_clause(law: str, article: str, clause: str, number: int | None) -> str:
    """That an article has no such paragraph, item or subitem; ``number`` as in `deleted_article`."""
    return f"{law} {article}에는 {clause}{'가' if clause.endswith('호') else '이'} 없습니다.{_cited(number)}"


def guides_heading(law: str, article: str) -> str:
    """Above what guides say with reference to an article whose text is not there."""
    return f"{law} {article}에 관한 안내"


def _cited(number: int | None) -> str:
    return "" if number is None else f" [{number}]"


def _topic(name: str) -> str:
    """``name`` with 은 or 는; it ends on 조 or on the digit of a branch (제48조의2)."""
    return f"{name}{'은' if name[-1] in _WITH_FINAL else '는'}"
