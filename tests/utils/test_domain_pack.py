from pathlib import Path

import pytest

from tests.support.routing import DOMAINS_DIR, write_pack
from utils.domain_pack import DomainDataError, DomainPack, load_pack_files

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
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(tmp_path: Path, more: str, says: str) -> None:
    write_pack(tmp_path, "tax", more)
    with pytest.raises(DomainDataError, match=says):
        load_pack_files(tmp_path)


def test_an_empty_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DomainDataError, match="no domain files"):
        load_pack_files(tmp_path)
