"""An answer may state only figures and citations of the sources that its sentences cite."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from utils.documents import KnowledgeDocument
from utils.figures.figures import find_figures
from utils.grounding.answer_sentences import split_sentences
from utils.grounding.check import AnswerChecker, GroundingReport, GroundingSource, Verdict, check_answer
from utils.grounding.facts import SourceFacts
from utils.grounding.polarity import contradicted
from utils.law.text_citations import StatuteResolver

VAT = GroundingSource(
    1,
    "일반과세자의 부가세 확정신고 기한은 과세기간이 끝난 후 25일 이내입니다(부가가치세법 제49조).\n"
    "간이과세 기준은 1억400만원 미만입니다(부가가치세법 제61조).\n과태료는 500만원 이하이고 3~5년 동안 2026. 1. 1.부터 적용합니다.",
    "부가가치세 신고 기한",
    "국가법령정보센터",
    "2026-01-01",
    ("부가가치세법 제49조", "소득세법 제5조"),
)
DISMISSAL = GroundingSource(
    2,
    "**①** 사용자는 적어도 30일 전에 예고를 하여야 한다. 다만, 제35조에 따른 경우는 그러하지 아니하다.\n"
    "  1\\. 계속 근로한 기간이 3개월 미만인 경우",
    "근로기준법 제26조(해고의 예고)",
)
CHECKER = AnswerChecker({"부가세법": "부가가치세법", "근기법": "근로기준법"})


def check(text: str, user_text: str = "") -> GroundingReport:
    return CHECKER.check(text, [VAT, DISMISSAL], user_text)


def verdicts(text: str, user_text: str = "") -> list[Verdict]:
    return [sentence.verdict for sentence in check(text, user_text).sentences]


@pytest.mark.parametrize(
    "sentence",
    [
        "25일 이내에 신고합니다(부가세법 제49조). [1]",
        "기준은 104,000,000원입니다. [1]",
        "기준은 1억\n400만원입니다. [1]",
        "５００만원 이하입니다. [1]",
        "3년입니다. [1]",
        "60개월까지입니다. [1]",
        "2026년부터 적용됩니다. [1]",
        "삼십일 전에 예고합니다. [2]",
        "근기법 제26조제1항제1호에 따릅니다. [2]",
        "근로기준법 제35조를 보세요. [2]",
        "25일 이내이고 30일 전입니다. [1][2]",
        "**25**일입니다. [1]",
        "안녕하세요.",
        "제공된 문서에서 확인할 수 없습니다.",
        "**과태료**",
        "다음 세 가지를 확인하세요.",
        "4대보험에 가입합니다. [1]",
    ],
)
def test_supported(sentence: str) -> None:
    assert verdicts(sentence) == [Verdict.SUPPORTED]


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("25%입니다. [1]", "25%"),
        ("26일 이내입니다. [1]", "26일"),
        ("30일 전입니다. [1]", "30일"),
        ("소득세법 제49조입니다. [1]", "소득세법 제49조"),
        ("부가가치세법 제49조제1항입니다. [1]", "부가가치세법 제49조제1항"),
        ("근로기준법 제26조제2항입니다. [2]", "근로기준법 제26조제2항"),
        ("근로기준법 제49조입니다. [1]", "근로기준법 제49조"),
        ("2\u200b6일입니다. [1]", "26일"),
        ("<b>26</b>일입니다. [1]", "26일"),
        ("기준은 2억\n400만원입니다. [1]", "2억\n400만원"),
        ("과태료는 사백만원입니다. [1]", "사백만원"),
        ("**과태료 600만원**", "600만원"),
        ("### 과태료는 600만원", "600만원"),
        ("과태료는 600만원입니다:", "600만원"),
        ("25일 이내입니다. [3]", "[3]"),
        ("| 과태료 | 600만원 | [1] |", "600만원"),
    ],
)
def test_unsupported(sentence: str, claim: str) -> None:
    report = check(sentence)
    assert report.sentences[0].verdict is Verdict.UNSUPPORTED
    assert claim in report.unsupported_claims
    assert not report.is_grounded


def test_a_figure_without_citation_is_uncited_and_invented_figures_are_still_named() -> None:
    true, invented = check("25일 이내입니다. 26일 이내입니다.").sentences
    assert (true.verdict, true.unsupported_claims) == (Verdict.UNCITED, ())
    assert (invented.verdict, invented.unsupported_claims) == (Verdict.UNCITED, ("26일",))


def test_list_numerals_claim_nothing_and_the_user_s_figures_are_marked_as_theirs() -> None:
    said = "직원 여덟 명, 매출 9,000만원"
    first, second = check("1. 직원이 8명이면 대상입니다.\n2) 매출 9천만원인 사업장은 대상입니다. [1]", said).sentences
    assert (first.verdict, first.unsupported_claims) == (Verdict.USER_STATED, ())
    assert (second.verdict, second.user_stated_claims) == (Verdict.USER_STATED, ("9천만원",))
    assert verdicts("1. 직원이 9명이면 대상입니다. [1]", "직원 8명") == [Verdict.UNSUPPORTED]


def test_the_same_law_refers_back_over_sentences() -> None:
    assert verdicts("부가가치세법 제49조를 보세요. [1] 같은 법 제61조도 보세요. [1]") == [Verdict.SUPPORTED] * 2
    assert verdicts("소득세법 제5조를 보세요. [1] 같은 법 제61조도 보세요. [1]")[1] is Verdict.UNSUPPORTED


def test_spans_and_sources() -> None:
    text = "**세금**\n25일 이내입니다. [1]"
    first, second = check(text).sentences
    assert text[first.start : first.end] == "**세금**"
    assert text[second.start : second.end] == "25일 이내입니다. [1]"
    assert (first.is_framing, second.sources) == (True, (1,))
    assert check(text).cited_sources == {1}


WORDS = st.sampled_from(["신고는", "과태료가", "기한은", "사업자는", "세율은", "보증금을", "직원이"])
FIGURES = st.one_of(
    st.integers(1, 999).map(lambda n: f"{n}일"),
    st.integers(1, 99).map(lambda n: f"{n}퍼센트"),
    st.integers(1, 9_999).map(lambda n: f"{n}만원"),
    st.integers(1, 200).map(lambda n: f"상법 제{n}조"),
    st.tuples(st.integers(1, 12), st.integers(1, 28)).map(lambda d: f"{d[0]}월 {d[1]}일"),
    st.integers(2, 60).map(lambda n: f"{n}명"),
)
SENTENCES = st.tuples(WORDS, FIGURES, WORDS, FIGURES).map(lambda parts: " ".join(parts) + " 기준입니다.")


@given(st.lists(SENTENCES, min_size=1, max_size=6), st.data())
def test_a_copied_and_cited_sentence_is_supported_and_a_changed_digit_is_not(
    sentences: list[str], data: st.DataObject
) -> None:
    source = GroundingSource(1, "\n".join(sentences))
    copied = data.draw(st.sampled_from(sentences))
    assert check_answer(f"{copied} [1]", [source]).is_grounded

    at = data.draw(st.sampled_from([at for at, character in enumerate(copied) if character.isdigit()]))
    digit = data.draw(st.sampled_from([d for d in "123456789" if d != copied[at]]))
    changed = copied[:at] + digit + copied[at + 1 :]
    held = {figure.canonical for figure in find_figures(source.text)}
    assume(any(figure.canonical not in held for figure in find_figures(changed)))
    assume(not _also_holds_in_another_unit(changed, held))
    report = check_answer(f"{changed} [1]", [source])
    assert [sentence.verdict for sentence in report.sentences] == [Verdict.UNSUPPORTED]


def _also_holds_in_another_unit(text: str, held: set[str]) -> bool:
    """A changed date may name a day that cannot be, and then reads as a month and a count the source may have."""
    return all(
        figure.canonical in held or any(figure.canonical in text_held for text_held in held)
        for figure in find_figures(text)
    )


def test_every_sentence_of_the_starter_knowledge_is_supported_by_its_document(
    starter_documents: list[KnowledgeDocument],
) -> None:
    for document in starter_documents:
        source = GroundingSource(1, document.content, document.title, document.source.name, None, document.related_laws)
        quoted = [f"{sentence.text.lstrip('- ')} [1]" for sentence in split_sentences(document.content)]
        report = CHECKER.check("\n".join(quoted), [source])
        assert report.is_grounded, report.unsupported_claims


def test_a_sentence_takes_a_few_milliseconds_at_most() -> None:
    """Of a processor that nothing else uses it takes 0.9 ms, and half as much again beside others."""
    text = VAT.text * 10
    sources = [GroundingSource(number, f"{number} {text}") for number in range(1, 11)]
    answer = "\n".join(
        f"확정신고 기한은 25일 이내이고 기준은 1억400만원입니다(부가가치세법 제49조). [{n}]" for n in range(1, 11)
    )
    CHECKER.check(answer, sources)
    times = []
    for _ in range(5):
        started = time.process_time()
        report = CHECKER.check(answer, sources)
        times.append(time.process_time() - started)
    assert report.count(Verdict.SUPPORTED) == 10
    assert min(times) / 10 < 0.004


CONCLUSION = "계약을 해제하려면 14일 이상의 기간을 정해 서면으로 독촉해야 합니다(할부거래에 관한 법률 제11조)."
INSTALMENT = GroundingSource(1, f"할부금은 나누어 냅니다.\n{CONCLUSION}\n다섯 번 늦으면 해제됩니다.", "할부")


@pytest.mark.parametrize("led", ["네, ", "아니요, "])
def test_a_quotation_led_by_yes_or_no_is_still_one(led: str) -> None:
    quoted, same = (CHECKER.check(f"{start}{CONCLUSION} [1]", [INSTALMENT]).sentences[0] for start in ("", led))
    assert same.verdict is quoted.verdict is Verdict.SUPPORTED
    assert (same.claims, same.unsupported_claims, same.sources) == (quoted.claims, (), quoted.sources) == (0, (), (1,))


@pytest.mark.parametrize(
    "sentence",
    [
        f"네, 20일 안에, {CONCLUSION} [1]",
        f"네, 네, {CONCLUSION} [1]",
        f"맞습니다, {CONCLUSION} [1]",
        f"네, {CONCLUSION.removesuffix('.')}라고 합니다. [1]",
        "아니요, 14일 이상의 기간을 정해 서면으로 독촉해야 합니다(할부거래에 관한 법률 제11조). [1]",
        "네, 5번 늦으면 [1]",
    ],
)
def test_a_verdict_makes_no_quotation_of_what_is_no_whole_sentence(sentence: str) -> None:
    assert CHECKER.check(sentence, [INSTALMENT]).sentences[0].claims > 0


@pytest.mark.parametrize(
    "sentence",
    [
        f"네, {CONCLUSION.replace('14일', '15일')} [1]",
        f"아니요, {CONCLUSION.replace('제11조', '제12조')} [1]",
        f"네, {CONCLUSION.replace('독촉해야 합니다', '독촉하지 않아도 됩니다')} [1]",
        f"네, {CONCLUSION} [2]",
    ],
)
def test_a_verdict_lets_nothing_else_through(sentence: str) -> None:
    assert not CHECKER.check(sentence, [INSTALMENT]).is_grounded


def test_a_heading_in_the_words_of_the_user_names_their_figure_and_claims_none() -> None:
    asked = "앱개발 99일차 개인사업자인데 어디로 가는 게 맞을까요"
    text = f"**{asked}**\n25일 이내에 신고합니다. [1]"
    assert check(text, asked).sentences[0].verdict is Verdict.USER_STATED
    assert check(text, "어디로 가요").sentences[0].unsupported_claims == ("99일",)


def test_a_sentence_that_quotes_asks_its_source_for_nothing_but_its_text() -> None:
    read = SourceFacts(VAT, StatuteResolver())
    assert read.says("과태료는 500만원 이하이고 3~5년 동안")
    assert {"figures", "articles", "clauses"}.isdisjoint(read.__dict__)
    assert "_read" not in read.__dict__
    read.read()
    assert {"_read", "laws", "addresses"} <= read.__dict__.keys()
    assert "clauses" not in read.__dict__


def test_a_source_without_the_words_of_a_sentence_is_not_read_for_what_it_denies() -> None:
    facts = SourceFacts(VAT, StatuteResolver())
    assert contradicted("해고 예고를 서면 통지하지 않아도 됩니다.", [facts], is_cited=True) is None
    assert "clauses" not in facts.__dict__
    assert contradicted("부가세 확정신고 기한은 과세기간이 끝난 후가 아닙니다.", [facts], is_cited=True)
    assert "clauses" in facts.__dict__
