"""The embedded embedder and the files it ships with."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from utils.documents import KnowledgeDocument
from utils.protocols import AnalyzedText
from vectorstores.embedders.ids import KIWI_EMBEDDER_VERSION
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.embedders.static_encoder import DIMENSION, ENCODER_DIR, ROWS_FILE, TERMS_FILE, StaticEncoder
from vectorstores.errors import ProviderUnavailable
from vectorstores.loaders.files import path_sha256
from vectorstores.tokenizer import TOKENIZER_ID, KiwiTokenizer

_LARGEST = 16_000_000


@pytest.fixture(scope="module")
def encoder() -> StaticEncoder:
    return StaticEncoder.open()


def of_terms(*lists: Sequence[str]) -> list[AnalyzedText]:
    return [AnalyzedText("", tuple(terms)) for terms in lists]


def test_the_shipped_files_are_small_and_those_of_the_record() -> None:
    origin = json.loads((ENCODER_DIR / "origin.json").read_text(encoding="utf-8"))

    assert sum(file.stat().st_size for file in ENCODER_DIR.iterdir()) < _LARGEST
    assert origin["encoder"] == KIWI_EMBEDDER_VERSION
    assert origin["tokenizer"] == TOKENIZER_ID
    assert "statutes/bizi" in origin["found_alone"]
    assert {name: file["sha256"] for name, file in origin["files"].items()} == {
        name: path_sha256(ENCODER_DIR / name) for name in origin["files"]
    }


def test_they_open_at_once() -> None:
    began = time.process_time()
    StaticEncoder.open()
    assert time.process_time() - began < 0.5  # 0.05 s where nothing else runs


@pytest.mark.parametrize("damage", ["missing", "cut", "other"])
def test_a_damaged_encoder_stops_the_start(tmp_path: Path, damage: str) -> None:
    shutil.copytree(ENCODER_DIR, tmp_path / "encoder")
    rows = tmp_path / "encoder" / ROWS_FILE
    if damage == "missing":
        rows.unlink()
    elif damage == "cut":
        rows.write_bytes(rows.read_bytes()[:1000])
    else:
        (tmp_path / "encoder" / TERMS_FILE).write_text("해고\n면직\n", encoding="utf-8")

    with pytest.raises(ProviderUnavailable, match="EMBEDDING_PROVIDER=kiwi"):
        StaticEncoder.open(tmp_path / "encoder")


@pytest.mark.parametrize(
    ("term", "related"), [("해고", "면직"), ("퇴직금", "퇴직"), ("가게", "점포"), ("휴가", "연차")]
)
def test_related_terms_are_near(embedder: KiwiEmbedder, term: str, related: str) -> None:
    vectors = embedder.term_vectors([term, related, "바나나", "축구"])

    near, *far = vectors[0] @ vectors[1:].T
    assert near > 0.15 > max(far)


def test_words_nobody_knows_find_themselves(embedder: KiwiEmbedder) -> None:
    asked, other, compound, parts, figure = embedder.embed(
        of_terms(["bigquery"], ["firestore"], ["상표휴가"], ["상표", "휴가"], ["제27조", "50%"])
    )

    assert asked @ embedder.embed(of_terms(["bigquery", "요금"]))[0] > 0.5
    assert abs(asked @ other) < 0.3
    assert compound @ parts > 0.9
    assert not figure.any()


def test_texts_become_unit_vectors_whatever_stands_beside_them(embedder: KiwiEmbedder) -> None:
    texts = [["퇴직금", "지급"] * (number % 7) + ["근로자"] for number in range(300)]
    texts[5] = texts[299] = []
    vectors = embedder.embed(of_terms(*texts))

    assert vectors.shape == (300, embedder.dimension) == (300, DIMENSION)
    assert vectors.dtype == np.float32
    lengths = np.ones(300)
    lengths[[5, 299]] = 0.0
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), lengths, atol=1e-5)
    np.testing.assert_allclose(vectors[130], embedder.embed(of_terms(texts[130]))[0], atol=1e-6)
    assert embedder.embed([]).shape == (0, DIMENSION)


def test_a_repeated_term_counts_more_but_not_as_often_as_it_stands(
    embedder: KiwiEmbedder, encoder: StaticEncoder
) -> None:
    first, second = encoder.vectors(["퇴직금", "상표"])
    expected = (1.0 + np.log(8.0)) * first + second

    found = embedder.embed(of_terms(["퇴직금"] * 8 + ["상표"]))[0]

    np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=1e-5)


def test_it_is_a_langchain_embeddings_too(embedder: KiwiEmbedder, tokenizer: KiwiTokenizer) -> None:
    text = "퇴직금은 언제까지 지급해야 하나요?"
    vector = embedder.embed([AnalyzedText(text, tuple(tokenizer.terms(text)))])[0]

    np.testing.assert_allclose(embedder.embed_query(text), vector, atol=1e-6)
    np.testing.assert_allclose(embedder.embed_documents(["상표", text])[1], vector, atol=1e-6)


def test_a_question_is_nearer_to_its_answer_than_to_others(embedder: KiwiEmbedder) -> None:
    question, *answers = np.asarray(
        embedder.embed_documents(
            [
                "알바생 월급에서 주휴수당을 빼고 줘도 되나요?",
                "사용자는 1주 동안의 소정근로일을 개근한 자에게 1주에 평균 1회 이상의 유급휴일을 주어야 한다.",
                "상표권의 존속기간은 설정등록이 있는 날부터 10년으로 한다.",
                "건축물의 용도변경은 시장·군수의 허가를 받아야 한다.",
            ]
        )
    )
    cosines = np.stack(answers) @ question

    assert cosines[0] > 2 * max(cosines[1:])


def test_threads_share_the_terms(encoder: StaticEncoder, tokenizer: KiwiTokenizer) -> None:
    fresh = KiwiEmbedder(tokenizer, encoder)
    texts = of_terms(*(["퇴직금", f"신조어{'가나다라마바사'[number % 7]}{number}x"] for number in range(400)))
    with ThreadPoolExecutor(4) as pool:
        together = np.concatenate(list(pool.map(lambda text: fresh.embed([text]), texts)))

    np.testing.assert_allclose(together, fresh.embed(texts), atol=1e-6)


def test_vectors_are_the_same_to_the_bit_whatever_a_process_read_before(
    encoder: StaticEncoder, tokenizer: KiwiTokenizer, starter_documents: list[KnowledgeDocument]
) -> None:
    """So that a build that was interrupted and resumed is the one that was not."""
    texts = of_terms(*(tokenizer.terms(document.content) for document in starter_documents[:15]))
    forwards, backwards = KiwiEmbedder(tokenizer, encoder), KiwiEmbedder(tokenizer, encoder)
    backwards.embed(texts[::-1])

    np.testing.assert_array_equal(forwards.embed(texts), backwards.embed(texts))


def test_memory_ends_where_too_many_terms_were_met(
    tokenizer: KiwiTokenizer, encoder: StaticEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service meets new words for as long as it runs, most of them once."""
    monkeypatch.setattr("vectorstores.embedders.kiwi._MAX_TERMS", 3_000)
    embedder = KiwiEmbedder(tokenizer, encoder)
    before = embedder.embed(of_terms(["임금", "체불"]))
    sizes = []
    for start in range(0, 20_000, 500):
        embedder.embed(of_terms([f"낱말{number}" for number in range(start, start + 500)]))
        sizes.append(embedder._table._vectors.nbytes)
    assert max(sizes) <= 4_096 * DIMENSION * 4
    assert sizes != sorted(sizes), "it began anew"
    np.testing.assert_array_equal(embedder.embed(of_terms(["임금", "체불"])), before)
