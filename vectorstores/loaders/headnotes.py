"""Headnotes of court cases, one case a line: ``{"id": "민사/대법원/2001다1", "issues", "holding", "cited"}``."""

from __future__ import annotations

from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict, Field

from utils.documents import DocumentSource, KnowledgeDocument
from vectorstores.loaders.base import LoadOptions
from vectorstores.loaders.lines import LineLoader
from vectorstores.loaders.precedents import case_content, cited_articles
from vectorstores.loaders.sniff import Probe


class _Headnote(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str = Field(min_length=1)
    kind: str = ""
    court: str = ""
    issues: str | None = None
    holding: str | None = None
    cited: str | None = None


class HeadnoteLoader(LineLoader):
    """A case is a document under its path in the collection of cases."""

    name = "headnotes"
    version = 2
    needs_collection = False

    def accepts(self, probe: Probe) -> bool:
        return {"id", "issues", "holding"} <= probe.keys

    def document(self, line: str, file: str, options: LoadOptions) -> KnowledgeDocument:
        case = _Headnote.model_validate_json(line)
        parts = {"판시사항": case.issues or "", "판결요지": case.holding or "", "참조조문": case.cited or ""}
        return KnowledgeDocument(
            id=case.id,
            type="court_case",
            domain=options.domain or options.collections.of_case_kind(case.kind),
            title=" ".join(part for part in (case.court, PurePosixPath(case.id).name, case.kind) if part),
            content=case_content(parts),
            source=DocumentSource(name="국가법령정보센터 판례"),
            related_laws=cited_articles(case.cited or ""),
            metadata={"case_kind": case.kind, "court": case.court},
        )
