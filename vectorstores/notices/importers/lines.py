"""Notices from JSON Lines: a notice a line, with the columns that the pack names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from utils.sanitizing.sanitize import clean_text
from vectorstores.notices.importers.values import cleaned_line, day_of, head_line, region_in_title
from vectorstores.notices.notice import NoticeRecord
from vectorstores.notices.pack import NoticePack

_ID_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-")
_DEFAULT_SOURCE = "file"


class LineProblem(ValueError):
    """A line that is no notice; the message says why."""


def read_lines(file: Path, pack: NoticePack, today: date, problems: list[str]) -> Iterator[NoticeRecord]:
    """Yield the notices of a file; lines that are none are told in ``problems``, by number, and left out. Raises OSError."""
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield record_of(json.loads(line), pack, today)
            except (json.JSONDecodeError, UnicodeDecodeError):
                problems.append(f"{file.name}:{number}: JSON이 아닙니다")
            except LineProblem as error:
                problems.append(f"{file.name}:{number}: {error}")


def record_of(line: object, pack: NoticePack, today: date) -> NoticeRecord:
    """Return the notice of a line. Raises `LineProblem`."""
    if not isinstance(line, dict):
        raise LineProblem("항목이 객체가 아닙니다")
    notice_id, title = str(line.get("id") or ""), cleaned_line(line.get("title"))
    if not notice_id or len(notice_id) > 120 or not _ID_CHARACTERS.issuperset(notice_id) or not title:
        raise LineProblem("id나 title이 없거나 쓸 수 없는 글자가 있습니다")
    year = line.get("year")
    year = year if isinstance(year, int) and 2000 <= year <= 2100 else None
    posted, end = day_of(line.get("posted")), day_of(line.get("apply_end"))
    listed = min(today, date(year, 12, 31)) if year is not None else today
    body = clean_text(str(line.get("body") or ""))
    return NoticeRecord(
        pack=pack.key,
        id=notice_id,
        title=title,
        source=cleaned_line(line.get("source")) or _DEFAULT_SOURCE,
        listed=listed,
        agency=cleaned_line(line.get("agency")),
        region=cleaned_line(line.get("region")) or region_in_title(title),
        field=_joined(line, pack.columns.get("field", ("field",))),
        target=cleaned_line(line.get("target")) or head_line(body, "지원대상"),
        apply_start=day_of(line.get("apply_start")),
        apply_end=end,
        period=cleaned_line(line.get("status")),
        posted=posted,
        year=year or (posted or end or today).year,
        summary=clean_text(str(line.get("summary") or "")),
        body=body,
        url=cleaned_line(line.get("url")),
    )


def _joined(line: dict[str, Any], columns: Sequence[str]) -> str:
    return ", ".join(value for column in columns if (value := cleaned_line(line.get(column))))
