"""The unit that answers a question comes first, and is known not to answer another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.settings import Settings
from vectorstores.embedders.unit_encoder import unit_embedder
from vectorstores.units.match import Context
from vectorstores.units.model import UnitModel
from vectorstores.units.search import FoundUnit, UnitSearcher

LABOUR = Context(("hr_labor",), ())


def find(searcher: UnitSearcher, question: str, context: Context = LABOUR) -> list[FoundUnit]:
    return searcher.find(searcher.asked(question), context, 4)


@pytest.mark.parametrize(
    ("question", "document", "begins"),
    [
        ("아르바이트생 계약서 안 썼는데 벌금 얼마예요?", "HR_CONTRACT_001", "근로계약서를 교부하지 않으면"),
        ("계약서는 출근하고 며칠 안에 줘야 하나요?", "HR_CONTRACT_001", "근로계약서는 근로계약을 맺을 때"),
        ("주휴수당은 몇 시간 일하면 줘야 돼요?", "HR_TIME_003", "주휴수당은 1주 15시간"),
    ],
)
def test_the_unit_of_the_aspect_asked_for_comes_first(
    searcher: UnitSearcher, question: str, document: str, begins: str
) -> None:
    best = find(searcher, question)[0]
    assert best.chunk.doc_id == document
    assert best.unit.sentences[0].text.startswith(begins)


def test_units_of_every_domain_are_looked_at_and_those_of_its_own_are_preferred(searcher: UnitSearcher) -> None:
    outside = find(searcher, "부가세 환급 언제 들어와요?")[0]
    inside = find(searcher, "부가세 환급 언제 들어와요?", Context(("finance_tax",), ()))[0]
    assert outside.chunk.doc_id == inside.chunk.doc_id == "FT_VAT_010"
    assert inside.score > outside.score


def test_a_document_that_was_found_speaks_for_its_units(searcher: UnitSearcher) -> None:
    alone = {found.unit.name: found.score for found in find(searcher, "계약서 시기")}
    beside = find(searcher, "계약서 시기", Context(("hr_labor",), ("HR_TIME_003",)))
    assert {found.unit.name for found in beside if found.score > alone[found.unit.name]} == {"주휴수당을 받는 조건"}


def test_a_word_that_no_document_has_speaks_against_an_answer(searcher: UnitSearcher) -> None:
    known = find(searcher, "알바 계약서 안 쓰면 벌금 얼마예요?")[0]
    foreign = find(searcher, "베트남 공장 알바 계약서 안 쓰면 현지 벌금 얼마예요?")[0]
    assert known.unit == foreign.unit
    assert known.answers > foreign.answers


def test_each_phrasing_has_its_nearness(searcher: UnitSearcher) -> None:
    best = find(searcher, "주휴수당은 주 몇 시간부터 줘요?")[0]
    assert len(best.nearness) == len(best.unit.asks)
    assert best.nearness[0] == max(best.nearness) == pytest.approx(1.0, abs=0.01)


def test_a_base_without_units_has_none_to_find(tmp_path: Path, unit_knowledge: SmallKnowledge) -> None:
    knowledge = SmallKnowledge(Settings(data_dir=tmp_path / "var"), unit_knowledge.analyzer)
    knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "계약서는 바로 줍니다.")))
    index = knowledge.store.open_current()
    searcher = UnitSearcher(index, knowledge.analyzer, unit_embedder(knowledge.analyzer), UnitModel.plain())
    assert find(searcher, "계약서 언제 줘요?") == []
    index.close()
