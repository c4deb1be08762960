"""Conditions that a request for notices states, in the words of a pack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from agents.notices.dates import times_in
from schemas.funding.notices import NoticeStatus
from utils.figures.figures import FigureKind, find_figures
from utils.protocols import Analyzer
from vectorstores.notices.criteria import Criteria
from vectorstores.notices.pack import NoticeData, NoticePack, plain
from vectorstores.tokenizer import NOUN_TAGS

_AFTER_FIELD = (
    r"(?=\s?(?:분야|관련|쪽|부문|지원|사업|공고|프로그램|으로|(?:만|은|는|도|이|가|을|를|로|로는|로도)(?:요|이요)?(?![가-힣])|요(?![가-힣])|$|[?.!,])"
    r"|(?:하는|하려|할|되는|받는))"
)
_AFTER_TARGET = r"(?=\s?(?:기업)?\s?(?:대상|을\s?위한|를\s?위한|이\s?신청|가\s?신청|용\s|지원|한테|에게|만|$))"
_AGENCY = re.compile(
    r"(?<![가-힣A-Za-z])([가-힣A-Za-zㆍ·]{2,20}(?:부|처|청|원|공단|공사|재단|협회|센터|테크노파크|중앙회|연구소))"
    r"(?:에서|이|가|의)?\s?(?:낸|내는|내놓은|올린|주관|운영하는|진행하는|하는|공고|지원사업|사업)"
)
_NO_AGENCY = frozenset(
    "지원 정부 일부 전부 회원 내부 외부 사업지원 창업지원 기업지원 신청 접수 요청 정부지원 모든지원 근처 부처 거래처".split()
)
_CLOSED_TOO = re.compile(
    r"(?:마감|끝|종료|지난)[가-힣]{0,3}\s?(?:[^.?!\n]{0,20}\s?(?:것|거|공고|사업))?(?:들)?(?:까지)?도(?![가-힣])|마감\s?(?:포함|상관\s?없)"
)
_CLOSED = re.compile(r"(?<![가-힣])(?<!언제 )(?:마감된|마감한|끝난|종료된|지난)(?=\s)")
_CLOSED_WORDS = re.compile(r"(?:마감|끝|종료|지난)[가-힣]{0,3}")
_AGE = re.compile(
    r"(?:창업|업력|설립|개업|사업)\s?(?:한\s?지\s?)?(\d{1,2})\s?년\s?(?:차|된|째|됐|되었)?(?!\s?(?:이내|이하|미만|이상|대))"
)
_SORTED = re.compile(
    r"(?:마감일?|기한|날짜)?\s?[이가]?\s?(?:빠른|임박한?|급한|가까운|이른|얼마\s?안\s?남은)\s?(?:순서|순|[것거]\s?부터)(?:대로|으로)?"
    r"|(?:마감|기한)일?\s?순(?:서)?(?:대로|으로)?(?![가-힣])"
)
_EXCEPT = re.compile(
    r"(?:[^\s.?!]{1,12}(?:이랑|랑|하고|이나|나|과|와|,)\s+){0,3}[^\s.?!]{1,12}(?:\s?(?:것|거|곳|데|공고|사업|지역|쪽|분야))?\s?(?:말고|빼고|제외하고|아니라|아니고)(?:는|요)?"
)
_CAN = r"(?:\s?(?:을|이|은)?\s?(?:할\s?수\s?있|가능하|가능한|되|돼)[가-힣]*)?"
_STAFF = re.compile(r"(?:직원|근로자|종업원)[이은]?\s?(\d{1,4})\s?(?:명|인)")
_CLOSING_TAGS = frozenset({"JX", "IC"})
_VERB_TAGS = frozenset({"VV", "VA", "VV-R", "VV-I", "VA-R", "VA-I"})
_SHORT = 3  # characters up to which a word is too common to count anywhere
_TENS_OF = {"억": 10**8, "천만": 10**7, "백만": 10**6, "만": 10**4}
_ROUND_SUM = re.compile(r"(?<![\d.])(\d{1,5})\s?(억|천만|백만|만)\s?(?:이상|넘는|초과)")
_LEAST = re.compile(r"\s?(?:이상|넘는|초과)")


@dataclass(frozen=True, slots=True)
class StatedConditions:
    """Conditions of a message. ``is_concrete``: some tell apart notices as nothing but a search does: a region, a time, a state.

    ``rest`` are the nouns that stand for none; they are also its keywords. ``unknown_place`` is no region of ours. ``sort`` is the order asked
    for, empty where none is. ``remaining`` is the message with blanks in place of its conditions.
    """

    criteria: Criteria
    is_concrete: bool
    rest: tuple[str, ...]
    unknown_place: str = ""
    sort: str = ""
    remaining: str = ""


class ConditionReader:
    """Reads requests by the words of the packs."""

    def __init__(self, data: NoticeData, analyzer: Analyzer) -> None:
        self._data = data
        self._analyzer = analyzer
        shared = frozenset(data.words.fillers)
        self._fillers = {key: shared | frozenset(pack.fillers) for key, pack in data.packs.items()}
        self._fields = {key: _word_patterns(pack.fields, _AFTER_FIELD, None) for key, pack in data.packs.items()}
        self._targets = {
            key: _word_patterns(pack.targets, _AFTER_TARGET, frozenset(pack.fillers))
            for key, pack in data.packs.items()
        }
        self._listing_verbs = frozenset(data.words.listing_verbs)
        self._no_agency = {key: _NO_AGENCY.union(pack.kinds, pack.objects) for key, pack in data.packs.items()}
        self._current = re.compile(_spaced(data.words.current).pattern + _CAN)
        self._states = {
            key: [
                (status, _spaced((pack.label_of(status), *pack.statuses[status].words)))
                for status in (NoticeStatus.UPCOMING, NoticeStatus.ROLLING)
            ]
            for key, pack in data.packs.items()
        }
        self._stages = {key: _stage_pattern(pack) for key, pack in data.packs.items()}

    def read(self, text: str, pack_key: str, today: date) -> StatedConditions:
        """Return the conditions that ``text`` states for a pack."""
        pack = self._data.packs[pack_key]
        # 마감된 것 말고: what is not wanted is no condition
        text = _EXCEPT.sub(lambda match: " " * len(match.group()), text)
        order = _SORTED.search(text)
        text = _masked(text, (order.span(),)) if order else text
        times = times_in(text, today)
        masked = _masked(text, times.spans)
        places = self._data.regions[pack_key].read(masked)
        masked = _masked(masked, places.spans)
        statuses, masked = self._statuses(masked, pack)
        stage, masked = self._stage(masked, pack)
        targets, masked = _matching(masked, pack.targets, self._targets[pack_key])
        fields, masked = _matching(masked, pack.fields, self._fields[pack_key])
        agency, masked = _agency(masked, self._no_agency[pack_key])
        age, staff, amount, masked = _numbers(masked)
        rest = self.nouns(text, pack_key, masked)
        criteria = Criteria(
            pack=pack_key,
            keywords=rest,
            regions=places.regions,
            cities=places.cities,
            nationwide=places.nationwide,
            fields=fields,
            targets=targets,
            stage=stage,
            statuses=statuses,
            agency=agency,
            year=times.year,
            years_in_business=age,
            employees=staff,
            amount_min=amount,
            ends_from=times.ends_from,
            ends_to=times.ends_to,
            open_on=times.open_on,
        )
        concrete = criteria.is_told or bool(places.unknown)
        return StatedConditions(criteria, concrete, rest, places.unknown, "deadline" if order else "", masked)

    def ends_with_noun(self, text: str) -> bool:
        """Return whether a text is a phrase and no sentence: 제주 창업 지원사업이요."""
        told = [morpheme for morpheme in self._analyzer.morphemes(text) if not morpheme.tag.startswith("S")]
        while told and (told[-1].tag in _CLOSING_TAGS or told[-1].form == "요"):
            told.pop()
        return bool(told) and told[-1].tag in NOUN_TAGS

    def is_terse(self, text: str, remaining: str) -> bool:
        """Return whether a text has no verbs, where its conditions do not stand, but those by which people ask for a list: 서울만 보고 싶어요."""
        verbs = (
            each.form
            for each in self._analyzer.morphemes(text)
            if each.tag in _VERB_TAGS and not remaining[each.start : each.end].isspace()
        )
        return all(f"{verb}다" in self._listing_verbs for verb in verbs)

    def is_name(self, word: str, text: str) -> bool:
        """Return whether a word of a text is a proper noun."""
        found = self._analyzer.morphemes(text)
        return any(each.tag == "NNP" and text[each.start : each.end] == word for each in found)

    def says(self, text: str, words: Sequence[str]) -> bool:
        """Return whether a text has one of the words, written together or not, from where a morpheme begins: 차이 is not in 프랜차이즈."""
        starts = {morpheme.start for morpheme in self._analyzer.morphemes(text)}
        told = [plain(text[start:]) for start in starts]
        return any(rest.startswith(plain(word)) for word in words for rest in told)

    def compounds(self, text: str, pack_key: str) -> tuple[str, ...]:
        """Return the nouns of a text, those written together as one: 사업자등록 is neither 사업자 nor 등록.

        Those are left out all of whose parts say nothing, or are asked of any notice: 제출서류.
        """
        fillers, details = self._fillers[pack_key], self._data.words.details
        found: list[tuple[str, bool]] = []
        end = -1
        for morpheme in self._analyzer.morphemes(text):
            if morpheme.tag not in NOUN_TAGS:
                continue
            word = text[morpheme.start : morpheme.end]
            says = morpheme.form.casefold() not in fillers
            says = says and not any(known in word or known in morpheme.form for known in details)  # 얼만가요 has 얼마
            if found and morpheme.start == end:
                found[-1] = found[-1][0] + word, found[-1][1] or says
            else:
                found.append((word, says))
            end = morpheme.end
        objects = frozenset(map(plain, self._data.packs[pack_key].objects))
        kept = (word for word, says in found if says and word.casefold() not in fillers and plain(word) not in objects)
        return tuple(dict.fromkeys(word for word in kept if len(word) > 1))

    def nouns(self, text: str, pack_key: str, masked: str = "") -> tuple[str, ...]:
        """Return the nouns of a text that say something, those written together as one; of ``masked`` where that is the text with blanks in it."""
        fillers, masked = self._fillers[pack_key], masked or text
        found: list[str] = []
        end = -1
        for morpheme in self._analyzer.morphemes(text):
            if morpheme.tag not in NOUN_TAGS or morpheme.form.casefold() in fillers:
                continue
            word = masked[morpheme.start : morpheme.end].strip()
            if found and morpheme.start == end:
                found[-1] += word
            else:
                found.append(word)
            end = morpheme.end
        objects = frozenset(map(plain, self._data.packs[pack_key].objects))
        kept = (word for word in found if word.casefold() not in fillers and plain(word) not in objects)
        return tuple(dict.fromkeys(word for word in kept if len(word) > 1))

    def _statuses(self, text: str, pack: NoticePack) -> tuple[tuple[NoticeStatus, ...], str]:
        if (match := _CLOSED_TOO.search(text)) and (words := _CLOSED_WORDS.search(text, match.start())):
            return tuple(NoticeStatus), _masked(text, (words.span(),))
        if match := _CLOSED.search(text):
            return (NoticeStatus.CLOSED,), _masked(text, (match.span(),))
        for status, pattern in self._states[pack.key]:
            if match := pattern.search(text):
                return (status,), _masked(text, (match.span(),))
        if match := self._current.search(text):
            return (NoticeStatus.OPEN, NoticeStatus.ROLLING), _masked(text, (match.span(),))
        return (), text

    def _stage(self, text: str, pack: NoticePack) -> tuple[str, str]:
        match = self._stages[pack.key].search(text)
        if match is None:
            return "", text
        return pack.stage_of(match.group()) or "", _masked(text, (match.span(),))


def _matching(
    text: str, words: Mapping[str, tuple[str, ...]], patterns: Sequence[re.Pattern[str]]
) -> tuple[tuple[str, ...], str]:
    """Return the names whose words stand in a text, and the text without them."""
    found: dict[str, None] = {}
    spans: list[tuple[int, int]] = []
    for pattern in patterns:
        for match in pattern.finditer(text):
            name = _name_of(words, match.group())
            if name is not None and not any(start < match.end() and match.start() < end for start, end in spans):
                found[name] = None
                spans.append(match.span())
    # 분양 says nothing beside 공공분양(신혼희망)
    names = tuple(name for name in found if not any(name != other and name in other for other in found))
    return names, _masked(text, spans)


def _word_patterns(
    words: Mapping[str, tuple[str, ...]], after: str, only_followed: frozenset[str] | None
) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of words that count anywhere, and of those that count only before ``after``.

    These are ``only_followed``; where that is None, the short ones.
    """
    every = sorted({word for name, known in words.items() for word in (name, *known)}, key=len, reverse=True)
    bound = [word for word in every if (len(word) <= _SHORT if only_followed is None else word in only_followed)]
    return _either([word for word in every if word not in bound], ""), _either(bound, after)


def _stage_pattern(pack: NoticePack) -> re.Pattern[str]:
    """The pattern of the words of stages; those that also name a field or a target say nothing of the stage."""
    every = {word for name, stage in pack.stages.items() for word in (name, *stage.words)}
    words = sorted(
        (word for word in every if not pack.field_of(word) and not pack.target_of(word)), key=len, reverse=True
    )
    long, short = [word for word in words if len(word) > _SHORT], [word for word in words if len(word) <= _SHORT]
    free, bound = _either(long, "").pattern, _either(short, r"(?=\s?(?:단계|기업))").pattern
    return re.compile(f"{free}|{bound}")


def _either(words: list[str], after: str) -> re.Pattern[str]:
    if not words:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<![가-힣])(?:{'|'.join(map(re.escape, words))}){after}")


def _spaced(words: Iterable[str]) -> re.Pattern[str]:
    """The pattern of words that may be written with blanks within: 접수중, 접수 중; 공고 중에서 is something else."""
    every = sorted({plain(word) for word in words}, key=len, reverse=True)
    spelled = ("\\s?".join(map(re.escape, word)) for word in every)
    return re.compile(rf"(?<![가-힣])(?:{'|'.join(spelled)})(?!에)")


def _name_of(words: Mapping[str, tuple[str, ...]], word: str) -> str | None:
    wanted = plain(word)
    return next((name for name, known in words.items() if wanted in (plain(name), *map(plain, known))), None)


def _agency(text: str, others: frozenset[str]) -> tuple[str, str]:
    for match in _AGENCY.finditer(text):
        if match[1] not in others and not match[1].endswith(("지원", "회원", "일부", "전부")):
            return match[1], _masked(text, (match.span(1),))
    return "", text


def _numbers(text: str) -> tuple[float | None, int | None, int | None, str]:
    """Age of the company, headcount and least amount that a text names, and the text without them."""
    spans: list[tuple[int, int]] = []
    age = staff = amount = None
    if match := _AGE.search(text):
        age = float(match[1])
        spans.append(match.span())
    if match := _STAFF.search(text):
        staff = int(match[1])
        spans.append(match.span())
    if match := _ROUND_SUM.search(text):  # 1억 이상: people leave out the 원
        amount = int(match[1]) * _TENS_OF[match[2]]
        spans.append(match.span())
    for figure in find_figures(text):
        number = figure.canonical.removesuffix("원")
        least = _LEAST.match(text, figure.end)
        if figure.kind is FigureKind.MONEY and number.isdecimal() and least is not None:
            amount = min(int(number), 10**15)
            spans.append((figure.start, least.end()))
    return age, staff, amount, _masked(text, spans)


def _masked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with blanks in place of the spans: offsets stay."""
    letters = list(text)
    for start, end in spans:
        letters[start:end] = " " * (end - start)
    return "".join(letters)
