"""Documents in the unit form: one Markdown file a document, in a folder named after its domain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from utils.documents import DocumentSource, KnowledgeDocument
from utils.knowledge.references import references_of
from utils.knowledge.unit_parser import HEAD_KEYS, parse_unit_document
from utils.knowledge.units import UnitDocument
from vectorstores.collections import WHOLE, Collections
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument, problem_text
from vectorstores.loaders.files import read_text_files
from vectorstores.loaders.sniff import Probe

_SUFFIXES = (".md",)


class UnitLoader:
    """A file or a folder of them. A document with faults of its form is reported and left out.

    The innermost folder that is named after a domain says where a document belongs, or ``--collection``.
    """

    name = "units"
    version = 1
    needs_collection = False

    def accepts(self, probe: Probe) -> bool:
        return set(HEAD_KEYS) <= probe.markdown_fields.keys()

    def load(self, path: Path, options: LoadOptions, report: LoadReport) -> Iterator[SourceDocument]:
        folder = path if path.is_dir() else path.parent
        for file in read_text_files(path, _SUFFIXES, report):
            report.files += 1
            text = file.text(report)
            if text is None:
                continue
            parsed = parse_unit_document(text)
            for fault in parsed.faults:
                report.problem(file.path, fault.message, fault.line)
            domain = options.domain or domain_of((folder / file.path).resolve(), options.collections)
            if domain is None:
                report.problem(file.path, "분야의 폴더 안에 있지 않습니다 (또는 --collection 으로 정합니다)")
            elif parsed.document is not None and not parsed.faults:
                try:
                    document = _knowledge(parsed.document, domain)
                except ValidationError as error:
                    report.problem(file.path, problem_text(error))
                    continue
                report.documents += 1
                yield SourceDocument(
                    document, origin=file.path, heading=document.title, policy=WHOLE, units=parsed.document.units
                )


def domain_of(path: Path, collections: Collections) -> str | None:
    """The domain whose folder a file lies in, the innermost one; None where no folder is one."""
    for part in reversed(path.parts[:-1]):
        try:
            return collections.find(part).domain
        except IngestError:
            continue
    return None


def _knowledge(document: UnitDocument, domain: str) -> KnowledgeDocument:
    """The document as everything that knows no units reads it. Raises `ValidationError`."""
    sentences = [sentence.text for unit in document.units for sentence in unit.sentences]
    return KnowledgeDocument.model_validate(
        {
            "id": document.id,
            "type": document.type,
            "domain": domain,
            "title": document.title,
            "content": document.content,
            "source": DocumentSource(
                name=document.source_name, url=document.source_url, collected_at=document.collected_at.isoformat()
            ),
            "effective_date": document.effective_date,
            "related_laws": tuple(map(str, references_of(sentences).found)),
            "metadata": document.metadata,
        }
    )
