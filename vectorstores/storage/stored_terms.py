"""The terms of the chunks of a collection as the analyser found them at ingest, with their places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from utils.documents import Chunk, ChunkTerms, LocatedTerms
from vectorstores.errors import LexicalIndexUnavailable
from vectorstores.storage.ragged import RaggedIds
from vectorstores.storage.vocabulary import Vocabulary

_KEPT_CHUNKS = 512


class StoredTerms:
    """Reads only, from mapped files; what was read last is kept, since the steps of a request read the same chunks."""

    def __init__(self, vocabulary: Vocabulary, fields: Mapping[str, RaggedIds], starts: RaggedIds, chunks: int) -> None:
        """Raises ValueError when the files are not those of so many ``chunks``, or do not fit each other."""
        if any(len(lists) != chunks for lists in fields.values()):
            raise ValueError("the terms do not fit the collection")
        if not np.array_equal(starts.lengths, fields["body"].lengths):
            raise ValueError("the places do not fit the terms")
        self._vocabulary: Vocabulary | None = vocabulary
        self._body: RaggedIds | None = fields["body"]
        self._heading: RaggedIds | None = fields["heading"]
        self._starts: RaggedIds | None = starts
        self._read = lru_cache(_KEPT_CHUNKS)(self._read_chunk)

    def close(self) -> None:
        """Let go of the mapped files; a chunk that outlives them has no stored terms any more."""
        self._read.cache_clear()
        self._vocabulary = self._body = self._heading = self._starts = None

    def added_to(self, chunks: Mapping[int, Chunk]) -> dict[int, Chunk]:
        """The chunks, by ordinal, with what loads their terms."""
        return {ordinal: replace(chunk, load_terms=self._loader(ordinal, chunk)) for ordinal, chunk in chunks.items()}

    def _loader(self, ordinal: int, chunk: Chunk) -> Callable[[], ChunkTerms | None]:
        # an article of a statute bears its title as prefix; elsewhere the title is a field of its own, the heading
        return partial(self._read, ordinal, len(chunk.title) if chunk.text.startswith(chunk.title) else 0)

    def _read_chunk(self, ordinal: int, prefix: int) -> ChunkTerms | None:
        """None where nothing is open any more, or the files turn out to be damaged: the text is analysed anew then."""
        vocabulary, body, heading, starts = self._vocabulary, self._body, self._heading, self._starts
        if vocabulary is None or body is None or heading is None or starts is None:
            return None
        places = tuple(starts[ordinal].tolist())
        try:
            text = LocatedTerms(tuple(vocabulary.strings(body[ordinal])), places)
            of_heading = () if prefix else tuple(vocabulary.strings(heading[ordinal]))
        except LexicalIndexUnavailable:
            return None
        return ChunkTerms(text.within(0, prefix).terms if prefix else of_heading, text)
