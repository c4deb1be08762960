"""Documents in the unit form, for tests of what reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

HEAD = {
    "id": "HR_CONTRACT_001",
    "type": "guide",
    "title": "근로계약서 작성과 교부 의무",
    "topic": "근로계약",
    "source_name": "국가법령정보센터",
    "source_url": "https://www.law.go.kr/법령/근로기준법",
    "collected_at": "2026-11-20",
    "effective_date": "2025-10-23",
}
UNIT_FILES = (
    "units.json",
    "terms.ids.npy",
    "terms.offsets.npy",
    "vectors.npy",
    "vocabulary.bin",
    "vocabulary.offsets.npy",
)
"""The files of a collection's units on disk."""
ASKS = (
    "알바 계약서 안 썼는데 벌금 나오나요?",
    "계약서 없이 사람 쓰다 걸리면요",
    "직원이랑 구두로만 약속했는데 문제 되나요",
    "근로계약서 미작성 신고당하면 어떻게 돼요",
    "계약서 안 쓴 거 벌 받나요",
    "사장이 계약서를 안 주면 얼마 내요?",
)
SENTENCES = (
    "결론: 근로계약서를 교부하지 않으면 500만원 이하의 벌금에 처해질 수 있습니다(근로기준법 제114조).",
    "조건: 직원이 한 명이어도 근로계약서를 교부해야 합니다(근로기준법 제17조, 근로기준법 시행령 제8조의2).",
)


def unit_text(
    name: str = "근로계약서를 안 쓰면",
    *,
    properties: Sequence[str] = ("측면: 제재",),
    asks: Sequence[str] = ASKS,
    sentences: Sequence[str] = SENTENCES,
) -> str:
    """Return a unit as a document writes it."""

    def items(lines: Sequence[str]) -> str:
        return "".join(f"- {line}\n" for line in lines)

    return f"## {name}\n\n{items(properties)}\n### 묻는 말\n\n{items(asks)}\n### 답\n\n{items(sentences)}"


def document_text(*units: str, head: Mapping[str, str] | None = None) -> str:
    """Return a document of ``units`` (of `unit_text` where none is given); ``head`` replaces values of `HEAD`."""
    fields = HEAD | dict(head or {})
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return f"---\n{lines}---\n\n" + "\n".join(units or (unit_text(),))


def write_document(folder: Path, *units: str, head: Mapping[str, str] | None = None) -> Path:
    """Write a document to ``folder`` under the name that its id asks for."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{(HEAD | dict(head or {}))['id']}.md"
    path.write_text(document_text(*units, head=head), encoding="utf-8")
    return path
