"""Vocabulary and ragged term lists on disk."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorstores.storage.ragged import RaggedIds, RaggedWriter
from vectorstores.storage.vocabulary import Vocabulary, write_vocabulary

TERMS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8), unique=True, max_size=60)


@given(TERMS)
def test_every_term_is_found_under_its_id_and_no_other(terms: list[str]) -> None:
    with TemporaryDirectory() as folder:
        ids = write_vocabulary(Path(folder), terms)
        vocabulary = Vocabulary.open(Path(folder))
        assert len(vocabulary) == len(terms)
        assert [vocabulary.id_of(term) for term in terms] == ids.tolist()
        assert vocabulary.strings(ids) == terms
        assert [vocabulary.term(term_id) for term_id in ids.tolist()] == terms
        assert vocabulary.terms() == sorted(terms, key=str.encode)
        unknown = "없는말" + "".join(terms)
        assert vocabulary.id_of(unknown) is None
        assert unknown not in vocabulary


@given(st.lists(st.lists(st.integers(0, 50), max_size=10), max_size=20))
def test_lists_come_back_as_they_were_written(lists: list[list[int]]) -> None:
    with TemporaryDirectory() as folder:
        writer = RaggedWriter(Path(folder), "body")
        writer.append_many([np.asarray(ids, dtype=np.int32) for ids in lists])
        used = writer.used_ids(51)
        assert set(np.flatnonzero(used).tolist()) == {term for ids in lists for term in ids}
        writer.finish(np.arange(51, dtype=np.int32) + 100)
        read = RaggedIds.open(Path(folder), "body")
        assert [[term - 100 for term in ids.tolist()] for ids in read] == lists


def test_a_cut_off_file_is_refused(tmp_path: Path) -> None:
    write_vocabulary(tmp_path, ["임금", "퇴직금"])
    blob = tmp_path / "vocabulary.bin"
    blob.write_bytes(blob.read_bytes()[:-1])
    with pytest.raises(ValueError, match="vocabulary"):
        Vocabulary.open(tmp_path)
