"""The grounding check: every figure, statute citation and address of an answer must stand in a source that its sentence cites.

Deterministic and pure. Figures are compared in canonical form (`utils.figures.figures`), statute citations with the statute they
belong to (`utils.law.text_citations`). A sentence that says the opposite of its source in the same words is contradicted by
it. List numerals and names such as 4대보험 claim nothing; what the user said may be taken up, but agreeing with it is a
claim like any other (`utils.grounding.usage`). Headings, questions and lead-ins need no citation, but a figure in them
must stand in some source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Self

from schemas.chat import Verdict
from utils.grounding.alignment import Passage, Retold, passages_of
from utils.grounding.answer_sentences import CITATION, Sentence, cited_numbers, split_sentences
from utils.grounding.claims import Claim, Findings, claims_of, ends_of
from utils.grounding.facts import GroundingSource, SourceFacts, readable, source_facts
from utils.grounding.framing import is_heading, is_question, is_refusal, states_nothing
from utils.grounding.links import Link, find_links, is_held, visible, without
from utils.grounding.polarity import contradicted
from utils.grounding.usage import Usage
from utils.grounding.verdicts import NOTHING_SETTLED, Verdicts, misjudged
from utils.law.text_citations import StatuteResolver
from utils.prompts.messages import without_verdict

__all__ = [
    "GroundingReport",
    "GroundingSource",
    "SentenceCheck",
    "SentenceChecker",
    "Verdict",
    "Verdicts",
    "check_answer",
]

_WORD = re.compile(r"\w")
_OF_AN_ARTICLE = "조"


@dataclass(frozen=True, slots=True)
class SentenceCheck:
    """The verdict on one sentence; ``start``/``end`` are character offsets into the answer.

    ``sources`` are the existing sources it cites; ``unsupported_claims`` the figures, citations, addresses and denials, as
    written, that no cited source holds (for an uncited sentence: no source at all). ``user_stated_claims`` are those that
    the user said; they are unsupported too where the sentence asserts them. ``claims`` counts all, ``is_framing`` marks
    what needs no citation, and ``is_blank`` what has no word beside its citations.
    """

    start: int
    end: int
    verdict: Verdict
    sources: tuple[int, ...] = ()
    unsupported_claims: tuple[str, ...] = ()
    user_stated_claims: tuple[str, ...] = ()
    claims: int = 0
    is_framing: bool = False
    is_blank: bool = False

    @property
    def agreed_claims(self) -> tuple[str, ...]:
        """The claims of the user's that the sentence asserts though no source holds them."""
        return tuple(claim for claim in self.user_stated_claims if claim in self.unsupported_claims)


@dataclass(frozen=True)
class GroundingReport:
    """The checks of all sentences of an answer, in order."""

    sentences: tuple[SentenceCheck, ...]

    @cached_property
    def unsupported_claims(self) -> tuple[str, ...]:
        """Every claim that no source holds, each once."""
        return tuple(dict.fromkeys(claim for check in self.sentences for claim in check.unsupported_claims))

    @cached_property
    def cited_sources(self) -> frozenset[int]:
        return frozenset(number for check in self.sentences for number in check.sources)

    @property
    def is_grounded(self) -> bool:
        """No sentence claims what the sources do not hold. Uncited sentences with true figures are allowed."""
        return not self.unsupported_claims

    @property
    def is_empty(self) -> bool:
        """Nothing is said: no sentence, or none with a word."""
        return all(check.is_blank for check in self.sentences)

    def count(self, verdict: Verdict) -> int:
        return sum(check.verdict is verdict for check in self.sentences)


class SentenceChecker:
    """Checks the sentences of one answer as they are finished, in order (같은 법 refers to sentences before)."""

    def __init__(
        self,
        facts: Mapping[int, SourceFacts],
        user: Callable[[], SourceFacts],
        notes: SourceFacts,
        resolver: StatuteResolver,
        verdicts: Verdicts,
        passages: Callable[[int], Sequence[Passage]],
    ) -> None:
        """``user`` reads the facts that the user stated, ``passages`` the sentences of a source: quotations never ask for them."""
        self._facts = facts
        self._read_user = user
        self._notes = notes
        self._resolver = resolver
        self._verdicts = verdicts
        self._passages = passages
        self._last_law: str | None = None
        self._quoted: list[str] = []  # quotations since the last claim, to be searched for the law named last

    @cached_property
    def _user(self) -> SourceFacts:
        return self._read_user()

    def read_sources(self) -> Self:
        """Read the facts of all sources now, where sentences are checked on the event loop as they come."""
        for facts in self._facts.values():
            facts.read()
        return self

    def check(self, sentence: Sentence) -> SentenceCheck:
        """The verdict on the next sentence."""
        cited = cited_numbers(sentence.text)
        existing = tuple(number for number in cited if number in self._facts)
        searched = [self._facts[number] for number in existing] if cited else list(self._facts.values())
        bare = _without_citations(sentence.text)
        seen = visible(bare)
        links = find_links(seen)
        text = readable(without(seen, links))
        words = readable(seen) if links else text
        # 법 제54조 in a quotation is of the statute that its source speaks of there, whatever the answer named last.
        is_quotation = any(self._facts[number].says(words) for number in existing) or self._is_led(seen, existing)
        claims: list[Claim] = []
        if is_quotation or self._notes.says(words):
            self._quoted.append(text)
        else:
            if _OF_AN_ARTICLE in text:  # nothing else is of the law named last
                self._read_quoted()
            claims = self._claims(text, names_agencies=bool(cited))
        is_question_back = is_question(bare) or self._is_heading_of_users(bare, cited)
        found = self._examined(claims, searched, text, is_cited=bool(cited), is_question=is_question_back)
        found.unsupported += self._foreign(links, searched, is_quotation)
        found.unsupported += [f"[{number}]" for number in cited if number not in self._facts]
        is_framing = is_heading(bare) or is_question_back
        if existing and not is_quotation and not is_framing:
            found.unsupported += self._changed(claims, text, existing, found)
        if not is_framing and not is_quotation and (denied := self._denied(text, searched, bool(existing))):
            found.unsupported.append(denied)
        found.unsupported += misjudged(seen, existing, self._verdicts)
        told = len(claims) + len(links)
        if not cited and told == len(found.restated):
            is_framing = is_framing or states_nothing(bare) or self._notes.says(words)
        return SentenceCheck(
            sentence.start,
            sentence.end,
            found.verdict(bool(cited), is_framing, told),
            existing,
            (*found.unsupported, *found.agreed),
            (*found.restated, *found.agreed),
            told,
            is_framing,
            is_blank=not _WORD.search(seen),
        )

    def _is_led(self, seen: str, cited: Iterable[int]) -> bool:
        """Return True for 네, or 아니요, before a whole sentence of a cited source: the verdict claims nothing of its own."""
        led = without_verdict(seen)
        return led != seen and any(self._facts[number].says_whole(readable(led)) for number in cited)

    def _is_heading_of_users(self, bare: str, cited: Sequence[int]) -> bool:
        """Return True for a heading that says what the user asked word for word: it names a figure and claims none."""
        return not cited and is_heading(bare) and self._user.says(bare.strip("*# "))

    def _read_quoted(self) -> None:
        """Learn from the quotations before which law 같은 법 means."""
        for text in self._quoted:
            self._claims(text)
        self._quoted.clear()

    def _claims(self, text: str, *, names_agencies: bool = False) -> list[Claim]:
        claims, self._last_law = claims_of(text, self._resolver, self._last_law, names_agencies=names_agencies)
        return claims

    def _examined(
        self, claims: Sequence[Claim], searched: Sequence[SourceFacts], text: str, *, is_cited: bool, is_question: bool
    ) -> Findings:
        """Which claims no source holds, and which of them are the user's."""
        found = Findings()
        if not claims:
            return found
        only_named = is_question or (not is_cited and is_refusal(text))
        usage = Usage(text, is_cited=is_cited)
        examined = [(claim, any(map(claim.is_held_by, searched)), claim.is_held_by(self._user)) for claim in claims]
        last_held = {claim.unit: claim.start for claim, is_in_source, _ in examined if is_in_source}
        for (claim, is_in_source, is_users), end in zip(examined, ends_of(claims), strict=True):
            if is_in_source and is_cited:
                continue
            is_compared = last_held.get(claim.unit, -1) >= end
            if is_users and (only_named or usage.is_restated(claim.start, end, is_compared=is_compared)):
                found.restated.append(claim.written)
            elif not is_in_source and (is_cited or not claim.is_held_by(self._notes)):
                (found.agreed if is_users else found.unsupported).append(claim.written)
        return found

    def _changed(self, claims: Sequence[Claim], text: str, cited: Iterable[int], found: Findings) -> list[str]:
        """Changes: what a sentence that retells one of its sources' has instead of what stands there: other claims, or the opposite."""
        retold = Retold(text, (passage for number in cited for passage in self._passages(number)))
        told = [claim for claim in claims if claim.written not in found and not claim.is_held_by(self._user)]
        turned = retold.turned_round()
        return [*(claim.written for claim in retold.replaced(told)), *([turned] if turned else [])]

    def _foreign(self, links: Iterable[Link], searched: Sequence[SourceFacts], is_quotation: bool) -> list[str]:
        """Addresses that no source holds nor the user gave, and all that loads or runs by itself."""
        return [
            link.written
            for link in links
            if not (is_quotation and link.is_bare_element)
            and not any(is_held(link.address, facts.addresses) for facts in (*searched, self._user))
        ]

    def _denied(self, text: str, searched: Sequence[SourceFacts], is_cited: bool) -> str | None:
        """The words that contradict a source, unless the sentence only says that the documents do not tell."""
        if is_refusal(text):
            return None
        return contradicted(text, searched, is_cited=is_cited)


class AnswerChecker:
    """The grounding check with what it keeps between answers: short names of statutes and the facts of sources.

    A source costs about 0.3 ms when it is first quoted, 1 ms when it is first asked for figures or articles, and 1 ms when it is first
    compared with prose; a sentence about 0.3 ms.

    >>> source = GroundingSource(1, "부가가치세 확정신고는 25일 이내에 합니다.")
    >>> AnswerChecker().check("부가가치세 확정신고는 99일 이내에 합니다. [1]", [source]).unsupported_claims
    ('99일',)
    """

    def __init__(self, law_aliases: Mapping[str, str] | None = None, cache_size: int = 4_096) -> None:
        """``law_aliases`` maps a short name of a statute to the full one: 부가세법 to 부가가치세법."""
        self._resolver = StatuteResolver(aliases=law_aliases)
        self._facts = lru_cache(maxsize=cache_size)(lambda source: source_facts(source, self._resolver))
        self._passages = lru_cache(maxsize=cache_size)(
            lambda source: passages_of(source, self._resolver.knowing(lambda: self._facts(source).laws))
        )

    def sentences(
        self,
        sources: Sequence[GroundingSource],
        user_text: str = "",
        notes: str = "",
        verdicts: Verdicts = NOTHING_SETTLED,
    ) -> SentenceChecker:
        """A checker for the sentences of one answer.

        ``user_text`` is what the user wrote: figures in it are theirs. ``notes`` are sentences of the service's own.
        ``verdicts`` are what the sources settle: a sentence must not begin with the opposite.
        """
        # the number that a source has in this answer says nothing of what it holds
        known = {source.index: replace(source, index=0) for source in sources}
        facts = {number: self._facts(source) for number, source in known.items()}
        resolver = self._resolver.knowing(lambda: [law for held in facts.values() for law in held.laws])
        own = source_facts(GroundingSource(0, _without_citations(notes)), resolver)
        return SentenceChecker(
            facts,
            lambda: source_facts(GroundingSource(0, user_text), resolver),
            own,
            resolver,
            verdicts,
            lambda number: self._passages(known[number]),
        )

    def check(
        self,
        text: str,
        sources: Sequence[GroundingSource],
        user_text: str = "",
        notes: str = "",
        verdicts: Verdicts = NOTHING_SETTLED,
    ) -> GroundingReport:
        """Check a whole answer; the arguments are those of `sentences`."""
        checker = self.sentences(sources, user_text, notes, verdicts)
        return GroundingReport(tuple(checker.check(sentence) for sentence in split_sentences(text)))


def check_answer(text: str, sources: Sequence[GroundingSource], user_text: str = "") -> GroundingReport:
    """Check one answer without short names of statutes; a service keeps an `AnswerChecker`."""
    return AnswerChecker().check(text, sources, user_text)


def _without_citations(text: str) -> str:
    return CITATION.sub(lambda match: " " * len(match.group()), text).strip()
