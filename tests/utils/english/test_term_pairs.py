"""Terms of two languages and the parts of identifiers."""

from __future__ import annotations

from pathlib import Path

import pytest

from utils.assistants.pack import SHIPPED_ASSISTANTS
from utils.english.term_pairs import TermPairs, identifier_parts

PAIRS = TermPairs(
    {"복합 색인": ["composite index"], "색인": ["index"], "행": ["row"], "읽는": ["read"]},
    {"파이어스토어": "Firestore"},
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("복합 색인을 만들려면?", {"composite index"}),
        ("복합색인을 만들려면?", {"composite index"}),
        ("색인은 무엇인가요", {"index"}),
        ("행을 추가", {"row"}),
        ("동작을 실행하는 행동", set()),
        ("How do I create composite indexes?", {"복합 색인"}),
        ("indexing and rows", {"색인", "행"}),
        ("날씨", set()),
    ],
)
def test_the_longest_term_is_said_in_the_other_language(text: str, found: set[str]) -> None:
    assert set(PAIRS.counterparts(text)) == found


def test_a_wrong_term_is_put_right() -> None:
    assert PAIRS.repaired("파이어스토어 색인") == "Firestore 색인"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("`databases.gte`란?", ("databases", "gte")),
        ("nextPageToken 필드", ("next", "page", "token")),
        ("spreadsheets.values.batchGet", ("spreadsheets", "values", "batch", "get")),
        ("processing_duration_ms 필드", ("processing", "duration", "ms")),
        ("Gmail에서 메일", ()),
    ],
)
def test_identifiers_are_taken_apart(text: str, parts: tuple[str, ...]) -> None:
    assert identifier_parts(text) == parts


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "glossary.toml"
    file.write_text('terms = "색인"', encoding="utf-8")
    with pytest.raises(ValueError, match=r"glossary\.toml"):
        TermPairs.load(file)


def test_every_korean_term_of_the_shipped_glossary_is_found_where_it_stands_alone() -> None:
    pairs = TermPairs.load(SHIPPED_ASSISTANTS / "google_api" / "glossary.toml")
    assert {"token", "access token"} & set(pairs.counterparts("액세스 토큰을 갱신하려면"))
    assert "색인" in pairs.counterparts("Which indexes does a query need?")
