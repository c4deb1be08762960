"""Quotes of answer units: how many sentences, in which order, and nothing twice."""

from __future__ import annotations

from chains.extractive.unit_selection import nearest_quotes, select_units
from chains.extractive_task import ExtractiveAsk, ExtractiveUnit
from utils.knowledge.units import Role, UnitSentence

VAT = (
    "부가가치세는 7월 25일까지 신고합니다.",
    "홈택스나 세무서에 신고서를 냅니다.",
    "늦으면 무신고가산세 20%가 붙습니다.",
    "폐업했다면 다음 달 25일까지입니다.",
)
PAY = (
    "퇴직금은 14일 이내에 지급합니다.",
    "당사자가 합의하면 늦출 수 있습니다.",
    "늦으면 지연이자 20%를 물어야 합니다.",
)
QUESTION = "언제 신고하나요?"


def unit(
    name: str, sentences: tuple[str, ...], score: float = 5.0, document: int = 1, **more: object
) -> ExtractiveUnit:
    said = tuple(UnitSentence(Role.CONDITION, text) for text in sentences)
    return ExtractiveUnit.model_validate(
        {"document": document, "name": name, "sentences": said, "score": score, **more}
    )


def ask(*units: ExtractiveUnit, text: str = "언제 신고하나요?", **more: object) -> ExtractiveAsk:
    return ExtractiveAsk.model_validate({"ask": text, "units": units, "is_answered": bool(units), **more})


def said(*asks: ExtractiveAsk, max_chars: int = 800) -> list[list[str]]:
    return [[quote.text for quote in quotes] for _, quotes in select_units(asks, max_chars, QUESTION)]


def test_three_sentences_of_the_best_and_the_conclusion_of_another_as_near() -> None:
    best, near = unit("신고", VAT), unit("지급", PAY, 3.8, document=2)
    assert said(ask(best, near)) == [[*VAT[:3], PAY[0]]]
    assert said(ask(best, unit("지급", PAY, 3.3, document=2))) == [[*VAT[:3]]], "it lies too far behind"


def test_what_does_not_bear_on_the_question_is_left_out_behind_a_conclusion() -> None:
    other = UnitSentence(Role.EXCEPTION, "상속세와 증여세는 따로 정합니다.")
    own = UnitSentence(Role.PROCEDURE, VAT[1])
    best = unit("신고", VAT[:1]).model_copy(update={"sentences": (UnitSentence(Role.CONCLUSION, VAT[0]), other, own)})
    assert said(ask(best)) == [[VAT[0], VAT[1]]]


def test_three_that_bear_on_the_question_are_found_anywhere_in_the_unit() -> None:
    examples = tuple(UnitSentence(Role.EXAMPLE, f"{month}월 25일까지입니다.") for month in (1, 4, 7, 10))
    told = UnitSentence(Role.PROCEDURE, VAT[1])
    best = unit("신고", VAT[:1]).model_copy(
        update={"sentences": (UnitSentence(Role.CONCLUSION, VAT[0]), *examples, told)}
    )
    assert said(ask(best)) == [[VAT[0], VAT[1]]]


def test_of_others_as_near_two_conclusions_are_said() -> None:
    others = [unit(f"다른 {place}", (text,), 4.5, document=place) for place, text in enumerate(PAY[:3], start=2)]
    assert said(ask(unit("신고", VAT[:1]), *others)) == [[VAT[0], *PAY[:2]]]


def test_what_is_not_answered_is_not_quoted() -> None:
    assert said(ask(), ask(unit("신고", VAT), is_answered=False)) == [[], []]


def test_a_sentence_that_repeats_another_is_left_out_unless_it_tells_another_figure() -> None:
    again = ("부가가치세는 7월 25일까지 신고합니다(부가가치세법 제49조).", "부가가치세는 1월 25일까지 신고합니다.")
    assert said(ask(unit("신고", (VAT[0], *again)))) == [[VAT[0], again[1]]]
    assert said(ask(unit("신고", VAT[:1]), unit("다시", again[:1], 4.9, document=2))) == [[VAT[0]]]


def test_a_unit_that_was_said_answers_the_next_ask_too() -> None:
    best = unit("신고", VAT[:3])
    assert said(ask(best), ask(best, text="어디에 신고하나요?")) == [[*VAT[:3]]]


def test_of_a_unit_that_was_said_what_bears_on_the_next_ask_alone_follows() -> None:
    best = unit("신고", VAT)
    assert said(ask(best), ask(best, text="폐업했으면요?")) == [[*VAT[:3]], [VAT[3]]]


def test_the_room_is_shared_and_a_conclusion_is_said_however_long() -> None:
    best, other = unit("신고", VAT), unit("지급", PAY, document=2)
    assert said(ask(best), ask(other, text="퇴직금은 언제 주나요?"), max_chars=60) == [[VAT[0]], [PAY[0]]]
    assert said(ask(best), max_chars=5) == [[VAT[0]]]


def test_a_sum_is_said_first_and_the_rule_behind_it_is_short() -> None:
    total = unit("계산", ("납부할 세액은 2,000,000원입니다.",), document=3)
    assert said(ask(unit("신고", VAT), unit("지급", PAY, 4.9, document=2), sums=(total,))) == [
        [total.sentences[0].text, *VAT[:2]]
    ]


def test_a_note_follows_the_first_sentence_and_the_verdict_leads_it() -> None:
    noted = unit("신고", VAT[:2], note="이 내용은 2025년 12월 31일까지의 기준입니다.", verdict=True)
    ((_, quotes),) = select_units([ask(noted)], 800, QUESTION)
    assert [quote.text for quote in quotes] == [VAT[0], noted.note, VAT[1]]
    assert [quote.verdict for quote in quotes] == [True, None, None]


def test_in_place_of_an_answer_the_conclusion_of_the_nearest_is_offered_with_its_note() -> None:
    near = ask(unit("신고", VAT, note="2027년부터입니다."), unit("지급", PAY, 4.9), is_answered=False, is_offered=True)
    assert [quote.text for quote in nearest_quotes(near)] == [VAT[0], "2027년부터입니다."]
    assert nearest_quotes(near.model_copy(update={"is_offered": False})) == []


def test_the_next_ask_of_a_unit_gets_its_amount_though_the_conclusion_told_a_limit() -> None:
    told = (
        UnitSentence(Role.CONCLUSION, "매출이 8천만원 이상이면 8월에 신고합니다."),
        UnitSentence(Role.RULE, "기본 세액은 5만원입니다."),
    )
    best = unit("주민세", VAT[:1]).model_copy(update={"sentences": told})
    assert said(ask(best, text="주민세가 뭔가요?"), ask(best, text="얼마나 내나요?"))[1:] == [[told[1].text]]
