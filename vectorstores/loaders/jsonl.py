"""Knowledge files: one `KnowledgeDocument` a line."""

from __future__ import annotations

from pathlib import Path

from utils.knowledge import KnowledgeDocument
from vectorstores.collections import COLLECTIONS
from vectorstores.loaders.base import LoadOptions
from vectorstores.loaders.lines import LineLoader, line_files

_DOMAINS = frozenset(spec.domain for spec in COLLECTIONS)


class JsonlLoader(LineLoader):
    """A line is a document as it is stored; ``--collection`` overrides its domain."""

    name = "jsonl"
    version = 1
    needs_collection = False

    def accepts(self, path: Path) -> bool:
        return bool(line_files(path))

    def document(self, line: str, file: str, options: LoadOptions) -> KnowledgeDocument:
        document = KnowledgeDocument.model_validate_json(line)
        if options.domain is not None:
            return document.model_copy(update={"domain": options.domain})
        if document.domain not in _DOMAINS:
            raise ValueError(f"알 수 없는 domain입니다: {document.domain!r}")
        return document
