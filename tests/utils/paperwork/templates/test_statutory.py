"""Statutory items: their names are those of the templates, and every article that documents cite is in the statutes."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Mapping

import pytest

from utils.config.settings import PROJECT_ROOT
from utils.paperwork.templates.statutory import shipped_items
from utils.paperwork.templates.template import TEMPLATES_DIR, shipped_templates

STATUTES = PROJECT_ROOT.parent / "shared" / "corpus" / "statutes-md.tar.gz"
_SOURCES = ("utils/paperwork/rules", "utils/paperwork/preparation")
_CITED = re.compile(
    r"((?:[가-힣]+(?: 및 | 등에 관한 | 관한 | )?){1,8}법(?:률)?)(?: (시행령|시행규칙))? 제(\d+조(?:의\d+)?)"
)
_KINDS = {"": "법률", "시행령": "시행령", "시행규칙": "시행규칙"}
_SHORT = {
    "보험료징수법": "고용보험및산업재해보상보험의보험료징수등에관한법률",
    "기간제법": "기간제및단시간근로자보호등에관한법률",
}


def test_items_are_of_templates_and_name_their_variants() -> None:
    templates = shipped_templates()
    for item in shipped_items():
        template = templates[item.template]
        assert set(item.variants) <= set(template.variant_keys), item
        assert set(item.may_be_empty) <= set(item.fields), item


def test_what_the_statutes_demand_of_a_contract_and_a_statement_is_listed() -> None:
    listed = {(item.template, item.article) for item in shipped_items()}
    for place in range(1, 7):  # 시행령 제27조의2
        assert any(template == "wage_statement" and f"제{place}호" in article for template, article in listed), place
    for number in (*map(str, range(1, 13)), "9의2"):  # 근로기준법 제93조
        name = f"제93조제{number}호" if number != "9의2" else "제93조제9호의2"
        assert ("work_rules", f"근로기준법 {name}") in listed, number


def _cited() -> set[tuple[str, str, str]]:
    """Return statute, kind and article of all citations in the templates, the items, the rules and the sums."""
    files = [
        *TEMPLATES_DIR.rglob("*.toml"),
        *(path for folder in _SOURCES for path in (PROJECT_ROOT / folder).glob("*.py")),
    ]
    found = set()
    for file in files:
        for match in _CITED.finditer(file.read_text(encoding="utf-8")):
            name = match[1].replace(" ", "")
            found.add((name, match[2] or "", match[3]))
    return found


@pytest.mark.corpus
def test_every_article_that_is_cited_is_in_the_statutes() -> None:
    if not STATUTES.is_file():
        pytest.skip("the statute corpus (../shared/corpus) is not here")
    cited = _cited()
    assert len(cited) > 40
    texts = _statutes({name for name, _, _ in cited})
    lost = {
        f"{name} {kind} 제{article}"
        for name, kind, article in cited
        if not any(f"##### 제{article} " in text or f"##### 제{article}\n" in text for text in _of(texts, name, kind))
    }
    assert lost == set()


def _of(texts: Mapping[str, str], name: str, kind: str) -> list[str]:
    wanted = _SHORT.get(name, name)
    return [
        text
        for path, text in texts.items()
        if (folder := path.split("/")[-2].replace("ㆍ", ""))
        and wanted.replace("ㆍ", "").endswith(folder)
        and path.split("/")[-1].startswith(_KINDS[kind])
    ]


def _statutes(names: set[str]) -> dict[str, str]:
    """Read the files of the statutes that the names end with: a name is cited with the words before it."""
    wanted = {_SHORT.get(name, name) for name in names}
    found: dict[str, str] = {}
    with tarfile.open(STATUTES) as archive:
        for member in archive:
            parts = member.name.split("/")
            if (
                member.isfile()
                and len(parts) >= 2
                and any(name.endswith(parts[-2].replace("ㆍ", "")) for name in wanted)
            ):
                content = archive.extractfile(member)
                assert content is not None
                found[member.name] = content.read().decode("utf-8")
    return found
