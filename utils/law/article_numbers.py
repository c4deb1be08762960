"""Articles as people write them when they ask: 제48조의2, 48조 1항, § 48, 48-2조, 제사십팔조, 48, 49조, 48~50조.

Wider than the figures of `utils.figures.figures`, which are indexed and must not take a shift (4조 3교대) or a sum for an article:
these readings count only where a statute is named, and never change an index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from utils.figures.numerals import parse_amount

_MOST_OF_A_RANGE = 10  # articles that one range may stand for
_MOST_OF_A_MENTION = 100  # articles that ranges of ranges may stand for
_HIGHEST = 1_500  # more than the articles of any statute: a higher number is a year or a sum

# A character for each character, so that offsets stay those of the text.
_FOLDED = str.maketrans(
    "０１２３４５６７８９～〜∼–—‐−，ㆍ・･•‧∙⋅ᆞ第條項號",
    "0123456789~~~----," + 8 * "·" + "제조항호",
)
_SINO = "[일이삼사오육칠팔구십백천]"
_ITEMS = r"(?:제\s?)?[1-9]\d{0,3}\s?(?:,(?!\d{3}\s?조)|[·/~-]|와|과|및|내지)\s?"
# Behind 조: a sum (5조 원), a shift (4조 3교대), or the rest of another word (3조각).
_NO_SUM = r"(?!\s?(?:원|규모|달러|\d[\d,]*[천백십]?[억만]|\d\s?교대))(?![각건합직선카례립율])"
# 제48조의 2분의 1 and 제48조의 2항: the number counts something or is a paragraph.
_NOT_COUNTED = (
    r"(?!\d)(?!\s?(?:분의|%|퍼센트|[만천억항호]|원|일(?:[간이까부전후의은을\s]|$)|년|개|명|회|배|시간|가지|세))"
)
_SUB = rf"(?P<sub>(?:\s?의\s?(?:\d{{1,2}}|{_SINO}+(?![가-힣])){_NOT_COUNTED})+|-\d{{1,2}}(?!\d|\s?조))?"
_ARTICLE = re.compile(
    rf"(?<!\d)(?<!\d[.,])(?P<listed>(?:{_ITEMS}){{0,12}}+)(?:제\s?)?(?P<number>[1-9]\d{{0,3}})\s?조{_NO_SUM}{_SUB}"
    rf"|(?:§|(?<![a-zA-Z])[Aa]rt(?:icle|\.)?)\s?(?P<marked>\d{{1,4}})(?P<marked_sub>\s?(?:의|-)\s?\d{{1,2}}(?!\d))?(?:\s?조)?"
    rf"|(?:(?<![가-힣])제\s?(?P<spoken>{_SINO}+)|(?<![가-힣])(?P<plain>{_SINO}?[십백]{_SINO}*))\s?조{_NO_SUM}"
    rf"(?P<spoken_sub>\s?의\s?{_SINO}+(?![가-힣]))?"
)
_RANGE = re.compile(r"\s?(?:까지)?\s?(?:[~-]|내지|부터|에서)\s?(?:제\s?)?")
_LISTED = re.compile(r"(\d{1,4})\s?([,·/~-]|와|과|및|내지)")
_CLAUSE = re.compile(
    rf"\s*(?:의\s*)?(?:(?:제\s?)?(?P<number>\d{{1,3}}|{_SINO}{{1,3}})\s?(?P<unit>[항호])(?!목)(?:\s?의\s?(?P<sub>\d{{1,2}})(?!\d))?"
    r"|(?P<circled>[①-⑳])|(?P<letter>[가-하])목)"
)
_MORE_CLAUSES = re.compile(rf"\s*(?:과|와|및|,|·|~|-|부터)\s*(?:(?:제\s?)?(?:\d{{1,3}}|{_SINO})\s?[항호]|[①-⑳])")
_DIGITS = re.compile(r"\d+")
# 상법 382-2: a number alone, right behind the name of a statute and in front of nothing that it could count.
_BARE = re.compile(
    r"[\s'\"’”」』)]*(?P<cited>(?:제\s?)?(?P<number>\d{1,4})(?P<sub>\s?(?:의\s?|-)\d{1,2}(?!\d))?)(?=\s*(?:$|[?!.,·)]|\s(?![가-힣]*[개명인판차년월일장편절항호])))"
)


@dataclass(frozen=True, slots=True)
class ArticleMention:
    """Articles cited at one place, canonical (제48조의2), and the paragraph and item asked for (제1항, 제2호).

    ``start`` and ``end`` are offsets into the text; several articles have no clauses.
    """

    articles: tuple[str, ...]
    clauses: tuple[str, ...]
    start: int
    end: int

    @property
    def written(self) -> str:
        """The citation in canonical form."""
        return ", ".join(self.articles) + "".join(f" {clause}" for clause in self.clauses)


def fold(text: str) -> str:
    """``text`` with full-width digits, dashes, middle dots and Chinese characters of citations made plain; same length."""
    return text.translate(_FOLDED)


def find_articles(text: str) -> list[ArticleMention]:
    """The citations of ``text`` (folded) in order, ranges written out."""
    found: list[ArticleMention] = []
    for match in _ARTICLE.finditer(text):
        mention = _mention(text, match)
        gap = _RANGE.fullmatch(text, found[-1].end, mention.start) if found else None
        is_room = gap is not None and len(found[-1].articles) < _MOST_OF_A_MENTION
        if is_room and (between := _between(found[-1].articles[-1], mention.articles[0])):
            last = found.pop()
            mention = ArticleMention(
                (*last.articles[:-1], *between, *mention.articles[1:]), (), last.start, mention.end
            )
        found.append(mention)
    return found


def bare_article(text: str, at: int) -> ArticleMention | None:
    """The number that stands alone at ``at`` of ``text`` (folded), behind the name of a statute."""
    match = _BARE.match(text, at)
    if match is None or int(match["number"]) > _HIGHEST:
        return None
    article = _canonical(int(match["number"]), match["sub"])
    return ArticleMention((article,), (), match.start("cited"), match.end())


def article_order(article: str) -> tuple[int, ...]:
    """Sorts 제48조 before 제48조의2 before 제49조."""
    return tuple(int(number) for number in _DIGITS.findall(article))


def _mention(text: str, match: re.Match[str]) -> ArticleMention:
    clauses, end = _clauses(text, match.end())
    if match["number"] is None:
        spoken = match["spoken"] or match["plain"]
        number = int(parse_amount(spoken)) if spoken else int(match["marked"])
        article = _canonical(number, match["spoken_sub"] or match["marked_sub"])
        return ArticleMention((article,), clauses, match.start(), end)
    articles = _listed(match["listed"], int(match["number"]), match["sub"])
    return ArticleMention(articles, clauses if len(articles) == 1 else (), match.start(), end)


def _listed(listed: str, number: int, sub: str | None) -> tuple[str, ...]:
    """The articles of 48, 49조 and 48~50조; the lower number behind a dash is a branch: 48-2조 is 제48조의2."""
    articles: list[str] = []
    items = [(int(item[1]), item[2]) for item in _LISTED.finditer(listed)]
    following = [*(low for low, _ in items), number][1:]
    for (low, separator), high in zip(items, following, strict=True):
        if separator == "-" and high <= low:
            return (*articles, f"제{low}조의{high}")
        if low > _HIGHEST:
            continue
        in_range = separator in ("~", "-", "내지") and low < high <= low + _MOST_OF_A_RANGE
        articles += [f"제{number}조" for number in (range(low, high) if in_range else (low,))]
    return (*dict.fromkeys([*articles, _canonical(number, sub)]),)


def _between(low: str, high: str) -> list[str]:
    """All articles from one to another, both included; empty where that is no range of a size that can be meant."""
    first, last = article_order(low), article_order(high)
    depth = 1 if first[0] == last[0] and len(first) == len(last) == 2 else 0
    if not first[depth] < last[depth] <= first[depth] + _MOST_OF_A_RANGE:
        return []
    head = f"제{first[0]}조의" if depth else "제"
    tail = "" if depth else "조"
    return [low, *(f"{head}{number}{tail}" for number in range(first[depth] + 1, last[depth])), high]


def _canonical(number: int, sub: str | None) -> str:
    return f"제{number}조" + "".join(f"의{branch}" for branch in _branches(sub or ""))


def _branches(sub: str) -> Iterator[int]:
    for part in re.split(r"\s?(?:의|-)\s?", sub)[1:]:
        yield int(parse_amount(part))


def _clauses(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """The paragraph and item behind an article, and where they end; none where several are asked for."""
    clauses: list[str] = []
    end = at
    while clause := _CLAUSE.match(text, end):
        clauses.append(_clause(clause))
        end = clause.end()
    if clauses and _MORE_CLAUSES.match(text, end):
        return (), at
    return tuple(clauses), end


def _clause(match: re.Match[str]) -> str:
    if match["circled"]:
        return f"제{ord(match['circled']) - 0x245F}항"
    if match["letter"]:
        return f"{match['letter']}목"
    branch = f"의{match['sub']}" if match["sub"] else ""
    return f"제{int(parse_amount(match['number']))}{match['unit']}{branch}"
