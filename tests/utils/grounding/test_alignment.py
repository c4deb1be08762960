"""A fact of one sentence of a source does not stand in the place of another's."""

from __future__ import annotations

import pytest

from utils.grounding.check import AnswerChecker, GroundingSource, Verdict

SOURCE = GroundingSource(
    1,
    "과태료에 이의가 있으면 통지를 받은 날부터 60일 안에 행정청에 이의제기를 해야 합니다(질서위반행위규제법 제20조).\n"
    "과태료를 스스로 30일 안에 내면 100분의 20을 줄여 줍니다(질서위반행위규제법 제18조).\n"
    "3월분 보험료는 4월 10일까지 사업주가 근로복지공단에 납부합니다. 보수총액은 국민건강보험공단에 3월 15일까지 신고합니다.\n"
    "채권의 시효는 신고하면 5년이고, 신고하지 않았으면 7년, 부정행위가 있으면 10년입니다.\n"
    "단시간근로자는 직장가입자에서 제외합니다(국민건강보험법 제6조의2제1항).\n"
    "사업소득 원천징수영수증은 전자문서로 줄 수 있습니다. 부동산임대업은 간이과세를 적용받지 못합니다.",
    "과태료와 보험료",
)


def verdict_of(sentence: str, user_text: str = "") -> tuple[Verdict, tuple[str, ...]]:
    [check] = AnswerChecker().check(f"{sentence} [1]", [SOURCE], user_text).sentences
    return check.verdict, check.unsupported_claims


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("과태료에 이의가 있으면 통지를 받은 날부터 30일 안에 행정청에 이의제기를 해야 해요.", "30일"),
        ("과태료에 이의가 있으면 통지를 받은 날부터 삼십일 안에 행정청에 이의제기를 해야 해요.", "30일"),
        (
            "과태료를 스스로 30일 안에 내면 100분의 20을 줄여 줍니다(질서위반행위규제법 제20조).",
            "질서위반행위규제법 제20조",
        ),
        ("4월분 보험료는 4월 10일까지 사업주가 근로복지공단에 납부해요.", "4월"),
        ("3월분 보험료는 4월 10일까지 사업주가 국민건강보험공단에 납부해요.", "국민건강보험공단"),
        ("채권의 시효는 신고하면 5년이고, 신고하지 않았으면 7년, 부정행위가 있으면 5년이에요.", "5년"),
        ("단시간근로자는 직장가입자에서 제외하지 않습니다.", "직장가입자에서 제외하지 않습니다"),
        ("사업소득 원천징수영수증은 전자문서로 줄 수 없습니다.", "줄 수 없습니다"),
        ("부동산임대업은 간이과세를 적용받을 수 있습니다.", "적용받을 수 있습니다"),
        ("단시간근로자는 제외합니다(국민건강보험법 제6조).", ""),
        ("단시간근로자는 제외합니다(국민건강보험법 제6조의3).", "국민건강보험법 제6조의3"),
        ("단시간근로자는 제외합니다(국민건강보험법 제6조의2제2항).", "국민건강보험법 제6조의2제2항"),
    ],
)  # fmt: skip
def test_what_is_changed_is_found(sentence: str, claim: str) -> None:
    verdict, unsupported = verdict_of(sentence)
    assert verdict is Verdict.UNSUPPORTED
    assert any(claim in written for written in unsupported)


@pytest.mark.parametrize(
    "sentence",
    [
        "과태료에 이의가 있으면 통지를 받은 날부터 60일 안에 행정청에 이의제기를 하셔야 해요.",
        "과태료는 60일 안에 이의를 제기하거나 30일 안에 스스로 내고 100분의 20을 줄일 수 있습니다.",
        "3월분 보험료는 4월 10일까지, 보수총액은 3월 15일까지 챙기세요.",
        "채권의 시효는 부정행위가 있으면 10년, 신고하지 않았으면 7년이에요.",
        "단시간근로자는 직장가입자에서 제외돼요(국민건강보험법 제6조의2).",
        "사업소득 원천징수영수증은 전자문서로도 줄 수 있어요.",
    ],
)
def test_what_is_only_reworded_stands(sentence: str) -> None:
    assert verdict_of(sentence) == (Verdict.SUPPORTED, ())
