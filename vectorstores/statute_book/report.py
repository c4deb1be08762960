"""The change report of statutes as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from vectorstores.loaders.effective import mark_text
from vectorstores.statute_book.changes import ArticleChange, ChangeKind, counts_of

_KINDS = {
    ChangeKind.ADDED: "신설",
    ChangeKind.AMENDED: "개정",
    ChangeKind.REPEALED: "삭제",
    ChangeKind.UPCOMING: "시행 예정",
}
_SHOWN = 200


def report_lines(changes: Sequence[ArticleChange]) -> Iterator[str]:
    """Yield the counts, then the changes: all that a unit cites, and the first of the others."""
    yield ", ".join(f"{_KINDS[ChangeKind(kind)]} {count:,}" for kind, count in counts_of(changes).items())
    cited = [change for change in changes if change.units]
    others = [change for change in changes if not change.units]
    yield f"답변 단위가 근거로 든 조문 {len(cited):,}"
    for change in cited:
        yield _line(change)
        yield from (f"    {unit.document} · {unit.unit}" for unit in change.units)
    yield f"그 밖의 조문 {len(others):,}"
    yield from map(_line, others[:_SHOWN])
    if len(others) > _SHOWN:
        yield f"… 외 {len(others) - _SHOWN:,}건 (--json FILE에 모두 있습니다)"


def _line(change: ArticleChange) -> str:
    mark = "" if change.upcoming is None else f" {mark_text(change.upcoming)}"
    return f"  {_KINDS[change.kind]:<5} {change.title}{mark}"


def report_record(changes: Sequence[ArticleChange]) -> dict[str, Any]:
    """Return all changes as JSON values, with the counts."""
    return {"counts": counts_of(changes), "changes": [change_record(change) for change in changes]}


def change_record(change: ArticleChange) -> dict[str, Any]:
    """Return a change as a JSON value."""
    return {
        "kind": change.kind.value,
        "law": change.law,
        "article": change.article,
        "heading": change.heading,
        "upcoming": None if change.upcoming is None else change.upcoming.isoformat(),
        "units": [{"document": unit.document, "unit": unit.unit} for unit in change.units],
    }
