"""Numerals in any script and in words become Arabic digits; words that only sound like numerals stay."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from utils.figures.figures import find_figures
from utils.figures.numeral_words import legible
from utils.grounding.facts import figures_of, readable

WRITTEN = {
    "26일": "²⁶일 ٢٦일 २६일 ㉖일 𝟐𝟔일 ⅩⅩⅥ일 XXVI일 二十六日 二六日 스무엿새 스무엿샛날",
    "26%": "㉖퍼센트 ²⁶% 이육퍼센트 二十六% 이십육퍼센트",
    "5%": "⑤퍼센트 ❺퍼센트 오퍼센트 백분의오 百分之五 100분의5",
    "1/3": "⅓ 삼분의일 3분의1",
    "15%": "1할5푼 일할오푼의",
    "30%": "3할 삼할을",
    "50%": "½ 절반 반액 반값",
    "200%": "곱절 갑절로 두배 배액",
    "3명": "세명 3인 三人 ³명",
    "60명": "예순명 60명 육십명 六十名",
    "7일": "이레까지 7일 七日",
    "17일": "열이레까지 17일 십칠일",
    "2026년": "二〇二六年 이공이육년도 2026년",
    "7월25일": "칠월이십오일 七月二十五日",
}


@pytest.mark.finding("M4")
@pytest.mark.parametrize("canonical", WRITTEN)
def test_one_figure_however_it_is_spelled(canonical: str) -> None:
    for written in WRITTEN[canonical].split():
        text = legible(written + " ")
        assert [figure.canonical for figure in find_figures(text)] == [canonical], (written, text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("twenty-five percent", "25%"),
        ("one hundred and three days", "103일"),
        ("July 26th", "7월26일"),
        ("26th of July", "7월26일"),
        ("ten employees", "10명"),
        ("서른다섯 명", "35명"),
        ("오일 이내", "5일"),
        ("삼년 동안", "3년"),
        ("이인 이상", "2명"),
        ("다섯 이상", "5"),
        ("시월에 ", "10월"),
        ("2½배", "250%"),
    ],
)
def test_numerals_of_several_words(text: str, canonical: str) -> None:
    assert [figure.canonical for figure in find_figures(legible(text))] == [canonical]


@pytest.mark.parametrize(
    "text",
    "이 일이 끝나면|이일 저일|사회 이사|열심히 합니다|하나의 사업장|하나 이상의|오일 가격|구할 수 있다|일할 계산하여|이할 것|이월결손금|이월된 금액|일반과세자"
    "|삼성전자|오전|사업자|사이 일어난|만일 그렇다면|십분 활용|백배 사죄|백분율|시월드|구원받은|천만에|이사일까지|일년 내내|반드시|반면|반기별|배우자|배당"
    "|배로 보내|열람|열세에|세대주|이 프로그램|한국|이레네|일용근로자|이주 노동자|오피스|구인 광고|사인 간|칠판|팔 수 있다|One-Stop|may be|이의신청|오만한"
    "|백화점|천안시|십장생|사 건|第三者|一般|①법인|②일반과세자는|XX원|660m²|신고합니다¹".split("|"),
)
def test_words_stay_words(text: str) -> None:
    assert legible(text).replace("m2", "m²") == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("12월 말일까지", ["12월말"]),
        ("다음 달 말일까지", ["말일"]),
        ("그믐날까지", ["말일"]),
        ("매월 말까지", ["말일"]),
        ("종말과 주말", []),
        ("3개월 말미", ["3개월"]),
    ],
)
def test_the_last_day_of_a_month_is_a_figure(text: str, canonical: list[str]) -> None:
    assert [figure.canonical for figure in figures_of(text)] == canonical


@settings(max_examples=150)
@given(
    st.text(
        alphabet="0123456789²⁶٢㉖①⅓ⅩIVX三十日年이일삼십백천만억할푼분의반배열스무엿새월년명 .,%/-twenyfiv<>&#;[]()!",
        max_size=80,
    )
)
def test_any_text_is_read_without_error_and_stays_as_it_is_read(text: str) -> None:
    once = readable(text)
    figures = figures_of(once)
    assert all(0 <= figure.start < figure.end <= len(once) for figure in figures)
