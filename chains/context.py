"""Documents as the prompt and the user see them: numbered, delimited, cut at sentence ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from types import MappingProxyType

from schemas.chat import SourceItem
from utils.documents import Chunk, Hit, on_one_line
from utils.prompts.asks import OTHER_TEXT
from utils.prompts.common import DOCUMENT_TEMPLATE
from utils.prompts.data import as_data

_ELLIPSIS = " …"
_KEPT_TEXTS = 2_048  # documents of a knowledge base repeat
_FRAME = len(DOCUMENT_TEMPLATE.format(document="[99] ")) + 1


@dataclass(frozen=True, slots=True)
class PromptDocument:
    """A document with its number and as much of its title, source and text as a prompt has room for."""

    hit: Hit
    number: int
    text: str

    @property
    def block(self) -> str:
        """The block of the prompt: ``[n] title``, ``출처: source``, text. Sanitised where a prompt is written, for an answer of quotations needs none."""
        return DOCUMENT_TEMPLATE.format(document=f"[{self.number}] {_document_as_data(self.text)}")


@dataclass(frozen=True, slots=True)
class Lead:
    """The lines before the rest of a document's text, each heading with its lines; ``sentences`` are those that they say."""

    lines: tuple[str, ...] = ()
    sentences: frozenset[str] = frozenset()


NO_LEADS: Mapping[str, Lead] = MappingProxyType({})


def format_context(hits: Sequence[Hit], per_document: int, overall: int, *, placed: bool = False) -> str:
    """The context block of all documents that fit; see `pack`."""
    return "\n".join(document.block for document in pack(hits, per_document, overall, placed=placed))


def readable(
    hits: Sequence[Hit],
    per_document: int,
    overall: int,
    leads: Mapping[str, Lead] = NO_LEADS,
    *,
    placed: bool = False,
) -> tuple[PromptDocument, ...]:
    """The documents that fit, numbered among themselves: what an answer can be written from, and its sources."""
    packed = pack(hits, per_document, overall, leads, placed=placed)
    if len(packed) == len(hits):
        return packed
    return pack([document.hit for document in packed], per_document, overall, leads, placed=placed)


def pack(
    hits: Sequence[Hit],
    per_document: int,
    overall: int,
    leads: Mapping[str, Lead] = NO_LEADS,
    *,
    placed: bool = False,
) -> tuple[PromptDocument, ...]:
    """As many documents as fit, each in a block of its own and numbered by its place among ``hits``.

    Characters are counted. What a document says stays data, so that none of it can pass for another document or an order.

    Each text is cut to ``per_document`` at a sentence end. All blocks together keep to ``overall``, but for what sanitising adds: hits come in
    falling value, so what no longer fits is shortened or left out from the end. A computed value stands at the end and is
    short; room for it comes first, for the answer must not state it without its rule. Then the ``leads``, by the id of a chunk:
    what answers is there before the rest of any document is. ``placed``: each says its page, where it has one, its chunk and its score.
    """
    packed: dict[int, PromptDocument] = {}
    heads = [_head(hit.chunk) + (_place(hit) if placed else "") for hit in hits]
    of_place = {place: leads[hit.chunk.id] for place, hit in enumerate(hits) if hit.chunk.id in leads}
    kept = {place: len(heads[place]) + _FRAME + len("\n".join(lead.lines)) for place, lead in of_place.items()}
    left = overall
    for place in sorted(
        range(len(hits)), key=lambda place: ("computed" not in hits[place].found_by, place not in kept)
    ):
        own = kept.pop(place, 0)
        room = min(max(left - sum(kept.values()), own), left) - len(heads[place]) - _FRAME
        text = _text(hits[place].chunk, of_place.get(place), min(max(per_document, own), room))
        if not text:
            break
        packed[place] = PromptDocument(hits[place], place + 1, heads[place] + text)
        left -= len(DOCUMENT_TEMPLATE.format(document=f"[{place + 1}] {packed[place].text}")) + 1
    return tuple(packed[place] for place in sorted(packed))


def _head(chunk: Chunk) -> str:
    validity = f"유효: {on_one_line(str(chunk.metadata['validity']))}\n" if "validity" in chunk.metadata else ""
    return f"{on_one_line(chunk.title)}\n출처: {on_one_line(_source_line(chunk))}\n{validity}"


def _place(hit: Hit) -> str:
    page = hit.chunk.metadata.get("page")
    told = (f"쪽 {page}" if page is not None else "", f"조각 {on_one_line(hit.chunk.id)}", f"점수 {hit.relevance:.2f}")
    return f"{', '.join(filter(None, told))}\n"


def _text(chunk: Chunk, lead: Lead | None, limit: int) -> str:
    """The lead and below it what else the chunk says, within ``limit`` characters; empty when no sentence fits."""
    if lead is None:
        return cut_at_sentence(chunk, limit)
    told = _fitting(lead.lines, limit)
    rest = [sentence for sentence in chunk.sentence_texts() if sentence not in lead.sentences]
    more = _fitting([OTHER_TEXT, *rest], limit - len("\n".join(told)) - 1)
    return "\n".join([*told, *more] if len(more) > 1 else told) if len(told) > 1 else ""


def _fitting(lines: Sequence[str], limit: int) -> list[str]:
    """As many lines from the beginning as ``limit`` characters hold."""
    ends = accumulate(len(line) + 1 for line in lines)
    return [line for line, end in zip(lines, ends, strict=True) if end - 1 <= limit]


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
    since = "기준일" if chunk.metadata.get("computed") else "시행"
    return chunk.source_name + (f" ({since} {chunk.effective_date})" if chunk.effective_date else "")
