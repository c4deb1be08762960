"""The sample of the statutes, and what the machine tells."""

import os
from datetime import date
from pathlib import Path

import pytest

from evaluation.bench.corpus import write_sample
from evaluation.bench.machine import available_memory, machine, memory_of
from tests.support.packs import shipped_collections
from vectorstores.loaders.base import LoadOptions, LoadReport
from vectorstores.loaders.registry import loader_for


@pytest.fixture
def statutes(tmp_path: Path) -> Path:
    """Ten statutes, each an act of three articles and a decree of two."""
    root = tmp_path / "kr"
    for number in range(10):
        folder = root / f"시험{number}법"
        folder.mkdir(parents=True)
        for name, articles in (("법률", 3), ("시행령", 2)):
            body = "".join(f"##### 제{article}조 (목적)\n\n본문\n\n" for article in range(1, articles + 1))
            (folder / f"{name}.md").write_text(
                f"---\n제목: 시험{number}법 {name}\n법령구분: {name}\n공포일자: 2026-01-02\n시행일자: 2026-01-02\n---\n\n"
                f"{body}## 부칙\n\n##### 제9조 (부칙 안의 조)\n\n본문\n",
                encoding="utf-8",
            )
    return root


def articles_of(archive: Path) -> list[str]:
    documents = loader_for(archive).load(
        archive, LoadOptions(today=date(2026, 11, 21), collections=shipped_collections()), LoadReport()
    )
    return sorted(document.document.id for document in documents)


def test_a_sample_holds_whole_statutes(statutes: Path, tmp_path: Path) -> None:
    target = tmp_path / "sample.tar.gz"
    assert write_sample(statutes, target, 12) == 15, "statutes until there are enough, articles of the 부칙 not counted"
    articles = articles_of(target)
    assert len(articles) == 15
    assert len({article[:4] for article in articles}) == 3, "an act comes with its decree"


def test_a_sample_of_a_sample_is_the_same(statutes: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.tar.gz", tmp_path / "second.tar.gz"
    write_sample(statutes, first, 20)
    write_sample(first, second, 20)
    assert articles_of(first) == articles_of(second)


def test_more_than_there_is_gives_all(statutes: Path, tmp_path: Path) -> None:
    assert write_sample(statutes, tmp_path / "all.tar.gz", 1_000) == 50


def test_the_machine_is_described() -> None:
    described = machine()
    assert int(described["cores"]) >= 1
    assert str(described["python"]).startswith("3.")


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="this system does not tell")
def test_memory_is_in_megabytes() -> None:
    memory, available = memory_of(os.getpid()), available_memory()
    assert memory is not None
    assert available is not None
    assert 10 < memory.private <= memory.resident < 64_000
    assert available > 10


def test_a_process_that_is_gone_has_no_memory() -> None:
    assert memory_of(2**22 + 1) is None
