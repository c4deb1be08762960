"""Numerals of other scripts in Arabic digits: ²⁶일, ٢٦일, २६, ㉖퍼센트, ⑤퍼센트, Ⅲ, XXVI일, ⅓, 2½, 三十日, 百分之五."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from utils.figures.numerals import HANJA_NUMERALS, parse_amount, parse_roman, plain

_Match = re.Match[str]

_SMALL = "[²³¹⁰-⁹₀-₉]"
# 660m² is a unit and 신고합니다¹ a footnote; a figure has a unit of its own or stands apart.
_SUPERSCRIPT = re.compile(
    rf"(?<![A-Za-z²³¹⁰-⁹₀-₉]){_SMALL}++(?=\s?[가-힣%％])|(?<![A-Za-z가-힣.)\]²³¹⁰-⁹₀-₉]){_SMALL}++"
)
_ROMAN = re.compile(
    # XX원 is a blank to fill in, so Latin letters need two kinds, or be I only.
    r"[Ⅰ-ⅿ]+"
    r"|(?<![A-Za-z])(?:II|III|(?=[IVXLC]*[IVX][IVXLC]*)(?!X+(?![IVXLC]))(?!C+(?![IVXLC]))[IVXLC]{2,7})"
    r"(?=\s?(?:%|퍼센트|일|개월|년|명|만|억))"
)
_MIXED_FRACTION = re.compile(r"(?<!\d)(\d{1,9})\s?([¼-¾⅐-⅞])")
_FOREIGN = re.compile(r"[^\W_a-zA-Z0-9가-힣²³¹⁰-⁹₀-₉〇]")
_CIRCLES = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
# ① is a paragraph or an item of a list, unless it is measured: ⑤퍼센트.
_MEASURED_CIRCLE = re.compile(
    r"[①-⑳](?=(?:%|퍼센트|프로|만\s?원|[만억천]|원|일|명|인|개월|년|시간|회|세|배|분의|월)"
    r"(?:이|은|는|을|를|의|에|까지|부터|마다|간|씩|입|로|으|만|\s|[.,)]|\d|$))"
)
_HANJA_UNITS = {
    "日": "일", "月": "월", "年": "년", "個月": "개월", "名": "명", "人": "인", "圓": "원", "元": "원", "時間": "시간", "倍": "배",
    "回": "회", "條": "조", "項": "항", "號": "호",
}  # fmt: skip
_HANJA_NUMERAL = f"[{''.join(HANJA_NUMERALS)}]"
_HANJA = re.compile(
    rf"(?<!{_HANJA_NUMERAL})(?:(?P<whole>{_HANJA_NUMERAL}++)\s?分[之의]\s?(?P<part>{_HANJA_NUMERAL}++)"
    rf"|(?P<number>{_HANJA_NUMERAL}++)\s?(?P<unit>{'|'.join(_HANJA_UNITS)}"
    r"|(?=[%％일월년명인원배회세만억]|퍼센트|프로|개월|시간)))"
)


def in_arabic_digits(text: str) -> str:
    """``text`` with the numerals of other scripts in Arabic digits; ① of a paragraph or a list stays."""
    if text.isascii():
        return _ROMAN.sub(_roman, text)
    text = _SUPERSCRIPT.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    text = _ROMAN.sub(_roman, text)
    text = _MIXED_FRACTION.sub(_mixed_fraction, text)
    text = _FOREIGN.sub(_character, text)
    text = _MEASURED_CIRCLE.sub(lambda match: str(_CIRCLES.index(match.group()) + 1), text)
    return _HANJA.sub(_hanja, text)


def _roman(match: _Match) -> str:
    return str(parse_roman(unicodedata.normalize("NFKC", match.group())))


def _mixed_fraction(match: _Match) -> str:
    part, whole = unicodedata.normalize("NFKC", match[2]).split("\u2044")
    value = Decimal(match[1]) + Decimal(part) / Decimal(whole)
    return plain(round(value, 4))


def _character(match: _Match) -> str:
    """Convert one character (a digit, a fraction, a number in a circle) to Arabic digits; keep any other."""
    character = match.group()
    value = unicodedata.numeric(character, None)
    category = unicodedata.category(character)
    if value is None or category == "Lo" or character in _CIRCLES:
        return character
    if category == "Nd":
        return str(int(value))
    compatible = unicodedata.normalize("NFKC", character)
    if compatible.isascii() or "\u2044" in compatible:
        return compatible.replace("\u2044", "/")
    if not value.is_integer():
        return character
    return _CIRCLES[int(value) - 1] if 1 <= value <= len(_CIRCLES) else str(int(value))


def _hanja(match: _Match) -> str:
    if match["whole"]:
        return f"{_value(match['whole'])}분의 {_value(match['part'])}"
    return _value(match["number"]) + _HANJA_UNITS.get(match["unit"], "")


def _value(numeral: str) -> str:
    """三十 is 30; 二六 and 二〇二六, which name no tens, are read digit by digit."""
    syllables = [HANJA_NUMERALS[character] for character in numeral]
    if len(numeral) > 1 and all(syllable in "영일이삼사오육칠팔구" for syllable in syllables):
        return "".join(str("영일이삼사오육칠팔구".index(syllable)) for syllable in syllables)
    return plain(parse_amount("".join(syllables)))
