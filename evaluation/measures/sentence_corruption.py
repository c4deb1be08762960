"""Cited sentences as a model writes them after the starter base, each with exactly one fact of it changed.

Made by rule from a seed, so that a sentence is reworded and spoilt in the same way each time. The source of a sentence is the whole
document, as in an answer of the service.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from utils.figures.figures import Figure, FigureKind, find_figures
from utils.grounding.check import AnswerChecker, GroundingSource, Verdict
from utils.knowledge.references import references_of
from utils.knowledge.unit_parser import parse_unit_document
from utils.knowledge.units import UnitDocument

SEED = 20_261_123
PER_KIND = 120
"""Sentences of each kind and half."""


class Change(StrEnum):
    """The one fact of a sentence that is changed."""

    NUMBER = "number"
    DATE = "date"
    ARTICLE = "article"
    NEGATION = "negation"
    AGENCY = "agency"


@dataclass(frozen=True, slots=True)
class SpoiltSentence:
    """A sentence cited as ``[1]``, right and with one fact changed; ``is_held_out``: no rule was made after its document."""

    change: Change
    document: str
    is_held_out: bool
    source: GroundingSource
    intact: str
    spoilt: str


_ASIDE = re.compile(r"\s?\((?=[^()]{0,200}제\d+조)[^()]{1,200}\)|\s?\([^()]{0,200}(?:법|령|규칙)[^()]{0,20}\)")
_STYLES: tuple[tuple[tuple[str, str], ...], ...] = (
    (),
    (
        ("합니다.", "해요."),
        ("됩니다.", "돼요."),
        ("있습니다.", "있어요."),
        ("없습니다.", "없어요."),
        ("않습니다.", "않아요."),
        ("입니다.", "이에요."),
    ),
    (("해야 합니다", "하여야 합니다"), ("됩니다.", "되게 됩니다."), ("입니다.", "인 것입니다.")),
    (("해야 합니다.", "해야 해요."), ("신청할 수 있습니다.", "신청하실 수 있습니다.")),
)
_LEADS = ("", "", "", "우선 ", "이때 ", "참고로 ", "- ")

_OPPOSITES: tuple[tuple[str, str], ...] = (
    (r"([가-힣])해야 (?:합니다|하고|하며|해요)", r"\1하지 않아도 됩니다"),
    (r"([가-힣])하여야 (?:합니다|해요)", r"\1하지 않아도 됩니다"),
    (r"하지 않아도 (?:됩니다|돼요)", "해야 합니다"),
    (r"하지 못(?:합니다|해요)", "할 수 있습니다"),
    (r"받지 못(?:합니다|해요)", "받을 수 있습니다"),
    (r"(?<!않을 )(?<!못할 )수 (?:있습니다|있어요)", "수 없습니다"),
    (r"수 없습니다|수 없어요", "수 있습니다"),
    (r"적용되지 않(?:습니다|아요|어요)", "적용됩니다"),
    (r"적용(?:됩니다|돼요)", "적용되지 않습니다"),
    (r"해당하지 않(?:습니다|아요|어요)", "해당합니다"),
    (r"([가-힣])되지 않(?:습니다|아요|어요)", r"\1됩니다"),
    (r"([가-힣])하지 않(?:습니다|아요|어요)", r"\1합니다"),
    (r"([가-힣])(?:됩니다|돼요)\.", r"\1되지 않습니다."),
    (r"([가-힣])(?<![야못])(?:합니다|해요)\.", r"\1하지 않습니다."),
    (r"포함(?=합|됩|돼|해요|하)", "제외"),
    (r"제외(?=합|됩|돼|해요|하)", "포함"),
    (r"(?<=[가-힣])이 아닙니다", "입니다"),
    (r"필요합니다|필요해요", "필요하지 않습니다"),
    (r"(?<!수 )없(?:습니다|어요)\.", "있습니다."),
    (r"(?<!수 )있(?:습니다|어요)\.", "없습니다."),
)  # fmt: skip

_SWAPS: Mapping[str, tuple[str, ...]] = {
    "세무서": ("구청", "관세청", "고용센터"),
    "국세청": ("관세청", "행정안전부", "금융감독원"),
    "관세청": ("국세청", "조달청"),
    "세관": ("세무서", "보건소"),
    "구청": ("세무서", "교육청"),
    "시·군·구청": ("세무서", "경찰서"),
    "시장·군수·구청장": ("교육감", "세무서장", "경찰서장"),
    "시·도지사": ("교육감", "국세청장"),
    "고용노동부": ("근로복지공단", "보건복지부", "중소벤처기업부"),
    "고용노동부장관": ("보건복지부장관", "산업통상부장관"),
    "지방고용노동관서": ("근로복지공단", "노동위원회"),
    "고용센터": ("주민센터", "세무서"),
    "노동청": ("세무서", "노동위원회"),
    "근로복지공단": ("고용노동부", "국민연금공단"),
    "국민건강보험공단": ("근로복지공단", "국민연금공단"),
    "국민연금공단": ("국민건강보험공단", "근로복지공단"),
    "노동위원회": ("법원", "고용노동부"),
    "지방노동위원회": ("지방법원", "고용노동부"),
    "공정거래위원회": ("금융위원회", "중소벤처기업부", "국민권익위원회"),
    "법원": ("노동위원회", "경찰서", "공정거래위원회"),
    "중소벤처기업부장관": ("과학기술정보통신부장관", "고용노동부장관"),
    "소상공인시장진흥공단": ("근로복지공단", "창업진흥원"),
    "중소벤처기업진흥공단": ("소상공인시장진흥공단", "기술보증기금"),
    "식품의약품안전처장": ("보건복지부장관", "질병관리청장"),
    "지식재산처": ("중소벤처기업부", "공정거래위원회"),
    "국민권익위원회": ("공정거래위원회", "노동위원회"),
    "서민금융진흥원": ("신용회복위원회", "금융감독원"),
    "신용회복위원회": ("서민금융진흥원", "법원"),
    "한국자산관리공사": ("예금보험공사", "서민금융진흥원"),
    "지역신용보증재단": ("기술보증기금", "신용보증기금"),
    "등기소": ("세무서", "구청"),
    "보건소": ("소방서", "세무서"),
    "소방서": ("보건소", "경찰서"),
    "교육감": ("시장·군수·구청장", "고용노동부장관"),
    "지방자치단체": ("국세청", "교육청"),
    "외국환은행": ("관세청", "한국은행"),
}  # fmt: skip
_ACTS = r"(?:장)?(?:은|는|이|가|에서|에게|에|의 (?:승인|허가|인가|조사|명령|결정)|으로부터|로부터)(?=\s)"
_AGENCY = re.compile(rf"(?<![가-힣·])({'|'.join(sorted(_SWAPS, key=len, reverse=True))})(?={_ACTS})")
_NUMERAL = re.compile(r"\d[\d,]*(?:\.\d+)?")


def spoilt_sentences(knowledge: Path, per_kind: int = PER_KIND, seed: int = SEED) -> list[SpoiltSentence]:
    """Up to ``per_kind`` spoilt sentences of each change and half of the documents under ``knowledge``, of all domains alike."""
    drawn: defaultdict[tuple[Change, bool, str], list[SpoiltSentence]] = defaultdict(list)
    for domain, document in _documents(knowledge):
        for spoilt in _of_document(document, seed):
            drawn[spoilt.change, spoilt.is_held_out, domain].append(spoilt)
    chosen: list[SpoiltSentence] = []
    for change in Change:
        for held_out in (False, True):
            queues = [
                random.Random(f"{seed}:{key}").sample(rows, len(rows))  # noqa: S311  # repeatable, not secret
                for key, rows in sorted(drawn.items())
                if key[:2] == (change, held_out)
            ]
            chosen += _by_turns(queues, per_kind)
    return chosen


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """The claims that the check does not let stand in a sentence as it was, and with the one fact changed."""

    sentence: SpoiltSentence
    alarm: tuple[str, ...]
    found: tuple[str, ...]


def checked(sentences: Iterable[SpoiltSentence], checker: AnswerChecker) -> list[CheckedSentence]:
    return [
        CheckedSentence(each, _refused(each.intact, each.source, checker), _refused(each.spoilt, each.source, checker))
        for each in sentences
    ]


def figures(results: Iterable[CheckedSentence]) -> dict[tuple[str, bool], tuple[int, int, int]]:
    """Sentences, changes found and false alarms by kind (and ``all``) and half."""
    counts: defaultdict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    for result in results:
        for kind in (result.sentence.change.value, "all"):
            counts[kind, result.sentence.is_held_out].update(
                {"sentences": 1, "found": bool(result.found), "alarms": bool(result.alarm)}
            )
    return {key: (count["sentences"], count["found"], count["alarms"]) for key, count in counts.items()}


def _refused(text: str, source: GroundingSource, checker: AnswerChecker) -> tuple[str, ...]:
    checks = checker.check(text, [source]).sentences
    return tuple(
        claim
        for check in checks
        if check.verdict is not Verdict.SUPPORTED
        for claim in (*check.unsupported_claims, check.verdict.value)
    )


def _documents(knowledge: Path) -> Iterator[tuple[str, UnitDocument]]:
    for file in sorted(knowledge.rglob("*.md")):
        document = parse_unit_document(file.read_text(encoding="utf-8")).document
        if document is not None:
            yield file.relative_to(knowledge).parts[0], document


def _of_document(document: UnitDocument, seed: int) -> Iterator[SpoiltSentence]:
    texts = [sentence.text for unit in document.units for sentence in unit.sentences]
    source = GroundingSource(
        1,
        document.content,
        document.title,
        document.source_name,
        document.effective_date.isoformat(),
        tuple(map(str, references_of(texts).found)),
        document.source_url,
    )
    held_out = sha256(document.id.encode()).digest()[0] % 2 == 1
    for text in texts:
        for change, spoil in _CHANGES.items():
            chance = random.Random(f"{seed}:{change}:{text}")  # noqa: S311  # repeatable, not secret
            intact = _reworded(text, chance, keep_asides=change is Change.ARTICLE)
            if (spoilt := spoil(intact, chance)) and spoilt != intact:
                yield SpoiltSentence(change, document.id, held_out, source, f"{intact} [1]", f"{spoilt} [1]")


def _by_turns(queues: list[list[SpoiltSentence]], most: int) -> list[SpoiltSentence]:
    taken: list[SpoiltSentence] = []
    while len(taken) < most and any(queues):
        taken += [queue.pop() for queue in queues if queue]
    return taken[:most]


def _reworded(text: str, chance: random.Random, *, keep_asides: bool) -> str:
    """The sentence with or without its articles in brackets, in another style of speech, its clauses in their order."""
    if not keep_asides and chance.random() < 0.5:
        text = _ASIDE.sub("", text)
    for written, said in chance.choice(_STYLES):
        text = text.replace(written, said)
    return chance.choice(_LEADS) + text


def _changed_number(text: str, chance: random.Random) -> str | None:
    kinds = (FigureKind.COUNT, FigureKind.MONEY, FigureKind.PERCENT)
    return _changed_figure(text, chance, [figure for figure in find_figures(text) if figure.kind in kinds])


def _changed_date(text: str, chance: random.Random) -> str | None:
    return _changed_figure(text, chance, [each for each in find_figures(text) if each.kind is FigureKind.DATE])


def _changed_article(text: str, chance: random.Random) -> str | None:
    kinds = (FigureKind.ARTICLE, FigureKind.CLAUSE)
    return _changed_figure(text, chance, [figure for figure in find_figures(text) if figure.kind in kinds])


def _changed_figure(text: str, chance: random.Random, figures: list[Figure]) -> str | None:
    """The text with a numeral of a figure changed; None where no figure has any. A month stays one, a day too."""
    numerals = [
        match
        for figure in figures
        for match in _NUMERAL.finditer(text, figure.start, figure.end)
        if match.group() != "0"
    ]
    if not numerals:
        return None
    numeral = chance.choice(numerals)
    changed = _other_number(numeral.group(), text[numeral.end() : numeral.end() + 2].strip()[:1], chance)
    return text[: numeral.start()] + changed + text[numeral.end() :]


def _other_number(written: str, unit: str, chance: random.Random) -> str:
    if "." in written:
        whole, _, part = written.partition(".")
        return f"{int(whole.replace(',', '')) + chance.choice((1, 2, 5))}.{part}"
    value = int(written.replace(",", ""))
    most = {"월": 12, "일": 28}.get(unit, 0)
    candidates = [value + 1, value + 2, value + 5, value * 2, value * 10, value * 3, value - 1, value // 2]
    if unit == "분":  # 100분의 5
        candidates = [value * 10]
    fit = [number for number in candidates if number > 0 and number != value and not (most and value <= most < number)]
    other = chance.choice(fit)
    return f"{other:,}" if "," in written else str(other)


def _negated(text: str, chance: random.Random) -> str | None:
    """The last statement of the sentence turned into its opposite."""
    for pattern, replacement in _OPPOSITES:
        matches = list(re.finditer(pattern, text))
        if matches and matches[-1].end() >= len(text.rstrip(".")) - 3:
            last = matches[-1]
            return text[: last.start()] + last.expand(replacement) + text[last.end() :]
    return None


def _other_agency(text: str, chance: random.Random) -> str | None:
    matches = list(_AGENCY.finditer(text))
    if not matches:
        return None
    match = chance.choice(matches)
    other = chance.choice([each for each in _SWAPS[match[1]] if each not in text] or [""])
    return text[: match.start()] + other + text[match.end() :] if other else None


_CHANGES: Mapping[Change, Callable[[str, random.Random], str | None]] = {
    Change.NUMBER: _changed_number,
    Change.DATE: _changed_date,
    Change.ARTICLE: _changed_article,
    Change.NEGATION: _negated,
    Change.AGENCY: _other_agency,
}
