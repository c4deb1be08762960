"""Keeping uploads: safe names, content that is what it says, one copy of each."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.pdf_files import make_pdf
from vectorstores.jobs.uploads import UnknownUploadFormat, UploadRefused, UploadStore, safe_name

LINE = b'{"id": "A"}\n'
STATUTE = "---\n제목: 시험법\n법령구분: 법률\n공포일자: 2026-03-17\n시행일자: 2026-03-17\n---\n##### 제1조\n\n목적\n"


def archive(name: str, text: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        member = tarfile.TarInfo(name)
        data = text.encode()
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


@pytest.fixture
def store(tmp_path: Path) -> UploadStore:
    return UploadStore(tmp_path)


def kept_files(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in (root / "uploads").rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("../../etc/passwd.jsonl", "passwd.jsonl"),
        ("..\\..\\windows\\안내.PDF", "안내.pdf"),
        ("/etc/cron.d/x.md", "x.md"),
        ("....jsonl", "document.jsonl"),
        (".jsonl", "document.jsonl"),
        ("a\x00b.txt", "ab.txt"),
        ("연말정산 (2026).tar.gz", "연말정산 (2026).tar.gz"),
        ("a;rm -rf $HOME|b.md", "a_rm -rf _HOME_b.md"),
        ("\u202efdp.evil.pdf", "fdp.evil.pdf"),
        ("가" * 300 + ".pdf", "가" * 60 + ".pdf"),
    ],
)
def test_names_are_made_safe(given: str, safe: str) -> None:
    assert safe_name(given) == safe


@given(st.text(max_size=300), st.sampled_from([".pdf", ".jsonl", ".tar.gz"]))
def test_any_name_becomes_one_part_of_a_path(text: str, suffix: str) -> None:
    safe = safe_name(f"{text}{suffix}")
    assert Path(safe).name == safe
    assert not safe.startswith(".")
    assert len(safe.encode()) <= 255
    assert safe.endswith(suffix)


@pytest.mark.parametrize("name", ["", "a", "a.exe", "a.pdf.exe", "a.pdf/", "a.pkl", "jsonl"])
def test_other_names_are_refused(store: UploadStore, name: str) -> None:
    with pytest.raises(UnknownUploadFormat):
        store.keep(name, io.BytesIO(LINE))


GOOD = {
    "a.jsonl": b"\xef\xbb\xbf\n" + LINE,
    "a.pdf": make_pdf(["쪽"]),
    "a.md": "# 제목\n내용".encode(),
    "a.txt": "내용".encode() * 30_000,  # the first bytes end within a character
    "cp949.txt": ("안내문".encode("cp949")) * 11_001,
    "law.tar.gz": archive("kr/시험법/법률.md", STATUTE),
}


@pytest.mark.parametrize(("name", "data"), GOOD.items(), ids=GOOD)
def test_each_format_is_kept_as_it_came(store: UploadStore, tmp_path: Path, name: str, data: bytes) -> None:
    kept = store.keep(name, io.BytesIO(data))
    assert (tmp_path / kept.key).read_bytes() == data
    assert kept.needs_collection == (name in ("a.pdf", "a.md", "a.txt", "cp949.txt"))


BAD = {
    "text as PDF": ("a.pdf", b"hello"),
    "PDF as JSONL": ("a.jsonl", make_pdf(["쪽"])),
    "PDF as text": ("a.txt", make_pdf(["쪽"])),
    "prose as JSONL": ("a.jsonl", "안내문입니다".encode()),
    "array as JSONL": ("a.jsonl", b"[1, 2]"),
    "program": ("a.md", b"\x7fELF\x00\x01"),
    "UTF-16": ("a.txt", "안내문".encode("utf-16")),
    "text as archive": ("a.tar.gz", b"hello"),
    "gzip without tar": ("a.tar.gz", gzip.compress(b"hello")),
    "broken archive": ("a.tgz", b"\x1f\x8b\x08broken"),
    "archive of programs": ("a.tar.gz", archive("run.sh", "rm")),
}


@pytest.mark.parametrize(("name", "data"), BAD.values(), ids=BAD)
def test_content_decides_and_nothing_is_left(store: UploadStore, tmp_path: Path, name: str, data: bytes) -> None:
    with pytest.raises(UnknownUploadFormat):
        store.keep(name, io.BytesIO(data))
    assert kept_files(tmp_path) == []


@pytest.mark.parametrize("data", [b"", b" \n\t\n"])
def test_an_empty_file_is_refused(store: UploadStore, data: bytes) -> None:
    with pytest.raises(UploadRefused) as refused:
        store.keep("a.jsonl", io.BytesIO(data))
    assert not isinstance(refused.value, UnknownUploadFormat)


def test_the_same_content_is_kept_once_under_its_first_name(store: UploadStore, tmp_path: Path) -> None:
    first = store.keep("a.jsonl", io.BytesIO(LINE))
    second = store.keep("other.jsonl", io.BytesIO(LINE))
    assert (first.is_new, second.is_new) == (True, False)
    assert second.key == first.key
    assert kept_files(tmp_path) == [first.key]
    assert (first.name, second.name) == ("a.jsonl", "other.jsonl"), "each is told its own"


def test_uploads_expire_but_for_those_that_are_needed_or_arriving(store: UploadStore, tmp_path: Path) -> None:
    first = store.keep("a.jsonl", io.BytesIO(LINE))
    second = store.keep("b.jsonl", io.BytesIO(LINE + b"\n"))
    (tmp_path / "uploads" / ".incoming" / "cut off").mkdir(parents=True)
    with store.arriving():
        assert not store.expire(set, 0.0)
    assert store.expire(set, 1.0)
    assert len(kept_files(tmp_path)) == 2, "they are not a day old"
    assert store.expire(lambda: {first.key}, 0.0)
    assert kept_files(tmp_path) == [first.key]
    assert store.expire(set, 1.0, at_once=[first.key, second.key])
    assert kept_files(tmp_path) == []
    assert not (tmp_path / "uploads" / ".incoming").exists()
