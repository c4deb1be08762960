"""The documentation: the site has every page, and in English what it has in Korean or less.

What its pages tell to type is typed by `test_documented_commands`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from utils.config.settings import PROJECT_ROOT

DOCS = PROJECT_ROOT / "docs"
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ ", re.MULTILINE)
_MADE = {"index.md", "manual.md", "decisions/index.md", "ablation.md", "ablation_features.md"}
"""Pages that are made, and the one that is found without a name."""


def test_every_page_is_found_in_the_site() -> None:
    written = yaml.safe_load((PROJECT_ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    named = set(_pages_of(written))
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    in_one_language = {page for page in pages if not page.endswith(".en.md") and not page.startswith("decisions/0")}
    moved = {f"reference/{name}.md" for name in ("settings", "python")}
    made = {"reference/http.md", "reference/commands.md"}
    assert named == (in_one_language - {"settings.md", "python.md"}) | moved | made | _MADE


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.en.md")), ids=lambda page: page.stem)
def test_an_english_page_has_the_headings_of_the_korean_one_or_fewer(page: Path) -> None:
    korean = page.with_name(page.name.replace(".en.md", ".md"))
    assert korean.is_file()
    assert _headings(page) <= _headings(korean)


def _headings(page: Path) -> int:
    return len(_HEADING.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))))


def _pages_of(nav: object) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for part in nav.values():
            yield from _pages_of(part)
    elif isinstance(nav, list):
        for part in nav:
            yield from _pages_of(part)
