"""Sentences of answers about notices. Every fact that they state comes from a notice, which is their source."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from schemas.chat import Scalar, SourceItem
from schemas.funding.notices import NoticeItem, NoticeStatus
from vectorstores.notices.pack import NoticePack

_LONGEST_SUMMARY = 700
_REASONS = 2

NO_LIST = "아직 찾은 공고가 없어 어느 공고인지 알 수 없습니다. 먼저 공고를 찾아 주세요. 예: “{example}”"
WHICH = (
    "어느 공고를 말씀하시는지 번호로 알려 주세요. 앞에서 보여 드린 공고는 {count}건입니다. 예: “1번 신청 자격 알려줘”"
)
OUT_OF_RANGE = "앞에서 보여 드린 공고는 {count}건이라 {number}번은 없습니다. 1번부터 {count}번 가운데에서 골라 주세요."
GONE = "‘{title}’ 공고는 더 이상 저장되어 있지 않습니다. 공고를 다시 찾아 주세요."
UNKNOWN_PLACE = (
    "‘{place}’은(는) 공고를 찾을 수 있는 지역이 아닙니다. {names} 가운데에서 말씀해 주세요. "
    "지역을 빼고 물으시면 전국에서 찾아 드립니다."
)
NO_TEXT = "‘{title}’ 공고에서 물으신 내용을 확인할 수 없습니다.{contact}"
TEXT_AWAY = "지금은 공고의 본문을 읽을 수 없어 목록에 있는 내용만 확인했습니다."
NOT_AS_ASKED = "검색어가 모두 들어간 공고가 없어 일부가 들어간 공고를 보여 드립니다."
LEFT_OUT = "‘{words}’이(가) 들어간 공고는 없어 그 말은 빼고 찾았습니다."
ASK_ON = "신청 자격이나 제출 서류처럼 궁금한 것을 물어보세요."
MORE = "더 보려면 “더 보여줘”라고 말씀해 주세요."
PICK = "자세히 보려면 “1번 자세히 알려줘”처럼 번호를 말씀해 주세요."


def list_head(conditions: dict[str, str], pack: NoticePack, total: int, first: int, last: int, today: date) -> str:
    """Return the first line of a list."""
    told = ", ".join(f"{name} {value}" for name, value in conditions.items())
    asked = f"{told} 조건의 " if told else ""
    shown = f" 가운데 {first}~{last}번째" if total > last - first + 1 else ""
    return f"{today.isoformat()} 현재 {asked}{pack.label} {total:,}건{shown}입니다."


def list_line(number: int, item: NoticeItem) -> str:
    """Return the lines of a notice in a list; it cites the notice under its number."""
    facts = [item.status_label, _span(item), ", ".join(item.regions), item.agency]
    head = f"{number}. {item.title} ({', '.join(fact for fact in facts if fact)}) [{number}]"
    reasons = [reason.text for reason in item.reasons if reason.verdict == "fits" and reason.criterion != "연도"]
    open_points = [reason.text for reason in item.reasons if reason.verdict == "unchecked"]
    told = " ".join([*reasons[:_REASONS], *open_points[:_REASONS]])
    return f"{head}\n   {told}" if told else head


def nothing_found(
    conditions: dict[str, str], pack: NoticePack, closed: int, today: date, unknown_words: Sequence[str]
) -> str:
    """Return the sentences for a search that finds nothing, with what else could be asked."""
    told = ", ".join(f"{name} {value}" for name, value in conditions.items())
    lines = [f"{today.isoformat()} 현재 {f'{told} 조건에 맞는 ' if told else ''}{pack.label}가 없습니다."]
    if unknown_words:
        lines.append(f"‘{', '.join(unknown_words)}’이(가) 들어간 공고는 하나도 없습니다.")
    if closed:
        label = pack.label_of(NoticeStatus.CLOSED)
        lines.append(f"{label}된 공고는 {closed:,}건 있습니다. 보려면 “마감된 것도 보여줘”라고 말씀해 주세요.")
    lines.append("지역이나 분야를 바꾸거나 조건을 줄여서 다시 찾아 보세요.")
    return " ".join(lines)


def summary_of(item: NoticeItem) -> str:
    """Return the answer to a bare reference: the notice in short."""
    summary = item.summary.strip()
    if len(summary) > _LONGEST_SUMMARY:
        summary = f"{summary[:_LONGEST_SUMMARY].rsplit(' ', 1)[0]} …"
    facts = {
        "상태": item.status_label + (f" ({_span(item)})" if _span(item) else ""),
        "기관": item.agency,
        "지역": ", ".join(item.regions),
        "분야·유형": ", ".join(item.fields),
        "지원대상": item.target,
    }
    lines = [f"- {name}: {value} [1]" for name, value in facts.items() if value]
    text = [f"{line.strip()} [1]" for line in summary.split("\n") if line.strip()]
    address = [f"- 원문: {item.url} [1]"] if item.url else []
    return "\n".join([f"‘{item.title}’ 공고입니다.", *lines, *address, *text, ASK_ON])


def compared(items: Sequence[NoticeItem]) -> str:
    """Return several notices side by side."""
    lines = [f"말씀하신 공고 {len(items)}건입니다."]
    for number, item in enumerate(items, start=1):
        lines.append(list_line(number, item))
        first = next((line.strip() for line in item.summary.split("\n") if line.strip()), "")
        if first:
            lines.append(f"   {first} [{number}]")
    lines.append("하나를 골라 “1번 신청 자격 알려줘”처럼 물어보세요.")
    return "\n".join(lines)


def filled(reply: str, item: NoticeItem) -> str:
    """Return a reply of the pack's own with the facts of a notice, which is its first source."""
    return reply.format(
        title=item.title,
        url=item.url,
        agency=item.agency or "담당 기관",
        deadline=item.apply_end.isoformat() if item.apply_end is not None else "정해지지 않음",
        status=item.status_label,
    )


def source_of(number: int, item: NoticeItem, content: str = "") -> SourceItem:
    """Return a notice as the source under a number; ``content`` is the passage that is quoted, where it is one."""
    metadata: dict[str, Scalar] = {
        "id": item.id,
        "pack": item.pack,
        "status": item.status.value,
        "seen_on": item.seen_on.isoformat(),
    }
    if item.apply_end is not None:
        metadata["apply_end"] = item.apply_end.isoformat()
    return SourceItem(
        index=number,
        title=item.title,
        content=content or item.summary or item.title,
        source=item.agency or item.source,
        url=item.url,
        metadata=metadata,
    )


def _span(item: NoticeItem) -> str:
    if item.apply_start is None and item.apply_end is None:
        return ""
    start = item.apply_start.isoformat() if item.apply_start else ""
    end = item.apply_end.isoformat() if item.apply_end else ""
    left = ""
    if item.days_left is not None:
        left = f", {item.days_left}일 남음" if item.days_left else ", 오늘 마감"
    return f"{start} ~ {end}".strip() + left
