"""The characters of a font."""

from __future__ import annotations

from pathlib import Path

import pylopdf_fonts_ko
import pytest

from utils.paperwork.rendering.font_coverage import covered


def test_the_font_of_documents_has_all_syllables_and_the_common_hanja() -> None:
    found = covered(pylopdf_fonts_ko.sans_path())
    assert set(range(0xAC00, 0xD7A4)) <= found
    assert set(map(ord, "代表理事株式會社①㈜㎡※·ㆍ「」“”₩ễĐ")) <= found
    assert not {ord("🙂"), ord("☐")} & found


def test_a_file_that_is_no_font_is_refused(tmp_path: Path) -> None:
    font = tmp_path / "a.otf"
    font.write_bytes(b"OTTO" + bytes(100))
    with pytest.raises(ValueError, match="cmap"):
        covered(font)
