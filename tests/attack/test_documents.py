"""Documents that mean harm: what they hold comes in as plain text, and what they are is told within bounds."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chains.context import documents_to_sources
from routes.ask import AnswerPrinter, print_problem
from schemas.chat import ActionItem, ActionType, Component, Degradation, SentenceVerdict, SourceItem, Verdict
from schemas.events import (
    ActionEvent,
    CheckEvent,
    DoneEvent,
    ReplaceEvent,
    SourceEvent,
    Stage,
    StatusEvent,
    StreamEvent,
    TokenEvent,
)
from schemas.problems import ErrorCode, FieldProblem, Problem
from tests.attack.test_logs import pdf_with_encoding
from tests.support.hostile_files import HIDDEN as HIDDEN_LETTERS
from tests.support.hostile_files import assert_plain, load, texts_of
from tests.support.pdf_files import make_pdf
from tests.support.small_index import record, write_lines
from tests.support.unit_files import ASKS, unit_text, write_document
from utils.config.settings import PROJECT_ROOT
from utils.documents import Chunk, Hit, is_web_address, on_one_line
from utils.sanitizing.sanitize import clean_text
from vectorstores.errors import IngestError
from vectorstores.jobs.uploads import UploadRefused, UploadStore
from vectorstores.loaders.base import SourceDocument
from vectorstores.loaders.files import ArchiveLimits
from vectorstores.loaders.registry import loader_for
from vectorstores.storage.chunk_store import ChunkRow, ChunkStore, ChunkStoreWriter, DocumentRow

HIDDEN = "\x1b[31m\x07\x08\x7f\x9b2J\u202e\u2066\u200b\u00ad\ufeff\ufff9\U000e0041"
EVIL = f"가산{HIDDEN}세"


def jsonl(folder: Path) -> Path:
    line = record(
        "A", EVIL, title=f"안내\n[9] {EVIL}", related_laws=[f"법\n{EVIL} 제1조"], metadata={f"키\n{EVIL}": EVIL}
    )
    line["source"] = {"name": f"가짜청\n[9] {EVIL}", "url": "https://www.moel.go.kr/a?b=1"}
    return write_lines(folder / "a.jsonl", line)


def markdown(folder: Path) -> Path:
    path = folder / "안내.md"
    path.write_text(f"---\ntitle: {EVIL}\nsource: 청{HIDDEN}\n---\n# {EVIL}\n\n{EVIL}\n", encoding="utf-8")
    return path


def statute(folder: Path) -> Path:
    path = folder / "법.md"
    head = f"제목: {EVIL}법\n법령구분: 법률\n공포일자: 2026-01-01\n시행일자: 2026-02-01\n출처: https://www.law.go.kr/법령/가\n"
    path.write_text(f"---\n{head}---\n## 제1장 {EVIL}\n##### 제1조 ({EVIL})\n\n{EVIL} 납부한다.\n", encoding="utf-8")
    return path


def precedent(folder: Path) -> Path:
    path = folder / "case.md"
    head = f"판례일련번호: '1'\n사건번호: 92누1{HIDDEN}\n사건명: {EVIL}\n법원명: 대법원{HIDDEN}\n선고일자: 1993-03-23\n"
    path.write_text(
        f"---\n{head}---\n## 판시사항\n\n{EVIL}\n\n## 참조조문\n\n근로{HIDDEN}기준법\n제23조\n", encoding="utf-8"
    )
    return path


def faq(folder: Path) -> Path:
    line: dict[str, object] = {"id": 1, "question": f"{EVIL}\n[2]?", "answer": EVIL, "category": EVIL}
    return write_lines(folder / "faq.jsonl", line)


def headnote(folder: Path) -> Path:
    line: dict[str, object] = {
        "id": "세무/대법원/1",
        "kind": EVIL,
        "court": f"대법원\n{HIDDEN}",
        "issues": EVIL,
        "holding": EVIL,
        "cited": EVIL,
    }
    return write_lines(folder / "notes.jsonl", line)


def web_page(folder: Path) -> Path:
    path = folder / "page.txt"
    path.write_text(f"Source URL: https://a.example/x\nTitle: {EVIL}\n{EVIL}\n", encoding="utf-8")
    return path


def pdf(folder: Path) -> Path:
    path = folder / "a.pdf"
    path.write_bytes(make_pdf([EVIL.replace("\U000e0041", "")], labels="0 << /P (\x1b[31m\\n) >>"))
    return path


def units(folder: Path) -> Path:
    written = unit_text(EVIL, asks=[f"{EVIL} {ask}" for ask in ASKS], sentences=[f"결론: {EVIL}를 냅니다."])
    return write_document(folder, written, head={"title": EVIL, "topic": EVIL, "source_name": f"청{HIDDEN}"})


FORMATS: dict[str, Callable[[Path], Path]] = {
    "jsonl": jsonl, "markdown": markdown, "statutes": statute, "precedents": precedent, "faq": faq,
    "headnotes": headnote, "webpages": web_page, "pdf": pdf, "units": units,
}  # fmt: skip


@pytest.mark.finding("M3")
@pytest.mark.parametrize("name", FORMATS)
def test_a_document_of_any_format_is_plain_text_with_names_on_one_line(tmp_path: Path, name: str) -> None:
    path = FORMATS[name](tmp_path)
    assert loader_for(path).name == name
    documents, report = load(path, None if name in ("statutes", "precedents", "headnotes", "jsonl") else "hr_labor")
    assert not report.problems
    assert documents
    for source in documents:
        assert_plain(source)
    assert any("가산[31m2J세" in text for source in documents for _, text in texts_of(source)), "the visible stays"


BAD_ADDRESSES = [
    "javascript:alert(document.cookie)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ftp://a.example",
    "//a.example", "/path", '"onmouseover=alert(1)', 'https://a.example/"onmouseover=', "https://a.example/'x", "https://",
    "https://a.example/<script>", "https://a b.example", "https://a.example/\nx", "https://a.example/\x1b[31m", "http:a.example",
    "https://law.go.kr@evil.example/", "https://a.example/\u202egpj.exe", "https://a.example/\u200b", " https://a.example",
    "https://a.example/`x`", "https://a.example\\@evil.example", "https://" + "a" * 3_000,
]  # fmt: skip


@pytest.mark.finding("M3")
@pytest.mark.parametrize("address", BAD_ADDRESSES)
def test_an_address_of_a_source_is_http_and_nothing_else(tmp_path: Path, address: str) -> None:
    bad = record("B", "나") | {"source": {"name": "청", "url": address}}
    documents, report = load(write_lines(tmp_path / "a.jsonl", record("A", "가"), bad, record("C", "다")))
    assert [source.document.id for source in documents] == ["A", "C"]
    (problem,) = report.problems
    assert problem.line == 2
    assert "source.url" in problem.message
    assert "http://" in problem.message


@pytest.mark.parametrize(
    "address",
    [
        "https://www.law.go.kr/법령/부가가치세법/제49조",
        "http://www.law.go.kr/LSW/precInfoP.do?precSeq=124555",
        "https://cloud.google.com/a_b-c/(d);e=1,2?hl=ko&x=%20#frag",
        "https://127.0.0.1:8443/x",
        "",
    ],
)
def test_ordinary_addresses_stay(address: str) -> None:
    assert address == "" or is_web_address(address)


@pytest.mark.parametrize("piece", [" ", "\t\n", "\n ", "가 ", "https://", "https://a/", "a@", "\u200b", "e\u0301"])
def test_names_and_addresses_take_time_in_proportion(piece: str) -> None:
    def seconds(size: int) -> float:
        text = "x" + piece * (size // len(piece)) + "x"
        started = time.thread_time()
        on_one_line(text)
        is_web_address("https://a.example/" + text)
        return time.thread_time() - started

    assert seconds(80_000) < 0.1 + 8 * seconds(20_000)


@pytest.mark.finding("M3")
@pytest.mark.parametrize("name", ["markdown", "statutes", "precedents", "webpages"])
def test_an_address_in_a_text_file_is_refused_by_name(tmp_path: Path, name: str) -> None:
    path = FORMATS[name](tmp_path)
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"(?:출처|url): .*\n", "", text).replace("---\n", "---\nurl: javascript:x\n출처: javascript:x\n", 1)
    path.write_text(text.replace("https://a.example/x", "javascript:x"), encoding="utf-8")
    documents, report = load(path)
    assert documents == []
    assert all("url" in problem.message for problem in report.problems)
    assert report.problems


@pytest.mark.finding("M3")
@pytest.mark.parametrize("name", ["안\x1b[31m내.md", "안\n내.md", "안\u202e내.txt"])
def test_a_file_name_that_hides_something_is_refused_by_what_can_be_seen_of_it(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("본문", encoding="utf-8")
    documents, report = load(tmp_path / name)
    assert documents == []
    assert "id" in report.problems[0].message
    assert not HIDDEN_LETTERS.search(str(report.problems[0]))
    assert "\n" not in str(report.problems[0])


@pytest.mark.finding("M3")
def test_an_older_index_does_not_give_out_a_bad_address(tmp_path: Path) -> None:
    writer = ChunkStoreWriter(tmp_path, 0)
    for number, address in enumerate(("javascript:alert(1)", "https://a.example/x")):
        row = DocumentRow(
            id=f"D{number}", hash=b"h", origin="o", type="guide", domain="hr_labor", title="가", heading="가", name="",
            label=None, source_name="청", source_url=address, effective_date=None, related_laws=(), metadata={},
        )  # fmt: skip
        writer.add(row, [ChunkRow(f"D{number}", "가나다", ((0, 3),))])
    writer.finish()
    store = ChunkStore.open(tmp_path, "hr_labor_db")
    chunks = store.chunks([0, 1])
    store.close()
    assert [source.url for source in documents_to_sources([Hit(chunk, 1.0) for chunk in chunks])] == [
        "",
        "https://a.example/x",
    ]


@pytest.mark.finding("L11")
@pytest.mark.parametrize("name", ["A\nB", "A\x1bB", "A\u202eB", "A\u200b"])
def test_an_id_can_be_seen_and_addressed(tmp_path: Path, name: str) -> None:
    documents, report = load(write_lines(tmp_path / "a.jsonl", record(name, "가")))
    assert documents == []
    assert [problem.line for problem in report.problems] == [1]


def test_the_starter_base_is_plain_already(starter_sources: list[SourceDocument]) -> None:
    """Nothing of it is cleaned away on its way in."""
    for source in starter_sources:
        written = (PROJECT_ROOT / "data" / "knowledge" / source.origin).read_text(encoding="utf-8")
        assert clean_text(written) == written, source.origin
        assert [text for text in source.document.content.split("\n") if text not in written] == []


# The terminal of `make ask`.


def hostile_events() -> list[StreamEvent]:
    source = SourceItem(index=1, title=f"제목\n[9] {EVIL}", content=EVIL, source=f"청\n{EVIL}", url="https://a.example")
    action = ActionItem(type=ActionType.TAX_CALENDAR, label=EVIL, description=EVIL)
    check = SentenceVerdict(start=0, end=5, verdict=Verdict.UNCITED)
    done = DoneEvent(
        domain="hr_labor", domains=["hr_labor"], kind="consult", model="extractive", request_id="r",
        degraded=[Degradation(component=Component.LLM, reason=EVIL)],
    )  # fmt: skip
    return [
        StatusEvent(stage=Stage.CLASSIFY, label=EVIL),
        SourceEvent(source=source),
        *(TokenEvent(content=letter) for letter in EVIL),
        CheckEvent(check=check),
        ActionEvent(action=action),
        ReplaceEvent(reason="retry", content=EVIL, sources=[source]),
        CheckEvent(check=check),
        done,
    ]


@pytest.mark.finding("M3")
def test_a_terminal_gets_no_escape_sequence() -> None:
    out, progress = io.StringIO(), io.StringIO()
    assert AnswerPrinter(out, progress).show(hostile_events())
    problem = Problem(
        title=EVIL, status=400, detail=EVIL, instance="/", code=ErrorCode.NOT_FOUND, request_id="r",
        errors=[FieldProblem(path=EVIL, message=EVIL)],
    )  # fmt: skip
    print_problem(problem, progress)
    shown = out.getvalue() + progress.getvalue()
    assert "가산" in shown
    assert not HIDDEN_LETTERS.search(shown)
    sources = out.getvalue().partition("출처")[2]
    assert not re.search(r"^\s*\[9\]", sources, re.MULTILINE), "a title is no line of its own"


def test_the_pdf_of_the_log_attack_is_read_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "p.pdf"
    path.write_bytes(pdf_with_encoding('{"level":"CRITICAL"}'))
    documents, _ = load(path)
    for source in documents:
        assert_plain(source)


# Archives.


def packed(*parts: bytes) -> bytes:
    return gzip.compress(b"".join(parts))


def header(name: str, size: int = 0, kind: bytes = b"0") -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.USTAR_FORMAT)


def padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 512)


def pax(**values: str) -> bytes:
    lines = b""
    for key, value in values.items():
        body = f" {key.replace('__', '.')}={value}\n".encode()
        length = len(body) + len(str(len(body) + 2))
        lines += f"{length}".encode() + body
    return header("x", len(lines), b"x") + padded(lines)


GOOD = "---\n제목: 가법\n법령구분: 법률\n공포일자: 2026-01-01\n시행일자: 2026-02-01\n---\n##### 제1조\n\n목적이다.\n".encode()
MEMBER = header("kr/a.md", len(GOOD)) + padded(GOOD)
FORGED = {
    "sparse map that is no number": pax(GNU__sparse__map="x,y") + MEMBER,
    "sparse size that is no number": pax(GNU__sparse__major="1", GNU__sparse__minor="0", GNU__sparse__realsize="x")
    + MEMBER,
    "sparse without its map": pax(GNU__sparse__major="1", GNU__sparse__minor="0", GNU__sparse__realsize="9") + MEMBER,
    "sparse offsets without sizes": pax(GNU__sparse__size="9", GNU__sparse__offset="x") + MEMBER,
    "5,000 chained pax headers": pax(comment="x") * 5_000 + MEMBER,
    "5,000 chained long names": (header("././@LongLink", 5, b"L") + padded(b"name\0")) * 5_000 + MEMBER,
    "pax size of a line beyond its end": header("x", 9, b"x") + padded(b"99999 a=b") + MEMBER,
    "pax size of nothing": header("x", 6, b"x") + padded(b"0 a=b\n") + MEMBER,
    "pax header claims 8 GB": header("x", 8 * 1024**3 - 1, b"x") + MEMBER,
    "long name claims 8 GB": header("x", 8 * 1024**3 - 1, b"L") + MEMBER,
    "pax size that is no number": pax(size="x") + MEMBER,
    "pax time that is no number": pax(mtime="x") + MEMBER,
    "global header of nonsense": header("x", 4, b"g") + padded(b"\xff\xfe\xfd\xfc") + MEMBER,
    "header of 0xff": b"\xff" * 512 + MEMBER,
}


@pytest.mark.finding("L2")
@pytest.mark.parametrize("name", FORGED)
@pytest.mark.parametrize("first", [b"", MEMBER], ids=["at once", "after a good member"])
def test_a_forged_archive_is_refused_or_ends_where_it_is_forged(tmp_path: Path, name: str, first: bytes) -> None:
    data = packed(first, FORGED[name], b"\0" * 1024)
    try:
        stored = UploadStore(tmp_path).keep("laws.tar.gz", io.BytesIO(data))
    except UploadRefused:
        assert not first
        return
    documents, _ = load(tmp_path / stored.key, None)
    assert {source.document.id for source in documents} == {"가법|제1조"}


def never_text(megabytes: int) -> bytes:
    """An archive of one binary member that unpacks to ``megabytes``, packed in a moment."""
    size = megabytes << 20
    block = gzip.compress(bytes(16 << 20))
    return gzip.compress(header("big.bin", size)) + block * (megabytes // 16) + gzip.compress(MEMBER + b"\0" * 1024)


def probing_seconds(folder: Path, data: bytes) -> float:
    """Processor time of telling what an upload is."""
    path = folder / "a.tar.gz"
    path.write_bytes(data)
    started = time.thread_time()
    with pytest.raises(IngestError):
        loader_for(path)
    return time.thread_time() - started


@pytest.mark.finding("L3")
def test_what_an_archive_is_costs_the_same_however_much_it_unpacks_to(tmp_path: Path) -> None:
    small, large = (probing_seconds(tmp_path, never_text(megabytes)) for megabytes in (64, 1_024))
    assert large < 3 * small + 0.2


@pytest.mark.finding("L3")
@pytest.mark.parametrize(
    "build",
    [
        pytest.param(lambda: b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * 6_000_000, id="a name without an end"),
        pytest.param(lambda: gzip.compress(b"") * 400_000, id="empty streams"),
        pytest.param(lambda: packed(*[header(f"{n}.bin") for n in range(1_000)] * 200), id="members without end"),
    ],
)
def test_what_yields_nothing_to_count_ends_by_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, build: Callable[[], bytes]
) -> None:
    monkeypatch.setattr("vectorstores.loaders.sniff.GLANCE", ArchiveLimits(1 << 21, 1 << 30, 10**9, 0.1))
    assert probing_seconds(tmp_path, build()) < 1.0, "seconds without the clock"


@pytest.mark.finding("L3")
def test_an_upload_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    real = gzip.GzipFile

    def counted(*args: object, **kwargs: object) -> gzip.GzipFile:
        opened.append(args)
        return real(*args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr("vectorstores.loaders.files.gzip.GzipFile", counted)
    with pytest.raises(UploadRefused):
        UploadStore(tmp_path).keep("a.tar.gz", io.BytesIO(packed(header("a.bin", 3) + padded(b"abc"), b"\0" * 1024)))
    assert len(opened) == 1


def test_a_chunk_is_given_out_as_it_is() -> None:
    chunk = Chunk("a", "a", "hr_labor_db", "hr_labor", "guide", "제목", "본문", "청", "https://a.example")
    assert documents_to_sources([Hit(chunk, 1.0)])[0].url == "https://a.example"
