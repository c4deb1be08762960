"""Cutting: nothing is lost, nothing is too long, and cuts fall where the text itself breaks."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from vectorstores.collections import ALWAYS, LONG_ONLY, OVERLAP, PAGE, WHOLE, ChunkingPolicy
from vectorstores.storage.chunking import chunk_text, cut, join_passages

TEXTS = st.text(st.sampled_from("가나다라마 \n.①②1법,"), max_size=1_500) | st.text(max_size=600)
ARTICLE = "\n".join(
    f"{mark} 사용자는 근로자에게 {'임금을 통화로 직접 지급하여야 한다. ' * 30}\n1. {'첫째 항목이다. ' * 20}\n2. {'둘째 항목이다. ' * 20}"
    for mark in "①②③④⑤"
)


@given(TEXTS, st.integers(20, 400))
def test_spans_cover_the_text_within_the_size(text: str, size: int) -> None:
    spans = cut(text, size)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    for (start, end), (following, _) in pairwise(spans):
        assert start < following <= end, "a gap, or no progress"
        assert end - following <= OVERLAP
    assert all(end - start <= size for start, end in spans)


@given(TEXTS, st.sampled_from(["", "근로기준법 제56조(연장ㆍ야간 및 휴일 근로)"]))
def test_passages_keep_every_character_and_valid_sentences(text: str, prefix: str) -> None:
    policy = ChunkingPolicy(threshold=120, size=120)
    passages = chunk_text(text, policy, prefix)
    assert (
        "".join(text.split()) in "".join("".join(p.text.removeprefix(prefix).split()) for p in passages)
        or len(passages) > 1
    )
    for passage in passages:
        assert passage.text.startswith(prefix)
        for start, end in passage.sentences:
            assert len(prefix) <= start < end <= len(passage.text)
    missing = set(text) - set("".join(passage.text for passage in passages))
    assert not any(char for char in missing if not char.isspace())


def test_a_statute_is_cut_at_its_paragraphs_and_each_piece_bears_its_name() -> None:
    passages = chunk_text(ARTICLE, LONG_ONLY, "근로기준법 제43조(임금 지급)")
    assert len(passages) > 1
    for passage in passages:
        assert passage.text.startswith("근로기준법 제43조(임금 지급)\n")
        assert len(passage.text) <= LONG_ONLY.size
        assert not any("근로기준법 제43조" in passage.text[start:end] for start, end in passage.sentences)
    bodies = [passage.text.split("\n", 1)[1] for passage in passages]
    assert all(body[0] in "①②③④⑤12" or body.startswith(("사용자", "임금", "첫째", "둘째")) for body in bodies)


def test_policies() -> None:
    long = "문장입니다. " * 400  # 2,800 characters
    assert len(chunk_text(long, WHOLE)) == 1
    assert len(chunk_text(long, LONG_ONLY)) == 1
    assert len(chunk_text(long, ALWAYS)) == 2
    assert len(chunk_text(long * 2, WHOLE)) == 1
    assert all(len(passage.text) <= 2_000 for passage in chunk_text(long * 2, LONG_ONLY))


def test_neighbours_of_a_long_text_overlap_by_whole_sentences() -> None:
    text = " ".join(f"{number}번째 문장은 서로 다릅니다." for number in range(300))
    first, second = chunk_text(text, ALWAYS)[:2]
    last_sentence = first.text[slice(*first.sentences[-1])]
    assert last_sentence in second.text


def test_a_run_without_any_break_is_still_cut() -> None:
    spans = cut("가" * 10_000, 1_000)
    assert max(end - start for start, end in spans) <= 1_000


REPEATING = st.lists(
    st.sampled_from(["같은 줄이다.", "다른 줄", "○ 항목", "1. 첫째.", "가", " ", "문장. 또 문장."]), max_size=120
)


@given(TEXTS | REPEATING.map("\n".join) | REPEATING.map(" ".join) | REPEATING.map("\n\n".join), st.integers(20, 400))
@example("0000000000\n0000\n\n0000", 20)
@example("000000\n000000000000000000", 24)
def test_joining_passages_gives_the_text_back(text: str, size: int) -> None:
    policy = ChunkingPolicy(threshold=size, size=size)
    joined = join_passages([passage.text for passage in chunk_text(text, policy)], policy)
    assert "".join(joined.split()) == "".join(text.split())


def test_what_neighbours_overlap_stands_once_in_the_joined_text() -> None:
    text = "\n".join(f"{number}번째 줄은 서로 다릅니다." for number in range(300))
    passages = [passage.text for passage in chunk_text(text, PAGE)]
    assert sum(map(len, passages)) > len(text) + 300
    assert join_passages(passages, PAGE) == text


@given(TEXTS | REPEATING.map(" ".join), st.integers(100, 400), st.sampled_from([0, 30, 90]))
def test_a_policy_of_its_own_overlaps_as_it_says_and_joins_again(text: str, size: int, overlap: int) -> None:
    policy = ChunkingPolicy(size, size, overlap, "○①②")
    for (_, end), (following, _) in pairwise(cut(text, size, overlap, policy.marks)):
        assert end - following <= overlap
    joined = join_passages([passage.text for passage in chunk_text(text, policy)], policy)
    assert "".join(joined.split()) == "".join(text.split())


def test_a_page_whose_lines_are_lost_is_cut_before_its_marks() -> None:
    page = " ".join(f"○ {number}번째 항목은 줄바꿈 없이 이어집니다" for number in range(100))
    passages = chunk_text(page, ChunkingPolicy(1_100, 1_100, 180, "○"))
    assert len(passages) > 1
    assert all(passage.text.startswith("○") for passage in passages)
