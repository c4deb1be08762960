"""Who asks for a sum is answered with one, or with what it depends on."""

from __future__ import annotations

import pytest

from utils.figures.wanted_amounts import Amount, names_another_price, tells, wanted_amount


@pytest.mark.parametrize(
    ("ask", "wanted"),
    [
        ("상표 등록 수수료 얼마예요?", Amount.MONEY),
        ("계약서 안 쓰면 벌금 얼마나 나와요?", Amount.MONEY),
        ("등록면허세는 몇 만원 내나요?", Amount.MONEY),
        ("늦으면 이자는 몇 프로예요?", Amount.RATE),
        ("세액공제 몇 % 되나요", Amount.RATE),
        ("신고하는 데 얼마나 걸려요?", None),
        ("얼마 안에 신고해야 하나요?", None),
        ("회의는 얼마마다 해요?", None),
        ("휴가를 얼마나 줘야 해요?", None),
        ("누가 신고해요?", None),
    ],
)
def test_the_kind_of_amount_is_read_from_how_it_is_asked(ask: str, wanted: Amount | None) -> None:
    assert wanted_amount(ask) is wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("출원료는 1개 류마다 5만2천원입니다.", Amount.MONEY),
        ("설립등기의 등록면허세는 자본금의 0.4퍼센트입니다.", Amount.MONEY),
        ("기장료는 법으로 정해진 금액이 없고 사무소마다 다릅니다.", Amount.MONEY),
        ("지원 항목과 금액은 공고마다 다르므로 확인해야 합니다.", Amount.MONEY),
        ("3만원 이하 거래는 가산세가 붙지 않습니다.", Amount.MONEY),
        ("공제율은 투자금액의 10퍼센트입니다.", Amount.RATE),
        ("보증료율은 상품마다 다르므로 확인해야 합니다.", Amount.RATE),
        ("탈퇴한 동업자의 몫은 탈퇴할 때의 재산 상태로 계산해 돌려줍니다.", Amount.MONEY),
    ],
)
def test_an_amount_is_told_by_figures_and_by_what_it_depends_on(text: str, wanted: Amount) -> None:
    assert tells(text, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("등록면허세는 등기를 하기 전까지 신고하고 납부해야 합니다(지방세법 제30조).", Amount.MONEY),
        ("보증보험에 가입하면 그 증명 서류를 지체 없이 내야 합니다.", Amount.MONEY),
        ("견본품으로 쓰일 물품은 과세가격이 미화 250달러 이하이면 관세가 면제됩니다.", Amount.RATE),
        ("하도급대금은 60일 안에 지급해야 합니다.", Amount.RATE),
    ],
)
def test_days_articles_and_amounts_of_another_kind_tell_none(text: str, wanted: Amount) -> None:
    assert not tells(text, wanted)


def test_a_price_is_another_where_the_text_does_not_have_its_name() -> None:
    audit = "자산총액이 500억원 이상인 주식회사는 외부감사를 받아야 합니다."
    assert names_another_price("회계법인 감사 보수 보통 얼마예요?", audit)
    assert not names_another_price("회계법인 감사는 매출 얼마부터 받아요?", audit)
    assert not names_another_price("감사 보수 얼마예요?", "감사인의 보수는 계약으로 정합니다.")
    assert not names_another_price("감사 보수는 누가 내요?", audit)
