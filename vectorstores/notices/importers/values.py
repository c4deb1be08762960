"""Values of notices as sources write them: dates, periods, HTML, lines."""

from __future__ import annotations

import re
from datetime import date
from html import unescape
from urllib.parse import urljoin, urlsplit

from utils.sanitizing.sanitize import clean_text

_DAY = re.compile(r"(20\d\d)[-./]?\s?(\d{1,2})[-./]?\s?(\d{1,2})(?!\d)")
_REGION_IN_TITLE = re.compile(r"\s*\[([^\]\[]{2,40})\]")
_TAG = re.compile(r"<(/?[a-zA-Z][a-zA-Z0-9]*)[^<>]{0,300}>")
_BREAKS = frozenset({"br", "/p", "/div", "/li", "/tr", "/h1", "/h2", "/h3", "/h4"})
_CELLS = frozenset({"td", "/td", "th", "/th"})
_BLANK_LINES = re.compile(r"\n{3,}")
_LONGEST_LINE = 1_000


def day_of(value: object) -> date | None:
    """Return the first day that a value names (20260401, 2026-04-01, 2026.4.1); None where it names none."""
    match = _DAY.search(str(value or "")[:_LONGEST_LINE])
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None


def period_of(value: object) -> tuple[date | None, date | None, str]:
    """Return start, end and wording of a period: ``20260401 ~ 20260515`` has dates, ``예산 소진시까지`` has words."""
    text = cleaned_line(value)
    first, tilde, last = text.partition("~")
    start, end = day_of(first), day_of(last)
    if not tilde or (start is None and end is None):
        return None, None, text
    return start, end, "" if end is not None else last.strip()


def cleaned_line(value: object) -> str:
    """Return a value as one clean line; empty for what is none."""
    if value is None or isinstance(value, dict | list):
        return ""
    return " ".join(clean_text(str(value)[:_LONGEST_LINE]).split())


def text_of_html(value: object) -> str:
    """Return the text of a piece of HTML, a line a block; tags are dropped, entities read."""
    text = _TAG.sub(_in_place_of, str(value or ""))
    lines = (" ".join(line.split()) for line in clean_text(unescape(text)).split("\n"))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()


def _in_place_of(tag: re.Match[str]) -> str:
    name = tag[1].lower()
    return "\n" if name in _BREAKS else " " if name in _CELLS else ""


def head_line(body: str, name: str) -> str:
    """Return what the head of a body says under a name (``지원대상: 중소기업``); empty where it says nothing."""
    for line in body[:2_000].split("\n")[:12]:
        label, colon, value = line.partition(":")
        if colon and label.strip() == name:
            return value.strip()
    return ""


def region_in_title(title: str) -> str:
    """Return the region that a title begins with: ``[경북ㆍ대구] …``."""
    match = _REGION_IN_TITLE.match(title)
    return match[1] if match else ""


def web_address(value: object, base: str) -> str:
    """Return an address, absolute; empty for what is no web address."""
    text = cleaned_line(value)
    if not text:
        return ""
    try:
        found = urljoin(base, text)
        return found if urlsplit(found).scheme in ("http", "https") else ""
    except ValueError:
        return ""
