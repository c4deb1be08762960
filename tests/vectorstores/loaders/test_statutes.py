"""The statute tree: one document an article, of the text in force, with what is still to come marked."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pytest

from tests.support.packs import shipped_collections
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.files import ArchiveLimits
from vectorstores.loaders.registry import loader_for

TODAY = date(2026, 11, 21)
SUPPLEMENT = "## 부칙\n\n부칙 <제1호,2010.1.1>\n\n제1조(시행일) 이 법은 공포한 날부터 시행한다.\n\n##### 제99조 (부칙 안의 조)\n\n본문\n"


def statute(
    body: str,
    title: str = "시험법",
    promulgated: str = "2026-03-17",
    effective: str = "2026-04-01",
    supplement: str = SUPPLEMENT,
) -> str:
    return (
        f"---\n제목: {title}\n법령MST: 1\n법령구분: 법률\n소관부처:\n- 고용노동부\n공포일자: {promulgated}\n"
        f"시행일자: {effective}\n출처: https://www.law.go.kr/법령/{title}\n---\n\n# {title}\n\n{body}\n\n{supplement}"
    )


def load(path: Path, today: date = TODAY) -> tuple[dict[str, SourceDocument], LoadReport]:
    report = LoadReport()
    loader = loader_for(path, "statutes")
    documents = list(loader.load(path, LoadOptions(today=today, collections=shipped_collections()), report))
    assert report.documents == len(documents)
    return {document.document.id: document for document in documents}, report


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "kr" / "시험법"
    folder.mkdir(parents=True)
    return folder


def test_an_article_becomes_a_document(tree: Path) -> None:
    body = (
        "## 제1장 총칙\n\n### 제1절 통칙\n\n##### 제2조의3 (정의 등)\n\n**①** 뜻은 다음과 같다. <개정 2018.3.20, 2019.1.15>\n\n"
        '  1\\. "근로자"란 사람을 말한다.\n\n##### 제3조\n\n삭제 <2020.1.1>\n'
    )
    (tree / "법률.md").write_text(statute(body), encoding="utf-8")
    documents, report = load(tree.parent)
    article = documents["시험법|제2조의3"]
    assert list(documents) == ["시험법|제2조의3", "시험법|제3조"], "no article of the 부칙"
    assert article.label == "시험법|제2조의3"
    assert article.prefix == article.document.title == "시험법 제2조의3(정의 등)"
    assert article.document.content == '① 뜻은 다음과 같다.\n1. "근로자"란 사람을 말한다.'
    assert article.document.effective_date == date(2026, 4, 1)
    assert article.document.metadata["section"] == "제1장 총칙 > 제1절 통칙"
    assert article.document.source.url == "https://www.law.go.kr/법령/시험법/제2조의3"
    assert documents["시험법|제3조"].document.metadata["deleted"] is True
    assert not report.problems
    assert report.reread_on is None


def test_only_the_newest_text_of_a_title_is_read(tree: Path) -> None:
    (tree / "법률.md").write_text(statute("##### 제1조\n\n옛 조문", promulgated="1997-03-13"), encoding="utf-8")
    (tree / "법률(법률).md").write_text(statute("##### 제1조\n\n새 조문"), encoding="utf-8")
    documents, _ = load(tree.parent)
    assert documents["시험법|제1조"].document.content == "새 조문"


def test_paragraphs_of_a_coming_amendment_are_marked_and_no_others(tree: Path) -> None:
    body = (
        "##### 제1조\n\n**①** 그대로다. <개정 2018.3.20>\n\n**②** 바뀐다. <개정 2018.3.20, 2026.3.17>\n\n"
        "##### 제2조\n\n**①** 두 번 바뀌었다. <개정 2026.3.17, 2026.4.1>\n\n##### 제3조 (새로)\n\n새 조문이다. <신설 2026.3.17>\n"
    )
    (tree / "법률.md").write_text(statute(body, effective="2027-01-01"), encoding="utf-8")
    documents, report = load(tree.parent)
    first, second, third = documents.values()
    assert first.document.content == "① 그대로다.\n② [시행 예정 2027-01-01] 바뀐다."
    assert first.document.title == "시험법 제1조 [일부 시행 예정]"
    assert first.document.effective_date is None, "시행일자 dates the amendment, not the article"
    assert "시행 예정" not in second.document.content + second.document.title
    assert "upcoming" not in second.document.metadata
    assert third.document.title == "시험법 제3조(새로) [시행 예정 2027-01-01]"
    assert third.document.effective_date == date(2027, 1, 1)
    assert third.document.metadata["upcoming"] == "2027-01-01"
    assert report.reread_on == date(2027, 1, 1)


def test_nothing_is_marked_once_the_day_has_come(tree: Path) -> None:
    (tree / "법률.md").write_text(
        statute("##### 제1조\n\n바뀐다. <개정 2026.3.17>", effective="2027-01-01"), encoding="utf-8"
    )
    documents, report = load(tree.parent, today=date(2027, 1, 1))
    assert "시행 예정" not in documents["시험법|제1조"].document.title
    assert report.reread_on is None


def test_a_first_enactment_is_marked_as_a_whole(tree: Path) -> None:
    own = "## 부칙\n\n부칙 <제21500호,2026.3.17>\n\n이 법은 공포 후 1년이 경과한 날부터 시행한다.\n"
    body = "##### 제1조 (목적)\n\n목적이다.\n\n##### 제2조\n\n**①** 하나.\n\n**②** 둘."
    (tree / "법률.md").write_text(statute(body, effective="2027-03-18", supplement=own), encoding="utf-8")
    documents, _ = load(tree.parent)
    assert [d.document.title for d in documents.values()] == [
        "시험법 제1조(목적) [시행 예정 2027-03-18]",
        "시험법 제2조 [시행 예정 2027-03-18]",
    ]


@pytest.mark.parametrize(
    ("note", "marked"),
    [
        (
            "[시행일] 제1조제2항의 개정규정은 다음 각 호의 구분에 따른 날\n\n  1\\. 50명 이상: 2025년 1월 1일\n  2\\. 그 밖: 2026년 1월 1일",
            [],
        ),
        (
            "[시행일] 제1조제2항의 개정규정은 다음 각 호의 구분에 따른 날\n\n  1\\. 50명 이상: 2026년 1월 1일\n  2\\. 그 밖: 2028년 1월 1일",
            ["②"],
        ),
        ("[시행일: 2028.1.1] 제1조", ["①", "②"]),
        ("[시행일] 공포 후 1년이 경과한 날", ["②"]),
    ],
)
def test_a_note_on_the_day_of_effect_overrides(tree: Path, note: str, marked: list[str]) -> None:
    body = f"##### 제1조\n\n**①** 하나. <개정 2018.3.20>\n\n**②** 둘. <개정 2026.3.17>\n\t\t\n\t\t{note}\n"
    (tree / "법률.md").write_text(statute(body, effective="2027-01-01"), encoding="utf-8")
    article = load(tree.parent)[0]["시험법|제1조"].document
    lines = [line for line in article.content.split("\n") if line[0] in "①②"]
    assert [line[0] for line in lines if "시행 예정" in line] == marked


def test_an_undetermined_day_of_effect_says_so(tree: Path) -> None:
    (tree / "법률.md").write_text(
        statute("##### 제1조\n\n바뀐다. <개정 2026.3.17>", effective="9999-01-01"), encoding="utf-8"
    )
    assert load(tree.parent)[0]["시험법|제1조"].document.title == "시험법 제1조 [시행 예정: 시행일 미정]"


def test_a_broken_file_is_reported_and_the_rest_is_read(tree: Path) -> None:
    (tree / "가.md").write_bytes(b"\xff\xfe" + "제목: 시험법".encode("utf-16-le"))
    (tree / "나.md").write_text("", encoding="utf-8")
    (tree / "다.md").write_text("---\n제목: 열린 머리말\n\n# 본문", encoding="utf-8")
    (tree / "라.md").write_text(statute("##### 제1조\n\n본문", title="날짜법", promulgated="작년"), encoding="utf-8")
    (tree / "마.md").write_text(statute("##### 제1조\n\n본문").replace("공포일자", "공포한날"), encoding="utf-8")
    (tree / "법률.md").write_text(statute("##### 제1조\n\n본문"), encoding="utf-8")
    documents, report = load(tree.parent)
    assert list(documents) == ["시험법|제1조"]
    assert {Path(problem.path).name: problem.message[:6] for problem in report.problems} == {
        "가.md": "UTF-8 ",
        "나.md": "빈 파일입니",
        "다.md": "머리말(--",
        "라.md": "머리말의 값",
        "마.md": "머리말에 공",
    }
    assert report.files == 6


def archive(path: Path, members: Iterable[tuple[tarfile.TarInfo, bytes]]) -> Path:
    with tarfile.open(path, "w:gz") as file:
        for member, data in members:
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    return path


def test_an_archive_is_read_without_unpacking_and_may_not_reach_out(tmp_path: Path) -> None:
    good = statute("##### 제1조\n\n본문").encode()
    link = tarfile.TarInfo("kr/시험법/link.md")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    hostile = ["../밖.md", "/절대.md", "kr/../../밖.md"]
    path = archive(
        tmp_path / "laws.tar.gz",
        [
            *((tarfile.TarInfo(name), good) for name in hostile),
            (link, b""),
            (tarfile.TarInfo("kr/시험법/법률.md"), good),
        ],
    )
    documents, report = load(path)
    assert list(documents) == ["시험법|제1조"]
    assert [problem.path for problem in report.problems] == [*hostile, "kr/시험법/link.md"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["laws.tar.gz"]


def test_a_decompression_bomb_ends_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vectorstores.loaders.files.WHOLE", ArchiveLimits(100_000, 300_000, 1_000, 60.0))
    good = statute("##### 제1조\n\n본문").encode()
    members = [(tarfile.TarInfo("kr/시험법/법률.md"), good)]
    one_big = archive(tmp_path / "big.tar.gz", [*members, (tarfile.TarInfo("kr/big.md"), b"0" * 10_000_000)])
    many = archive(
        tmp_path / "many.tar.gz", [*members, *((tarfile.TarInfo(f"kr/{n}.md"), b"0" * 90_000) for n in range(50))]
    )
    for path in (one_big, many):
        documents, report = load(path)
        assert list(documents) == ["시험법|제1조"], path
        assert any("한도" in problem.message for problem in report.problems), path


def test_a_cut_off_archive_gives_what_was_whole(tmp_path: Path) -> None:
    laws = [
        statute("##### 제1조\n\n" + "본문 " * 9_000 + str(number), title=f"법{number}").encode() for number in range(3)
    ]
    path = archive(tmp_path / "laws.tar.gz", [(tarfile.TarInfo(f"kr/{n}.md"), data) for n, data in enumerate(laws)])
    path.write_bytes(path.read_bytes()[:-200])
    documents, report = load(path)
    assert "법0|제1조" in documents
    assert any("손상" in problem.message for problem in report.problems)
