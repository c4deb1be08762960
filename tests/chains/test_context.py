"""Which documents a prompt holds, and under which numbers."""

from __future__ import annotations

from dataclasses import replace

from chains.context import Lead, PromptDocument, pack, readable
from tests.support.hits import make_hit
from utils.documents import Hit


def document(name: str, sentences: int = 10) -> Hit:
    text = "문장입니다. " * sentences
    spans = tuple((start, start + 6) for start in range(0, len(text), 7))
    hit = make_hit(text, chunk_id=name)
    return replace(hit, chunk=replace(hit.chunk, title=name, sentences=spans))


COMPUTED = replace(document("기한"), found_by=frozenset({"computed"}))


def heads(packed: tuple[PromptDocument, ...]) -> list[str]:
    return [document.block.splitlines()[1] for document in packed]


def test_all_are_held_where_there_is_room() -> None:
    hits = [document("가"), document("나")]
    packed = readable(hits, 4_000, 24_000)
    assert [document.hit for document in packed] == hits
    assert heads(packed) == ["[1] 가", "[2] 나"]


def test_a_document_says_its_page_its_chunk_and_its_score_where_that_is_wanted() -> None:
    hit = replace(document("12_0_ab"), relevance=0.834)
    hit = replace(hit, chunk=replace(hit.chunk, metadata={"page": 12}))
    [placed] = readable([hit], 4_000, 24_000, placed=True)
    assert placed.block.splitlines()[3] == "쪽 12, 조각 12_0_ab, 점수 0.83"
    [plain] = readable([hit], 4_000, 24_000)
    assert "점수" not in plain.block


def test_the_last_is_shortened_and_what_comes_behind_it_left_out() -> None:
    packed = readable([document(name, 40) for name in "가나다라"], 4_000, 700)
    assert heads(packed) == ["[1] 가", "[2] 나", "[3] 다"][: len(packed)]
    assert len(packed) < 4
    assert sum(len(document.block) + 1 for document in packed) <= 701
    assert "입니다. …" in packed[-1].block


def test_a_computed_value_is_held_whatever_was_found() -> None:
    hits = [*(document(name, 40) for name in "가나다라"), COMPUTED]
    packed = readable(hits, 4_000, 700)
    assert packed[-1].hit is COMPUTED
    assert heads(packed)[-1] == f"[{len(packed)}] 기한", "sources are numbered without a gap"
    assert heads(pack(hits, 4_000, 700))[-1] == "[5] 기한", "who reads an answer sees the numbers that it cites"


def test_leads_come_first_in_their_documents_and_before_the_rest_of_all() -> None:
    """Room for what answers is kept, whatever stands before it."""
    hits = [document("가", 40), document("나", 40)]
    lead = Lead(("물음 1에 답하는 글", "- 결론: 문장입니다."), frozenset({"문장입니다."}))
    packed = readable(hits, 4_000, 330, {"나": lead})
    assert [document.hit.chunk.title for document in packed] == ["가", "나"]
    assert packed[1].block.splitlines()[3:-1] == list(lead.lines), "what the lead says does not stand there twice"
    assert sum(len(document.block) + 1 for document in packed) <= 331
