"""Personal data and keys masked in what is written down: logs and traces.

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

_EMAIL = re.compile(r"[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,4}[A-Za-z가-힣]{2,24}")
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
    r"(?i)(?<![A-Za-z])((?:bearer|basic)[ \t]{1,4}"
    r"|(?:x-)?(?:api|access|secret|auth)[-_]?(?:key|token)[\"']?[ \t]?[:=][ \t]?[\"']?"
    r"|(?:password|passwd|secret|token)[\"']?[ \t]?[:=][ \t]?[\"']?)[^\s\"'&,;]{8,}"
)
_BEFORE_HOST = re.compile(r"(?<=://)[^\s/]{1,256}@")
_WORD = re.compile(r"[^\s\"'<>]+")
_ENCODINGS = 3  # one within another
_DATE = re.compile(rf"(?:19|20)\d{{2}}{_HYPHEN}[01]?\d{_HYPHEN}[0-3]?\d")

_BUSINESS_WEIGHTS = (1, 3, 7, 1, 3, 7, 1, 3, 5)


def mask_personal_data(text: str) -> str:
    """``text`` with resident registration, passport, licence, phone and business numbers, cards, accounts, e-mails and keys
    masked, also where they stand percent-encoded."""
    if "%" in text:
        text = _WORD.sub(lambda match: _mask_encoded(match[0]), text)
    return _mask(text)


def _mask(text: str) -> str:
    if "@" in text:
        text = _EMAIL.sub("[이메일]", _BEFORE_HOST.sub("[비밀키]@", text))
    text = _KEY.sub("[비밀키]", _AFTER_NAME.sub(r"\1[비밀키]", text))
    text = _ACCOUNT_DIGITS.sub(lambda match: match[0][: -len(match[1])] + "[계좌번호]", text)
    text = _LICENCE_DIGITS.sub(lambda match: match[0][: -len(match[1])] + "[운전면허번호]", text)
    text = _PASSPORT.sub("[여권번호]", text)
    return _NUMBER_LIKE.sub(lambda match: _mask_numbers(match[0]), text)


def _mask_encoded(word: str) -> str:
    """A word decoded and masked where there is something to mask, else as it was written."""
    decoded = word
    for _ in range(_ENCODINGS):
        if "%" not in decoded:
            break
        decoded = unquote(decoded)
    masked = _mask(decoded)
    if masked == decoded:
        return word
    return "".join(letter if letter.isprintable() else quote(letter, errors="replace") for letter in masked)


def _mask_numbers(text: str) -> str:
    if sum(map(str.isdigit, text)) < _FEWEST_DIGITS:
        return text
    text = _RESIDENT.sub("[주민등록번호]", text)
    text = _CARD.sub("[카드번호]", text)
    text = _CARD_DIGITS.sub(_when(_passes_luhn, "[카드번호]"), text)
    text = _LICENCE.sub("[운전면허번호]", text)
    text = _PHONE.sub("[전화번호]", text)
    text = _BUSINESS.sub("[사업자등록번호]", text)
    text = _BUSINESS_DIGITS.sub(_when(_is_business_number, "[사업자등록번호]"), text)
    return _ACCOUNT.sub(_when(_is_account, "[계좌번호]"), text)


def _when(test: Callable[[str], bool], mask: str) -> Callable[[re.Match[str]], str]:
    return lambda match: mask if test(match[0]) else match[0]


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
