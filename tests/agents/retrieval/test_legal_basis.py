"""The articles behind found guides, looked up in a built index."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.retrieval.legal_basis import legal_basis
from tests.support.hits import make_hit
from tests.support.small_index import SmallKnowledge
from tests.support.small_searcher import WrittenReranker, open_searcher
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from utils.documents import Hit
from vectorstores.search.hybrid import HybridSearcher

LAW, COLLECTION = "law_common", "law_common_db"
LONG = "\n\n".join(f"**{chr(0x2460 + n)}** {'가게는 문을 연다. ' * 45}" for n in range(10))
READINGS = ("휴업 신고",)


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HybridSearcher]:
    folder = tmp_path_factory.mktemp("basis")
    (folder / "kr").mkdir()
    act = {
        "제1조 (목적)": "가게를 지킨다.",
        "제2조 (휴업 신고)": "휴업 을 신고 한다.",
        "제3조 (긴 조문)": LONG,
        "제4조": "삭제 <2021.3.4>",
    }
    write_statute(folder / "kr", "가게 보호법", act)
    write_statute(folder / "kr", "가게 보호법 시행령", {"제1조": "영의 목적이다."})
    knowledge = SmallKnowledge(Settings(data_dir=folder / "var"))
    knowledge.add(folder / "kr")
    index = knowledge.store.open_current()
    yield open_searcher(knowledge, index, WrittenReranker(lambda passage: 0.9 if "휴업" in passage.text else 0.1))
    index.close()


def guide(*laws: str) -> Hit:
    return make_hit(f"{laws} 안내", related_laws=laws)


def labels(hits: list[Hit]) -> list[str | None]:
    return [hit.chunk.label for hit in hits]


def test_those_of_the_best_guide_first_and_the_nearest_of_these_first(searcher: HybridSearcher) -> None:
    guides = [guide("가게 보호법 제1조", "가게 보호법 제2조"), guide("가게 보호법 시행령 제1조", "가게 보호법 제1조")]
    found = legal_basis(searcher, COLLECTION, READINGS, guides, [])
    assert labels(found) == ["가게보호법|제2조", "가게보호법|제1조", "가게보호법시행령|제1조"]
    assert [hit.relevance for hit in found] == [0.9, 0.1, 0.1]


def test_an_article_is_given_once_by_its_first_chunk(searcher: HybridSearcher) -> None:
    (found,) = legal_basis(searcher, COLLECTION, READINGS, [guide("가게 보호법 제3조")], [])
    assert "①" in found.chunk.text


def test_what_the_search_found_and_what_is_not_in_force_is_left_out(searcher: HybridSearcher) -> None:
    guides = [guide("가게 보호법 제1조", "가게 보호법 제4조", "가게 보호법 제99조", "나라법 제1조", "고시")]
    already = legal_basis(searcher, COLLECTION, READINGS, [guide("가게 보호법 제1조")], [])
    assert legal_basis(searcher, COLLECTION, READINGS, guides, already) == []
    assert legal_basis(searcher, COLLECTION, READINGS, [make_hit("근거 없는 안내")], []) == []
