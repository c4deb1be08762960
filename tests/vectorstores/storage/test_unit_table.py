"""The units of a collection on disk: all of what was written, or a typed error, or nothing where there are none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import orjson
import pytest

from tests.support.small_index import WordEmbedder
from tests.support.unit_files import UNIT_FILES, document_text, unit_text
from utils.knowledge.unit_parser import parse_unit_document
from utils.protocols import AnalyzedText
from vectorstores.errors import LexicalIndexUnavailable
from vectorstores.storage.unit_table import UNITS_FOLDER, StoredUnit, UnitTable, UnitTexts, write_unit_table

FIRST = unit_text(asks=("벌금 얼마?", "안 써도 되나요? → 아니요", "계약서 벌금"), sentences=("결론: 벌금을 냅니다.",))
SECOND = unit_text("계약서 보관", asks=("몇 년 보관?",), sentences=("결론: 3년 동안 보관합니다.",))


def stored_units() -> list[StoredUnit]:
    document = parse_unit_document(document_text(FIRST, SECOND)).document
    assert document is not None
    first, second = document.units
    return [StoredUnit("A", 0, first), StoredUnit("A", 0, second), StoredUnit("B", 7, second)]


def written(directory: Path) -> tuple[list[StoredUnit], list[str]]:
    """Store units as a build does; returns them and their texts."""
    units = stored_units()
    texts = list(UnitTexts.of(units).texts)
    strings = ["남의", "말", *dict.fromkeys(word for text in texts for word in text.split())]
    terms = [np.asarray([strings.index(word) for word in text.split()], dtype=np.int32) for text in texts]
    vectors = WordEmbedder().embed([AnalyzedText(text, tuple(text.split())) for text in texts])
    write_unit_table(directory, units, terms, strings, vectors)
    return units, texts


def opened(directory: Path) -> UnitTable:
    table = UnitTable.open(directory)
    assert table is not None
    return table


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    units, texts = written(tmp_path)
    table = opened(tmp_path)
    assert list(table.units) == units
    assert [" ".join(table.vocabulary.strings(ids)) for ids in table.terms] == [
        " ".join(text.split()) for text in texts
    ]
    assert "남의" not in table.vocabulary, "words of other texts are not searched here"
    expected = WordEmbedder().embed([AnalyzedText(text, tuple(text.split())) for text in texts])
    np.testing.assert_allclose(table.vectors, expected, atol=1e-3)
    assert table.vectors.dtype == np.float16


def test_each_text_is_of_its_unit(tmp_path: Path) -> None:
    """The text of a unit, its name with what is quoted of it, then its phrasings."""
    _, texts = written(tmp_path)
    table = opened(tmp_path)
    assert texts[:4] == [
        "근로계약서를 안 쓰면\n벌금을 냅니다.",
        "벌금 얼마?",
        "안 써도 되나요?",
        "계약서 벌금",
    ]
    assert table.owners.tolist() == UnitTexts.of(table.units).owners.tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert table.is_text.tolist() == [True, False, False, False, True, False, True, False]


def test_documents_without_units_have_no_table(tmp_path: Path) -> None:
    assert UnitTable.open(tmp_path) is None


def halved(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def zeroed(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def test_these_are_all_of_its_files(tmp_path: Path) -> None:
    written(tmp_path)
    assert sorted(file.name for file in (tmp_path / UNITS_FOLDER).iterdir()) == sorted(UNIT_FILES)


@pytest.mark.parametrize("name", UNIT_FILES)
@pytest.mark.parametrize("damage", [Path.unlink, halved, zeroed])
def test_a_damaged_file_is_told(tmp_path: Path, name: str, damage: Callable[[Path], None]) -> None:
    if (name, damage) == ("vocabulary.bin", zeroed):
        return  # of the length it had: its checksum tells
    written(tmp_path)
    damage(tmp_path / UNITS_FOLDER / name)
    with pytest.raises(LexicalIndexUnavailable, match="답변 단위"):
        UnitTable.open(tmp_path)


def test_parts_that_do_not_fit_each_other_are_told(tmp_path: Path) -> None:
    """As where the files of two builds were mixed."""
    written(tmp_path)
    records = tmp_path / UNITS_FOLDER / "units.json"
    records.write_bytes(orjson.dumps(orjson.loads(records.read_bytes())[:-1]))
    with pytest.raises(LexicalIndexUnavailable, match="답변 단위"):
        UnitTable.open(tmp_path)
