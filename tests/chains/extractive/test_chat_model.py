"""Answers without a model: quoted sentences, their citations, and plain refusals."""

from __future__ import annotations

import time

import pytest

from chains.extractive.chat_model import ExtractiveChatModel, ExtractiveWriter, build_extractive_model
from chains.extractive.sentence_model import AnswerModel
from chains.extractive.sentence_scoring import SentenceScorer, quotable
from chains.extractive_task import (
    ExtractiveAsk,
    ExtractiveDocument,
    ExtractivePart,
    ExtractiveTask,
    ExtractiveUnit,
)
from chains.models.usage import ModelPurpose
from utils.documents import KnowledgeDocument
from utils.grounding.answer_sentences import split_sentences
from utils.grounding.check import GroundingSource, check_answer
from utils.knowledge.units import Role, UnitSentence
from utils.prompts.messages import NEAREST, NOT_FOUND, nearest_follows, not_found, says_not_found
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

VAT = (
    "일반과세자의 부가가치세 확정신고와 납부 기한은 과세기간이 끝난 후 25일 이내입니다(부가가치세법 제49조).",
    "부가가치세를 신고하지 않으면 납부할 세액의 20퍼센트가 무신고가산세로 붙습니다(국세기본법 제47조의2).",
    "부가가치세 신고는 홈택스나 사업장 관할 세무서에 합니다.",
)
SEVERANCE = (
    "- 퇴직금은 직원이 퇴직한 날부터 14일 이내에 지급해야 합니다(근로자퇴직급여 보장법 제9조).",
    "5명 미만 사업장의 직원에게도 퇴직금을 지급해야 합니다.",
    "상시 5명 이상 사업장은 퇴직연금 규약을 신고합니다.",
)
TRADEMARK = ("상표권의 존속기간은 설정등록이 있는 날부터 10년입니다(상표법 제83조).",)


def document(index: int, title: str, domain: str, sentences: tuple[str, ...]) -> ExtractiveDocument:
    return ExtractiveDocument(index=index, title=title, domain=domain, sentences=sentences, relevance=0.6)


DOCUMENTS = (
    document(1, "부가가치세 신고와 납부 기한", "finance_tax", VAT),
    document(2, "퇴직금 지급 기한", "hr_labor", SEVERANCE),
    document(3, "상표권의 존속기간", "law_common", TRADEMARK),
)


def task(
    *questions: tuple[str, str], documents: tuple[ExtractiveDocument, ...] = DOCUMENTS, **rest: object
) -> ExtractiveTask:
    parts = tuple(ExtractivePart(domain=domain, label=domain.upper(), question=text) for domain, text in questions)
    fields = {"question": " ".join(text for _, text in questions), "parts": parts, "documents": documents, **rest}
    return ExtractiveTask.model_validate(fields)


@pytest.fixture(scope="module")
def writer(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> ExtractiveWriter:
    return ExtractiveWriter(SentenceScorer(tokenizer, embedder, AnswerModel.load()))


@pytest.fixture(scope="module")
def model(writer: ExtractiveWriter) -> ExtractiveChatModel:
    return ExtractiveChatModel(writer)


def answer(model: ExtractiveChatModel, asked: ExtractiveTask) -> str:
    return str(model.invoke([], task=asked).content)


def test_the_sentence_that_answers_comes_verbatim_with_its_citation(model: ExtractiveChatModel) -> None:
    assert answer(model, task(("finance_tax", "부가가치세는 언제까지 신고해야 하나요?"))).startswith(f"{VAT[0]} [1]")


def test_the_kind_of_question_decides_the_sentence(model: ExtractiveChatModel) -> None:
    text = answer(model, task(("finance_tax", "부가가치세 신고를 안 하면 가산세가 몇 퍼센트인가요?")))
    assert text.startswith(VAT[1])


def test_everything_said_stands_in_the_documents(model: ExtractiveChatModel) -> None:
    text = answer(model, task(("finance_tax", "부가가치세 신고 기한은?"), ("hr_labor", "퇴직금은 며칠 안에 주나요?")))
    sources = [GroundingSource(document.index, "\n".join(document.sentences), document.title) for document in DOCUMENTS]
    assert check_answer(text, sources).is_grounded
    quoted = [sentence.text for sentence in split_sentences(text) if "[" in sentence.text]
    known = {quotable(sentence) for document in DOCUMENTS for sentence in document.sentences}
    assert quoted
    assert all(sentence.rsplit(" [", 1)[0] in known for sentence in quoted)


def test_each_part_has_its_section_and_draws_on_its_domain(model: ExtractiveChatModel) -> None:
    text = answer(model, task(("finance_tax", "부가가치세 신고 기한은?"), ("hr_labor", "퇴직금은 며칠 안에 주나요?")))
    tax, labor = text.split("\n\n")
    assert tax.startswith("**FINANCE_TAX**\n")
    assert "[1]" in tax
    assert labor.startswith("**HR_LABOR**\n")
    assert "14일" in labor
    assert "[1]" not in labor


def test_a_part_without_an_answer_is_named(model: ExtractiveChatModel) -> None:
    text = answer(
        model, task(("finance_tax", "부가가치세 신고 기한은?"), ("startup_funding", "벤처기업 확인은 어떻게 받나요?"))
    )
    assert VAT[0] in text
    assert says_not_found(text)
    heading, refusal = text.rsplit("\n", 2)[1:]
    assert heading == "**STARTUP_FUNDING**"
    assert "‘벤처기업 확인은 어떻게 받나요’" in refusal


def test_one_question_put_to_two_domains_is_answered_once(model: ExtractiveChatModel) -> None:
    question = "부가가치세 확정신고는 언제까지 하나요?"
    text = answer(model, task(("law_common", question), ("finance_tax", question)))
    assert VAT[0] in text
    assert not says_not_found(text)
    assert "LAW_COMMON" not in text


@pytest.mark.parametrize("documents", [(), (DOCUMENTS[2],)])
def test_what_no_document_answers_is_refused_plainly(
    model: ExtractiveChatModel, documents: tuple[ExtractiveDocument, ...]
) -> None:
    text = answer(model, task(("hr_labor", "육아휴직 급여는 얼마인가요?"), documents=documents))
    assert text.startswith(NOT_FOUND)
    assert "[" not in text


def test_the_length_limit_holds_in_whole_sentences(model: ExtractiveChatModel) -> None:
    text = answer(model, task(("finance_tax", "부가가치세 신고 기한과 가산세를 알려 주세요."), max_chars=100))
    assert len(text) <= 100
    assert text.endswith("[1]")


def test_the_users_headcount_chooses_the_branch(model: ExtractiveChatModel) -> None:
    question = ("hr_labor", "우리 사업장도 퇴직금을 줘야 하나요?")
    small = answer(model, task(question, facts={"employee_count": 3}))
    large = answer(model, task(question, facts={"employee_count": 30}))
    assert SEVERANCE[1] in small
    assert SEVERANCE[2] in large
    assert SEVERANCE[1] not in large


def test_the_stream_gives_one_sentence_a_delta_and_the_same_text(model: ExtractiveChatModel) -> None:
    asked = task(("finance_tax", "부가가치세는 언제까지 신고하고 안 하면 어떻게 되나요?"))
    chunks = list(model.stream([], task=asked))
    pieces = [str(chunk.content) for chunk in chunks if chunk.content]
    assert len(pieces) >= 2
    assert all(len(split_sentences(piece)) == 1 for piece in pieces)
    assert "".join(pieces) == answer(model, asked)
    assert chunks[-1].response_metadata["finish_reason"] == "stop"


async def test_the_async_stream_gives_the_same_text(model: ExtractiveChatModel) -> None:
    asked = task(("finance_tax", "부가가치세 신고 기한은?"))
    streamed = "".join([str(chunk.content) async for chunk in model.astream([], task=asked)])
    assert streamed == answer(model, asked)


def test_a_call_without_a_task_is_an_error(model: ExtractiveChatModel) -> None:
    with pytest.raises(ValueError, match="ExtractiveTask"):
        model.invoke("부가가치세 신고 기한은?")


def test_a_guide_goes_before_the_article_it_explains(writer: ExtractiveWriter) -> None:
    guide = document(1, "상가 임대차의 계약갱신", "law_common", ("세입자는 계약갱신을 10년까지 요구할 수 있습니다.",))
    article = document(
        2, "상가건물 임대차보호법 제10조", "law_common", ("임차인은 계약갱신을 10년까지 요구할 수 있다.",)
    )
    article = article.model_copy(update={"is_article": True})
    question = ("law_common", "상가 계약갱신은 몇 년까지 요구할 수 있나요?")
    both = "".join(writer.write(task(question, documents=(guide, article))))
    assert both.startswith("세입자는")
    alone = "".join(writer.write(task(question, documents=(article.model_copy(update={"index": 1}),))))
    assert alone.startswith("임차인은"), "an article answers where there is no guide"


def test_everyday_words_reach_formal_sentences(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> None:
    language_model = build_extractive_model(tokenizer, embedder, AnswerModel.load())
    assert language_model.name == "extractive"
    assert language_model.supports(ModelPurpose.GENERATION)
    assert not language_model.supports(ModelPurpose.EVALUATION)


@pytest.mark.parametrize(
    ("sentence", "quoted"),
    [
        (
            "- 퇴직금은 14일 이내에 줍니다(근로자퇴직급여 보장법 제9조).",
            "퇴직금은 14일 이내에 줍니다(근로자퇴직급여 보장법 제9조).",
        ),
        ("근로기준법 제26조(해고의 예고)", ""),
        ("끝.", ""),
        ("임대인은 다음 각 호의 어느 하나에 해당하는 경우에는 갱신을 거절할 수 있다.", ""),
        ("대손세액은 다음의 계산식에 따라 계산한다.", ""),
    ],
)
def test_what_can_be_quoted(sentence: str, quoted: str) -> None:
    assert quotable(sentence) == quoted


def test_eight_documents_take_a_few_milliseconds(
    writer: ExtractiveWriter, starter_documents: list[KnowledgeDocument]
) -> None:
    documents = tuple(
        document(number, starter.title, starter.domain, tuple(starter.content.split("\n")))
        for number, starter in enumerate(starter_documents[:8], start=1)
    )
    asked = task((documents[0].domain, "부가세 신고는 언제까지 해야 하고 늦으면 어떻게 되나요?"), documents=documents)
    list(writer.write(asked))
    times = []
    for _ in range(10):
        started = time.process_time()
        list(writer.write(asked))
        times.append(time.process_time() - started)
    assert min(times) < 0.01


LEAVE = (
    "상시 5명 이상 사업장은 1년간 80% 이상 출근한 직원에게 15일의 연차 유급휴가를 주어야 합니다(근로기준법 제60조).",
    "상시 4명 이하 사업장에는 연차 유급휴가 규정이 적용되지 않습니다(근로기준법 시행령 제7조).",
)


def test_a_rule_for_larger_workplaces_is_no_answer_to_a_small_one(model: ExtractiveChatModel) -> None:
    documents = (document(1, "연차 유급휴가 발생과 일수", "hr_labor", LEAVE),)
    asked = task(("hr_labor", "직원 4명인데 연차 줘야 하나요?"), documents=documents, facts={"employee_count": 4})
    assert answer(model, asked) == f"{LEAVE[1]} [1]"


REPORT = (
    "인터넷으로 물건을 팔려면 시장ㆍ군수ㆍ구청장에게 통신판매업 신고를 해야 합니다(전자상거래법 제12조).",
    "거래횟수가 고시로 정한 기준 이하이면 통신판매업 신고를 하지 않아도 됩니다(전자상거래법 제12조).",
    "통신판매업을 휴업하거나 폐업할 때는 미리 신고해야 합니다(전자상거래법 시행령 제17조).",
)


def test_whether_one_must_is_answered_with_who_need_not(model: ExtractiveChatModel) -> None:
    documents = (document(1, "통신판매업 신고", "startup_funding", REPORT),)
    assert REPORT[1] in answer(
        model, task(("startup_funding", "인스타로 옷 파는데 통신판매업 신고 해야 하나요?"), documents=documents)
    )


def near(text: str, name: str, *sentences: str, **more: object) -> ExtractiveAsk:
    said = tuple(UnitSentence(Role.CONCLUSION, sentence) for sentence in sentences)
    unit = ExtractiveUnit(document=1, name=name, sentences=said, score=5.0)
    return ExtractiveAsk.model_validate({"ask": text, "units": (unit,), **more})


def test_the_nearest_is_offered_behind_the_admission(model: ExtractiveChatModel) -> None:
    offered = near("신고를 대신 해 주나요?", "신고", *VAT, is_offered=True)
    documents = (DOCUMENTS[0].model_copy(update={"has_units": True}),)
    asked = task(("finance_tax", offered.ask), documents=documents, asks=(offered,))
    text = answer(model, asked)
    lead, said = text.split("\n")
    assert says_not_found(lead)
    assert lead.endswith(NEAREST)
    assert said == f"{VAT[0]} [1]"
    report = check_answer(text, [GroundingSource(1, " ".join(VAT))])
    assert report.cited_sources == {1}


def test_of_several_asks_each_is_answered_offered_or_not_held(model: ExtractiveChatModel) -> None:
    asks = (
        near("언제 신고하나요?", "신고 기한", VAT[0], is_answered=True),
        near("어디에 내나요?", "신고하는 곳", VAT[2], is_offered=True),
        near("담당자가 누구예요?", "신고하는 곳", VAT[2]),
    )
    documents = (DOCUMENTS[0].model_copy(update={"has_units": True}),)
    text = answer(model, task(("finance_tax", "언제 어디에 내요?"), documents=documents, asks=asks))
    told, offered, silent = text.split("\n\n")
    assert told == f"**신고 기한**\n{VAT[0]} [1]"
    assert offered == f"**어디에 내나요?**\n{nearest_follows('어디에 내나요?')}\n{VAT[2]} [1]"
    assert silent == f"**담당자가 누구예요?**\n{not_found('담당자가 누구예요?')}"
