"""A start with a kept fit routes as one without, and never by the fit of other data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.support.routing import DOMAINS_DIR
from utils.protocols import AnalyzedText, FloatMatrix
from utils.routing.domain_pack import PackSet, load_pack_files
from utils.routing.evidence import EvidenceReader
from utils.routing.fit_cache import FitCache
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = pytest.mark.whole

QUESTION = "직원을 내보내려면 어떤 절차를 밟아야 하나요? 세금계산서도 끊어야 하나요?"


class CountingEmbedder:
    """The embedded embedder, under a name of its own, and how many texts it was given."""

    dimension = 232

    def __init__(self, embedder: KiwiEmbedder, name: str = "counting") -> None:
        self.id = name
        self.texts = 0
        self._embedder = embedder

    def embed(self, items: Sequence[AnalyzedText]) -> FloatMatrix:
        self.texts += len(items)
        return self._embedder.embed(items)

    embed_passages = embed


@pytest.fixture(scope="module")
def packs() -> PackSet:
    return load_pack_files(DOMAINS_DIR)


def test_the_second_start_embeds_nothing_and_reads_the_same(
    tmp_path: Path, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, packs: PackSet
) -> None:
    cache = FitCache(tmp_path / "cache" / "routing.npz")
    first = EvidenceReader(tokenizer, CountingEmbedder(embedder), packs, cache)
    counting = CountingEmbedder(embedder)
    second = EvidenceReader(tokenizer, counting, packs, cache)
    assert counting.texts == 0
    np.testing.assert_array_equal(second.read(QUESTION).domain_features, first.read(QUESTION).domain_features)
    np.testing.assert_array_equal(second.read(QUESTION).scope_features, first.read(QUESTION).scope_features)
    assert len(second.held_out_examples()) == len(packs.labelled_examples())


@pytest.mark.parametrize("change", ["examples", "embedder", "damaged", "not writable"])
def test_what_was_kept_for_something_else_is_not_used(
    change: str, tmp_path: Path, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, packs: PackSet
) -> None:
    path = tmp_path / "routing.npz"
    EvidenceReader(tokenizer, CountingEmbedder(embedder), packs, FitCache(path))
    counting = CountingEmbedder(embedder, "another" if change == "embedder" else "counting")
    match change:
        case "examples":
            domain = packs.domains[0]
            edited = domain.model_copy(update={"examples": domain.examples[1:]})
            packs = packs.model_copy(update={"domains": (edited, *packs.domains[1:])})
        case "damaged":
            path.write_bytes(path.read_bytes()[:1000])
        case "not writable":
            path = tmp_path / "routing.npz" / "below-a-file.npz"
    reader = EvidenceReader(tokenizer, counting, packs, FitCache(path))
    assert counting.texts == len(packs.labelled_examples())
    assert reader.read(QUESTION).matched("hr_labor")
