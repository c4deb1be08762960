"""Which items answer, and when none does."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chains.extractive.item_model import ItemWriter
from chains.extractive.item_selection import ItemSelector, inverse_frequencies
from chains.extractive_task import ExtractiveDocument, ExtractivePart, ExtractiveTask
from utils.prompts.messages import says_not_found
from vectorstores.tokenizer import KiwiTokenizer

COMMON = frozenset({"공제", "소득", "세액", "연"})

RENT = """\
## 공제율
| 총급여 구분 | 공제율 |
|---|---|
| 5,500만원 이하 | 17% |
| 5,500만원 초과 8천만원 이하 | 15% |

## 대상
- 무주택 세대의 세대주가 낸 월세액. 기준시가 4억원 이하
"""
PENSION = """\
- 국민연금은 전액 공제한다
- 연금저축은 연 600만원까지 공제한다
"""


def rarity(terms: Sequence[str]) -> list[float]:
    return inverse_frequencies([80 if term in COMMON else 2 for term in terms], 100)


@pytest.fixture
def writer(tokenizer: KiwiTokenizer) -> ItemWriter:
    return ItemWriter(ItemSelector(tokenizer, rarity, covered_from=0.5))


def answer(writer: ItemWriter, question: str) -> str:
    documents = (
        ExtractiveDocument(index=1, title="월세액 세액공제", domain="d", sentences=(), text=RENT),
        ExtractiveDocument(index=2, title="연금", domain="d", sentences=(), text=PENSION),
    )
    part = ExtractivePart(domain="d", label="", question=question)
    return "".join(writer.write(ExtractiveTask(question=question, parts=(part,), documents=documents, max_chars=800)))


def test_the_rows_of_a_table_answer_under_its_heading_with_their_source(writer: ItemWriter) -> None:
    lines = answer(writer, "월세액 세액공제는 몇 퍼센트인가요?").splitlines()
    assert "- 5,500만원 이하 — 공제율: 17% [1]" in lines
    assert "- 5,500만원 초과 8천만원 이하 — 공제율: 15% [1]" in lines
    assert not [line for line in lines if "연금" in line]


def test_each_sentence_of_an_item_has_its_citation(writer: ItemWriter) -> None:
    assert "- 무주택 세대의 세대주가 낸 월세액. [1] 기준시가 4억원 이하 [1]" in answer(
        writer, "월세액 무주택 세대주 기준시가"
    )


@pytest.mark.parametrize(
    "question",
    [
        "자동차세는 얼마인가요?",  # no document has the word
        "기초연금은 얼마인가요?",  # … but in another compound
        "국민연금은 몇 살부터 받아요?",  # a figure that no item has
        "연금저축을 드는 게 좋을까요?",  # an opinion
        "월세액 상담은 전화번호가 뭐예요?",
    ],
)
def test_what_the_documents_do_not_say_is_said_to_be_missing(writer: ItemWriter, question: str) -> None:
    assert says_not_found(answer(writer, question))


def test_an_answer_keeps_to_its_room(writer: ItemWriter, tokenizer: KiwiTokenizer) -> None:
    selector = ItemSelector(tokenizer, rarity, covered_from=0.5)
    text = "\n".join(f"- 월세액 항목 {number}: 연 {number}만원" for number in range(100, 200))
    document = ExtractiveDocument(index=1, title="월세액", domain="d", sentences=(), text=text)
    chosen = selector.select("월세액은 얼마인가요?", [document], 120)
    assert chosen
    assert sum(len(item.text) for item in chosen) <= 120
