"""Documents to be written as files."""

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
)

_SENTENCE = "근로자는 계약 기간에 사업주의 지시를 따르고, 사업주는 정한 날에 임금을 지급한다. "

SIGNATURES = Signatures(
    "2026년 3월 2일",
    (
        Signatory("사업주", (("사업체명", "주식회사 가온"), ("대표자", ""))),
        Signatory("근로자", (("주소", ""), ("성명", "홍길동"))),
    ),
)

CONTRACT = PaperDocument(
    title="표준근로계약서",
    blocks=(
        Heading("제1조 (근로계약기간)"),
        Paragraph("① 2026년 3월 2일부터 시작한다.\n② 정년은 두지 않는다."),
        Heading("가. 임금", level=2),
        Paragraph(_SENTENCE * 6),
        Table(
            (
                ("항목", "금액", "지급일"),
                ("기본급", "2,500,000원", "매월 25일"),
                ("식대", "", "매월 25일\n(휴일이면 전일)"),
            ),
            caption="임금의 구성",
            widths=(0.3, 0.4, 0.3),
        ),
        ItemList(("연장근로수당", _SENTENCE * 2), numbered=True),
        ItemList(("고용보험", "국민연금")),
        Table((("성명", "홍길동"), ("주소", "")), caption="근로자", header_rows=0, has_header_column=True),
        Paragraph("서명하기 전에 근로기준법 제17조를 확인하십시오.", is_note=True),
        PageBreak(),
        Paragraph("가운데 글", alignment="center", is_bold=True),
        SIGNATURES,
    ),
    file_stem="표준근로계약서",
    is_draft=True,
)


def long_document(articles: int) -> PaperDocument:
    """Return a document of about as many full pages as ``articles``, with a table of as many rows."""
    blocks = [
        block
        for number in range(1, articles + 1)
        for block in (Heading(f"제{number}조 (목적)"), Paragraph(_SENTENCE * 28))
    ]
    rows = (("번호", "내용"), *((str(number), _SENTENCE) for number in range(articles)))
    return PaperDocument("취업규칙", (*blocks, Table(rows, caption="조문", widths=(0.2, 0.8)), SIGNATURES), "취업규칙")
