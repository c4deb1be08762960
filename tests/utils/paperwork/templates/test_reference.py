"""docs/documents.md lists the fields that there are."""

from __future__ import annotations

import pytest

from utils.paperwork.templates.reference import PAGE, with_reference


def test_the_page_is_in_step_with_the_templates() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_reference(page) == page, "run `python -m utils.paperwork.templates reference`"
    assert "| schedule[].day |" in page


def test_a_page_without_marks_is_left_alone() -> None:
    with pytest.raises(ValueError, match="marks"):
        with_reference("# 문서")
