"""Searching as the benchmark does it, ours and LangChain's, in the starter knowledge base."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.engine import Engine, build_engine
from evaluation.bench.peer import LangChainPeer, missing_packages
from evaluation.bench.searching import DEPTH, PlacedQuestion, figures, place, run_search, run_stage, spread
from evaluation.bench.suite import starter_questions
from evaluation.measures.retrieval import evaluation_settings
from evaluation.questions import EvaluationQuestion
from utils.config.settings import Settings
from vectorstores.build.progress import NoProgress
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

VAT = "FT_VAT_001"


@pytest.fixture(scope="module")
def engine(starter_settings: Settings, tokenizer: KiwiTokenizer) -> Iterator[Engine]:
    engine = build_engine(evaluation_settings(starter_settings, DEPTH, None), tokenizer=tokenizer)
    yield engine
    engine.pool.shutdown()
    engine.live.close()
    engine.routing.close()


@pytest.fixture(scope="module")
def questions(engine: Engine) -> list[PlacedQuestion]:
    return spread(place(starter_questions(), engine.live.searcher.index), 12)


def test_questions_are_put_to_the_collection_that_holds_their_gold(engine: Engine) -> None:
    asked = [
        EvaluationQuestion(id="1", question="부가세 신고는 언제?", gold=(VAT, "없는법|제1조"), domain="hr_labor"),
        EvaluationQuestion(id="2", question="민법의 조문은?", gold=("민법|제1조",)),
    ]
    placed = place(asked, engine.live.searcher.index)
    assert placed == [PlacedQuestion("1", "부가세 신고는 언제?", "finance_tax", "finance_tax_db", (VAT,))]


def test_without_any_gold_all_questions_are_timed(engine: Engine) -> None:
    asked = [EvaluationQuestion(id="1", question="?", domain="hr_labor"), EvaluationQuestion(id="2", question="?")]
    placed = place(asked, engine.live.searcher.index)
    assert [(question.id, question.gold) for question in placed] == [("1", ()), ("2", ())]
    assert placed[0].collection == "hr_labor_db"


def test_a_spread_is_even() -> None:
    assert spread(list("abcdefgh"), 4) == list("aceg")
    assert spread(list("abc"), 5) == list("abc") == spread(list("abc"), None)


def test_the_search_and_the_stage_find_the_documents(engine: Engine, questions: list[PlacedQuestion]) -> None:
    for run in (run_search, run_stage):
        answers = run(engine, questions, NoProgress())
        assert [answer.id for answer in answers] == [question.id for question in questions]
        assert figures(answers, questions)["any@10"] > 0.9
        assert all(answer.ms > 0 for answer in answers)


def test_the_langchain_wiring_finds_the_same_document(
    engine: Engine, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, tmp_path: Path
) -> None:
    if missing := missing_packages():
        pytest.skip(f"needs the eval extra: {', '.join(missing)}")
    collection = engine.live.searcher.index.collections["finance_tax_db"]
    asked = [PlacedQuestion("1", "부가가치세는 언제까지 신고해야 하나요?", "finance_tax", "finance_tax_db", (VAT,))]
    peer = LangChainPeer(collection, tokenizer, embedder, tmp_path, DEPTH)
    try:
        peer.build(NoProgress())
        found = peer.search(asked[0].text)
    finally:
        peer.close()
    (ours,) = run_search(engine, asked, NoProgress())
    assert found[0] == ours.hits[0] == VAT
    assert len(found) >= DEPTH
