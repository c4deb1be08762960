"""Questions and answers: one pair a line, ``{"id", "question", "answer"}`` and whatever else the origin says of it."""

from __future__ import annotations

from pathlib import PurePath

from pydantic import BaseModel, ConfigDict, Field

from utils.documents import DocumentSource, KnowledgeDocument
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions
from vectorstores.loaders.lines import LineLoader
from vectorstores.loaders.sniff import Probe


class _Pair(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    id: int | str
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    category: str = ""


class FaqLoader(LineLoader):
    """A pair is a document under its own id: the question its title, question and answer its text."""

    name = "faq"
    version = 2
    needs_collection = True

    def accepts(self, probe: Probe) -> bool:
        return {"id", "question", "answer"} <= probe.keys

    def document(self, line: str, file: str, options: LoadOptions) -> KnowledgeDocument:
        if options.domain is None:
            raise IngestError(f"{file}: 질문과 답은 --collection 으로 컬렉션을 지정해야 합니다")
        pair = _Pair.model_validate_json(line)
        return KnowledgeDocument(
            id=str(pair.id),
            type="faq",
            domain=options.domain,
            title=pair.question.strip(),
            content=pair.answer,
            source=DocumentSource(name=PurePath(file).stem),
            metadata={"category": pair.category} if pair.category else {},
        )
