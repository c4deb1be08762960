"""The kind of answer that a question wants, and how well a sentence fits that kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from utils.figures.figures import Figure, FigureKind, find_figures


class Intent(StrEnum):
    """The kind of answer asked for."""

    DEADLINE = "deadline"  # 언제, 며칠, 기한
    DURATION = "duration"  # 몇 년, 몇 개월
    AMOUNT = "amount"  # 얼마, 한도
    RATE = "rate"  # 몇 퍼센트, 세율
    HEADCOUNT = "headcount"  # 몇 명
    AGE = "age"
    HOURS = "hours"
    TIMES = "times"
    SANCTION = "sanction"  # 안 하면
    DUTY = "duty"  # 꼭 해야 하나요, 안 내도 되나요
    OPEN = "open"  # 어떻게, 누가, 되나요: no figure tells which sentence answers it


_CUES: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    (Intent.DEADLINE, re.compile(r"언제|며칠|몇\s?일|기한|날짜|까지\s?(?:예요|인가|해야|하나|내)|얼마\s?(?:뒤|후|안|만)|타이밍")),
    (Intent.DURATION, re.compile(r"몇\s?(?:년|해|달|개월|주)|얼마나\s?(?:오래|걸)|기간|유효|평생|시효")),
    (Intent.AMOUNT, re.compile(r"얼마(?!\s?(?:뒤|후|안|만에))|금액|한도|최소|최대|얼만|기준|자본금|비용|수수료|몇\s?(?:원|만)")),
    (Intent.RATE, re.compile(r"몇\s?(?:%|퍼센트|프로|배)|%|퍼센트|세율|요율|이율|이자율|비율|공제율|감면율|얼마나?\s?(?:떼|더|깎|감면|공제)|얼마\s?떼|배나")),
    (Intent.HEADCOUNT, re.compile(r"몇\s?(?:명|인)|인원|규모")),
    (Intent.AGE, re.compile(r"몇\s?(?:살|세)|나이|연령|년생")),
    (Intent.HOURS, re.compile(r"몇\s?시(?:간)?")),
    (Intent.TIMES, re.compile(r"몇\s?(?:번|회|차례)|횟수")),
    (
        Intent.SANCTION,
        re.compile(r"안\s?(?:하|쓰|내|주|지키|끊)\S{0,4}면|어떻게\s?되|벌금|과태료|가산세|처벌|위반|불이익|걸리면|늦으면|책임|제재|신고당"),
    ),
    (Intent.DUTY, re.compile(r"[해줘내써어아야]야\s?[하되돼]|꼭|의무|필요|안\s?(?:해|줘|내|써|들어|받아)도|무조건")),
    (
        Intent.OPEN,
        re.compile(
            r"어떻게|절차|방법|어디|뭘|뭐|무엇|무슨|서류|준비|하려면|받으려면|누가|누구|대상|해당|자격|인정|적용|꼭|의무|해야|막을"
            r"|(?:되|돼|가능|괜찮|될까|있|없|필요|하|받|아니)\S{0,3}(?:나요|까요|가요|는지|냐|ᆫ가|죠|니까|나)"
        ),
    ),
)  # fmt: skip
_TIME = ("일", "영업일", "개월", "년", "주", "시간", "근무일")


def _has(kinds: Collection[FigureKind], units: Collection[str] = ()) -> Callable[[Figure], bool]:
    def test(figure: Figure) -> bool:
        return figure.kind in kinds or (
            figure.kind is FigureKind.COUNT and figure.canonical.lstrip("0123456789.") in units
        )

    return test


_FIGURES: dict[Intent, Callable[[Figure], bool]] = {
    Intent.DEADLINE: _has({FigureKind.DATE}, _TIME),
    Intent.DURATION: _has(set(), ("년", "개월", "주", "일")),
    Intent.AMOUNT: _has({FigureKind.MONEY}),
    Intent.RATE: _has({FigureKind.PERCENT, FigureKind.FRACTION}),
    Intent.HEADCOUNT: _has(set(), ("명",)),
    Intent.AGE: _has(set(), ("세",)),
    Intent.HOURS: _has(set(), ("시간", "시")),
    Intent.TIMES: _has(set(), ("회", "번")),
}
_TIMES = frozenset({Intent.DEADLINE, Intent.DURATION})
_QUANTITIES = frozenset({Intent.AMOUNT, Intent.RATE, Intent.HEADCOUNT, Intent.AGE, Intent.HOURS, Intent.TIMES})
_DEADLINE_WORDS = re.compile(r"이내|안에|까지|전에|부터|즉시|지체 없이")
_LOOSE = 0.4  # a time that is no deadline, a deadline that is no figure
_REACH = 12  # characters behind a figure that tell what it is
# 2년 이하의 징역 is no answer to 몇 년, 500만원 이하의 벌금 none to 얼마: they answer what happens to those who do not comply.
_OF_A_SANCTION = re.compile(r"\s?이하의\s(?:징역|벌금|과태료|구류|과징금)")
_EXEMPTION_WORDS = re.compile(r"않아도|면제|제외|적용되지 않|의무가 없|없습니다")
_SANCTION_WORDS = re.compile(
    r"과태료|벌금|징역|가산세|과징금|이행강제금|처벌|무효|취소|손해배상|제재|환수|책임|이자|불이익|해지"
)


@dataclass(frozen=True, slots=True)
class SentenceFit:
    """The fit of a sentence to each intent, in [0, 1], and whether it says that something need not be done."""

    by_intent: Mapping[Intent, float]
    exempts: bool = False

    def to(self, intents: AbstractSet[Intent]) -> float:
        """The fit to a question with these intents, in [0, 2.5]: a point of time or a duration, another quantity, and
        half as much for a sanction. What a sentence says in words alone decided nothing in the measurements."""
        return (
            max((self.by_intent.get(intent, 0.0) for intent in intents & _TIMES), default=0.0)
            + max((self.by_intent.get(intent, 0.0) for intent in intents & _QUANTITIES), default=0.0)
            + (0.5 * self.by_intent.get(Intent.SANCTION, 0.0) if Intent.SANCTION in intents else 0.0)
        )


def intents_of(question: str) -> frozenset[Intent]:
    """Return the kinds of answer that ``question`` asks for."""
    return frozenset(intent for intent, cue in _CUES if cue.search(question))


def sentence_fit(sentence: str) -> SentenceFit:
    """Return the kinds of answer that ``sentence`` can give, by the figures and words in it."""
    fits: dict[Intent, float] = {}
    for figure in find_figures(sentence):
        behind = sentence[figure.end : figure.end + _REACH]
        if _OF_A_SANCTION.match(behind):
            fits[Intent.SANCTION] = 1.0
            continue
        for intent, is_wanted in _FIGURES.items():
            if is_wanted(figure):
                fit = _LOOSE if intent is Intent.DEADLINE and not _DEADLINE_WORDS.search(behind) else 1.0
                fits[intent] = max(fits.get(intent, 0.0), fit)
    if _DEADLINE_WORDS.search(sentence):
        fits.setdefault(Intent.DEADLINE, _LOOSE)
    if _SANCTION_WORDS.search(sentence):
        fits[Intent.SANCTION] = 1.0
    return SentenceFit(fits, bool(_EXEMPTION_WORDS.search(sentence)))
