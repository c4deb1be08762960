"""The text between the tags of the documents: by domain and thing asked, each with the documents that answer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agents.answering.asked_sources import sources_of
from chains.extractive_task import ExtractiveAsk
from utils.documents import Hit, on_one_line
from utils.prompts import asks as wording
from utils.prompts import synthesis
from utils.prompts.data import as_data
from utils.prompts.messages import NO, YES
from utils.question_decomposer import SubQuery


@dataclass(slots=True)
class PromptContext:
    """The lines of one prompt. ``labels`` name the domains; ``blocks`` are those of ``documents``, each of which is shown once."""

    parts: Sequence[SubQuery]
    asks: Sequence[ExtractiveAsk]
    documents: Sequence[Hit]
    blocks: Sequence[str]
    labels: Mapping[str, str]
    _shown: set[int] = field(default_factory=set)

    def lines(self) -> Iterator[str]:
        """The lines in order. Several domains stand one after the other, at the end those that were not asked for.

        Where no document says what it answers, the sub-question of each domain stands for what is asked of it.
        """
        numbered = list(enumerate(self.asks, start=1))
        if len(self.parts) == 1:
            yield from self._group(numbered, range(1, len(self.blocks) + 1))
            return
        asked = dict.fromkeys(part.domain for part in self.parts)
        homes = {number: ask.domain if ask.domain in asked else self.parts[0].domain for number, ask in numbered}
        for domain in dict.fromkeys([*homes.values(), *asked, *(hit.chunk.domain for hit in self.documents)]):
            yield synthesis.DOMAIN.format(label=self.labels[domain])
            own = [(number, ask) for number, ask in numbered if homes[number] == domain]
            if not own:
                yield from self._sub_questions(domain) or [synthesis.BESIDE]
            documents = [number for number, hit in enumerate(self.documents, start=1) if hit.chunk.domain == domain]
            yield from self._group(own, documents)
            if not own and not documents:
                yield synthesis.NO_DOCUMENT

    def _sub_questions(self, domain: str) -> list[str]:
        """The question of a domain, unless what is asked is known better."""
        if self.asks:
            return []
        return [
            wording.ASK.format(number=number, ask=_data_line(part.query))
            for number, part in enumerate(self.parts, start=1)
            if part.domain == domain
        ]

    def _group(self, asks: Sequence[tuple[int, ExtractiveAsk]], documents: Sequence[int]) -> Iterator[str]:
        """Things asked, each followed by what answers it, and the ``documents`` that are left."""
        for number, ask in asks:
            answering = list(sources_of(ask))
            yield wording.ASK.format(number=number, ask=_data_line(ask.ask))
            yield from self._told(ask, answering)
            yield from self._blocks(answering)
        left = list(self._blocks(documents))
        if asks and left:
            yield wording.OTHER_DOCUMENTS
        yield from left

    def _told(self, ask: ExtractiveAsk, answering: Sequence[int]) -> Iterator[str]:
        """Yield the lines on all that is settled of a thing asked before anybody writes: yes or no, and where the answer stands."""
        if not answering:
            yield self._nearest(ask) or (wording.NOT_HELD if self._all_is_known else wording.PERHAPS_HELD)
            return
        if ask.is_answered and (verdict := ask.units[0].verdict) is not None:
            yield wording.VERDICT.format(verdict=(YES if verdict else NO).rstrip(", "))
        yield wording.ANSWERED_BY.format(documents="".join(f"[{number}]" for number in answering))

    @staticmethod
    def _nearest(ask: ExtractiveAsk) -> str | None:
        if not ask.is_offered:
            return None
        return wording.NEAREST.format(document=ask.units[0].document, name=ask.units[0].name)

    @property
    def _all_is_known(self) -> bool:
        """Of each document its units say what it answers, or it answers something: what is answered by none is not there."""
        answering = {number for ask in self.asks for number in sources_of(ask)}
        return all(hit.chunk.has_units or number in answering for number, hit in enumerate(self.documents, start=1))

    def _blocks(self, numbers: Sequence[int]) -> Iterator[str]:
        for number in numbers:
            if number not in self._shown:
                self._shown.add(number)
                yield self.blocks[number - 1]


def _data_line(text: str) -> str:
    return on_one_line(as_data(text))
