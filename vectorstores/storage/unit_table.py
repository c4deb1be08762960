"""The answer units of a collection as stored: what is quoted of them, and their phrasings and texts as they are searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import orjson
from numpy.typing import NDArray

from utils.knowledge.unit_records import unit_of, unit_record
from utils.knowledge.units import AnswerUnit
from utils.protocols import FloatMatrix
from vectorstores.errors import LexicalIndexUnavailable, unreadable_as
from vectorstores.storage.arrays import read_array
from vectorstores.storage.ragged import RaggedIds, RaggedWriter, TermIds
from vectorstores.storage.vocabulary import Vocabulary, write_vocabulary

UNITS_FOLDER = "units"
_RECORDS = "units.json"
_TERMS = "terms"
_VECTORS = "vectors.npy"


@dataclass(frozen=True, slots=True)
class StoredUnit:
    """A unit, the document it is of, and the ordinal of the chunk that holds the document's text."""

    document_id: str
    ordinal: int
    unit: AnswerUnit


@dataclass(frozen=True, slots=True)
class UnitTexts:
    """The searched texts of units, in the order of storing: of each unit its own text, then its phrasings."""

    texts: tuple[str, ...]
    owners: NDArray[np.int32]

    @classmethod
    def of(cls, units: Sequence[StoredUnit]) -> Self:
        """The text of a unit is its name with its sentences."""
        texts: list[str] = []
        owners: list[int] = []
        for number, stored in enumerate(units):
            said = [stored.unit.name, *(sentence.text for sentence in stored.unit.sentences)]
            own = ["\n".join(said), *(ask.text for ask in stored.unit.asks)]
            texts += own
            owners += [number] * len(own)
        return cls(tuple(texts), np.asarray(owners, dtype=np.int32))


def write_unit_table(
    directory: Path,
    units: Sequence[StoredUnit],
    terms: Sequence[TermIds],
    strings: Sequence[str],
    vectors: FloatMatrix,
) -> None:
    """Store units with the terms (numbers into ``strings``) and the vectors of their `UnitTexts`."""
    folder = directory / UNITS_FOLDER
    folder.mkdir()
    records = [[stored.document_id, stored.ordinal, unit_record(stored.unit)] for stored in units]
    (folder / _RECORDS).write_bytes(orjson.dumps(records))
    writer = RaggedWriter(folder, _TERMS)
    writer.append_many(terms)
    numbers = np.flatnonzero(writer.used_ids(len(strings)))
    mapping = np.full(len(strings), -1, dtype=np.int32)
    mapping[numbers] = write_vocabulary(folder, (strings[number] for number in numbers.tolist()))
    writer.finish(mapping)
    np.save(folder / _VECTORS, vectors.astype("<f2"), allow_pickle=False)


class UnitTable:
    """The units of one collection; reads only. ``owners`` has the number of the unit of each text, shape ``(texts,)``.

    ``vectors`` are as stored, shape ``(texts, dimension)``: a catalogue reckons with those of all collections in one array.
    """

    def __init__(
        self, units: Sequence[StoredUnit], vocabulary: Vocabulary, terms: RaggedIds, vectors: NDArray[np.float16]
    ) -> None:
        """Raises ValueError where the parts do not fit each other."""
        self.units = tuple(units)
        self.owners = np.asarray(
            [number for number, stored in enumerate(units) for _ in range(1 + len(stored.unit.asks))], dtype=np.int32
        )
        if not len(self.owners) == len(terms) == len(vectors):
            raise ValueError("the texts of units do not fit their terms and vectors")
        self.vocabulary = vocabulary
        self.terms = terms
        self.vectors = vectors

    @classmethod
    def open(cls, directory: Path) -> Self | None:
        """The table of a collection; None where none of its documents has units. Raises `LexicalIndexUnavailable`."""
        folder = directory / UNITS_FOLDER
        if not folder.exists():
            return None
        with unreadable_as(LexicalIndexUnavailable, "답변 단위를 열 수 없습니다."):
            records = orjson.loads((folder / _RECORDS).read_bytes())
            units = [StoredUnit(document_id, ordinal, unit_of(record)) for document_id, ordinal, record in records]
            vectors = read_array(folder / _VECTORS, np.float16)
            # read, not mapped: it is small, and what breaks after its checksum was compared changes nothing
            return cls(
                units, Vocabulary.open(folder, mapped=False), RaggedIds.open(folder, _TERMS, mapped=False), vectors
            )

    @property
    def is_text(self) -> NDArray[np.bool_]:
        """Which of the texts are those of units themselves, not phrasings; shape ``(texts,)``."""
        return np.concatenate([[True], np.diff(self.owners) > 0]) if len(self.owners) else np.zeros(0, dtype=np.bool_)
