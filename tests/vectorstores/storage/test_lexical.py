"""BM25 on disk: the same scores as the references, from mapped files, and a clear error when they are damaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from utils.documents import KnowledgeDocument
from vectorstores.errors import LexicalIndexUnavailable
from vectorstores.storage import lexical
from vectorstores.storage.lexical import (
    LEXICAL_SETTINGS,
    LexicalIndex,
    LexicalSettings,
    Postings,
    build_lexical_index,
    count_postings,
    top_k,
)
from vectorstores.storage.ragged import RaggedIds
from vectorstores.tokenizer import KiwiTokenizer

REFERENCE = LexicalSettings(method="atire", idf_method="robertson", k1=1.5, b=0.75, heading_boost=0, name_boost=0)


def ragged(lists: Sequence[Sequence[int]]) -> RaggedIds:
    flat = np.asarray([term for ids in lists for term in ids], dtype=np.int32)
    return RaggedIds(flat, np.cumsum([0, *map(len, lists)]).astype(np.int64))


def build(
    directory: Path, corpus: Sequence[Sequence[str]], settings: LexicalSettings, headings: Sequence[Sequence[str]] = ()
) -> tuple[LexicalIndex, dict[str, int]]:
    headings = headings or [[] for _ in corpus]
    ids = {term: number for number, term in enumerate(sorted({t for terms in [*corpus, *headings] for t in terms}))}
    body = ragged([[ids[term] for term in terms] for terms in corpus])
    heading = ragged([[ids[term] for term in terms] for terms in headings])
    fields = {"heading": heading, "name": ragged([[] for _ in corpus])}
    build_lexical_index(directory, count_postings(body, fields, settings), len(ids), settings)
    return LexicalIndex(directory, len(corpus), len(ids)), ids


@pytest.fixture(scope="module")
def korean(tokenizer: KiwiTokenizer, starter_documents: list[KnowledgeDocument]) -> list[list[str]]:
    return [
        list(analysis.terms) for analysis in tokenizer.located_many(document.content for document in starter_documents)
    ]


def test_scores_equal_rank_bm25(tmp_path: Path, tokenizer: KiwiTokenizer, korean: list[list[str]]) -> None:
    index, ids = build(tmp_path, korean, REFERENCE)
    okapi = BM25Okapi(korean, k1=1.5, b=0.75, epsilon=0)
    for question in ("부가가치세는 언제까지 신고하나요?", "직원을 해고할 때 예고수당", "법인 설립 자본금"):
        terms = [term for term in tokenizer.terms(question) if term in ids]
        assert terms
        expected = okapi.get_scores(terms)
        np.testing.assert_allclose(index.scores([ids[term] for term in terms]), expected, rtol=1e-5, atol=1e-5)


def test_scores_equal_bm25s_as_it_is_usually_called(tmp_path: Path, korean: list[list[str]]) -> None:
    settings = replace(LEXICAL_SETTINGS, heading_boost=0, name_boost=0)
    index, ids = build(tmp_path, korean, settings)
    usual = bm25s.BM25(k1=settings.k1, b=settings.b, method=settings.method)
    usual.index(korean, show_progress=False)
    for terms in (korean[0][:8], korean[100][:5] + korean[100][:2]):
        np.testing.assert_allclose(index.scores([ids[t] for t in terms]), usual.get_scores(list(terms)), rtol=1e-4)


def test_a_boosted_heading_outranks_the_same_word_in_the_text(tmp_path: Path) -> None:
    corpus = [["퇴직금", "계산"], ["퇴직금", "계산"], ["연차", "휴가"]]
    index, ids = build(tmp_path, corpus, LEXICAL_SETTINGS, [["휴가"], ["퇴직금"], ["연차"]])
    ordinals, _ = top_k(index.scores([ids["퇴직금"]]), 10)
    assert ordinals.tolist() == [1, 0]


def test_weights_and_repetition_scale_a_term(tmp_path: Path) -> None:
    index, ids = build(tmp_path, [["임금", "체불"], ["임금"], ["휴가"]], LEXICAL_SETTINGS)
    once, other = index.scores([ids["임금"]]), index.scores([ids["체불"]])
    np.testing.assert_allclose(index.scores([ids["임금"], ids["임금"]]), 2 * once)
    np.testing.assert_allclose(index.scores([ids["임금"], ids["체불"]], [0.5, 2.0]), 0.5 * once + 2 * other)


@given(
    st.lists(st.tuples(st.integers(0, 3), *[st.lists(st.integers(0, 9), max_size=4)] * 3), max_size=12),
    st.integers(1, 5),
)
def test_postings_count_the_terms_of_chunks_and_of_their_groups(
    chunks: list[tuple[int, list[int], list[int], list[int]]], block: int
) -> None:
    numbers = {group: number for number, group in enumerate(dict.fromkeys(chunk[0] for chunk in chunks))}
    groups = np.asarray([numbers[chunk[0]] for chunk in chunks], dtype=np.int32)
    bodies = ragged([body for _, body, _, _ in chunks])
    headings = ragged([heading for _, _, heading, _ in chunks])
    names = ragged([name for *_, name in chunks])
    settings = replace(LEXICAL_SETTINGS, heading_boost=3, name_boost=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexical, "_BLOCK", block)
        postings = count_postings(bodies, {"heading": headings, "name": names}, settings)
    counts = [Counter(body + heading * 3) for _, body, heading, _ in chunks]
    assert as_rows(postings) == rows_of(counts)
    assert postings.lengths.tolist() == [count.total() for count in counts]
    together = [sum((counts[at] for at in np.flatnonzero(groups == number)), Counter()) for number in numbers.values()]
    assert as_rows(postings.grouped(groups)) == rows_of(together)
    assert postings.grouped(groups).lengths.tolist() == [count.total() for count in together]


def as_rows(postings: Postings) -> list[tuple[int, int, float]]:
    columns = postings.terms.tolist(), postings.items.tolist(), postings.counts.tolist()
    return list(zip(*columns, strict=True))


def rows_of(counts: Sequence[Counter[int]]) -> list[tuple[int, int, float]]:
    return sorted((term, item, count) for item, terms in enumerate(counts) for term, count in terms.items())


@pytest.mark.parametrize("boost", [0, 3])
def test_files_are_those_bm25s_writes(tmp_path: Path, korean: list[list[str]], boost: int) -> None:
    settings = replace(LEXICAL_SETTINGS, heading_boost=boost)
    headings = [terms[:2] for terms in korean]
    _, ids = build(tmp_path / "ours", korean, settings, headings)
    theirs = bm25s.BM25(k1=settings.k1, b=settings.b, method=settings.method, idf_method=settings.idf_method)
    corpus = [[ids[t] for t in body + heading * boost] for body, heading in zip(korean, headings, strict=True)]
    theirs.scores = theirs.build_index_from_ids(list(range(len(ids))), corpus, show_progress=False)
    theirs.vocab_dict = {}
    theirs.save(tmp_path / "theirs", show_progress=False)
    for file in (tmp_path / "theirs").iterdir():
        assert (tmp_path / "ours" / file.name).read_bytes() == file.read_bytes(), file.name


@given(st.lists(st.sampled_from([0.0, -1.0, 0.1, 0.5, 0.5, 1.0, 3.0, 100.0]), max_size=80), st.integers(-1, 90))
def test_top_k_is_the_head_of_the_full_order(values: list[float], k: int) -> None:
    scores = np.asarray(values, dtype=np.float32)
    expected = sorted((ordinal for ordinal, score in enumerate(values) if score > 0), key=lambda o: (-scores[o], o))
    ordinals, found = top_k(scores, k)
    assert ordinals.tolist() == expected[: max(k, 0)]
    assert found.tolist() == scores[ordinals].tolist()


def test_an_empty_collection_has_no_hits(tmp_path: Path) -> None:
    index, _ = build(tmp_path, [], LEXICAL_SETTINGS)
    assert top_k(index.scores([]), 5)[0].tolist() == []


@pytest.mark.parametrize("damage", ["missing", "cut", "garbage", "other"])
@pytest.mark.parametrize(
    "name", ["data.csc.index.npy", "indices.csc.index.npy", "indptr.csc.index.npy", "params.index.json"]
)
def test_damage_is_a_typed_error(tmp_path: Path, name: str, damage: str) -> None:
    build(tmp_path, [["임금", "체불"], ["휴가"]], LEXICAL_SETTINGS)
    file = tmp_path / name
    match damage:
        case "missing":
            file.unlink()
        case "cut":
            file.write_bytes(file.read_bytes()[:-3])
        case "garbage":
            file.write_bytes(b"\x80\x04garbage")
        case "other":
            other = tmp_path / "other"
            build(other, [["가"], ["나"], ["다", "라", "마"]], LEXICAL_SETTINGS)
            file.write_bytes((other / name).read_bytes())
    with pytest.raises(LexicalIndexUnavailable):
        LexicalIndex(tmp_path, 2, 3)


def test_no_index_file_is_a_pickle(tmp_path: Path) -> None:
    build(tmp_path, [["임금"], ["휴가"]], LEXICAL_SETTINGS)
    for file in tmp_path.iterdir():
        head = file.read_bytes()[:6]
        assert head == b"\x93NUMPY" or head[:1] in (b"{", b"["), file.name
