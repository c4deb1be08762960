"""Questions of yes or no: whether a question is one, and what its last predicate asks, denied or not, of what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from utils.conclusions.thresholds import Measured, measured
from utils.figures.figures import find_figures
from utils.figures.numeral_words import legible
from utils.protocols import Morpheme

DENIED = "~"
"""Stands in the scope of a question before a word that is denied."""


class Kind(StrEnum):
    """The sense of the last predicate of a question of yes or no."""

    OBLIGATION = "obligation"  # 줘야 하나요, 의무인가요
    PERMISSION = "permission"  # 줄여도 되나요
    ABILITY = "ability"  # 받을 수 있나요, 가능한가요
    SUFFICIENCY = "sufficiency"  # 신고만 하면 되나요
    SANCTION = "sanction"  # 처벌받나요, 과태료가 있나요
    APPLICABILITY = "applicability"  # 대상인가요, 적용되나요
    EXISTENCE = "existence"  # 상한이 있나요
    IDENTITY = "identity"  # 창업인가요
    OCCURRENCE = "occurrence"  # 내나요, 줄어드나요


@dataclass(frozen=True, slots=True)
class Polarity:
    """The last predicate of a question: 안 줘도 되나요 is a negated obligation, 하면 안 되나요 a negated permission."""

    kind: Kind
    is_negated: bool

    def stance(self, verdict: bool) -> int:
        """1 where the verdict says that a rule binds, -1 where it leaves free, 0 where the predicate says neither."""
        return STANCES.get(self.kind, 0) * (1 if verdict != self.is_negated else -1)


STANCES = {Kind.OBLIGATION: 1, Kind.SANCTION: 1, Kind.PERMISSION: -1, Kind.SUFFICIENCY: -1}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure in canonical form and the bound that it is: 5인 미만 is 5명 with ``<``; ``bound`` is empty for 5명."""

    figure: str
    bound: str = ""


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A question as verdicts read it. ``polarity`` is None where it asks for no yes or no."""

    polarity: Polarity | None
    words: frozenset[str] = frozenset()  # what it is about, its last predicate left out
    scope: frozenset[str] = frozenset()  # words that widen, narrow or deny: 무조건, 만, 없이, 먼저
    quantities: frozenset[Quantity] = frozenset()
    cues: frozenset[str] = frozenset()  # small words and the last endings, as form/tag
    figures: tuple[Measured, ...] = ()  # those that thresholds may be held against


# The endings of a question, and those of a statement as well, which ask where a question mark follows.
_ASKS = re.compile(
    r"(?:나|나여|나요|는가|은가|ᆫ가|던가|는가요|은가요|ᆫ가요|던가요|을까|ᆯ까|까|을까요|ᆯ까요|까요|죠|지|지요|니|냐|느냐)"
)
# A sentence goes on behind these without a mark: 신고 해야 하나요 직원은 없어요.
_ASKS_ANYWHERE = re.compile(r"(?:나|는가|은가|ᆫ가|던가|을까|ᆯ까|까|죠|지)요|죠")
# 적용되는지 궁금합니다, 되는지 알고 싶어요, 받는지도요
_WHETHER = frozenset("는지 은지 ᆫ지 을지 ᆯ지".split())
_WONDERS = frozenset(
    "궁금 궁금하 알 싶 알리 주 모르 걱정 걱정되 여쭙 여쭈 문의 문의하 부탁 부탁하 하 되 드리 확인 확인하".split()
)
_MAY_ASK = frozenset("어 어요 아 아요 에요 예요 이에요 여 여요 야 ᆫ다며 래 대요".split())
_INTERROGATIVES = frozenset(
    "언제 얼마 얼마나 얼만큼 얼마큼 어떻게 어떻 어떠하 어떡하 어떤 뭐 뭣 무엇 무어 무슨 누구 누가 어디 몇 며칠 왜 어느 어찌".split()
)
_INTERROGATIVE_TAGS = ("NP", "MAG", "MM", "NNG", "NR", "VA", "VV", "XR", "IC")
_INDEFINITE = frozenset("나 이나 든 든지 이든 이든지 라도 이라도 든가 이든가 도".split())  # 누구나, 어떤 경우에도
_EVER = frozenset("든 든지 든가".split())
_CHOICE = re.compile(r"(?:(?:나요|까요|가요|에요|예요|돼요|해요|죠)[ ,?]{1,3}|[나까가지][,?] ?)(?:아니면|아님|혹은)\s")
_SIGNS = ("SF", "SP", "SS", "SE", "SO")

_END = r"(?:\S+/(?:EP|EF|EC|JX|ETM|NNB|VCP|JKS|ETN) ){0,6}$"
_PARTICLE = r"(?:\S+/J\S+ )?"
_NOT_DONE = r" (?:(?:안|못)/MAG (?:\S+/(?:VV|VX|VA|NNG|XR|XSV|XSA|EC) ){1,6}?|지/EC (?:\S+/JX )?(?:않|못하|말)/VX )"
_FINE = r"(?:(?:되|괜찮|좋)/V\S+ |(?:상관|문제|무방|지장|탈|관계)/\S+ (?:\S+/J\S+ )?(?:없|하)/\S+ |(?:상관없|문제없)/VA |(?:무방|안전)/\S+ 하/XSA )"
_SANCTIONS = "처벌|과태료|벌금|불법|위법|위반|징역|제재|불이익|벌칙|벌|가산세|과징금|범칙금|걸리|단속"
_HOPED_FOR = "방법|길|방도|수단|구제책|혜택|지원|지원금|제도|곳|데|거|것|게"
_PREDICATES: tuple[tuple[Kind, bool | None, re.Pattern[str]], ...] = tuple(
    (kind, negated, re.compile(pattern))
    for kind, negated, pattern in (
        (Kind.OBLIGATION, None, rf" (?:어야|아야|여야|라야)/EC (?:만/JX )?(?P<n>안/MAG )?(?:하|되)/V\S+ {_END}"),
        (Kind.OBLIGATION, False, rf"(?P<d>{_NOT_DONE})(?:면|으면|어서는|고서는)/EC (?:는/JX )?안/MAG 되/V\S+ {_END}"),
        (Kind.OBLIGATION, True, rf"(?P<d>{_NOT_DONE})(?:어도|아도|여도)/EC {_FINE}{_END}"),
        (Kind.PERMISSION, None, rf" (?:어도|아도|여도)/EC (?P<n>안/MAG )?{_FINE}{_END}"),
        (Kind.PERMISSION, True, rf" (?:면|으면|어서는|고서는)/EC (?:는/JX )?안/MAG 되/V\S+ {_END}"),
        (Kind.SUFFICIENCY, None, rf" (?:면|으면)/EC (?:되|끝나)/V\S+ {_END}| 끝/NNG 이/VCP {_END}"),
        (
            Kind.ABILITY,
            None,
            rf" 수/NNB {_PARTICLE}(?:있|(?P<n>없))/V\S+ {_END}| (?:가능|(?P<n2>불가능))/\S+ (?:하|이)/\S+ {_END}"
            rf"| (?P<n3>못)/MAG (?P<d>(?:\S+/(?:VV|NNG|XSV|VX|EC) ){{1,3}}){_END}",
        ),
        # 이거 불법 아닌가요 expects that it is; 불법이 아닌가요 asks whether it is not.
        (Kind.SANCTION, False, rf" (?P<d>(?:불법|위법|위반)/NNG )아니/VCN {_END}"),
        (
            Kind.SANCTION,
            None,
            rf" (?P<d>(?:{_SANCTIONS})/(?:NNG|VV) )(?:(?:이|가|은|는|도|를|을)/J\S+ )?(?P<n>(?:안|못)/MAG )?"
            rf"(?:(?P<n2>없)/VA |(?P<n3>아니)/VCN |(?:있|받|나오|물|내|되|이|당하|붙|하)/(?:V\S+|XSV) )?(?:지/EC (?P<n4>않)/VX )?{_END}",
        ),
        (
            Kind.OBLIGATION,
            None,
            rf" (?:필요|의무|필수)/NNG {_PARTICLE}(?:(?P<n>없)/VA |(?P<n2>아니)/VCN |있/V\S+ |이/VCP |하/XSA ){_END}",
        ),
        (
            Kind.APPLICABILITY,
            None,
            rf" (?P<d>(?:대상|해당|적용|포함|제외|면제)/NNG )(?:자/XSN )?{_PARTICLE}(?P<n>(?:안|못)/MAG )?"
            rf"(?:(?P<n2>없)/VA |(?P<n3>아니)/VCN |있/V\S+ |이/VCP |\S+/(?:XSV|VV) )(?P<n4>지/EC (?:\S+/JX )?않/VX )?{_END}",
        ),
        (Kind.IDENTITY, None, rf"/[^\s/]+ (?:\S+/JK[CS] )?(?:이/VCP|(?P<n>아니)/VCN) {_END}"),
        # 돌려받을 방법 없나요 and 빼 주는 거 없나요 hope that there is one.
        (Kind.EXISTENCE, False, rf" (?:{_HOPED_FOR})/NN[GB] {_PARTICLE}없/VA {_END}"),
        (Kind.EXISTENCE, None, rf" (?:있|(?P<n>없))/V[AV] {_END}"),
    )
)
# 없는 거 맞죠, 해야 하는 것 아닌가요: whether it is as said, so that yes is the yes of what was said.
_CONFIRMED = re.compile(
    r"/ETM (?P<tail>(?:거|것)/NNB (?:\S+/J\S+ )?(?:맞/V\S+|아니/VCN) (?:\S+/(?:EP|EF|EC|JX) ){1,4})$"
)
_PREDICATE_TAGS = frozenset({"VV", "VA", "XSV", "XSA"})
_LATEST = 24  # morphemes among which the last predicate is
_LONGEST = 12  # letters of each that patterns read
_DENIALS = frozenset({"안/MAG", "못/MAG", "않/VX", "못하/VX", "말/VX"})

_CUE_TAGS = ("MA", "JX", "EC", "VA", "VX", "MM", "VC", "XS")
_ENDING = 3  # morphemes at the end of a question

_WORD_TAGS = frozenset({"NNG", "NNP", "XR", "SL", "SH", "VV", "VA", "NR", "MM"})
_PARTIES = frozenset("가게 회사 매장 사업장 업체 직원 사장 우리 저희 저 제 나 내 혹시 하 되 있".split())
_SCOPES = frozenset(
    "무조건 전부 전체 다 모두 바로 곧바로 즉시 아무 마음대로 따로 별도 또 먼저 미리 그냥 혼자 아예 절대 계속 원칙 처음 전 뒤 후 나중 직접 같이 함께 이미 아직"
    " 대신 일일이 그대로 똑같 일부 반 외 사이".split()
)
_SCOPE_PARTICLES = {"만": "만", "밖에": "만", "까지": "까지", "부터": "부터", "보다": "보다"}
_DENYING = frozenset("안 못 않 없 없이 아니 말 못하".split())
_BEFORE = frozenset("안 못".split())  # of the denying words those that stand before what they deny
_NEAR = 4  # morphemes before any other in which it is

_BOUNDS = tuple(
    (bound, re.compile(pattern))
    for bound, pattern in (
        ("<", r"\s{0,2}(?:미만|[이도]?\s?안\s?[되돼된]|[이도]?\s?못\s?[되미]|보다\s?적|밑)"),
        (">", r"\s{0,2}(?:초과|[을를이가도]?\s?넘)"),
        ("<=", r"\s{0,2}(?:이하|이내|까지|안에)"),
        (">=", r"\s{0,2}(?:이상|부터)"),
    )
)


def read_question(question: str, morphemes: Sequence[Morpheme]) -> QuestionReading:
    """Read ``question`` for its verdict; of one that asks for no yes or no nothing is read.

    One that does ends as a question, has no word that asks for something else (언제, 얼마, 어떻게), and offers no choice (…인가요, 아니면 …).
    """
    asking = _asking_part(question, morphemes)
    predicate = _predicate(asking) if asking else None
    if not asking or predicate is None:
        return QuestionReading(None)
    polarity, begin, end = predicate
    outside = [m for m in morphemes if m.start < begin or m.start >= asking[-1].end]
    said = [m for m in morphemes if m.start < end or m.start >= asking[-1].end]
    told = frozenset(quantities(question))
    words, scope = frozenset(content_words(said)), frozenset(scope_words(outside))
    return QuestionReading(polarity, words, scope, told, frozenset(_cues(morphemes)), tuple(measured(question)))


# The words by which a question asks


def _asking_part(question: str, morphemes: Sequence[Morpheme]) -> list[Morpheme] | None:
    """The words of the sentence that asks for a yes or no, up to the ending that does; None where there is none."""
    if _CHOICE.search(question):
        return None
    sentence, is_marked = _asking_sentence(morphemes)
    ends = [number for number in range(len(sentence)) if _ends(sentence, number, is_marked=is_marked)]
    until = ends[-1] + 1 if ends else _noun_end(sentence) if is_marked else 0
    said = [m for m in sentence[:until] if not m.tag.startswith(_SIGNS)]
    return None if not said or any(_asks_for_content(said, number) for number in range(len(said))) else said


def _asking_sentence(morphemes: Sequence[Morpheme]) -> tuple[list[Morpheme], bool]:
    """The last sentence with a question mark, else the last one, and whether it has the mark: what follows explains it."""
    last: tuple[list[Morpheme], bool] = [], False
    sentence: list[Morpheme] = []
    for morpheme in morphemes:
        if morpheme.tag != "SF":
            sentence.append(morpheme)
            continue
        is_marked = morpheme.form.startswith(("?", "？"))
        if sentence and (is_marked or not last[1]):
            last = sentence, is_marked
        sentence = []
    return (sentence, False) if sentence and not last[1] else last


def _ends(sentence: Sequence[Morpheme], number: int, *, is_marked: bool) -> bool:
    """Return True if the question ends with this morpheme: nothing follows it, or a comma and what explains it."""
    morpheme = sentence[number]
    if morpheme.tag not in ("EF", "EC"):
        return False
    if morpheme.form in _WHETHER:
        return _wonders(sentence[number + 1 :])
    if morpheme.tag == "EF" and _ASKS_ANYWHERE.fullmatch(morpheme.form):
        return True
    rest = [m for m in sentence[number + 1 : number + 3] if m.tag != "JX"]  # 인가 + 요
    is_last = not any(not m.tag.startswith(_SIGNS) for m in rest)
    if rest and not (is_last or rest[0].tag == "SP"):
        return False
    if _ASKS.fullmatch(morpheme.form):
        return is_last or morpheme.tag == "EF" or morpheme.form.endswith(("요", "죠"))
    return is_last and morpheme.form in _MAY_ASK and (is_marked or _is_left_open(sentence[:number]))


def _wonders(rest: Sequence[Morpheme]) -> bool:
    """Return True if nothing but that it is asked stands behind 는지: 궁금합니다, 알고 싶어요, 알려 주세요."""
    words = (m for m in rest if not m.tag.startswith((*_SIGNS, "E", "J")))
    return all(m.form in _WONDERS for m in words)


def _noun_end(sentence: Sequence[Morpheme]) -> int:
    """The end of a marked sentence that ends as a noun, 넘어옴? and 갚아야 하는 거?; 0 of any other."""
    said = [number for number, m in enumerate(sentence) if not m.tag.startswith(_SIGNS)]
    if len(said) < 2:
        return 0
    if sentence[said[-1]].tag == "ETN":
        return said[-1] + 1
    is_thing = sentence[said[-1]].tag == "NNB" and sentence[said[-1]].form in ("거", "것")
    return said[-2] + 1 if is_thing and sentence[said[-2]].tag == "ETM" else 0


def _is_left_open(said: Sequence[Morpheme]) -> bool:
    """건너뛰어도 돼요 without a mark is a question all the same when an owner types it to be answered."""
    return len(said) > 1 and said[-1].form in ("되", "괜찮") and said[-2].form in ("어도", "아도", "여도")


def _asks_for_content(said: Sequence[Morpheme], number: int) -> bool:
    morpheme = said[number]
    if morpheme.form not in _INTERROGATIVES or not morpheme.tag.startswith(_INTERROGATIVE_TAGS):
        return False
    following = said[number + 1 : number + 4]
    return not any(
        (part.form in _INDEFINITE and part.tag.startswith("J")) or (part.form in _EVER and part.tag.startswith("E"))
        for part in following
    )


def _predicate(asking: Sequence[Morpheme]) -> tuple[Polarity, int, int] | None:
    """The last predicate, and the offsets at which it begins and up to which it says what it is about; None without one."""
    said = asking[-_LATEST:]
    written = [f"{m.form.replace('/', '·')[:_LONGEST]}/{m.tag.split('-')[0]}" for m in said]
    if confirmed := _CONFIRMED.search(f"{' '.join(written)} "):
        kept = len(said) - confirmed["tail"].count(" ")
        said, written = said[:kept], written[:kept]
    tail = f"  {' '.join(written)} "
    for kind, negated, pattern in _PREDICATES:
        if found := pattern.search(tail):
            groups = found.groupdict()
            content = groups.pop("d", None)
            is_negated = any(groups.values()) if negated is None else negated
            begin = tail.count("/", 0, found.start() + 1) + (kind is Kind.IDENTITY)
            end = begin + (content or "").count("/")
            return Polarity(kind, is_negated), said[begin].start, said[end].start if end < len(said) else said[-1].end
    for at in range(len(said) - 1, -1, -1):
        if said[at].tag.split("-")[0] in _PREDICATE_TAGS:
            is_negated = any(part in _DENIALS for part in written[max(at - 2, 0) :])
            return Polarity(Kind.OCCURRENCE, is_negated), said[at].end, said[at].end
    return None


# The cues of its subject


def _cues(morphemes: Sequence[Morpheme]) -> Iterator[str]:
    for number, morpheme in enumerate(morphemes):
        if morpheme.tag.startswith(_CUE_TAGS):
            yield morpheme.form
        if number >= len(morphemes) - _ENDING:
            yield f"{morpheme.form}/{morpheme.tag}"


def content_words(said: Sequence[Morpheme]) -> Iterator[str]:
    """Yield the words of content in their order; those for the asker and the shop are left out."""
    for morpheme in said:
        if morpheme.tag.split("-")[0] in _WORD_TAGS and morpheme.form not in _PARTIES:
            yield morpheme.form


def scope_words(said: Sequence[Morpheme]) -> Iterator[str]:
    """Yield the words that widen, narrow or deny, a denied word behind `DENIED`."""
    for number, morpheme in enumerate(said):
        if morpheme.tag.startswith("J") and morpheme.form in _SCOPE_PARTICLES:
            yield _SCOPE_PARTICLES[morpheme.form]
        elif morpheme.form in _DENYING and morpheme.tag.startswith(("MA", "V")):
            denied = (
                said[number + 1 : number + 2] if morpheme.form in _BEFORE else said[max(number - _NEAR, 0) : number]
            )
            words = [part.form for part in denied if part.tag.split("-")[0] in _WORD_TAGS]
            yield DENIED + "".join(words[-1:])
        elif morpheme.form in _SCOPES:
            yield morpheme.form


def quantities(text: str) -> Iterator[Quantity]:
    """Yield the figures of ``text`` with their bounds; numbers may be words (네 명)."""
    text = legible(text)
    for figure in find_figures(text):
        bound = next((bound for bound, pattern in _BOUNDS if pattern.match(text, figure.end)), "")
        yield Quantity(figure.canonical, bound)
