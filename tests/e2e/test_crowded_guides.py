"""A guide that answers, among hundreds of statute articles in the same words."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product

import httpx
import pytest

from tests.contract.wire import parse_frames
from tests.e2e.conftest import serving
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.build.staging import Source
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer

QUESTION = "가게 확정일자는 동사무소에서 받는 건가요?"
# More than ten times as many articles as there are guides in the domain.
THINGS = (
    "쌀 배추 사과 소금 설탕 커피 우유 달걀 고기 생선 김치 라면 두부 버섯 감자 양파 마늘 고추 딸기 포도 "
    "의자 책상 침대 옷장 거울 시계 안경 모자 구두 가방 장갑 우산"
).split()
ACTS = "보관 제출 교부 열람 폐기 정정 이전 공개 등록 말소 검사 점검 보수 증축 대여 반환 매각 기부 교환 운반".split()


@pytest.fixture(scope="module")
def service(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("crowded")
    settings = starter_settings.model_copy(update={"data_dir": folder / "var"})
    shutil.copytree(starter_settings.data_dir, settings.data_dir, symlinks=True)
    (folder / "kr").mkdir()
    # each of its own subject: a graph of hundreds of equal vectors loses what is unlike them
    things = product(THINGS, ACTS)
    articles = {
        f"제{number}조 ({thing} 확정일자의 {act})": f"동사무소에서 {thing} 확정일자를 받은 가게는 {thing} 장부를 {act}한다."
        for number, (thing, act) in enumerate(things, start=1)
    }
    write_statute(folder / "kr", "동사무소 확정일자 장부에 관한 법률", articles)
    source = Source(folder / "kr", loader_for(folder / "kr"), "kr", "law_common")
    assert Ingest(settings, build_providers(settings)).run([source]).added == len(articles)
    with serving(settings, tokenizer) as client:
        yield client


def test_it_is_among_the_documents_to_answer_from_and_so_are_articles(service: httpx.Client) -> None:
    frames = parse_frames(service.post("/api/chat/stream", json={"message": QUESTION}).text)
    assert frames[-1].data.domains == ["law_common"]
    titles = [frame.data.source.title for frame in frames if frame.event == "source"]
    assert any("대항력" in title for title in titles), titles
    assert sum("장부에 관한 법률" in title for title in titles) >= 2
