"""Search in the text of a single notice: full text (BM25), vectors, and both fused by reciprocal rank."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest

import numpy as np
from rank_bm25 import BM25Plus

from schemas.funding.notices import NoticeStatus
from utils.protocols import AnalyzedText, Analyzer, Embedder
from vectorstores.notices.notice import Notice
from vectorstores.notices.pack import NoticePack, plain
from vectorstores.ranking.fusion import reciprocal_rank_fusion

TOP = 10
_LONGEST = 400  # characters of a passage
_SHORTEST = 20  # characters from which a passage may end before a heading
_SHORTEST_OF_LABEL = 120  # the same before a label such as ○ [신청기간] or ㅇ 문의처:
_MOST_PASSAGES = 400
_OF_UNIT = 2  # passages with a number of what was asked for that are found whatever else is
_NEAR = 0.35  # cosine from which the vector side alone may bring a passage up
_SUMMARY_MARK = "☞"
_HEAD = 60  # characters at the beginning of a passage that name what it is about
_TITLE = 8
_AT_END = "$"
_FARTHER = 0.15
_HEADING = re.compile(r"\s*(?:#{1,6}\s|[□■◆◇▣▶▷☞❍]|[①-⑳]|\d{1,2}[.)]\s|[가-하][.)]\s|[ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ][.\s]|\*\*)")
_LABELLED = re.compile(
    r"(?:[-•○◦●ㅇ❍m]\s*){1,3}(?:[\[(【<]\s?[가-힣]|[가-힣][가-힣ㆍ·\s]{1,13}[:：])|[가-힣]{2,8}\s?[:：]\s"
)
_SPACED_LABEL = re.compile(r"(?<![가-힣])[가-힣](?:\s[가-힣]){1,5}(?=\s?[\])】>:：|])")
_NOISE = re.compile(r"!\[[^\]\n]{0,80}\]\([^)\n]{0,300}\)|\|(?=[\s|-])|-{3,}|\*\*")
_UNDER_HEAD = re.compile(r"\s*\|\s?-{3,}")
_LINE_ENDS = re.compile(r"\n|<br\s?/?>")
_BLANKS = re.compile(r"[ \t]{2,}")
_HOW_MANY = re.compile(
    r"몇\s?(개월|개사|개|명|인|사람|곳|군데|년|번|회|퍼센트|프로|%|달|주|일|세|살|시간|시|배|점|억|평|호|세대|채|가구|원)"
)
_HOW_MUCH = re.compile(r"얼마(?!나\s?(?:걸|남|오래))|상금|지원금액|지원한도|한도")
_PHONE = re.compile(r"0\d{1,2}[-).\s]{1,2}\d{3,4}-\d{4}|☎|1\d{3}-\d{4}|국번\s?없이")
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.\w")
_ASKED_PHONE = re.compile(r"전화|연락처|문의|담당자?\s?번호")
_ASKED_MAIL = re.compile(r"메일")
_FOR_ONE = re.compile(
    r"(?<![가-힣])(?:기업|업체|개사|사|인|명|건|실|팀|과제|종|출판사|컨소시엄|점포|1[가-힣]{1,3})\s?당|최대\s?[\d천백]"
)
_AMOUNT = re.compile(r"[\d천백십만억]\s?원|\d\s?(?:%|억|퍼센트)")
_CONTACT = r"(?:문의|연락처|전화|담당|접수처|제출처|이메일|메일)(?:[^\n]{0,80}\n)?[^\n]{0,80}?"
_SURE_OF: Mapping[re.Pattern[str] | None, re.Pattern[str]] = {
    _AMOUNT: _FOR_ONE,
    _PHONE: re.compile(_CONTACT + f"(?:{_PHONE.pattern})"),
    _MAIL: re.compile(_CONTACT + _MAIL.pattern),
}
_UNITS = {
    "명": ("명", "인"), "인": ("명", "인"), "사람": ("명", "인"), "곳": ("곳", "개사", "개소", "개 기업"), "군데": ("곳", "개사", "개소"),
    "개사": ("개사", "곳"), "번": ("회", "번"), "회": ("회", "번"), "퍼센트": ("%", "퍼센트"), "프로": ("%", "퍼센트"), "%": ("%", "퍼센트"),
    "달": ("개월", "달"), "개월": ("개월", "달"), "살": ("세",), "세": ("세",), "호": ("호", "세대"), "세대": ("세대", "호"), "채": ("호", "세대"),
    "가구": ("가구", "세대", "호"), "평": ("㎡", "평"),
}  # fmt: skip
_MARK = re.compile(r"^[\s\-–•*#□■◆◇▣▶▷☞❍○◦●ㅇo|]+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a notice. ``is_fact``: a line of its data, such as its deadline, and not of its text."""

    text: str
    terms: tuple[str, ...]
    is_fact: bool = False


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage with how it was found. ``matched`` are terms of the question in it; ``score`` is of the fusion.

    ``is_named``: it begins with a name of what was asked, such as 접수기간. ``is_counted``: it has a number of what was asked for, as 몇 명. ``is_sure``: the number is
    of what is asked for beyond doubt, as 기업당 600만원.
    """

    passage: Passage
    score: float
    matched: frozenset[str]
    is_named: bool
    is_counted: bool = False
    is_sure: bool = False


class NoticeText:
    """The passages of a notice, ready for questions. Building it analyses the whole text: milliseconds a page."""

    def __init__(self, facts: Sequence[str], text: str, analyzer: Analyzer, embedder: Embedder) -> None:
        self._analyzer = analyzer
        self._embedder = embedder
        pieces = [*((fact, True) for fact in facts), *((piece, False) for piece in _pieces(text))][:_MOST_PASSAGES]
        terms = [tuple(located.terms) for located in analyzer.located_many(piece for piece, _ in pieces)]
        self.passages = tuple(
            Passage(piece, found, is_fact) for (piece, is_fact), found in zip(pieces, terms, strict=True)
        )
        self._bm25 = BM25Plus([list(passage.terms) or [""] for passage in self.passages]) if self.passages else None
        self._vectors = embedder.embed_passages(
            [AnalyzedText(passage.text, passage.terms) for passage in self.passages]
        )
        self.terms = frozenset(term for passage in self.passages for term in passage.terms)

    def search(
        self, question: str, expansion: Sequence[str] = (), unit: re.Pattern[str] | None = None, k: int = TOP
    ) -> list[FoundPassage]:
        """Return the best passages for a question and the words that mean the same; ``unit`` is that of a number asked for.

        Those that share no word with either, have no such number, and that no vector brings near, are not found.
        """
        if self._bm25 is None:
            return []
        asked = self._analyzer.terms(question)
        meant = [term for word in expansion for term in self._analyzer.terms(word)]
        labels = tuple(plain(word) for word in expansion)
        lexical = np.asarray(self._bm25.get_scores([*asked, *meant]))
        wanted = frozenset([*asked, *meant])
        matched = [wanted.intersection(passage.terms) for passage in self.passages]
        headed = [_named_as(passage.text, labels) for passage in self.passages]
        by_words = sorted(
            (number for number, terms in enumerate(matched) if terms), key=lambda number: (-lexical[number], number)
        )
        by_label = sorted(
            (number for number, count in enumerate(headed) if count), key=lambda number: (-headed[number], number)
        )
        query = AnalyzedText(question, (*asked, *meant))
        near = self._vectors @ self._embedder.embed([query])[0]
        by_vector = [int(number) for number in np.argsort(-near, kind="stable") if near[number] >= _NEAR]
        counted = [unit is not None and unit.search(passage.text) is not None for passage in self.passages]
        sure = _SURE_OF.get(unit)  # 기업당 600만원, 문의처: 02-…
        each = [sure is not None and sure.search(passage.text) is not None for passage in self.passages]
        by_unit = sorted((n for n, has in enumerate(counted) if has), key=lambda n: (not each[n], -lexical[n], n))
        fused = reciprocal_rank_fusion([(by_words, 1.0), (by_label, 1.5), (by_vector, 0.5), (by_unit, 1.0)])
        best = sorted(fused, key=lambda number: (-fused[number], number))
        best = [*best[:k], *(number for number in best[k:] if number in by_unit[:_OF_UNIT])]
        return [FoundPassage(self.passages[n], fused[n], matched[n], headed[n] > 0, counted[n], each[n]) for n in best]


def facts_of(notice: Notice, status: NoticeStatus, pack: NoticePack, today: date) -> list[str]:
    """Return the data of a notice as lines, each under the names by which people ask for it."""
    record = notice.record
    start, end = record.apply_start, record.apply_end
    span = f"{start.isoformat() if start else ''} ~ {end.isoformat() if end else ''}".strip() if start or end else ""
    left = f", 마감까지 {(end - today).days}일" if end is not None and end >= today else ""
    lines = {
        "신청기간(접수기간)": f"{span or record.period} ({today.isoformat()} 현재 {pack.label_of(status)}{left})"
        if span or record.period
        else "",
        "공고일": record.posted.isoformat() if record.posted else "",
        "기관(소관기관 / 수행기관)": record.agency,
        "지역": ", ".join(notice.regions) or record.region,
        "유형·분야": ", ".join(notice.fields),
        "지원대상": record.target,
        "원문 주소(홈페이지)": record.url,
    }
    told = [f"{name}: {value}" for name, value in lines.items() if value]
    return [*told, *_marked_parts(record.summary, pack.summary_labels)]


def _marked_parts(summary: str, labels: Sequence[str]) -> list[str]:
    """The parts of a summary that begin with a mark, each under what it tells."""
    _, *parts = summary.split(_SUMMARY_MARK)
    return [f"{label}: {' '.join(part.split())}"[:_LONGEST] for label, part in zip(labels, parts, strict=False)]


def expanded(
    question: str, synonyms: Mapping[str, Sequence[str]], outranks: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return the words that a notice may use for those of a question: 신청기간 → 접수기간, 모집기간 …

    A word with $ counts where the question ends. ``outranks``: words of a question that are not expanded beside another one, as 어디 in 어디에 문의하나요.
    """
    asked = plain(question).rstrip("?!.~")
    keys = [key for key in sorted(synonyms, key=len, reverse=True) if _is_asked(key, asked)]
    beaten = {lesser for key in keys for lesser in outranks.get(key, ())}
    return tuple(
        dict.fromkeys(word for key in keys if key not in beaten for word in (key.rstrip(_AT_END), *synonyms[key]))
    )


def _is_asked(key: str, asked: str) -> bool:
    word = plain(key.rstrip(_AT_END))
    return asked.endswith(word) if key.endswith(_AT_END) else word in asked


def asked_unit(question: str) -> re.Pattern[str] | None:
    """Return the pattern of the numbers and addresses that a question asks for: 몇 명 → 5인, 얼마 → 300만원, 전화 → 02-…; None where it asks for none."""
    for asked, told in ((_ASKED_PHONE, _PHONE), (_ASKED_MAIL, _MAIL), (_HOW_MUCH, _AMOUNT)):
        if asked.search(question):
            return told
    if match := _HOW_MANY.search(question):
        units = _UNITS.get(match[1], (match[1],))
        return re.compile(rf"\d\s?(?:{'|'.join(map(re.escape, units))})")
    return None


def readable_line(text: str, limit: int) -> str:
    """Return a passage as a line to quote: without list marks and pictures, cut at a blank."""
    line = " ".join(_MARK.sub("", part).strip() for part in text.split("\n"))
    line = " ".join(line.split())
    if len(line) <= limit:
        return line
    return f"{line[:limit].rsplit(' ', 1)[0]} …"


def _named_as(text: str, labels: Sequence[str]) -> float:
    """Return how much a passage begins with these names, the first of which are the nearest to what was asked."""
    head = plain(text[:_HEAD])
    told = 0.0
    for place, label in enumerate(labels):
        at = head.find(label)
        if at >= 0:
            is_title = at < _TITLE or head[at + len(label) : at + len(label) + 1] in (":", ")", "|")
            told += (2.0 if is_title else 1.0) / (1.0 + _FARTHER * place)
    return told


def _pieces(text: str) -> Iterator[str]:
    """Yield the passages of a text: a heading, or the head of a table, with the lines below it, cut where they grow too long."""
    waiting: list[str] = []
    size = 0
    lines = _LINE_ENDS.split(text)
    for raw, below in zip_longest(lines, lines[1:], fillvalue=""):
        line = _BLANKS.sub(" ", _NOISE.sub(" ", raw)).strip(" |")
        line = _SPACED_LABEL.sub(lambda label: "".join(label.group().split()), line)
        if not line or not any(letter.isalnum() for letter in line):
            continue
        begins = _HEADING.match(line) or _UNDER_HEAD.match(below)
        least = _SHORTEST if begins else _SHORTEST_OF_LABEL
        begins = begins or _LABELLED.match(line)
        for start in range(0, len(line), _LONGEST):
            part = line[start : start + _LONGEST]
            if waiting and (size + len(part) > _LONGEST or (begins and not start and size > least)):
                yield "\n".join(waiting)
                waiting, size = [], 0
            waiting.append(part)
            size += len(part)
    if waiting:
        yield "\n".join(waiting)
