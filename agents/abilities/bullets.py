"""An answer of bullets, each with words of the documents that it was written from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from langgraph.runtime import Runtime

from agents.abilities.base import Ability, AbilityTools
from agents.state import RouterState, RunContext
from utils.grounding.answer_sentences import CITATION
from utils.prompts.messages import NOT_FOUND, NOT_FOUND_HINT, says_not_found

_FEWEST_WORDS = 2
_MARK = re.compile(r"^\s*(?:[-*•●○◦·▪]|\(?\d{1,2}[.)])\s+")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)")
_WORD = re.compile(r"[가-힣]{2,}")
_ENDING = re.compile(
    r"(?<=[가-힣]{2})(?:으로|에서|에게|까지|부터|이며|이고|입니다|합니다|됩니다|은|는|이|가|을|를|의|에|로|와|과|도|만)$"
)


class BulletsAbility(Ability):
    """Bullets alone, each of which shares two words with the documents; where none does, the documents do not say."""

    name: ClassVar[str] = "bullets"

    def __init__(self, tools: AbilityTools) -> None:
        """Raises ``ValueError`` for any parameter."""
        super().__init__(tools)
        if tools.parameters:
            raise ValueError(f"unknown parameters {sorted(tools.parameters)}")

    async def after_generate(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Put the answer into bullets and leave out those that rest on no document."""
        answer = state["answer"]
        content = answer.content
        if not says_not_found(content.split("\n", 1)[0]):
            texts = [f"{hit.chunk.title}\n{hit.chunk.text}" for hit in answer.documents]
            content = "\n".join(bullets_of(content, texts)) or f"{NOT_FOUND} {NOT_FOUND_HINT}"
        return {"answer": replace(answer, content=content)} if content != answer.content else {}


def bullets_of(text: str, sources: Sequence[str]) -> list[str]:
    """Return the lines of ``text`` as bullets: without headings, what no source says two words of, and what was said before."""
    said = words_of("\n".join(sources))
    found: dict[str, str] = {}
    for line in text.splitlines():
        body = _MARK.sub("", line).strip()
        plain = CITATION.sub("", body)
        if not _HEADING.match(line) and len(words_of(plain) & said) >= _FEWEST_WORDS:
            found.setdefault("".join(plain.split()), f"- {body}")
    return list(found.values())


def words_of(text: str) -> frozenset[str]:
    """Return the words of ``text``: runs of two Hangul syllables or more, without the particle behind them."""
    return frozenset(_ENDING.sub("", word) for word in _WORD.findall(text))
