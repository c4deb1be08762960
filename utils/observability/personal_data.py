"""Personal data and keys found in texts, and masked in what is written down: logs and traces.

Over-masking costs a digit in a log; a miss costs a person's privacy. So the patterns lean to masking, but leave dates, amounts
and statute references alone, which have other shapes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, unquote

_HYPHEN = r"[ \t]?[-‐‑–—－][ \t]?"
# Where a number below can stand: digits and what is written between them. One pass over the text finds these places.
_FEWEST_DIGITS = 7  # of a resident registration number whose rest is already starred out
_NUMBER_LIKE = re.compile(r"[+(\d][\d \t.()*xX‐‑–—－-]{6,}")

_EMAIL = re.compile(r"[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,4}(?:[A-Za-z]{2,24}|[가-힣]{2,24})")
_RESIDENT = re.compile(
    rf"(?<![\d.])\d{{2}}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:{_HYPHEN}|[ \t])?[1-8](?:\d{{6}}|[*xX]{{6}})(?!\d)"
)
_GAP = rf"(?:{_HYPHEN}|[ \t])"
_CARD = re.compile(rf"(?<![\d.])(?:\d{{4}}(?:{_GAP}\d{{4}}){{3}}|\d{{4}}{_GAP}\d{{6}}{_GAP}\d{{5}})(?!\d)")
_CARD_DIGITS = re.compile(r"(?<![\d.])\d{15,16}(?!\d)")
_PHONE = re.compile(
    rf"(?<![\d.])(?:\+82[ \t-]?(?:\(0\)[ \t]?)?|\(?0)(?:1[016789]|2|[3-6][1-5]|70|50\d)\)?(?:{_HYPHEN}|[ \t.])?\d{{3,4}}"
    rf"(?:{_HYPHEN}|[ \t.])?\d{{4}}(?!\d)"
)
_BUSINESS = re.compile(rf"(?<!\d)\d{{3}}{_HYPHEN}\d{{2}}{_HYPHEN}\d{{5}}(?!\d)")
_BUSINESS_DIGITS = re.compile(r"(?<![\d.])\d{10}(?![\d.])")
_ACCOUNT = re.compile(rf"(?<![\d.-])\d{{2,6}}(?:{_HYPHEN}\d{{2,8}}){{1,3}}(?!\d|-\d)")
_ACCOUNT_DIGITS = re.compile(r"(?:계좌|통장|입금|은행)(?:번호)?[^\d\n]{0,12}(\d{10,14})(?!\d)")
_LICENCE = re.compile(rf"(?<![\d.-])\d{{2}}{_HYPHEN}\d{{2}}{_HYPHEN}\d{{6}}{_HYPHEN}\d{{2}}(?!\d|-\d)")
_LICENCE_DIGITS = re.compile(r"면허(?:증)?(?:번호)?[^\d\n]{0,12}(\d{12})(?!\d)")
# M12345678, and since December 2021 M123A4567; a letter before a date is the number of a notice.
_PASSPORT = re.compile(
    r"(?<![A-Za-z0-9])[MSRODGmsrodg]"
    r"(?:(?!(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))\d{8}|\d{3}[A-Za-z]\d{4})(?![A-Za-z0-9])"
)
# Keys that say what they are, JSON web tokens, and what follows the name of a secret or stands before the @ of an address.
_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:[spr]k[-_]|gh[pousr]_|github_pat_|xox[abprs]-|AIza|AKIA)[A-Za-z0-9_-]{12,}"
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"
)
_AFTER_NAME = re.compile(
    r"(?i)(?<![A-Za-z])(?:(?:bearer|basic)[ \t]{1,4}"
    r"|(?:x-)?(?:api|access|secret|auth)[-_]?(?:key|token)[\"']?[ \t]?[:=][ \t]?[\"']?"
    r"|(?:password|passwd|secret|token)[\"']?[ \t]?[:=][ \t]?[\"']?)([^\s\"'&,;]{8,})"
)
_BEFORE_HOST = re.compile(r"(?<=://)([^\s/]{1,256})@")
_WORD = re.compile(r"[^\s\"'<>]+")
_ENCODINGS = 3  # one within another
_DATE = re.compile(rf"(?:19|20)\d{{2}}{_HYPHEN}[01]?\d{_HYPHEN}[0-3]?\d")

Replacement = Callable[[str, str], str]
"""Gives what stands in place of a find: its kind in Korean, and the find."""
KINDS = (
    "이메일",
    "비밀키",
    "계좌번호",
    "운전면허번호",
    "여권번호",
    "주민등록번호",
    "카드번호",
    "전화번호",
    "사업자등록번호",
)

_BUSINESS_WEIGHTS = (1, 3, 7, 1, 3, 7, 1, 3, 5)


def mask_personal_data(text: str) -> str:
    """``text`` with resident registration, passport, licence, phone and business numbers, cards, accounts, e-mails and keys
    masked, also where they stand percent-encoded."""
    if "%" in text:
        text = _WORD.sub(lambda match: _mask_encoded(match[0]), text)
    return replace_personal_data(text, lambda kind, found: f"[{kind}]")


def replace_personal_data(text: str, replacement: Replacement) -> str:
    """``text`` with what `mask_personal_data` masks replaced by ``replacement(kind, found)``; not what is percent-encoded."""

    def of(kind: str) -> Callable[[re.Match[str]], str]:
        return lambda match: replacement(kind, match[0])

    def of_last_group(kind: str) -> Callable[[re.Match[str]], str]:
        return lambda match: match[0][: match.start(1) - match.start()] + replacement(kind, match[1])

    if "@" in text:
        text = _EMAIL.sub(of("이메일"), _BEFORE_HOST.sub(lambda match: f"{replacement('비밀키', match[1])}@", text))
    text = _KEY.sub(of("비밀키"), _AFTER_NAME.sub(of_last_group("비밀키"), text))
    text = _ACCOUNT_DIGITS.sub(of_last_group("계좌번호"), text)
    text = _LICENCE_DIGITS.sub(of_last_group("운전면허번호"), text)
    text = _PASSPORT.sub(of("여권번호"), text)
    return _NUMBER_LIKE.sub(lambda match: _replace_numbers(match[0], of), text)


def _mask_encoded(word: str) -> str:
    """A word decoded and masked where there is something to mask, else as it was written."""
    decoded = word
    for _ in range(_ENCODINGS):
        if "%" not in decoded:
            break
        decoded = unquote(decoded)
    masked = replace_personal_data(decoded, lambda kind, found: f"[{kind}]")
    if masked == decoded:
        return word
    return "".join(letter if letter.isprintable() else quote(letter, errors="replace") for letter in masked)


def _replace_numbers(text: str, of: Callable[[str], Callable[[re.Match[str]], str]]) -> str:
    if sum(map(str.isdigit, text)) < _FEWEST_DIGITS:
        return text
    text = _RESIDENT.sub(of("주민등록번호"), text)
    text = _CARD.sub(of("카드번호"), text)
    text = _CARD_DIGITS.sub(_when(_passes_luhn, of("카드번호")), text)
    text = _LICENCE.sub(of("운전면허번호"), text)
    text = _PHONE.sub(of("전화번호"), text)
    text = _BUSINESS.sub(of("사업자등록번호"), text)
    text = _BUSINESS_DIGITS.sub(_when(_is_business_number, of("사업자등록번호")), text)
    return _ACCOUNT.sub(_when(_is_account, of("계좌번호")), text)


def _when(test: Callable[[str], bool], replaced: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
    return lambda match: replaced(match) if test(match[0]) else match[0]


def _passes_luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, annex B."""
    total = 0
    for position, digit in enumerate(map(int, reversed(digits))):
        doubled = digit * 2 if position % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def _is_business_number(digits: str) -> bool:
    """The check digit of the National Tax Service."""
    numbers = [int(digit) for digit in digits]
    total = sum(weight * number for weight, number in zip(_BUSINESS_WEIGHTS, numbers, strict=False))
    total += numbers[8] * 5 // 10
    return (10 - total % 10) % 10 == numbers[9]


def _is_account(found: str) -> bool:
    """Korean account numbers have 10 to 14 digits; a date range such as 2025-01-01 - 2025-12-31 is none."""
    return 10 <= sum(map(str.isdigit, found)) <= 16 and not _DATE.match(found)
