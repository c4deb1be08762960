"""Documents as the prompt and the user see them: numbered, delimited, cut at sentence ends."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.chat import SourceItem
from utils.knowledge import Chunk, Hit

_ELLIPSIS = " …"


def format_context(hits: Sequence[Hit], per_document: int, overall: int) -> str:
    """The context block: ``[n] title``, ``출처: source``, text. Characters are counted.

    Each text is cut to ``per_document`` at a sentence end. All blocks together keep to ``overall``: hits come in
    falling value, so what no longer fits is shortened or left out from the end.
    """
    blocks: list[str] = []
    left = overall
    for number, hit in enumerate(hits, start=1):
        head = f"[{number}] {hit.chunk.title}\n출처: {_source_line(hit.chunk)}\n"
        room = min(per_document, left - len(head))
        text = cut_at_sentence(hit.chunk, room)
        if not text:
            break
        blocks.append(head + text)
        left -= len(blocks[-1]) + 2
    return "\n\n".join(blocks)


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
