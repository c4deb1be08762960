"""A statute of the open API reads as one of the Markdown tree does."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.support.law_server import Law, article
from tests.support.packs import shipped_collections
from vectorstores.errors import StatuteAnswerMalformed
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.registry import loader_for
from vectorstores.statute_book.law_markdown import folder_and_file, law_markdown

CHAPTER = {"조문번호": "1", "조문여부": "전문", "조문내용": "        제1장 총칙"}
PARAGRAPHS: dict[str, Any] = {
    "항": [
        {"항번호": "①", "항내용": [["① 뜻은 다음과 같다. <개정 2018.3.20>"]], "호": [
            {"호번호": "1.", "호내용": '1.  "근로자"란 사람이다.', "목": [{"목번호": "가.", "목내용": [["가. 정규직", "나. 기간제"]]}]},
            {"호번호": "2의2.", "호내용": "2의2. 사용자"},
        ]},
        {"항번호": "②", "항내용": "② 바뀐다. <개정 2018.3.20, 2026.3.17>"},
    ]
}  # fmt: skip


def read(folder: Path, law: Law, today: date = date(2026, 11, 21)) -> dict[str, SourceDocument]:
    file = folder / "kr" / "시험법" / "법률.md"
    file.parent.mkdir(parents=True)
    file.write_text(law_markdown(law.text(), law.serial), encoding="utf-8")
    report = LoadReport()
    options = LoadOptions(today, collections=shipped_collections())
    found = {source.document.id: source for source in loader_for(folder).load(folder, options, report)}
    assert report.problems == []
    return found


def test_articles_are_read_with_paragraphs_items_and_chapters(tmp_path: Path) -> None:
    articles = [
        CHAPTER,
        article(1, "이 법은 #1 목적이다.", "목적(의 범위)"),
        {"조문번호": "2", "조문여부": "전문", "조문내용": [["  제1장의2 정의", "  제1절 뜻 <신설 2019.1.15>"]]},
        article(2, "", "정의", **PARAGRAPHS),
        article(2, "", "하나뿐인 항", branch=3, 항={"항내용": "① 하나다."}),
        article(3, "삭제 <2020.1.1>"),
        article(4, "다음과 같다.", "호만", 항={"호": [{"호내용": "1. 하나"}, {"호내용": "2. 둘"}]}),
    ]
    found = read(tmp_path, Law("11", "001", "시험법", articles=articles))
    assert [source.prefix for source in found.values()] == [
        "시험법 제1조(목적(의 범위))",
        "시험법 제2조(정의)",
        "시험법 제2조의3(하나뿐인 항)",
        "시험법 제3조",
        "시험법 제4조(호만)",
    ]
    texts = [source.document.content for source in found.values()]
    assert texts[0] == "이 법은 #1 목적이다."
    assert texts[1].split("\n") == [
        "① 뜻은 다음과 같다.",
        '1.  "근로자"란 사람이다.',
        "가. 정규직",
        "나. 기간제",
        "2의2. 사용자",
        "② 바뀐다.",
    ]
    assert texts[4] == "다음과 같다.\n1. 하나\n2. 둘"
    assert found["시험법|제1조"].document.metadata["section"] == "제1장 총칙"
    assert found["시험법|제2조"].document.metadata["section"] == "제1장의2 정의 > 제1절 뜻 <신설 2019.1.15>"
    assert found["시험법|제3조"].document.metadata["deleted"] is True


def test_what_is_still_to_come_is_marked_as_in_the_tree(tmp_path: Path) -> None:
    note: dict[str, Any] = {"조문참고자료": "[본조신설 2026.3.17]\n[시행일: 2028.1.1] 제3조"}
    articles = [article(2, "", "정의", **PARAGRAPHS), article(3, "먼 조문", **note), article(4, "그대로다.")]
    found = read(tmp_path, Law("11", "001", "시험법", effective="20270101", articles=articles))
    assert "② [시행 예정 2027-01-01] 바뀐다." in found["시험법|제2조"].document.content
    assert found["시험법|제3조"].document.metadata["upcoming"] == "2028-01-01"
    assert "upcoming" not in found["시험법|제4조"].document.metadata


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"법령": []},
        {"법령": {"기본정보": {"법령명_한글": "법", "공포일자": "20269999", "시행일자": "20260101"}}},
        {
            "법령": {
                "기본정보": {"법령명_한글": "법", "공포일자": "20260101", "시행일자": "20260101"},
                "조문": {"조문단위": "?"},
            }
        },
        {"법령": {"기본정보": {"법령명_한글": [[[[[[[["법"]]]]]]]], "공포일자": "20260101", "시행일자": "20260101"}}},
    ],
)
def test_what_is_no_statute_is_refused(answer: dict[str, Any]) -> None:
    with pytest.raises(StatuteAnswerMalformed):
        law_markdown(answer, "1")


@pytest.mark.parametrize(
    ("title", "kind", "place"),
    [
        ("근로기준법", "법률", ("근로기준법", "법률")),
        ("근로기준법 시행령", "대통령령", ("근로기준법", "시행령")),
        ("5·18 민주화 법", "법률", ("5ㆍ18민주화법", "법률")),
        ("../../etc\n/법", "법률/..", ("_.._etc_법", "법률_..")),
        ("가" * 200, "법률", ("가" * 80, "법률")),
    ],
)
def test_a_title_is_a_safe_place(title: str, kind: str, place: tuple[str, str]) -> None:
    assert folder_and_file(title, kind) == place
