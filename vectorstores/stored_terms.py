"""The terms of the chunks of a collection as the analyser found them at ingest, with their places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from utils.knowledge import Chunk, ChunkTerms
from utils.located_terms import LocatedTerms
from vectorstores.ragged import RaggedIds
from vectorstores.vocabulary import Vocabulary

_KEPT_CHUNKS = 512


class StoredTerms:
    """Reads only, from mapped files; what was read last is kept, since the steps of a request read the same chunks."""

    def __init__(self, vocabulary: Vocabulary, fields: Mapping[str, RaggedIds], starts: RaggedIds, chunks: int) -> None:
        """Raises ValueError when the files are not those of so many ``chunks``, or do not fit each other."""
        if any(len(lists) != chunks for lists in fields.values()):
            raise ValueError("the terms do not fit the collection")
        if not np.array_equal(starts.lengths, fields["body"].lengths):
            raise ValueError("the places do not fit the terms")
        self._vocabulary = vocabulary
        self._body = fields["body"]
        self._heading = fields["heading"]
        self._starts = starts
        self._read = lru_cache(_KEPT_CHUNKS)(self._read_chunk)

    def added_to(self, chunks: Mapping[int, Chunk]) -> dict[int, Chunk]:
        """The chunks, by ordinal, with what loads their terms."""
        return {ordinal: replace(chunk, load_terms=self._loader(ordinal, chunk)) for ordinal, chunk in chunks.items()}

    def _loader(self, ordinal: int, chunk: Chunk) -> Callable[[], ChunkTerms]:
        # an article of a statute bears its title as prefix; elsewhere the title is a field of its own, the heading
        return partial(self._read, ordinal, len(chunk.title) if chunk.text.startswith(chunk.title) else 0)

    def _read_chunk(self, ordinal: int, prefix: int) -> ChunkTerms:
        body = self._vocabulary.strings(self._body[ordinal])
        text = LocatedTerms(tuple(body), tuple(self._starts[ordinal].tolist()))
        if prefix:
            return ChunkTerms(text.within(0, prefix).terms, text)
        return ChunkTerms(tuple(self._vocabulary.strings(self._heading[ordinal])), text)
