"""``python -m vectorstores check``: what a writer of answer units is told."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from tests.support.packs import shipped_collections
from tests.support.unit_files import ASKS, SENTENCES, document_text, unit_text, write_document
from utils.config.settings import PROJECT_ROOT
from vectorstores import cli
from vectorstores.cli import STARTER_FOLDER
from vectorstores.errors import IngestError
from vectorstores.unit_check import UnitReport, check_units

TODAY = date(2026, 11, 22)
README = PROJECT_ROOT / "README.md"
OTHER_ASKS = tuple(f"다른 물음 {number}" for number in range(6))
OTHER_SENTENCES = ("결론: 다른 규칙이 적용됩니다.",)
STATUTE = (
    "---\n제목: {title}\n법령구분: 법률\n공포일자: 2026-01-01\n시행일자: 2026-02-01\n---\n# {title}\n\n"
    "##### 제17조 (명시)\n\n① 밝혀야 한다.\n\n##### 제114조 (벌칙)\n\n{penalty}\n"
)


def checked(*paths: Path, statutes: Path | None = None) -> UnitReport:
    return check_units(paths, shipped_collections(), TODAY, statutes)


def told(report: UnitReport) -> list[str]:
    return [str(problem) for problem in report.problems]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "hr_labor" / "labor_guide"


def test_a_sound_base_is_counted_by_domain(tmp_path: Path, folder: Path) -> None:
    write_document(folder)
    other = unit_text(asks=OTHER_ASKS, sentences=OTHER_SENTENCES)
    write_document(tmp_path / "finance_tax" / "tax_support", other, head={"id": "TAX_001"})
    report = checked(tmp_path)
    assert told(report) == []
    counts = report.counts["hr_labor"]
    assert (counts.documents, counts.units, counts.asks, counts.sentences) == (1, 1, 6, 2)
    assert set(report.counts) == {"hr_labor", "finance_tax"}


def test_a_phrasing_is_asked_of_one_unit_only(folder: Path) -> None:
    write_document(folder)
    second = unit_text(asks=(*OTHER_ASKS, "알바 계약서  안썼는데, 벌금 나오나요"), sentences=OTHER_SENTENCES)
    write_document(folder, second, head={"id": "HR_CONTRACT_002"})
    [problem] = told(checked(folder))
    assert "HR_CONTRACT_002.md:24: 같은 묻는 말이 또 있습니다" in problem
    assert "HR_CONTRACT_001.md:18" in problem, "where the other one is"


def test_a_sentence_belongs_to_one_unit(folder: Path) -> None:
    write_document(folder, unit_text(), unit_text("둘째", asks=OTHER_ASKS, sentences=SENTENCES[:1]))
    [problem] = told(checked(folder))
    assert "같은 문장이 또 있습니다" in problem


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("결론: 벌금이 있음.", "완전한 문장이어야 합니다"),
        ("결론: 벌금이 있습니다", "완전한 문장이어야 합니다"),
        ("결론: 벌금이 있습니다(근로기준법 제114조", "완전한 문장이어야 합니다"),
        ("결론: 벌금이 있습니다. 과태료도 있습니다.", "한 줄에는 한 문장만 씁니다"),
        ("결론: 벌금이 있습니다(제114조).", "근거 조문은 '(법령의 온전한 이름 제N조, …)'처럼 씁니다: (제114조)"),
        ("결론: 벌금이 있습니다(근로기준법 제114조와 제115조).", "근거 조문은"),
        ("결론: 안내는 ftp://moel.go.kr 에 있습니다.", "주소여야 합니다: ftp://moel.go.kr"),
    ],
)
def test_a_sentence_is_whole_and_cites_in_full(folder: Path, sentence: str, expected: str) -> None:
    path = write_document(folder, unit_text(sentences=(sentence,)))
    [problem] = told(checked(folder))
    assert problem.startswith(f"{path}:27: ")
    assert expected in problem


def test_a_court_decision_may_stand_beside_an_article(folder: Path) -> None:
    cited = "결론: 권리금을 물어 줘야 합니다(상가건물 임대차보호법 제10조의4, 대법원 2019다285257)."
    write_document(folder, unit_text(sentences=(cited,)))
    assert told(checked(folder)) == []


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ({"source_url": "www.law.go.kr"}, "source_url은 http:// 또는 https:// 주소여야 합니다"),
        ({"type": "guides"}, "알 수 없는 type입니다: guides"),
        ({"effective_date": "2027-01-01"}, "effective_date(2027-01-01)가 collected_at(2026-11-20)보다 뒤입니다"),
    ],
)
def test_a_head_has_values_that_can_be_shown(folder: Path, head: dict[str, str], expected: str) -> None:
    write_document(folder, head=head)
    [problem] = told(checked(folder))
    assert expected in problem


def test_ids_are_file_names_and_given_once(tmp_path: Path, folder: Path) -> None:
    first = write_document(folder)
    (folder / "HR_OTHER.md").write_text(first.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "LOOSE.md").write_text(document_text(head={"id": "LOOSE"}), encoding="utf-8")
    problems = [problem for problem in told(checked(tmp_path)) if "또 있습니다" not in problem]
    assert [problem.partition(": ")[2] for problem in problems] == [
        "분야의 폴더 안에 있어야 합니다 (finance_tax, hr_labor, law_common, startup_funding)",
        f"id가 다른 문서와 겹칩니다: HR_CONTRACT_001 ({first})",
        "파일 이름은 HR_CONTRACT_001.md여야 합니다 (id와 같게)",
    ]


def test_too_few_phrasings_and_reviews_past_their_day(folder: Path) -> None:
    properties = ("측면: 제재", "유효: 2026-01-01 ~ 2026-10-31", "검토: 2026-10-31")
    write_document(folder, unit_text(properties=properties, asks=ASKS[:5]))
    report = checked(folder)
    assert ["묻는 말이 5개입니다" in problem for problem in told(report)] == [True]
    assert ["2026-10-31" in problem.message for problem in report.due] == [True], "told, but nothing to correct"
    assert ["유효 기간이 지났습니다 (2026-10-31)" in problem.message for problem in report.expired] == [True]
    properties = ("측면: 제재", "유효: 2026-01-01 ~ 2026-10-31", "검토: 2026-11-30")
    write_document(folder, unit_text(properties=properties))
    assert ["보다 뒤입니다" in problem for problem in told(checked(folder))] == [True]


def test_cited_articles_are_looked_up_in_a_statute_tree(tmp_path: Path, folder: Path) -> None:
    write_document(folder, unit_text(sentences=(*SENTENCES, "예외: 아닌 때도 있습니다(근기법 제5조).")))
    tree = tmp_path / "statutes" / "근로기준법"
    tree.mkdir(parents=True)
    (tree / "법률.md").write_text(STATUTE.format(title="근로기준법", penalty="삭제 <2026.1.1>"), encoding="utf-8")
    decree = STATUTE.format(title="근로기준법 시행령", penalty="벌금").replace("제17조", "제8조의2")
    (tree / "시행령.md").write_text(decree, encoding="utf-8")
    problems = [problem.partition(": ")[2] for problem in told(checked(folder, statutes=tmp_path / "statutes"))]
    assert problems == [
        "조문이 없거나 삭제되었습니다: 근로기준법 제114조",
        "법령이 없습니다: 근기법 (온전한 이름으로 씁니다)",
    ]
    with pytest.raises(IngestError, match="법령을 찾을 수 없습니다"):
        checked(folder, statutes=folder)


def test_a_statute_is_known_by_its_title_whatever_its_folder_is_called(tmp_path: Path, folder: Path) -> None:
    """The act kept the folder of the name it had before, and its decree has one of the new name."""
    act, decree = tmp_path / "statutes" / "근로기준보호법", tmp_path / "statutes" / "근로기준법"
    for place, title in ((act, "'근로기준법'"), (decree, "근로기준법 시행령")):
        place.mkdir(parents=True)
        attachments = "첨부파일:\n" + "- 별표 1 가나다라마바사\n" * 500
        text = STATUTE.format(title=title, penalty="벌금에 처한다.").replace("공포일자", f"{attachments}공포일자", 1)
        (place / "본문.md").write_text(text.replace("제17조", "제8조의2"), encoding="utf-8")
    write_document(folder)
    problems = [problem.partition(": ")[2] for problem in told(checked(folder, statutes=tmp_path / "statutes"))]
    assert problems == ["조문이 없거나 삭제되었습니다: 근로기준법 제17조"]


def test_the_example_of_the_readme_is_sound(folder: Path) -> None:
    """Whoever begins with a copy of it begins without faults."""
    [example] = re.findall(r"```markdown\n(---\nid: (\w+)\n.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    folder.mkdir(parents=True)
    (folder / f"{example[1]}.md").write_text(example[0], encoding="utf-8")
    report = checked(folder)
    assert told(report) == []
    assert report.counts["hr_labor"].units == 1
    assert told(checked(folder, STARTER_FOLDER)) == [], "nor does it collide with the starter base"


def test_the_command_prints_problems_and_fails(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_document(folder)
    assert cli.main(["check", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert ["hr_labor", "1", "1", "6", "2"] in [line.split() for line in printed.splitlines()]
    path = write_document(folder, unit_text(asks=ASKS[:5]))
    assert cli.main(["check", str(tmp_path)]) == 1
    assert f"{path}:12: 묻는 말이 5개입니다" in capsys.readouterr().err
    assert cli.main(["check", str(tmp_path / "nowhere")]) == 1
