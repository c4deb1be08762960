"""A few statutes as an index, for reading only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.small_index import SmallKnowledge
from tests.support.small_searcher import SAME_WORDS
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from vectorstores.index import KnowledgeIndex


@pytest.fixture(scope="session")
def statutes(tmp_path_factory: pytest.TempPathFactory) -> SmallKnowledge:
    """An act with decree and rule that say the same thing, and another act; one article is deleted."""
    folder = tmp_path_factory.mktemp("statutes")
    (folder / "kr").mkdir()
    closing = {"제3조 (휴업 신고)": SAME_WORDS}
    act = {
        "제1조 (목적)": "가게 를 지킨다",
        **closing,
        "제5조": "삭제 <2021.3.4>",
        "제6조 (폐업 신고)": "폐업 신고 는 구청장 에게 한다",
    }
    other = {f"제{number}조 (살림 {number})": f"살림 번호{number} 은 장관 이 정한다" for number in range(1, 20)}
    for title, articles in {
        "가게 보호법": act,
        "가게 보호법 시행령": closing,
        "가게 보호법 시행규칙": closing,
        "나라 살림법": other,
    }.items():
        write_statute(folder / "kr", title, articles)
    knowledge = SmallKnowledge(Settings(data_dir=folder / "var"))
    assert knowledge.add(folder / "kr").problems == []
    return knowledge


@pytest.fixture(scope="session")
def statute_index(statutes: SmallKnowledge) -> Iterator[KnowledgeIndex]:
    index = statutes.store.open_current()
    yield index
    index.close()
