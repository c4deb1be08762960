"""The text of a document, whatever its file format."""

from __future__ import annotations

from utils.paperwork.layout import (
    Heading,
    ItemList,
    PageBreak,
    PaperDocument,
    Paragraph,
    Signatory,
    Signatures,
    Table,
    lines_of,
)


def test_every_block_is_read_in_order_and_blanks_are_left_out() -> None:
    document = PaperDocument(
        title="근로계약서",
        blocks=(
            Heading("제1조 (기간)"),
            Paragraph("첫 줄\n둘째 줄"),
            ItemList(("임금", "휴일"), numbered=True),
            Table((("항목", "내용"), ("시급", "")), caption="임금"),
            PageBreak(),
            Signatures("2026년 3월 2일", (Signatory("사업주", (("성명", ""), ("주소", "서울"))),)),
        ),
        file_stem="근로계약서",
    )
    assert lines_of(document) == [
        *("근로계약서", "제1조 (기간)", "첫 줄", "둘째 줄", "1. 임금", "2. 휴일", "항목", "내용", "시급"),
        *("2026년 3월 2일", "사업주", "성명", "주소", "서울"),
    ]
