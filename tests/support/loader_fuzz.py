"""Random files for the loaders: good ones of every format, cut, spliced, flipped and stuffed with what formats are made of.

``python -m tests.support.loader_fuzz SECONDS [SEED]`` prints what came of it.
"""

from __future__ import annotations

import gzip
import io
import json
import logging
import random
import sys
import tarfile
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.hostile_files import read_whole
from tests.support.pdf_files import make_pdf
from tests.support.unit_files import document_text

_LAW = "---\n제목: 시험법\n법령구분: 법률\n공포일자: 2026-03-17\n시행일자: 2027-01-01\n출처: https://a.example/법\n---\n# 시험법\n\n## 제1장 총칙\n##### 제1조 (목적)\n\n① 이 법은 목적이다. <개정 2026. 3. 17.>\n1. 가\n[시행일: 2027. 1. 1.] 제1조제1항제1호\n\n## 부칙 <제1호, 2026. 3. 17.>\n"
_CASE = "---\n판례일련번호: '1'\n사건번호: 92누1\n사건명: 해고\n법원명: 대법원\n선고일자: 1993-03-23\n---\n## 판시사항\n가\n## 참조조문\n근로기준법 제23조\n## 판례내용\n【이    유】 나\n"
_GUIDE = "---\ntitle: 안내\nurl: https://a.example\neffective_date: 2026-01-01\n---\n# 제목\n본문\n\n## 작은 제목\n```\n# x\n```\n끝.\n"
_PAGE = "Source URL: https://a.example/x\nTitle: 제목\nbookmark_border\n본문 [https://a.example]\n"
_TOKENS = [
    *(token.encode() for token in ("---", "\n", "\r", "##### ", "제1조", "<개정 2020. 1. 1.>", "[시행일", "<img ", "```", "「", "①", "\u202e", "\u2028")),
    *(token.encode() for token in ("제목: ", "사건번호: ", "Source URL: ", "https://", '"', "\\", "{", "}", "[", "]", ":", ",", "null", "1e999", "\\ud800", "\\u0000")),
    b"\x00", b"\x1b[31m", b"\xff", b"\xed\xa0\x80", b"\xb0\xa1", b"\x1f\x8b\x08", b"obj", b"endobj", b"stream", b"endstream", b"<<", b">>",
    b"/Kids", b"/Count", b"/Filter", b"/FlateDecode", b"/Length", b" 0 R", b"xref", b"startxref", b"BT", b"Tj", b"-1", b"99999999999", b" " * 500,
]  # fmt: skip


@dataclass(slots=True)
class FuzzReport:
    """The result of a run: ``worst`` is the most processor time in milliseconds per KiB of a file of at least one KiB."""

    executions: int = 0
    documents: int = 0
    by_suffix: Counter[str] = field(default_factory=Counter)
    worst: float = 0.0
    worst_file: str = ""
    longest: float = 0.0
    crashes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.executions} files ({dict(self.by_suffix)}), {self.documents} documents, worst {self.worst:.1f} ms/KiB "
            f"({self.worst_file}), longest {self.longest:.0f} ms, {len(self.crashes)} crashes"
        )


def fuzz(seconds: float, seed: int, folder: Path) -> FuzzReport:
    """Read random files for so long; whatever a loader raises, or gives that is not plain, is a crash."""
    chance, report = random.Random(seed), FuzzReport()
    seeds = _seeds()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        suffix, data = _mutated(chance, seeds)
        path = folder / f"f{suffix}"
        path.write_bytes(data)
        started = time.thread_time()
        try:
            report.documents += len(read_whole(path))
        except Exception:
            report.crashes.append(f"{suffix} {data[:300]!r} … {traceback.format_exc(limit=-3)}")
            (folder / f"crash-{len(report.crashes)}{suffix}").write_bytes(data)
        spent = 1000 * (time.thread_time() - started)
        report.executions += 1
        report.by_suffix[suffix] += 1
        report.longest = max(report.longest, spent)
        if len(data) >= 1024 and spent / (len(data) / 1024) > report.worst:
            report.worst = spent / (len(data) / 1024)
            report.worst_file = f"{suffix}, {len(data)} bytes, seed {seed}, number {report.executions}"
    return report


def _seeds() -> list[tuple[str, bytes]]:
    line = {"id": "A", "type": "guide", "domain": "hr_labor", "title": "제목", "content": "본문.", "metadata": {"a": 1}}
    source = {"name": "청", "url": "https://a.example"}
    lines = [
        {**line, "source": source, "related_laws": ["근로기준법 제23조"], "effective_date": "2026-01-01"},
        {"id": 1, "question": "묻는다?", "answer": "답한다.", "category": "가"},
        {
            "id": "민사/대법원/1",
            "kind": "세무",
            "court": "대법원",
            "issues": "가",
            "holding": "나",
            "cited": "민법 제1조",
        },
    ]
    texts = [
        (".md", _LAW),
        (".md", _CASE),
        (".md", _GUIDE),
        (".md", document_text()),
        (".txt", _PAGE),
        (".txt", _GUIDE),
    ]
    texts += [(".jsonl", (json.dumps(line, ensure_ascii=False) + "\n") * 3) for line in lines]
    files = [(suffix, text.encode()) for suffix, text in texts]
    files += [(".pdf", make_pdf(["첫 쪽의 본문입니다.\n둘째 줄", None, "셋째 쪽"], "0 << /P (가) >>", title="x"))] * 2
    return [*files, (".tar.gz", _tar(_LAW)), (".tar.gz", _tar(_CASE)), (".tar.gz", _tar(_PAGE, ".txt"))]


def _tar(text: str, suffix: str = ".md") -> bytes:
    """Not packed yet: what is packed after a change is read, what is changed after packing is not."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for number in range(3):
            member = tarfile.TarInfo(f"kr/{'가' * 40 * number}{number}{suffix}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue().rstrip(b"\0") + bytes(1024)


def _mutated(chance: random.Random, seeds: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    suffix, data = chance.choice(seeds)
    for _ in range(chance.choice((1, 1, 2, 4, 8, 30))):
        data = _changed(chance, data, seeds)[:200_000]
    if suffix == ".tar.gz":
        data = gzip.compress(data, 1)
        if chance.random() < 0.1:
            data = _changed(chance, data, seeds)
    return suffix, data


def _changed(chance: random.Random, data: bytes, seeds: list[tuple[str, bytes]]) -> bytes:
    start = chance.randrange(len(data) + 1)
    end = min(len(data), start + chance.choice((0, 1, 2, 8, 64, 600)))
    match chance.randrange(7):
        case 0:
            new = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 9)))
        case 1 | 2:
            new = chance.choice(_TOKENS)
        case 3:
            new = chance.choice(_TOKENS) * chance.choice((2, 30, 1_000))
        case 4:
            new = data[start:end] * chance.choice((2, 3, 200))
        case 5:
            _, other = chance.choice(seeds)
            cut = chance.randrange(len(other))
            new = other[cut : cut + chance.randrange(1, 2_000)]
        case _:
            return data[:start] if chance.random() < 0.3 else data[:start] + data[end:]
    return data[:start] + new + data[end:]


def main() -> int:
    """Exit status 1 when anything crashed."""
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    logging.disable()  # pypdf tells of everything it mends
    folder = Path(tempfile.mkdtemp())
    report = fuzz(seconds, seed, folder)
    sys.stdout.write(f"{report}\n" + "".join(f"{crash}\n" for crash in report.crashes[:20]))
    return 1 if report.crashes else 0


if __name__ == "__main__":
    sys.exit(main())
