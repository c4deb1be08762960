"""Lists, tables and paragraphs as items, each with what it stands under."""

from __future__ import annotations

from chains.extractive.document_items import Item, items_of

GUIDE = """\
안내의 첫 문장입니다. 둘째 문장입니다.

### 공제 한도
| 구분 | 한도 |
|------|------|
| **초등학생** | 연 300만원 |
| 대학생 | 연 900만원 |

포함:
- 다음 중 하나에 해당하는 경우 연 50만원
  1. 배우자가 있는 여성
  2. 세대주
- 그 밖의 경우
"""


def test_each_item_says_what_it_stands_under_and_which_item_it_belongs_to() -> None:
    limits = ("공제 한도", "구분")
    assert items_of(GUIDE) == (
        Item("안내의 첫 문장입니다."),
        Item("둘째 문장입니다."),
        Item("초등학생 — 한도: 연 300만원", limits),
        Item("대학생 — 한도: 연 900만원", limits),
        Item("다음 중 하나에 해당하는 경우 연 50만원", ("공제 한도", "포함")),
        Item("배우자가 있는 여성", ("공제 한도", "포함", "다음 중 하나에 해당하는 경우 연 50만원"), 4),
        Item("세대주", ("공제 한도", "포함", "다음 중 하나에 해당하는 경우 연 50만원"), 4),
        Item("그 밖의 경우", ("공제 한도", "포함")),
    )


def test_items_of_a_page_whose_lines_are_lost_are_told_by_their_marks() -> None:
    page = "제출 서류 • 주민등록표 등본 • 소득금액증명 ① 본인 ② 배우자"
    assert [item.text for item in items_of(page)] == ["제출 서류", "주민등록표 등본", "소득금액증명", "본인", "배우자"]


def test_a_row_with_other_cells_than_its_head_keeps_its_values() -> None:
    assert items_of("| 이름 | 값 |\n|---|---|\n| 가 | 1 | 2 |")[0].text == "가 — 1, 2"
