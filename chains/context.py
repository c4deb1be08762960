"""Documents as the prompt and the user see them: numbered, delimited, cut at sentence ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from schemas.chat import SourceItem
from utils.documents import Chunk, Hit, on_one_line
from utils.prompts.common import DOCUMENT_TEMPLATE
from utils.prompts.data import as_data

_ELLIPSIS = " …"
_KEPT_TEXTS = 2_048  # documents of a knowledge base repeat
_FRAME = len(DOCUMENT_TEMPLATE.format(document="")) + 1


@dataclass(frozen=True, slots=True)
class PromptDocument:
    """A document with its block of the prompt: ``[n] title``, ``출처: source``, text."""

    hit: Hit
    block: str


def format_context(hits: Sequence[Hit], per_document: int, overall: int) -> str:
    """The context block of all documents that fit; see `pack`."""
    return "\n".join(one.block for one in pack(hits, per_document, overall))


def readable(hits: Sequence[Hit], per_document: int, overall: int) -> tuple[PromptDocument, ...]:
    """The documents that fit, numbered among themselves: what an answer can be written from, and its sources."""
    packed = pack(hits, per_document, overall)
    return packed if len(packed) == len(hits) else pack([one.hit for one in packed], per_document, overall)


def pack(hits: Sequence[Hit], per_document: int, overall: int) -> tuple[PromptDocument, ...]:
    """As many documents as fit, each in a block of its own and numbered by its place among ``hits``.

    Characters are counted. What a document says stays data, so that none of it can pass for another document or an order.

    Each text is cut to ``per_document`` at a sentence end. All blocks together keep to ``overall``: hits come in
    falling value, so what no longer fits is shortened or left out from the end. A computed value stands at the end and is
    short; room for it comes first, for the answer must not state it without its rule.
    """
    blocks: dict[int, str] = {}
    left = overall
    for place in sorted(range(len(hits)), key=lambda place: "computed" not in hits[place].found_by):
        chunk = hits[place].chunk
        number = f"[{place + 1}] "
        head = f"{on_one_line(chunk.title)}\n출처: {on_one_line(_source_line(chunk))}\n"
        text = cut_at_sentence(chunk, min(per_document, left - len(number) - len(head) - _FRAME))
        if not text:
            break
        blocks[place] = DOCUMENT_TEMPLATE.format(document=number + _document_as_data(head + text))
        left -= len(blocks[place]) + 1
    return tuple(PromptDocument(hits[place], blocks[place]) for place in sorted(blocks))


@lru_cache(_KEPT_TEXTS)
def _document_as_data(text: str) -> str:
    return as_data(text)


def cut_at_sentence(chunk: Chunk, limit: int) -> str:
    """The chunk's text, or as many of its sentences as ``limit`` characters hold; empty when not even one fits."""
    if len(chunk.text) <= limit:
        return chunk.text
    end = max((end for _, end in chunk.sentences if end + len(_ELLIPSIS) <= limit), default=0)
    return chunk.text[:end] + _ELLIPSIS if end else ""


def documents_to_sources(hits: Sequence[Hit]) -> tuple[SourceItem, ...]:
    """The numbered sources of an answer, in the order of the context."""
    return tuple(_source(number, hit.chunk) for number, hit in enumerate(hits, start=1))


def _source(number: int, chunk: Chunk) -> SourceItem:
    metadata = dict(chunk.metadata)
    metadata.update({"id": chunk.id, "domain": chunk.domain, "type": chunk.doc_type})
    if chunk.related_laws:
        metadata["related_laws"] = ", ".join(chunk.related_laws)
    return SourceItem(
        index=number,
        title=chunk.title,
        content=chunk.text,
        source=chunk.source_name,
        url=chunk.source_url,
        effective_date=chunk.effective_date,
        metadata=metadata,
    )


def _source_line(chunk: Chunk) -> str:
    dated = f" (시행 {chunk.effective_date})" if chunk.effective_date else ""
    return chunk.source_name + dated
