"""Files that mean harm or are broken, as uploads: each is refused in a sentence or read as far as it goes."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.support.hostile_files import read_whole, take_in
from tests.support.pdf_files import make_pdf
from tests.support.small_index import record

LAW = "---\n제목: {title}\n법령구분: 법률\n공포일자: {day}\n시행일자: {day}\n법령MST: {number}\n---\n{body}\n"
ARTICLE = "##### 제1조 (목적)\n\n목적이다."


def law(title: str = "가법", day: str = "2026-01-01", number: str = "1", body: str = ARTICLE) -> bytes:
    return LAW.format(title=title, day=day, number=number, body=body).encode()


def line(**values: Any) -> bytes:
    return json.dumps({**record("A", "본문입니다."), **values}, ensure_ascii=False).encode() + b"\n"


def raw(old: str, new: bytes) -> bytes:
    """A line in which bytes stand where no JSON writer would put them."""
    return line(title="@@").replace(b'"@@"', new) if old == "title" else line(content="@@").replace(b'"@@"', new)


def tar(*members: tuple[str, bytes], kind: bytes = tarfile.REGTYPE, link: str = "", packed: bool = True) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz" if packed else "w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size, member.type, member.linkname = len(data), kind, link
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zipped(name: str, data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, data)
    return out.getvalue()


def pdf(*objects: str, root: str = "1 0 R", table: bool = True) -> bytes:
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    rows = "".join(f"{place:010} 00000 n \n" for place in places) if table else ""
    head = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{rows}" if table else ""
    return body + f"{head}trailer\n<< /Size {len(places) + 1} /Root {root} >>\nstartxref\n{len(body)}\n%%EOF\n".encode()


CATALOG = "<< /Type /Catalog /Pages 2 0 R >>"
PAGES = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R >>"
FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {} >>"


def shown(content: str, font: str = "") -> bytes:
    return pdf(CATALOG, PAGES, PAGE, f"<< /Length {len(content)} >>\nstream\n{content}\nendstream", FONT.format(font))


NESTED_BOMB = zlib.compress(zlib.compress(b"0" * 30_000_000)).decode("latin-1")

FILES: dict[str, tuple[str, bytes]] = {
    # names
    "no stem": (".md", "본문".encode()),
    "dots": ("....//....//x.md", "본문".encode()),
    "a name of controls": ("a\x1b[31m\n\r\x00b\u202e.md", "# 제목\n본문".encode()),
    "a name of 5,000 characters": ("가" * 5_000 + ".txt", "본문".encode()),
    "a lone surrogate": ("\ud800\udfff.md", "본문".encode()),
    "two suffixes": ("a.pdf.jsonl", line()),
    "a device of Windows": ("CON.jsonl", line()),
    "decomposed Hangul": ("\u1112\u1161\u11ab.md", "# 제목\n본문".encode()),
    # encodings
    "UTF-16": ("a.txt", "본문입니다. 길어야 압니다.".encode("utf-16")),
    "UTF-16 without a mark": ("a.txt", "본문".encode("utf-16-be")),
    "UTF-32": ("a.md", "본문".encode("utf-32")),
    "UTF-7": ("a.md", "본문 +AGE-".encode("utf-7")),
    "only a mark": ("a.md", b"\xef\xbb\xbf"),
    "three marks": ("a.md", b"\xef\xbb\xbf" * 3 + "본문".encode()),
    "overlong forms": ("a.md", b"# \xc0\xaf\xe0\x80\xaf x"),
    "surrogates as bytes": ("a.jsonl", raw("title", b'"\xed\xa0\x80\xed\xb0\x80"')),
    "CP949 with a broken end": ("a.md", "한글 본문입니다".encode("cp949") + b"\xb0"),
    "UTF-8, then CP949": ("a.jsonl", line(id="A") + line(id="B", title="한글").decode().encode("cp949")),
    "Shift JIS": ("a.md", "これは日本語です。".encode("shift_jis")),
    "lines ended by CR": ("a.jsonl", line(id="A")[:-1] + b"\r" + line(id="B")),
    "separators of lines": ("a.md", "# 가\u2028# 나\u2029본문\x85끝\x0b끝\x0c끝".encode()),
    "a NUL": ("a.md", b"# a\n\x00\nb"),
    "only what is not seen": ("a.md", "\u200b\u2060\ufeff\u3164 \n\t".encode()),
    # JSON
    "nested a hundred thousand deep": ("a.jsonl", b'{"id":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"),
    "a number of 100,000 digits": ("a.jsonl", line(metadata={"n": 1}).replace(b'"n": 1', b'"n": 1' + b"0" * 100_000)),
    "infinity": ("a.jsonl", line(metadata={"n": 1}).replace(b'"n": 1', b'"n": 1e400')),
    "not a number": ("a.jsonl", line(metadata={"n": 1}).replace(b'"n": 1', b'"n": NaN')),
    "a key twice": ("a.jsonl", b'{"id":"B","id":"C",' + line()[1:]),
    "an escaped surrogate": ("a.jsonl", raw("title", b'"\\ud800"')),
    "escaped controls": ("a.jsonl", raw("content", b'"\\u0000\\u001b[31m\\u202e\\u0085x"')),
    "a line that is a list": ("a.jsonl", b'{"id": 1}\n[1,2]\n"x"\nnull\ntrue\n'),
    "metadata of 10,000 keys": ("a.jsonl", line(metadata={f"k{n}": n for n in range(10_000)})),
    "metadata in metadata": ("a.jsonl", line(metadata={"a": {"b": {}}})),
    "5,000 laws": ("a.jsonl", line(related_laws=[f"법{n}\n제1조" for n in range(5_000)])),
    "a title of a hundred thousand characters": ("a.jsonl", line(title="가\n" * 50_000)),
    "the year 0 and the year 10000": ("a.jsonl", line(id="A", effective_date="0000-01-01") + line(id="B", effective_date="10000-01-01")),
    "a day as a number": ("a.jsonl", line(effective_date=1e308)),
    "an id of 513": ("a.jsonl", line(id="가" * 513)),
    "a question without an end": ("a.jsonl", b'{"id": 1, "question": "' + b"\xea\xb0\x80" * 9 + b'", "answer": "\n'),
    "a headnote of nulls": ("a.jsonl", b'{"id": "a/b", "issues": null, "holding": null, "cited": null}\n'),
    # front matter and Markdown
    "front matter that is never closed": ("a.md", "---\n제목: 가\n본문".encode()),
    "front matter of 10,000 keys": ("a.md", b"---\n" + b"".join(b"k%d: v\n" % n for n in range(10_000)) + b"---\nx"),
    "YAML that grows": ("a.md", "---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\ntitle: *c\n---\n본문".encode()),
    "YAML that builds objects": ("a.md", b"---\ntitle: !!python/object/apply:os.system ['id']\n---\nx"),
    "a date that is none": ("a.md", "---\neffective_date: 2026-13-45\n---\n본문".encode()),
    "thousands of headings": ("a.md", b"# a\n\nb\n\n" * 5_000 + b"#" * 100_000),
    "10,000 fences": ("a.md", b"```\n# x\n" * 10_000),
    "a heading of a million characters": ("a.md", b"# " + b"a " * 500_000 + b"\nb"),
    "blanks before a colon": ("a.md", b"---\n" + b"k" + b" " * 200_000 + b"\n" + b"k:" + b" " * 200_000 + b"\n---\nx"),
    # statutes and cases
    "a statute of the year 9999": ("a.md", law(day="9999-12-31")),
    "a number of 5,000 digits in a head": ("a.md", law(number="9" * 5_000)),
    "a statute without a name": ("a.md", law(title="\u200b")),
    "a statute whose name is too long for an id": ("a.md", law(title="가" * 2_000)),
    "an article that is only its history": ("a.md", law(body="##### 제1조\n\n<개정 2020. 1. 1.>\n\n##### 제2조\n\n본문")),
    "articles by the thousand": ("a.md", law(body="".join(f"##### 제{n}조\n\n본문\n\n" for n in range(2_000)))),
    "notes of dates that are none": ("a.md", law(day="2027-01-01", body="##### 제1조\n\n본문\n[시행일: 9999. 99. 99.] 제1조제1항")),
    "a statute without a heading": ("a.md", law(body="목적이다.")),
    "tags without an end": ("a.md", law(body="##### 제1조\n\n" + "<img " * 50_000 + "<개정 " * 50_000)),
    "a case that cites without an end": (
        "a.md", ("---\n판례일련번호: 1\n사건번호: 1\n사건명: 가\n---\n## 참조조문\n" + "근로기준법 제1조의2 " * 20_000).encode(),
    ),
    "a case of another day": ("a.md", "---\n판례일련번호: 1\n사건번호: 1\n사건명: 가\n선고일자: 오늘\n---\n## 판시사항\n가".encode()),
    # web pages
    "a page whose address is a script": ("a.txt", "Source URL: javascript:alert(1)\n본문".encode()),
    "brackets without an end": ("a.txt", b"Source URL: https://a.example\n" + b"[https://a" * 50_000),
    # archives
    "a zip": ("a.tar.gz", zipped("a.md", law())),
    "a tar that is not packed": ("a.tar.gz", tar(("a.md", law()), packed=False)),
    "packed twice": ("a.tar.gz", gzip.compress(tar(("a.md", law())))),
    "packed text": ("a.tgz", gzip.compress(law())),
    "cut off": ("a.tgz", tar(("a.md", law()))[:-30]),
    "a broken checksum": ("a.tgz", tar(("a.md", law()))[:-8] + b"\0" * 8),
    "names that are no text": ("a.tgz", tar(("kr/\udcb0\udca1.md", law()), ("kr/a\n\x1b[31m.md", law("나법")))),
    "a name of 100,000 characters": ("a.tgz", tar(("d/" * 50_000 + "a.md", law()))),
    "a path out": ("a.tgz", tar(("../../a.md", law()), ("/etc/b.md", law()), ("a\\b.md", law()))),
    "a link to itself": ("a.tgz", tar(("a.md", b""), kind=tarfile.LNKTYPE, link="a.md")),
    "a pipe": ("a.tgz", tar(("a.md", b""), kind=tarfile.FIFOTYPE)),
    "the same file a hundred times": ("a.tgz", tar(*(("a.md", law()) for _ in range(100)))),
    # PDF
    "a PDF of its mark": ("a.pdf", b"%PDF-1.7"),
    "a PDF behind junk": ("a.pdf", b"<script>alert(1)</script>" + make_pdf(["본문"])),
    "a PDF that is cut": ("a.pdf", make_pdf(["본문입니다"])[:-200]),
    "pages that are their own parents": ("a.pdf", pdf(CATALOG, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9999999 >>")),
    "a catalogue that is a number": ("a.pdf", pdf("42")),
    "arrays in arrays": ("a.pdf", pdf(CATALOG, "[" * 20_000 + "]" * 20_000)),
    "a reference to itself": ("a.pdf", pdf("1 0 R", root="1 0 R")),
    "no table": ("a.pdf", pdf(CATALOG, PAGES, PAGE, "<< >>", FONT.format(""), table=False)),
    "a stream that claims more": ("a.pdf", pdf(CATALOG, PAGES, PAGE, "<< /Length 999999999 >>\nstream\nBT ET\nendstream")),
    "a filter on a filter": (
        "a.pdf",
        pdf(CATALOG, PAGES, PAGE, f"<< /Length {len(NESTED_BOMB)} /Filter [/FlateDecode /FlateDecode] >>\nstream\n{NESTED_BOMB}\nendstream"),
    ),
    "states without an end": ("a.pdf", shown("q " * 20_000 + "BT /F 9 Tf (x) Tj ET")),
    "a text of controls": ("a.pdf", shown("BT /F 9 Tf (\\033[31mred\\007\\000\\205 text) Tj ET")),
    "a font that maps to controls": ("a.pdf", shown("BT /F 9 Tf (AAAA) Tj ET", "/Encoding << /Differences [65 /uni202E /uni001B] >>")),
    "a dash as a number": ("a.pdf", shown("BT /F - Tf -- -. 1e999 Td (x) Tj ET")),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_it_is_refused_or_read_as_far_as_it_goes(tmp_path: Path, name: str) -> None:
    started = time.thread_time()
    take_in(tmp_path / "data", *FILES[name])
    assert time.thread_time() - started < 20, "no file of this size takes seconds"
    assert {entry.name for entry in tmp_path.iterdir()} <= {"data"}


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("two suffixes", 1), ("lines ended by CR", 0), ("three marks", 1), ("a key twice", 1),
        ("an article that is only its history", 1), ("a statute whose name is too long for an id", 0), ("cut off", 0),
        ("names that are no text", 2), ("5,000 laws", 1), ("metadata of 10,000 keys", 1), ("a PDF behind junk", 1),
        ("a path out", 0), ("YAML that grows", 1),
    ],
)  # fmt: skip
def test_what_is_good_of_it_is_kept(tmp_path: Path, name: str, count: int) -> None:
    documents = take_in(tmp_path, *FILES[name])
    assert len({source.document.id for source in documents}) == count


def test_a_folder_of_all_of_them_is_read_to_its_end(tmp_path: Path) -> None:
    laws = [data for name, data in FILES.values() if name.endswith(".md") and len(data) < 10_000]
    for number, data in enumerate([law("첫법"), *laws, law("끝법")]):
        (tmp_path / f"{number:03}.md").write_bytes(data)
    assert {"첫법|제1조", "끝법|제1조"} <= {source.document.id for source in read_whole(tmp_path)}
