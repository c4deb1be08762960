"""Telling formats apart by the first of what a path holds."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from pathlib import Path

from utils.knowledge.front_matter import split_front_matter
from vectorstores.loaders.base import LoadReport
from vectorstores.loaders.files import GLANCE, is_archive, read_text_files
from vectorstores.loaders.lines import first_keys

_SUFFIXES = (".md", ".txt")
_LOOKED_AT = 10  # files


class Probe:
    """Facts about a path that formats are told apart by, each read once and within the bounds of a `GLANCE`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the first line of a file of lines; empty for anything else."""
        return first_keys(self.path)

    @cached_property
    def markdown_fields(self) -> dict[str, str]:
        """The front matter of the first Markdown file that has one."""
        splits = (split_front_matter(text) for suffix, text in self._texts if suffix == ".md")
        return next((split[0] for split in splits if split is not None), {})

    @property
    def plain_texts(self) -> list[str]:
        """The first ``.txt`` files."""
        return [text for suffix, text in self._texts if suffix == ".txt"]

    @cached_property
    def _texts(self) -> list[tuple[str, str]]:
        if not (self.path.is_dir() or is_archive(self.path) or self.path.name.endswith(_SUFFIXES)):
            return []
        unread = LoadReport()  # what is wrong with a file is told by the loader that reads it
        files = islice(read_text_files(self.path, _SUFFIXES, unread, GLANCE), _LOOKED_AT)
        texts = ((Path(file.path).suffix, file.text(unread)) for file in files)
        return [(suffix, text) for suffix, text in texts if text is not None]
