"""Collections are those of the packs, while a version is built and after."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath

import pytest

from tests.support.fifth_domain import KEY, documents, write_fifth_domain
from tests.support.packs import shipped_collections, shipped_packs
from tests.support.routing import DOMAINS_DIR
from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.settings import Settings
from utils.routing.domain_pack import DomainPack, PackSet
from vectorstores.collections import ALWAYS, LONG_ONLY, PAGE, WHOLE, ChunkingPolicy, Collections
from vectorstores.errors import IngestError


@pytest.fixture
def knowledge(tmp_path: Path) -> SmallKnowledge:
    folder = Path(shutil.copytree(DOMAINS_DIR, tmp_path / "domains"))
    return SmallKnowledge(Settings(data_dir=tmp_path / "data", domain_dir=folder))


def domains(knowledge: SmallKnowledge) -> Path:
    assert knowledge.settings.domain_dir is not None
    return knowledge.settings.domain_dir


def held(knowledge: SmallKnowledge) -> dict[str, set[str]]:
    """Document ids by collection, of those that hold any."""
    index = knowledge.store.open_current()
    try:
        return {
            name: {chunk.doc_id for chunk in collection.chunks(range(collection.size))}
            for name, collection in index.collections.items()
            if collection.size
        }
    finally:
        index.close()


@pytest.mark.parametrize("key", ["law_common", "legal", "law_common_db"])
def test_a_collection_is_found_by_key_older_key_and_name(key: str) -> None:
    assert shipped_collections().find(key).name == "law_common_db"


def test_an_unknown_collection_is_refused_with_those_there_are() -> None:
    with pytest.raises(IngestError, match=r"'nowhere'.*hr_labor"):
        shipped_collections().find("nowhere")


def test_texts_are_cut_as_the_pack_says() -> None:
    startup = shipped_collections().find("startup_funding")
    assert startup.policy("guide", "announcements") is WHOLE
    assert startup.policy("announce") is WHOLE
    assert startup.policy("guide") is LONG_ONLY
    assert shipped_collections().find("hr_labor").policy("court_case") is ALWAYS
    labor = shipped_packs().get("hr_labor").model_copy(update={"chunking": {"faq": "900/800"}})
    packs = shipped_packs().model_copy(update={"domains": (labor,)})
    assert Collections(packs).find("hr_labor").policy("faq") == ChunkingPolicy(900, 800)


def test_cases_belong_where_the_packs_say() -> None:
    known = shipped_collections()
    assert known.of_cases(PurePosixPath("cases/tax/2020.md")) == "finance_tax"
    assert known.of_cases(PurePosixPath("cases/labor/2020.md")) == "hr_labor"
    assert known.of_cases(PurePosixPath("cases/2020.md")) == "law_common"
    assert (known.of_case_kind("세무"), known.of_case_kind("민사")) == ("finance_tax", "law_common")
    only = shipped_packs().get("hr_labor").model_copy(update={"neighbours": ()})
    with pytest.raises(IngestError, match="is_law"):
        Collections(shipped_packs().model_copy(update={"domains": (only,)})).of_case_kind("민사")


def test_a_new_domain_takes_documents_and_one_that_is_gone_keeps_them(
    knowledge: SmallKnowledge, tmp_path: Path
) -> None:
    four = write_lines(tmp_path / "four.jsonl", record("A", "임금 체불"))
    farm = write_lines(tmp_path / "farm.jsonl", *documents())
    knowledge.add(four)
    assert [problem.message for problem in knowledge.add(farm).problems] == [f"알 수 없는 domain입니다: '{KEY}'"] * 3
    path = write_fifth_domain(domains(knowledge))
    assert knowledge.add(farm).added == 3
    path.unlink()
    knowledge.add(write_lines(tmp_path / "more.jsonl", record("B", "연차 휴가")))
    assert held(knowledge) == {"hr_labor_db": {"A", "B"}, "farming_db": {"FARM_PROOF", "FARM_PAY", "FARM_HUT"}}
    assert knowledge.ingest.delete(["FARM_HUT"]).removed == 1
    assert "FARM_HUT" not in held(knowledge)["farming_db"]


def test_documents_follow_their_domain_to_another_collection(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금 체불"))
    knowledge.add(path, mirror=True)
    assert not knowledge.add(path, mirror=True).changed
    file = domains(knowledge) / "hr_labor.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("hr_labor_db", "labor_two_db"), encoding="utf-8")
    assert knowledge.add(path, mirror=True).changed
    assert held(knowledge) == {"labor_two_db": {"A"}}
    assert not knowledge.add(path, mirror=True).changed


def test_a_bad_pack_stops_an_ingest_with_its_name(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    (domains(knowledge) / "bad.toml").write_text('key = "bad"', encoding="utf-8")
    with pytest.raises(IngestError, match=r"bad\.toml"):
        knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금 체불")))


def test_pages_and_headings_are_cut_as_the_pack_says() -> None:
    pages = {"page": "1100/1100/180/•○", "heading": "2"}
    labor = shipped_packs().get("hr_labor")
    found = Collections(PackSet(domains=(labor.model_copy(update={"chunking": pages, "neighbours": ()}),))).specs[0]
    assert (found.of_pages, found.section_depth) == (ChunkingPolicy(1_100, 1_100, 180, "•○"), 2)
    usual = Collections(PackSet(domains=(labor.model_copy(update={"neighbours": ()}),))).specs[0]
    assert (usual.of_pages, usual.section_depth) == (PAGE, 3)
    assert found.fingerprint != usual.fingerprint


@pytest.mark.parametrize(
    "chunking", [{"heading": "whole"}, {"guide": "2"}, {"page": "1100"}, {"page": "1100/1100/180/a b"}]
)
def test_a_way_of_cutting_that_is_none_is_refused(chunking: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="chunking"):
        DomainPack.model_validate({**shipped_packs().get("hr_labor").model_dump(), "chunking": chunking})


def test_where_there_is_one_collection_it_need_not_be_named() -> None:
    labor = shipped_packs().get("hr_labor").model_copy(update={"neighbours": ()})
    assert Collections(PackSet(domains=(labor,))).domain_named(None) == "hr_labor"
    assert shipped_collections().domain_named(None) is None
    assert shipped_collections().domain_named("legal") == "law_common"
