"""Latin words of a question by those of the documents."""

from __future__ import annotations

import pytest

from vectorstores.search.identifiers import IdentifierSpelling

SPELLING = IdentifierSpelling(
    {"databases.get": 4, "databases.set": 1, "files.list": 3, "nextpagetoken": 9, "spreadsheets": 40, "timeout": 7}
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("databases.gte 메서드는 무엇을 돌려주나요?", "databases.get 메서드는 무엇을 돌려주나요?"),
        ("files.lsit를 부르면", "files.list를 부르면"),
        ("nextPageTokn 필드", "nextpagetoken 필드"),
        ("How do I share spreadshets?", "How do I share spreadsheets?"),
        ("databases.get과 nextPageToken", "databases.get과 nextPageToken"),
        ("databases.delete를 부르면", "databases.delete를 부르면"),
        ("gte는 무엇인가요?", "gte는 무엇인가요?"),
    ],
)
def test_an_unknown_one_is_read_as_the_known_one_a_key_away(typed: str, meant: str) -> None:
    assert SPELLING.repaired(typed) == meant
