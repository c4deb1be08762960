"""A few statutes and a guide under their Korean terms, with hashed vectors: enough to collect candidates from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from evaluation.measures.judged_candidates import ExampleCollector
from evaluation.questions import EvaluationQuestion
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_searcher import MorphemeAnalyzer, open_searcher
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from utils.korean.glossary import load_glossary
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.tokenizer import KiwiTokenizer

ACT = {
    "제1조 (목적)": "이 법은 가게를 여닫는 데 필요한 사항을 정하여 손님을 보호한다.",
    "제2조 (개업 신고)": "가게를 열려는 자는 구청장에게 개업을 신고하여야 한다.",
    "제3조 (휴업 신고)": "가게를 한 달 넘게 쉬려는 자는 구청장에게 휴업을 신고하여야 한다.",
    "제4조 (폐업 신고)": "가게를 닫으려는 자는 구청장에게 폐업을 신고하여야 한다.",
    "제5조 (과태료)": "신고를 하지 아니한 자에게는 백만원 이하의 과태료를 부과한다.",
    "제6조 (간판)": "간판의 크기와 색은 조례로 정한다.",
}
DECREE = {
    "제1조 (목적)": "이 영은 법에서 위임된 사항을 정한다.",
    "제2조 (휴업 신고의 방법)": "법 제3조에 따라 휴업을 신고하려는 자는 신고서를 구청장에게 낸다.",
}


@pytest.fixture(scope="session")
def shop_knowledge(tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory) -> SmallKnowledge:
    folder = tmp_path_factory.mktemp("shops")
    (folder / "kr").mkdir()
    write_statute(folder / "kr", "가게 보호법", ACT)
    write_statute(folder / "kr", "가게 보호법 시행령", DECREE)
    guide = record(
        "G1",
        "가게를 쉬려면 휴업 신고를 하고 문에 알림을 붙입니다.",
        "law_common",
        title="가게 휴업 안내",
        related_laws=["가게 보호법 제3조"],
    )
    knowledge = SmallKnowledge(Settings(data_dir=folder / "data"), MorphemeAnalyzer(tokenizer))
    assert knowledge.add(folder / "kr", write_lines(folder / "guide.jsonl", guide)).problems == []
    return knowledge


@pytest.fixture(scope="session")
def shops(shop_knowledge: SmallKnowledge) -> Iterator[HybridSearcher]:
    index = shop_knowledge.store.open_current()
    yield open_searcher(shop_knowledge, index)
    index.close()


@pytest.fixture(scope="session")
def planner(tokenizer: KiwiTokenizer) -> SearchPlanner:
    settings = Settings()
    return SearchPlanner(settings, MultiQueryExpander(load_glossary(), tokenizer, settings.multi_query_count))


@pytest.fixture(scope="session")
def collector(shops: HybridSearcher, planner: SearchPlanner) -> ExampleCollector:
    return ExampleCollector(shops, planner)


@pytest.fixture(scope="session")
def shop_questions() -> list[EvaluationQuestion]:
    asked = {
        "가게를 새로 열 때 개업 신고는 어디에 하나요?": "가게보호법|제2조",
        "가게를 쉬려면 휴업 신고를 해야 하나요?": "가게보호법|제3조",
        "가게 문을 닫으면 폐업 신고를 하나요?": "가게보호법|제4조",
        "신고하지 않으면 과태료는 얼마인가요?": "가게보호법|제5조",
        "간판 색은 마음대로 정하나요?": "가게보호법|제6조",
    }
    return [
        EvaluationQuestion(id=f"q{number}", question=text, gold=(gold,), origin="가게" if number < 3 else "기타")
        for number, (text, gold) in enumerate(asked.items())
    ]
