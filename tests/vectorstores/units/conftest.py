"""Two documents of the labour domain and one of tax, in the unit form, as an index."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.small_index import SmallKnowledge
from tests.support.small_searcher import MorphemeAnalyzer
from tests.support.unit_files import unit_text, write_document
from utils.config.settings import Settings
from vectorstores.embedders.unit_encoder import unit_embedder
from vectorstores.index import KnowledgeIndex
from vectorstores.tokenizer import KiwiTokenizer
from vectorstores.units.model import UnitModel
from vectorstores.units.search import UnitSearcher

CONTRACT = unit_text()
DEADLINE = unit_text(
    "계약서를 주는 때",
    properties=("측면: 시기",),
    asks=(
        "계약서는 언제까지 써 줘야 해요?",
        "출근 첫날 계약서를 줘야 하나요? → 네",
        "근로계약서 교부 시기",
        "며칠 안에 계약서 줘야 되나",
        "알바 첫날 바로 계약서 쓰는 건가요",
        "일 시작하고 나서 계약서 써도 돼요?",
    ),
    sentences=("결론: 근로계약서는 근로계약을 맺을 때 바로 교부해야 합니다(근로기준법 제17조).",),
)
HOLIDAY = unit_text(
    "주휴수당을 받는 조건",
    properties=("측면: 대상", "경우: 주근로시간 >= 15"),
    asks=(
        "주휴수당은 주 몇 시간부터 줘요?",
        "알바한테 주휴 챙겨 줘야 하나요",
        "주 15시간 넘는데 주휴 나오나요? → 네",
        "일주일 개근하면 하루치 더 주는 거 누구한테 줘요",
        "단시간 알바 주휴수당 기준",
        "주말 알바 두 명 주휴 줘야 돼?",
    ),
    sentences=("결론: 주휴수당은 1주 15시간 이상 일하고 개근한 직원에게 지급합니다(근로기준법 제55조).",),
)
REFUND = unit_text(
    "부가세 환급을 받는 때",
    properties=("측면: 시기",),
    asks=(
        "부가세 환급 언제 들어와요?",
        "환급금 며칠 만에 나오나요",
        "부가가치세 환급 시기",
        "부가세 신고했는데 돈은 언제 돌려주나",
        "조기환급 며칠 걸려요",
        "세무서 환급 입금 언제쯤",
    ),
    sentences=("결론: 부가가치세 일반환급은 확정신고 기한이 지난 뒤 30일 안에 됩니다(부가가치세법 제59조).",),
)


@pytest.fixture(scope="package")
def unit_knowledge(tmp_path_factory: pytest.TempPathFactory, tokenizer: KiwiTokenizer) -> SmallKnowledge:
    folder = tmp_path_factory.mktemp("units")
    write_document(folder / "base" / "hr_labor", CONTRACT, DEADLINE)
    write_document(
        folder / "base" / "hr_labor", HOLIDAY, head={"id": "HR_TIME_003", "title": "주휴수당", "topic": "주휴수당"}
    )
    write_document(
        folder / "base" / "finance_tax", REFUND, head={"id": "FT_VAT_010", "title": "부가세 환급", "topic": "환급"}
    )
    knowledge = SmallKnowledge(Settings(data_dir=folder / "var"), MorphemeAnalyzer(tokenizer))
    assert knowledge.add(folder / "base").problems == []
    return knowledge


@pytest.fixture(scope="package")
def unit_index(unit_knowledge: SmallKnowledge) -> Iterator[KnowledgeIndex]:
    index = unit_knowledge.store.open_current()
    yield index
    index.close()


@pytest.fixture(scope="package")
def searcher(unit_knowledge: SmallKnowledge, unit_index: KnowledgeIndex) -> UnitSearcher:
    return UnitSearcher(unit_index, unit_knowledge.analyzer, unit_embedder(unit_knowledge.analyzer), UnitModel.load())
