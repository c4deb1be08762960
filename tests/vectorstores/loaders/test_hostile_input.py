"""Input that is broken or means harm: a clear report, everything else ingested, and no hang."""

from __future__ import annotations

import io
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.settings import Settings
from utils.figures.figures import find_figures
from utils.knowledge.front_matter import split_front_matter
from utils.korean.sentence_spans import split_sentences
from vectorstores.build.verify import verify_index
from vectorstores.collections import LONG_ONLY
from vectorstores.loaders.files import path_sha256
from vectorstores.loaders.markdown import split_by_heading
from vectorstores.loaders.statutes import clean_lines
from vectorstores.storage.chunking import chunk_text
from vectorstores.tokenizer import KiwiTokenizer

LAW = "---\n제목: {title}\n법령구분: 법률\n공포일자: 2026-01-01\n시행일자: 2026-02-01\n---\n# {title}\n\n##### 제1조 (목적)\n\n{body}\n"


def law(title: str, body: str = "목적이다.") -> str:
    return LAW.format(title=title, body=body)


@pytest.fixture
def knowledge(tmp_path: Path) -> SmallKnowledge:
    return SmallKnowledge(Settings(data_dir=tmp_path / "data"))


def labels(knowledge: SmallKnowledge) -> set[str | None]:
    index = knowledge.store.open_current()
    try:
        assert verify_index(index) == []
        collection = index.collections["law_common_db"]
        return {chunk.label for chunk in collection.chunks(range(collection.size))}
    finally:
        index.close()


def test_one_bad_file_after_another_loses_none_of_the_good_ones(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    tree = tmp_path / "kr"
    tree.mkdir()
    (tree / "가.md").write_text(law("첫째법"), encoding="utf-8")
    (tree / "나.md").write_text(law("열린법").replace("\n---\n#", "\n#"), encoding="utf-8")
    (tree / "다.md").write_bytes(law("윈도우법").encode("cp949"))
    (tree / "라.md").write_bytes(b"")
    (tree / "마.md").write_bytes(law("잘린법").encode()[:-3])
    (tree / "바.md").write_text(law("겹친법", "목적이다.\n\n##### 제1조\n\n또 제1조다."), encoding="utf-8")
    (tree / "사.md").write_text(law("긴법", "가나다라 마바사. " * 80_000), encoding="utf-8")
    (tree / "아.md").write_text(law("영법", "\0"), encoding="utf-8")
    (tree / "자.md").symlink_to("/etc/passwd")
    (tree / "차.md").write_text(law("끝법"), encoding="utf-8")
    (tree / "차.md").rename(tree / "차법.md".encode("cp949").decode("utf-8", "surrogateescape"))
    result = knowledge.add(tree)
    assert {problem.path: problem.message.split("(")[0] for problem in result.problems} == {
        "나.md": "머리말",
        "라.md": "빈 파일입니다",
        "마.md": "UTF-8 텍스트가 아닙니다 ",
        "바.md": "같은 조문이 두 번 나옵니다: 제1조",
        "아.md": "텍스트 파일이 아닙니다 ",
    }
    assert [(note.path, "CP949" in note.message) for note in result.notes] == [("다.md", True)]
    kept = {f"{name}|제1조" for name in ("첫째법", "윈도우법", "겹친법", "긴법", "끝법")}
    assert labels(knowledge) == kept
    again = knowledge.add(tree)
    assert (again.changed, len(again.problems)) == (False, 5), "reported as long as they are not repaired"


def test_an_archive_may_neither_reach_out_nor_claim_what_it_does_not_hold(
    knowledge: SmallKnowledge, tmp_path: Path
) -> None:
    path = tmp_path / "laws.tar.gz"
    sparse = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.size": "60000000", "GNU.sparse.map": "0,1"}
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, headers in (("kr/가.md", {}), ("../밖.md", {}), ("kr/성긴.md", sparse), ("kr/나.md", {})):
            member = tarfile.TarInfo(name)
            data = law(name[-4]).encode()
            member.size, member.pax_headers = len(data), headers
            archive.addfile(member, io.BytesIO(data))
        for kind, name in ((tarfile.SYMTYPE, "kr/링크.md"), (tarfile.FIFOTYPE, "kr/관.md")):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    result = knowledge.add(path)
    assert [problem.path for problem in result.problems] == ["../밖.md", "kr/성긴.md", "kr/링크.md", "kr/관.md"]
    assert labels(knowledge) == {"가|제1조", "나|제1조"}
    assert not (tmp_path.parent / "밖.md").exists()


def test_lines_in_another_encoding_are_read_and_noted(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금 체불"), record("B", "연차\0 휴가"))
    path.write_bytes(path.read_text(encoding="utf-8").encode("cp949"))
    result = knowledge.add(path)
    assert (result.added, result.problems, len(result.notes)) == (2, [], 1)


def test_a_link_in_a_folder_is_no_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "kr").mkdir()
    (tmp_path / "kr" / "가.md").write_text(law("가"), encoding="utf-8")
    before = path_sha256(tmp_path / "kr")
    (tmp_path / "kr" / "나.md").symlink_to(tmp_path / "kr" / "가.md")
    assert path_sha256(tmp_path / "kr") == before


SIZE = 800_000
RUNS = {
    "one syllable": "가" * SIZE,
    "stops": "." * SIZE + "x",
    "exclamations": "!" * SIZE + "x",
    "newlines": "\n" * SIZE + "x",
    "spaces": "가." + " " * SIZE + "x",
    "blank lines": "\n " * (SIZE // 2) + "x",
    "spaced heading": "##### 제1조" + " " * SIZE + "x",
    "hashes": "# " * (SIZE // 2) + "x",
    "open tags": "<img" * (SIZE // 4),
    "open notes": ".<개정 " * (SIZE // 5),
    "open fences": "```x\n" * (SIZE // 5),
    "quotes": '."' * (SIZE // 2) + "x",
    "items": "1. " * (SIZE // 3),
    "spaced value": "키: 값" + " " * SIZE + "값",
}


@pytest.mark.parametrize("name", RUNS)
def test_a_section_of_eight_hundred_thousand_characters_is_cut_in_seconds(name: str) -> None:
    text = RUNS[name]
    steps: list[Callable[[], object]] = [
        lambda: split_sentences(text),
        lambda: split_by_heading(text),
        lambda: split_front_matter(f"---\n{text}\n---\n{text}"),
        lambda: clean_lines(text),
    ]
    started = time.process_time()
    for step in steps:
        step()
    passages = chunk_text(text, LONG_ONLY, "시험법 제1조")
    assert time.process_time() - started < 20, "minutes, where a pattern starts over at every character"
    assert all(len(passage.text) <= LONG_ONLY.size for passage in passages)


@pytest.mark.parametrize("text", ["1억2천만" * 900, "십만백" * 1_300, "1," * 2_000, "백천만" * 1_300, "1 " * 2_000])
def test_figures_are_found_in_a_run_of_numerals(text: str) -> None:
    started = time.process_time()
    find_figures(text)
    assert time.process_time() - started < 5, "doubles with every further numeral, where one has several readings"


@pytest.mark.slow
@pytest.mark.parametrize("text", ["가" * 20_000, "😀" * 20_000, "ㅋ" * 20_000, "가\u200d" * 20_000, "a." * 20_000])
def test_any_run_of_characters_is_analysed(tokenizer: KiwiTokenizer, text: str) -> None:
    started = time.process_time()
    (located,) = tokenizer.located_many([text])
    assert len(located.terms) == len(located.starts)
    assert time.process_time() - started < 60
