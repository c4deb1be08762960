"""Knowledge files: one `KnowledgeDocument` a line."""

from __future__ import annotations

from utils.documents import KnowledgeDocument
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions
from vectorstores.loaders.lines import LineLoader, line_files
from vectorstores.loaders.sniff import Probe


class JsonlLoader(LineLoader):
    """A line is a document as it is stored; ``--collection`` overrides its domain."""

    name = "jsonl"
    version = 2
    needs_collection = False

    def accepts(self, probe: Probe) -> bool:
        return bool(line_files(probe.path))

    def document(self, line: str, file: str, options: LoadOptions) -> KnowledgeDocument:
        document = KnowledgeDocument.model_validate_json(line)
        if options.domain is not None:
            return document.model_copy(update={"domain": options.domain})
        try:
            spec = options.collections.find(document.domain)
        except IngestError as error:
            raise ValueError(f"알 수 없는 domain입니다: {document.domain!r}") from error
        return document.model_copy(update={"domain": spec.domain})
