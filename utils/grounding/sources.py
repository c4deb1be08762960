"""Documents as the grounding check reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from utils.documents import Hit
from utils.grounding.facts import GroundingSource


def grounding_sources(documents: Sequence[Hit]) -> tuple[GroundingSource, ...]:
    """Numbered from 1, in the order of the prompt's context."""
    return tuple(
        GroundingSource(
            index=number,
            text="\n".join([hit.chunk.text, *_validity(hit)]),
            title=hit.chunk.title,
            source_name=hit.chunk.source_name,
            effective_date=hit.chunk.effective_date,
            related_laws=hit.chunk.related_laws,
            url=hit.chunk.source_url,
        )
        for number, hit in enumerate(documents, start=1)
    )


def _validity(hit: Hit) -> Iterator[str]:
    """The sentences that tell on which days units of the document hold: an answer may say them."""
    if "validity" in hit.chunk.metadata:
        yield str(hit.chunk.metadata["validity"])
