"""An answer as a single text: with its sources at the end, and with what says that it replaces another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.chat import SourceItem
from utils.documents import on_one_line

REPLACED = {
    "retry": "더 나은 근거를 찾아 답변을 바꿉니다.",
    "grounding": "근거로 확인되지 않은 문장을 빼고 답변을 바꿉니다.",
    "degraded": "모델을 쓸 수 없어 문서에서 뽑은 답변으로 바꿉니다.",
}
"""The sentence between an answer and the one that replaces it, by its reason."""
_SOURCES = "\n\n출처\n- ["


def source_line(source: SourceItem) -> str:
    """Return the line of a source: number, title, publisher, date in force, address."""
    since = f", 시행 {source.effective_date}" if source.effective_date else ""
    return f"[{source.index}] {source.title} — {source.source}{since}" + (f" {source.url}" if source.url else "")


def source_list(sources: Sequence[SourceItem]) -> str:
    """Return what lists the sources behind an answer; empty without sources."""
    lines: Iterable[str] = (f"- {on_one_line(source_line(source))}" for source in sources)
    return "\n\n출처\n" + "\n".join(lines) if sources else ""


def correction(reason: str) -> str:
    """Return what stands between an answer and the one that replaces it."""
    return f"\n\n— {REPLACED[reason]}\n\n"


def answer_alone(text: str) -> str:
    """Return the answer that a text of `correction` and `source_list` ends with."""
    for reason in REPLACED:
        text = text.rpartition(correction(reason))[2]
    return text.rpartition(_SOURCES)[0] or text
