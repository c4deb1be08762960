"""Telling Markdown formats apart by the front matter of the first file."""

from __future__ import annotations

from pathlib import Path

from vectorstores.loaders.base import LoadReport
from vectorstores.loaders.files import is_archive, read_text_files
from vectorstores.loaders.front_matter import split_front_matter

_PROBED_FILES = 5


def first_markdown_fields(path: Path) -> dict[str, str]:
    """Front-matter fields of the first readable Markdown file at ``path``; empty when there is none."""
    if not (path.is_dir() or is_archive(path) or path.suffix == ".md"):
        return {}
    for number, file in enumerate(read_text_files(path, (".md",), LoadReport())):
        text = file.text(LoadReport())
        split = split_front_matter(text) if text is not None else None
        if split is not None:
            return split[0]
        if number + 1 >= _PROBED_FILES:
            break
    return {}
