"""Differences between two versions of the statutes, and the answer units that cite what changed."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from tests.support.packs import shipped_collections
from tests.support.small_index import SmallKnowledge
from tests.support.unit_files import write_document
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores import cli
from vectorstores.loaders.base import LoadReport
from vectorstores.statute_book.articles import index_articles, tree_articles
from vectorstores.statute_book.changes import (
    ArticleChange,
    ChangeKind,
    CitingUnit,
    base_citations,
    changes_between,
    counts_of,
    index_citations,
)

TODAY = date(2026, 11, 21)
STATUTES = PROJECT_ROOT.parent / "shared" / "corpus" / "statutes-md.tar.gz"
OLD = """## 제1장 총칙

##### 제2조 (정의)

**①** 뜻은 다음과 같다. <개정 2018.3.20>

  1\\. "근로자"란 사람을 말한다.

##### 제17조 (근로조건의 명시)

**①** 사용자는 임금을 명시하여야 한다.

**②** 서면을 교부하여야 한다. <개정 2020.5.26>

##### 제43조의2

삭제 <2020.5.26>

##### 제60조 (연차 유급휴가)

유급휴가를 주어야 한다.

##### 제114조 (벌칙)

500만원 이하의 벌금에 처한다.
"""
NEW = (
    OLD.replace("<개정 2018.3.20>", "<개정 2018.3.20, 2020.5.26>")  # a note alone changes nothing
    .replace("**②** 서면을 교부하여야 한다. <개정 2020.5.26>", "**②** 전자문서를 교부한다. <개정 2020.5.26, 2026.3.17>")
    .replace("삭제 <2020.5.26>", "다시 정한다. <신설 2026.3.17>")
    .replace("유급휴가를 주어야 한다.", "삭제 <2026.3.17>")
    .replace("500만원", "1천만원")
)


def write(tree: Path, body: str, title: str = "근로기준법", effective: str = "2026-04-01") -> Path:
    folder = tree / "kr" / title
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "법률.md").write_text(
        f"---\n제목: {title}\n법령MST: 1\n법령ID: '001'\n법령구분: 법률\n공포일자: 2026-03-17\n시행일자: {effective}\n"
        f"출처: https://www.law.go.kr/법령/{title}\n---\n\n# {title}\n\n{body}\n## 부칙\n\n부칙 <제1호,2010.1.1>\n\n시행한다.\n",
        encoding="utf-8",
    )
    return tree


def compared(old: Path, new: Path, knowledge: Path | None = None) -> list[ArticleChange]:
    report, collections = LoadReport(), shipped_collections()
    citations = base_citations(knowledge, report) if knowledge is not None else {}
    versions = [tree_articles(tree, TODAY, collections, report) for tree in (old, new)]
    assert report.problems == []
    return changes_between(versions[0], versions[1], citations)


def told(changes: list[ArticleChange]) -> list[tuple[str, str, str]]:
    return [(change.kind.value, change.title, str(change.upcoming or "")) for change in changes]


def test_articles_are_added_amended_repealed_and_still_to_come(tmp_path: Path) -> None:
    old = write(tmp_path / "old", OLD)
    write(old, "##### 제1조 (목적)\n\n목적이다.\n", "폐지법")
    new = write(tmp_path / "new", NEW, effective="2027-01-01")
    write(new, "##### 제1조 (목적)\n\n목적이다.\n", "새법")
    changes = compared(old, new)
    assert told(changes) == [
        ("amended", "근로기준법 제17조(근로조건의 명시)", "2027-01-01"),
        ("added", "근로기준법 제43조의2", "2027-01-01"),
        ("repealed", "근로기준법 제60조(연차 유급휴가)", ""),
        ("amended", "근로기준법 제114조(벌칙)", ""),
        ("added", "새법 제1조(목적)", ""),
        ("repealed", "폐지법 제1조(목적)", ""),
    ]
    assert counts_of(changes) == {"added": 2, "amended": 2, "repealed": 2, "upcoming": 2}


def test_what_is_still_to_come_is_named_also_where_the_text_is_the_same(tmp_path: Path) -> None:
    tree = write(tmp_path / "tree", NEW + "\n[시행일: 2028.1.1] 제114조\n", effective="2027-01-01")
    changes = compared(tree, tree)
    assert told(changes) == [
        ("upcoming", "근로기준법 제17조(근로조건의 명시)", "2027-01-01"),
        ("upcoming", "근로기준법 제43조의2", "2027-01-01"),
        ("upcoming", "근로기준법 제114조(벌칙)", "2028-01-01"),
    ]
    assert counts_of(changes)["upcoming"] == 3


def test_a_changed_article_names_the_units_that_cite_it(tmp_path: Path) -> None:
    knowledge = tmp_path / "hr_labor" / "labor_guide"
    write_document(knowledge)
    old, new = write(tmp_path / "old", OLD), write(tmp_path / "new", NEW)
    cited = {change.article: change.units for change in compared(old, new, tmp_path / "hr_labor")}
    unit = CitingUnit("HR_CONTRACT_001", "근로계약서를 안 쓰면")
    assert cited == {"제17조": (unit,), "제43조의2": (), "제60조": (), "제114조": (unit,)}


def test_two_versions_of_an_index_are_compared_like_their_trees(tmp_path: Path) -> None:
    long = "".join(f"**{chr(0x2460 + n)}** {'긴 조문의 글이다. ' * 40}\n\n" for n in range(12))
    old = write(tmp_path / "tree", f"{OLD}\n##### 제115조 (긴 조문)\n\n{long}")
    knowledge = SmallKnowledge(Settings(data_dir=tmp_path / "data"), today=TODAY)
    base = tmp_path / "hr_labor" / "labor_guide"
    write_document(base)
    knowledge.add(old, base, mirror=True)
    layout = knowledge.store.layout
    before = knowledge.store.current_version()
    # the last paragraph of the long article is to come: its mark moves where the article is cut
    coming = f"{NEW}\n##### 제115조 (긴 조문)\n\n{long.rstrip()} <개정 2026.3.17>\n"
    write(old, coming, effective="2027-01-01")
    knowledge.add(old, base, mirror=True)
    after = knowledge.store.current_version()
    assert before is not None
    assert after is not None
    manifests = [layout.manifest(version) for version in (before, after)]
    states = [index_articles(layout, manifest.collections.values(), TODAY) for manifest in manifests]
    changes = changes_between(states[0], states[1], index_citations(layout, manifests[1]))
    assert told(changes) == [
        ("amended", "근로기준법 제17조(근로조건의 명시)", "2027-01-01"),
        ("added", "근로기준법 제43조의2", "2027-01-01"),
        ("repealed", "근로기준법 제60조(연차 유급휴가)", ""),
        ("amended", "근로기준법 제114조(벌칙)", ""),
        ("upcoming", "근로기준법 제115조(긴 조문)", "2027-01-01"),
    ]
    assert changes[0].units == (CitingUnit("HR_CONTRACT_001", "근로계약서를 안 쓰면"),)
    later = index_articles(layout, manifests[1].collections.values(), date(2027, 1, 1))
    assert later["근로기준법|제17조"].upcoming is None, "the day has come"


def test_the_command_prints_and_writes_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    knowledge = tmp_path / "hr_labor" / "labor_guide"
    write_document(knowledge)
    old, new = write(tmp_path / "old", OLD), write(tmp_path / "new", NEW)
    file = tmp_path / "report.json"
    arguments = ["statute-changes", str(old), str(new), "--knowledge", str(knowledge), "--json", str(file)]
    assert cli.main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["신설 1, 개정 2, 삭제 1, 시행 예정 0", "답변 단위가 근거로 든 조문 2"]
    assert "    HR_CONTRACT_001 · 근로계약서를 안 쓰면" in lines
    record = json.loads(file.read_text(encoding="utf-8"))
    assert record["counts"] == {"added": 1, "amended": 2, "repealed": 1, "upcoming": 0}
    assert record["changes"][0] == {
        "kind": "amended",
        "law": "근로기준법",
        "article": "제17조",
        "heading": "근로조건의 명시",
        "upcoming": None,
        "units": [{"document": "HR_CONTRACT_001", "unit": "근로계약서를 안 쓰면"}],
    }
    assert cli.main(["statute-changes", str(old), str(tmp_path / "none")]) == 1
    assert "경로가 없습니다" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_of_the_national_statutes_is_still_to_come() -> None:
    if not STATUTES.exists():
        pytest.skip("the statute corpus (../shared/corpus) is not here")
    report = LoadReport()
    states = tree_articles(STATUTES, TODAY, shipped_collections(), report)
    assert report.problems == []
    citations = base_citations(cli.STARTER_FOLDER, report)
    changes = changes_between(states, states, citations)
    assert {change.kind for change in changes} == {ChangeKind.UPCOMING}
    assert len(states) > 200_000
    assert len(changes) == 376
    assert any(change.law == "근로기준법" for change in changes)
    assert 0 < sum(bool(change.units) for change in changes) < len(changes)
