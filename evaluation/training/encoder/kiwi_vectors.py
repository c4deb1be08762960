"""The morpheme vectors of Kiwi's language model, recovered through its public similarity function.

``Kiwi.most_similar_morphemes`` gives the cosine of one morpheme to all others, and the matrix of cosines has rank 256.
So the rows of some 288 anchor morphemes give every vector up to a rotation (Nyström): with ``S`` the similarities
``(anchors, vocabulary)`` and ``A = S[:, anchors] = U Λ Uᵀ``, the vectors are ``X = Sᵀ U₂₅₆ Λ₂₅₆^(-1/2)``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from kiwipiepy import Kiwi
from kiwipiepy import __version__ as kiwi_version
from numpy.typing import NDArray

from vectorstores.build.progress import Progress
from vectorstores.tokenizer import term_of

DIMENSION = 256
_ANCHORS = 288  # 272 lose precision (4e-3 in a pair's similarity), 256 give garbage
_MATRIX_FILE = "vectors.npy"
_TERMS_FILE = "terms.txt"


@dataclass(frozen=True)
class MorphemeVectors:
    """Unit vectors of known terms.

    ``matrix`` has shape ``(len(rows), 256)``, float16; ``rows`` maps an index term (see `term_of`) to its row. Rows are
    ordered as Kiwi orders morphemes, roughly by falling frequency.
    """

    matrix: NDArray[np.float16]
    rows: dict[str, int]


def load_or_extract(kiwi: Kiwi, cache_dir: Path, progress: Progress) -> MorphemeVectors:
    """The vectors from ``cache_dir``, extracted first (about 40 s on two cores) when they are not there.

    Both files appear whole or not at all, so a killed extraction starts over and never leaves half a cache.
    """
    directory = cache_dir / f"kiwi-vectors-{kiwi_version}"
    if not (directory / _TERMS_FILE).exists():
        _store(extract(kiwi, progress), directory)
    terms = (directory / _TERMS_FILE).read_text(encoding="utf-8").split("\n")
    matrix = np.load(directory / _MATRIX_FILE, mmap_mode="r")
    return MorphemeVectors(matrix=matrix, rows={term: row for row, term in enumerate(terms)})


def extract(kiwi: Kiwi, progress: Progress) -> MorphemeVectors:
    """Recover the vectors of all content morphemes; deterministic for one Kiwi version."""
    vocabulary = _vocabulary_size(kiwi)
    anchors = np.linspace(500, vocabulary - 1, _ANCHORS).astype(int)
    progress.start("형태소 벡터", _ANCHORS)
    similarities = np.zeros((_ANCHORS, vocabulary), dtype=np.float32)
    for number, anchor in enumerate(anchors):
        for near in kiwi.most_similar_morphemes(int(anchor), top_n=100_000):
            similarities[number, near.id] = near.score
        similarities[number, anchor] = 1.0
        progress.advance()
    values, vectors = np.linalg.eigh(similarities[:, anchors].astype(np.float64))
    basis = vectors[:, -DIMENSION:] / np.sqrt(values[-DIMENSION:])
    embedded = similarities.T.astype(np.float64) @ basis
    rows: dict[str, int] = {}
    kept: list[int] = []
    for morpheme_id in range(vocabulary):
        morpheme = kiwi.morpheme(morpheme_id)
        term = term_of(morpheme.form, str(morpheme.tag))
        if term is None or term in rows or not np.any(embedded[morpheme_id]):
            continue
        rows[term] = len(kept)
        kept.append(morpheme_id)
    matrix = embedded[kept]
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return MorphemeVectors(matrix=matrix.astype(np.float16), rows=rows)


def _vocabulary_size(kiwi: Kiwi) -> int:
    """Return the highest morpheme id that has an embedding, plus one."""
    return int(max(near.id for near in kiwi.most_similar_morphemes(("회사", "NNG"), top_n=1_000_000))) + 1


def _store(vectors: MorphemeVectors, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    part = directory / f"{_MATRIX_FILE}.{os.getpid()}.part"
    with part.open("wb") as file:
        np.save(file, vectors.matrix)
    os.replace(part, directory / _MATRIX_FILE)
    terms_part = directory / f"{_TERMS_FILE}.{os.getpid()}.part"
    terms_part.write_text("\n".join(vectors.rows), encoding="utf-8")
    os.replace(terms_part, directory / _TERMS_FILE)  # last: its presence says that the matrix is complete
