"""The retrieve stage over a small real index: what comes first, what each domain keeps, what is named when a part is away."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agents.assembly import SharedParts, build_retrieval
from agents.retrieval.agent_set import AgentSet
from agents.retrieval.inquiry import RetrievalInquiry, RetrievalOutcome
from schemas.chat import Component
from tests.support.packs import shipped_packs
from tests.support.routing import LABOR, TAX
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_searcher import BrokenReranker, MorphemeAnalyzer, WrittenReranker, open_searcher
from tests.support.written_model import WrittenChatModel, chain_of, language_model
from utils.assistants.pack import DEFAULT_ASSISTANT, assistant_named
from utils.conclusions.verdict_model import VerdictModel
from utils.config.settings import Settings
from utils.korean.coverage import QuestionReader
from utils.korean.glossary import load_glossary
from utils.question_decomposer import SubQuery
from vectorstores.index import KnowledgeIndex
from vectorstores.integrity.checksums import Part
from vectorstores.rerankers.base import Reranker
from vectorstores.tokenizer import KiwiTokenizer

SEVERANCE, VAT = "퇴직금은 언제까지 지급하나요?", "부가가치세는 언제까지 신고하나요?"
DOCUMENTS = [
    record("퇴직", "퇴직금은 퇴직한 날부터 14일 이내에 지급합니다."),
    record("연차", "연차 유급휴가는 1년에 15일입니다."),
    record("휴게", "휴게 시간은 4시간에 30분입니다."),
    record("부가세", "부가가치세는 과세기간이 끝난 후 25일 이내에 신고합니다.", TAX),
    record("법인세", "법인세는 3개월 이내에 신고합니다.", TAX),
]


@pytest.fixture(scope="module")
def knowledge(tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory) -> SmallKnowledge:
    folder = tmp_path_factory.mktemp("small")
    made = SmallKnowledge(Settings(data_dir=folder / "data"), MorphemeAnalyzer(tokenizer))
    assert made.add(write_lines(folder / "a.jsonl", *DOCUMENTS)).problems == []
    return made


@pytest.fixture(scope="module")
def index(knowledge: SmallKnowledge) -> Iterator[KnowledgeIndex]:
    opened = knowledge.store.open_current()
    yield opened
    opened.close()


class Retrieving:
    """The stage with a reranker of a test's own."""

    def __init__(self, knowledge: SmallKnowledge, index: KnowledgeIndex) -> None:
        self._knowledge, self._index = knowledge, index

    async def __call__(self, *parts: tuple[str, str], reranker: Reranker | None = None) -> RetrievalOutcome:
        searcher = open_searcher(self._knowledge, self._index, reranker or WrittenReranker(lambda _: 0.5))
        settings, model = Settings(), language_model("m", WrittenChatModel())
        chain = chain_of(model, settings, searcher)
        shared = SharedParts(
            assistant=assistant_named(DEFAULT_ASSISTANT, None),
            settings=settings,
            chain=chain,
            analyzer=self._knowledge.analyzer,
            embedder_id="kiwi-words",
            reranker_id="kiwi-written",
            routing=lambda: cast("Any", SimpleNamespace(packs=shipped_packs())),
            glossary=load_glossary(),
            reader=QuestionReader(self._knowledge.analyzer),
            extractive=model,
            verdicts=VerdictModel.plain(),
            evaluator=cast("Any", None),
            notices=cast("Any", None),
            usage=cast("Any", None),
        )
        stage = build_retrieval(shared, AgentSet(shipped_packs(), chain))
        question = " ".join(query for _, query in parts)
        return await stage.retrieve(RetrievalInquiry(question, tuple(SubQuery(*part) for part in parts)))


@pytest.fixture
def retrieve(knowledge: SmallKnowledge, index: KnowledgeIndex) -> Retrieving:
    return Retrieving(knowledge, index)


def ids(outcome: RetrievalOutcome) -> list[str]:
    return [hit.chunk.doc_id for hit in outcome.documents]


async def test_one_domain_is_searched_alone(retrieve: Retrieving) -> None:
    outcome = await retrieve((LABOR, SEVERANCE))
    assert ids(outcome)[0] == "퇴직"
    assert [result.domain for result in outcome.results] == [LABOR]
    assert outcome.trace["documents"] == len(outcome.documents)


async def test_each_of_two_domains_keeps_a_document_and_none_comes_twice(retrieve: Retrieving) -> None:
    """Even where the reranker thinks nothing of one of them."""
    partial = WrittenReranker(lambda passage: 0.9 if "부가가치세" in passage.text or "법인세" in passage.text else 0.0)
    outcome = await retrieve((LABOR, SEVERANCE), (TAX, VAT), reranker=partial)
    assert [result.domain for result in outcome.results] == [LABOR, TAX]
    assert {"퇴직", "부가세"} <= set(ids(outcome))
    assert len(ids(outcome)) == len(set(ids(outcome)))


async def test_without_a_reranker_the_documents_come_all_the_same_and_it_is_said_once(retrieve: Retrieving) -> None:
    outcome = await retrieve((LABOR, SEVERANCE), (TAX, VAT), reranker=BrokenReranker())
    assert {"퇴직", "부가세"} <= set(ids(outcome))
    assert [lack.component for lack in outcome.degraded] == [Component.RERANK]


async def test_an_article_that_is_not_there_is_named_as_missing(retrieve: Retrieving) -> None:
    outcome = await retrieve((LABOR, "근로기준법 제999조는 무엇인가요?"))
    assert [str(cited.reference.article) for cited in outcome.articles.missing] == ["제999조"]
    assert outcome.trace["articles.missing"] == 1
    nothing_cited = await retrieve((LABOR, SEVERANCE))
    assert "articles.missing" not in nothing_cited.trace


async def test_a_neighbour_that_cannot_be_searched_takes_nothing_from_what_was_found(knowledge: SmallKnowledge) -> None:
    opened = knowledge.store.open_current()
    try:
        opened.collections["law_common_db"].take_out({Part.BM25, Part.VECTOR})
        found = await Retrieving(knowledge, opened)((LABOR, SEVERANCE), reranker=WrittenReranker(lambda _: 0.01))
    finally:
        opened.close()
    assert "L3(" in str(found.trace[f"{LABOR}.retry"])
    assert [hit.chunk.id for hit in found.documents]
    assert Component.INDEX in {lack.component for lack in found.degraded}


async def test_a_law_that_cannot_be_searched_takes_nothing_from_what_was_found(knowledge: SmallKnowledge) -> None:
    opened = knowledge.store.open_current()
    try:
        opened.collections["law_common_db"].take_out({Part.BM25, Part.VECTOR})
        found = await Retrieving(knowledge, opened)((LABOR, f"소송을 하려는데 {SEVERANCE}"))
    finally:
        opened.close()
    assert [hit.chunk.id for hit in found.documents]
    assert Component.INDEX in {lack.component for lack in found.degraded}
