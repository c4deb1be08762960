"""A guide that answers, among hundreds of statute articles in the same words."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import httpx
import pytest

from tests.e2e.conftest import serving
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from vectorstores.engines import build_engines
from vectorstores.ingest import Ingest
from vectorstores.loaders.registry import loader_for
from vectorstores.staging import Source
from vectorstores.tokenizer import KiwiTokenizer

QUESTION = "가게 확정일자는 동사무소에서 받는 건가요?"
ARTICLES = 620  # more than ten times as many as there are guides in the domain


@pytest.fixture(scope="module")
def service(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("crowded")
    settings = starter_settings.model_copy(update={"data_dir": folder / "var"})
    shutil.copytree(starter_settings.data_dir, settings.data_dir, symlinks=True)
    (folder / "kr").mkdir()
    articles = {
        f"제{number}조 (동사무소의 확정일자 {number})": f"동사무소에서 받는 확정일자는 가게의 장부 {number}호에 적는다."
        for number in range(1, ARTICLES + 1)
    }
    write_statute(folder / "kr", "동사무소 확정일자 장부에 관한 법률", articles)
    source = Source(folder / "kr", loader_for(folder / "kr"), "kr", "law_common")
    assert Ingest(settings, build_engines(settings)).run([source]).added == ARTICLES
    with serving(settings, tokenizer) as client:
        yield client


def test_it_is_among_the_sources_and_so_are_articles(service: httpx.Client) -> None:
    answer = service.post("/api/chat", json={"message": QUESTION}).json()
    assert answer["domains"] == ["law_common"]
    titles = [source["title"] for source in answer["sources"]]
    assert any("대항력" in title for title in titles), titles
    assert sum("장부에 관한 법률" in title for title in titles) >= 2
