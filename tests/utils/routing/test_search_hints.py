"""Words that make a search fit a company, as packs write them."""

import pytest

from utils.routing.search_hints import SearchHint

SMALL = "employee_count < 5: 상시 근로자 5명 미만 사업장 적용 범위"


@pytest.mark.parametrize(
    ("text", "company", "words"),
    [
        (SMALL, {"employee_count": 4}, "상시 근로자 5명 미만 사업장 적용 범위"),
        (SMALL, {"employee_count": 5}, None),
        (SMALL, {}, None),
        ("years_in_business >= 3: 도약 단계", {"years_in_business": 3.0}, "도약 단계"),
        ("{region} {industry_name}", {"region": "부산", "industry_name": "카페"}, "부산 카페"),
        ("{region} {industry_name}", {"region": "부산"}, None),
        ("부가세: 확정신고", {}, "부가세: 확정신고"),
    ],
)
def test_a_hint_holds_for_some_companies(text: str, company: dict[str, str | int | float], words: str | None) -> None:
    assert SearchHint.parse(text).words_for(company) == words


@pytest.mark.parametrize("text", ["{business_number}", "{}", "turnover > 5: 큰 회사", "{region.__class__}"])
def test_a_field_that_companies_do_not_have_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not among"):
        SearchHint.parse(text)
