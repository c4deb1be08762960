import shutil
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.support.routing import DOMAINS_DIR, write_pack
from utils.config.settings import PROJECT_ROOT
from utils.routing.domain_pack import DomainDataError, DomainPack, RejectionPack, load_pack_files

SHIPPED = load_pack_files(DOMAINS_DIR)


@pytest.mark.parametrize("pack", SHIPPED.domains, ids=lambda pack: pack.key)
def test_a_shipped_domain_is_broad(pack: DomainPack) -> None:
    words = [word for _, words in pack.keywords.by_tier() for word in words]
    assert len(words) >= 300
    assert len(pack.examples) >= 60
    assert pack.rules
    assert pack.collection == f"{pack.key}_db"


def test_shipped_neighbours_are_those_that_retrieval_widens_to() -> None:
    assert {pack.key: set(pack.neighbours) for pack in SHIPPED.domains} == {
        "startup_funding": {"finance_tax"},
        "finance_tax": {"startup_funding", "law_common"},
        "hr_labor": {"law_common"},
        "law_common": {"hr_labor", "finance_tax"},
    }


def test_no_representative_question_stands_for_two_things() -> None:
    examples = [text for text, _ in SHIPPED.labelled_examples()]
    assert len(examples) == len(set(examples))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ('rules = [["세금"]]', "two different lemmas"),
        ('neighbours = ["nowhere"]', "nowhere"),
        ('examples = ["  "]', "blank"),
        ('exampels = ["오타"]', "exampels"),
        ("examples = [", "tax.toml"),
        ('aliases = ["No Key"]', "aliases"),
        ('aliases = ["tax"]', "keys and aliases must be distinct"),
        ('search_hints = ["{name}"]', "name"),
        ('chunking = {guide = "sometimes"}', "chunking.guide"),
        (
            'actions = [{type = "phone_call", label = "전화", description = "겁니다", keywords = ["전화"]}]',
            "actions.0.type",
        ),
        ('actions = [{type = "funding_search", label = "찾기", description = "찾습니다", keywords = []}]', "keywords"),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(tmp_path: Path, more: str, says: str) -> None:
    write_pack(tmp_path, "tax", more)
    with pytest.raises(DomainDataError, match=says):
        load_pack_files(tmp_path)


def test_an_empty_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DomainDataError, match="no domain files"):
        load_pack_files(tmp_path)


@pytest.mark.parametrize("collection", ["../elsewhere", "a/b", "staging", "computed", "Upper_db", "", "a"])
def test_a_collection_is_the_name_of_a_folder_and_of_nothing_else(collection: str) -> None:
    with pytest.raises(ValidationError, match="collection"):
        DomainPack(key="tax", label="세금", description="세금", collection=collection)


def test_the_example_of_the_readme_is_a_domain(tmp_path: Path) -> None:
    shutil.copytree(DOMAINS_DIR, tmp_path / "domains")
    readme = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
    example = readme.partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "domains" / "farming.toml").write_text(example, encoding="utf-8")
    assert "farming" in load_pack_files(tmp_path / "domains").keys()  # noqa: SIM118 - the keys in their order


def test_domains_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    write_pack(tmp_path, "tax", "is_law = true")
    other = write_pack(tmp_path, "labor", "is_law = true")
    with pytest.raises(DomainDataError, match=r"is_law.*labor.*tax"):
        load_pack_files(tmp_path)
    other.write_text(other.read_text(encoding="utf-8").replace("is_law = true", "").replace("labor_db", "tax_db"))
    with pytest.raises(DomainDataError, match=r"collections must be distinct.*tax_db"):
        load_pack_files(tmp_path)


@pytest.mark.parametrize("kind", ["consult", "unintelligible", "tax", "No Kind"])
def test_a_kind_of_rejection_has_a_name_of_its_own(tmp_path: Path, kind: str) -> None:
    write_pack(tmp_path, "tax")
    (tmp_path / "rejections").mkdir()
    (tmp_path / "rejections" / "kind.toml").write_text(f'kind = "{kind}"\nlabel = "이름"', encoding="utf-8")
    with pytest.raises(DomainDataError, match=f"{kind}|kind.toml: kind"):
        load_pack_files(tmp_path)


def test_a_question_that_is_turned_away_hears_of_all_domains_there_are() -> None:
    fifth = DomainPack(key="farming", label="농업·농촌", description="농사", collection="farming_db")
    packs = SHIPPED.model_copy(update={"domains": (*SHIPPED.domains, fifth)})
    answer = packs.response_to("out_of_scope")
    assert all(pack.label in answer for pack in packs.domains)
    assert packs.response_to("a_kind_that_is_gone") == answer
    own = RejectionPack(kind="politics", label="정치", response="정치에 대해서는 말하지 않습니다.")
    more = SHIPPED.model_copy(update={"rejections": (*SHIPPED.rejections, own)})
    assert more.response_to("politics") == own.response
