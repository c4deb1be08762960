"""A pack of notices grows by data alone: intents, filters and regions; and what is wrong in it is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from agents.notices.dialogue import NoticeAnswer, NoticeDialogue
from agents.notices.reading import Focus
from schemas.chat import SessionState
from utils.config.settings import Settings
from utils.domain_classifier import DomainClassificationResult
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.notices.errors import NoticeDataError
from vectorstores.notices.importers.lines import record_of
from vectorstores.notices.library import NoticeLibrary
from vectorstores.notices.pack import SHIPPED, NoticeData
from vectorstores.notices.store import Changes, NoticeStore, store_url
from vectorstores.tokenizer import KiwiTokenizer

DAY = date(2026, 11, 24)
FOCUS = Focus(("housing",), leads=True)
GROWN = """
[filters]
"면적" = ["소형", "중형"]

[[intents]]
name = "apply_guide"
words = ["청약 방법"]
needs = "selected"
reply = "‘{title}’은(는) {deadline}까지 신청합니다. 원문: {url} [1]"

[[intents]]
name = "opening_hours"
words = ["상담 시간"]
reply = "상담은 평일 9시부터 18시까지입니다."
"""
LINES: tuple[dict[str, Any], ...] = (
    {"id": "a", "title": "가람 국민임대 모집", "region": "독도", "type": "국민임대", "supply": "임대", "size": "소형", "apply_end": "2026-12-04"},
    {"id": "b", "title": "나래 국민임대 모집", "region": "경기도", "type": "국민임대", "supply": "임대", "size": "중형", "apply_end": "2026-12-05"},
    {"id": "c", "title": "다온 행복주택 모집", "region": "경기도", "type": "행복주택", "supply": "임대", "size": "소형", "apply_end": "2026-12-06"},
)  # fmt: skip


def grown(folder: Path, more: str = GROWN) -> Path:
    """Return a copy of the shipped data whose housing pack has more."""
    root = folder / "notices"
    shutil.copytree(SHIPPED, root)
    pack = root / "housing" / "pack.toml"
    text = pack.read_text(encoding="utf-8").replace('field = ["type", "supply"]', 'field = ["type", "supply", "size"]')
    text = text.replace("[fields]\n", '[fields]\n"소형" = ["소형", "원룸"]\n"중형" = ["중형"]\n')
    pack.write_text(text + more, encoding="utf-8")
    regions = root / "regions.toml"
    text = regions.read_text(encoding="utf-8")
    regions.write_text(
        text.replace("[[regions]]", '[[regions]]\nname = "독도"\naliases = ["독도", "우산도"]\n\n[[regions]]', 1),
        "utf-8",
    )
    return root


@pytest.fixture
def talk(
    tmp_path: Path, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder
) -> Callable[[str], tuple[str, list[str], NoticeAnswer]]:
    settings = Settings(data_dir=tmp_path, notice_dir=grown(tmp_path))
    data = NoticeData.load(settings.notice_dir)
    store = NoticeStore(store_url(settings), tokenizer)
    store.prepare()
    store.put((record_of(line, data.packs["housing"], DAY) for line in LINES), Changes())
    store.note_refresh("file", "housing", datetime(2026, 11, 24, tzinfo=UTC), failure="", is_api=False, changed=True)
    store.close()
    library = NoticeLibrary(data, tokenizer, settings)
    library.refresh()
    dialogue, kept = NoticeDialogue(library, tokenizer, embedder), [SessionState()]

    def say(message: str) -> tuple[str, list[str], NoticeAnswer]:
        reading = dialogue.read(message, [], kept[0], DAY, _nothing, FOCUS)
        assert reading is not None, message
        answer = dialogue.answer(reading, kept[0], None, DAY)
        kept[0] = answer.state
        return answer.debug.intent, list(answer.found), answer

    return say


def _nothing(question: str) -> DomainClassificationResult:
    return DomainClassificationResult((), 0.5, is_relevant=False, method="keyword", kind="out_of_scope")


def test_a_filter_of_its_own_holds_beside_the_others(
    talk: Callable[[str], tuple[str, list[str], NoticeAnswer]],
) -> None:
    assert talk("국민임대 소형 공고 보여줘")[1] == ["a"]
    assert talk("경기도 소형 공고 보여줘")[1] == ["c"]
    assert talk("중형만")[1] == ["b"], "another value of that filter takes the place of the one before"
    assert set(talk("경기도 국민임대 행복주택 공고 보여줘")[1]) == {"b", "c"}, "values of one filter are alternatives"


def test_a_region_is_known_once_it_is_in_the_file(talk: Callable[[str], tuple[str, list[str], NoticeAnswer]]) -> None:
    assert talk("우산도 임대주택 공고 찾아줘")[1] == ["a"]


def test_an_intent_of_its_own_answers_with_facts_of_the_notice(
    talk: Callable[[str], tuple[str, list[str], NoticeAnswer]],
) -> None:
    assert talk("청약 방법 알려줘")[0] == "clarification", "nothing is selected yet"
    assert talk("상담 시간이 어떻게 되나요?")[2].content == "상담은 평일 9시부터 18시까지입니다."
    talk("경기도 공고 보여줘")
    talk("2번")
    intent, found, answer = talk("청약 방법 알려줘")
    assert (intent, len(found)) == ("apply_guide", 1)
    assert answer.state.selected_annc is not None
    assert answer.state.selected_annc.title in answer.content
    assert "까지 신청합니다" in answer.content
    assert answer.sources[0].index == 1


@pytest.mark.parametrize(
    "more",
    [
        '[filters]\n"면적" = ["대형"]\n',
        '[[intents]]\nname = "x"\nwords = ["가"]\nreply = "{title}"\n',
        '[[intents]]\nname = "x"\nwords = ["가"]\nneeds = "selected"\nreply = "{__class__}"\n',
        '[[intents]]\nname = "new_search"\nwords = ["가"]\nreply = "나"\n',
        '[[intents]]\nname = "x"\nwords = []\nreply = "나"\n',
    ],
)
def test_what_is_wrong_in_a_pack_is_refused_by_its_name(tmp_path: Path, more: str) -> None:
    with pytest.raises(NoticeDataError, match=r"housing/pack\.toml"):
        NoticeData.load(grown(tmp_path, more))
