"""The conclusion of a unit answers a question about the same act with yes or no, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import pytest

from utils.conclusions.conclusions import concluded, read_conclusion
from utils.config.settings import PROJECT_ROOT
from utils.knowledge.case import Standing, case_of, fit
from utils.knowledge.unit_parser import parse_unit_document
from utils.knowledge.units import AnswerUnit, Ask, Aspect, Role, UnitSentence
from utils.knowledge.yes_no_questions import Kind, read_question
from utils.protocols import Morpheme
from vectorstores.tokenizer import KiwiTokenizer

PAYSLIP = "월급을 주는 회사는 직원에게 임금명세서를 주어야 합니다(근로기준법 제48조)."
CAMERA = "공개된 장소의 CCTV는 동의 없이 설치할 수 있고 안내판을 달아야 합니다(개인정보 보호법 제25조)."
LEAVE = "상시 4명 이하 사업장에는 연차 유급휴가 규정이 적용되지 않습니다(근로기준법 시행령 제7조)."
FINE = "임금명세서를 주지 않으면 과태료가 부과될 수 있습니다."
WITHDRAWAL = "한번 한 의사표시는 철회할 수 없습니다(민법 제543조)."
CONSENT = "광고 문자를 보내려면 명시적인 동의를 받아야 합니다."
FORUM = "소상공인은 소액재판을 신청할 수 있습니다."
SIZED = "상시 10명 이상의 회사는 취업규칙을 신고해야 합니다(근로기준법 제93조)."
WAIVED = "소매업은 임금명세서를 신고하지 않아도 됩니다."
MIXED = "소상공인은 소액재판을 신청할 수 있으나, 법인은 소액재판을 신청할 수 없습니다."


def told(question: str, conclusion: str, tokenizer: KiwiTokenizer, *, is_case_met: bool = False) -> bool | None:
    unit = AnswerUnit("이름", Aspect.CONTENT, (), (UnitSentence(Role.CONCLUSION, conclusion),))
    morphemes = tokenizer.morphemes(question)
    reading = read_question(question, morphemes)
    return concluded(reading, morphemes, read_conclusion(unit, tokenizer.morphemes), is_case_met=is_case_met)


@pytest.mark.parametrize(
    ("question", "conclusion", "verdict"),
    [
        ("임금명세서 꼭 줘야 하나요?", PAYSLIP, True),
        ("임금명세서 안 줘도 되나요?", PAYSLIP, False),
        ("안내판을 붙여야 되나요?", CAMERA, True),
        ("안내판 안 달아도 되나요? 작은 매장이에요", CAMERA, False),
        ("임금명세서 안 주면 과태료 낼 수 있나요?", FINE, True),
        ("의사표시를 철회해도 되나요?", WITHDRAWAL, False),
        ("의사표시를 철회하면 안 되나요?", WITHDRAWAL, True),
        ("동의 없이 광고 문자를 보내도 되나요?", CONSENT, False),
        ("소상공인이 소액재판을 신청할 수 있나요?", FORUM, True),
        ("임금명세서를 신고해야 하나요?", WAIVED, False),
    ],
)
def test_a_conclusion_about_the_same_act_answers(
    question: str, conclusion: str, verdict: bool, tokenizer: KiwiTokenizer
) -> None:
    assert told(question, conclusion, tokenizer) is verdict


@pytest.mark.parametrize(
    ("question", "conclusion"),
    [
        ("임금명세서는 언제 줘야 하나요?", PAYSLIP),  # no question of yes or no
        ("퇴직금 줘야 하나요?", PAYSLIP),  # of something else
        ("임금명세서만 줘야 하나요?", PAYSLIP),  # narrowed
        ("직원이 세 명인데 임금명세서 줘야 하나요?", PAYSLIP),  # a number that decides, for all the unit says
        ("캐나다 출신 용역 도급 파견 기사한테도 임금명세서 줘야 하나요?", PAYSLIP),  # more than the unit speaks of
        ("취업규칙 신고해야 하나요?", SIZED),  # said of some sizes only
        ("광고 문자를 보내도 되나요?", CONSENT),  # with consent it may
        ("개인 소상공인이 소액재판을 신청할 수 있나요?", FORUM),
        ("소상공인이 소액재판을 신청할 수 있나요?", MIXED),
    ],
)
def test_a_conclusion_that_does_not_decide_tells_nothing(
    question: str, conclusion: str, tokenizer: KiwiTokenizer
) -> None:
    assert told(question, conclusion, tokenizer) is None


def test_what_does_not_apply_to_some_sizes_frees_only_a_case_of_such_a_size(tokenizer: KiwiTokenizer) -> None:
    for question, verdict in (
        ("직원 세 명인데 연차 줘야 하나요?", False),
        ("직원 세 명인데 연차 안 줘도 되나요?", True),
    ):
        assert told(question, LEAVE, tokenizer, is_case_met=True) is verdict
        assert told(question, LEAVE, tokenizer) is None


# The shipped base

PRECISION = {Kind.OBLIGATION: 0.96, Kind.PERMISSION: 0.96, Kind.ABILITY: 0.96}
FEWEST_TOLD = 0.075


def outcome(
    unit: AnswerUnit, ask: Ask, morphemes_of: Callable[[str], Sequence[Morpheme]]
) -> tuple[Kind, bool | None] | None:
    """The kind of a phrasing and the truth of what the unit tells without it; None where the case is open or none is asked."""
    standing = fit(unit.conditions, case_of((ask.text,)))
    morphemes = morphemes_of(ask.text)
    reading = read_question(ask.text, morphemes)
    if reading.polarity is None or standing in (Standing.OPEN, Standing.CONTRADICTED):
        return None
    others = replace(unit, asks=tuple(other for other in unit.asks if other.text != ask.text))
    conclusion = read_conclusion(others, morphemes_of)
    verdict = concluded(reading, morphemes, conclusion, is_case_met=standing is Standing.MET)
    return reading.polarity.kind, None if verdict is None else verdict == ask.verdict


def outcomes(units: Sequence[AnswerUnit], tokenizer: KiwiTokenizer) -> list[tuple[Kind, bool | None]]:
    found = []
    for unit in units:
        morphemes_of = cache(tokenizer.morphemes)  # the others are read again for each that is hidden
        found += [outcome(unit, ask, morphemes_of) for ask in unit.asks if ask.verdict is not None]
    return [each for each in found if each is not None]


def test_a_hidden_phrasing_of_the_base_gets_its_verdict_from_the_conclusion(tokenizer: KiwiTokenizer) -> None:
    files = sorted((PROJECT_ROOT / "data" / "knowledge").rglob("*.md"))
    documents = [parse_unit_document(file.read_text(encoding="utf-8")).document for file in files]
    units = [unit for document in documents if document is not None for unit in document.units]
    told_of = outcomes(units, tokenizer)
    counts = Counter(told_of)
    assert sum(truth is not None for _, truth in told_of) / len(told_of) >= FEWEST_TOLD
    precision = {kind: counts[kind, True] / (counts[kind, True] + counts[kind, False]) for kind in PRECISION}
    assert all(precision[kind] >= least for kind, least in PRECISION.items()), precision
