"""Hits made by hand."""

from __future__ import annotations

from utils.documents import Chunk, Hit


def make_hit(
    text: str,
    relevance: float = 0.0,
    *,
    chunk_id: str | None = None,
    similarity: float = 0.0,
    related_laws: tuple[str, ...] = (),
    label: str | None = None,
) -> Hit:
    """A hit of a guide with that text, or with a ``label`` of a statute article; its id is the text where none is given."""
    name = chunk_id or text
    chunk = Chunk(
        id=name, doc_id=name, collection="hr_labor_db", domain="hr_labor", doc_type="law" if label else "guide",
        title="안내", text=text, source_name="고용노동부", related_laws=related_laws, label=label,
    )  # fmt: skip
    return Hit(chunk, score=relevance, similarity=similarity, relevance=relevance)
