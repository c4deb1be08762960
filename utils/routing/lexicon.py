"""The words of the domain data compiled for matching: which word of a question counts for what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from utils.korean.keyword_matcher import KeywordMatcher, MatchText, WordMatch, without_overlaps
from utils.korean.question_segments import Segment
from utils.protocols import Morpheme
from utils.routing.domain_pack import PackSet, Tier


@dataclass(slots=True)
class _Meaning:
    """The meanings of a word; it may belong to several domains and also be a cue."""

    tiers: dict[str, Tier] = field(default_factory=dict)
    excludes: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class SegmentWords:
    """The known words of one segment, each once, in order.

    ``keywords``: (word, domain, tier); ``rules``: (words joined by +, domain); ``excluded``: domains whose excluding
    cue stands here; ``cues``: (word, kind of rejection).
    """

    keywords: tuple[tuple[str, str, Tier], ...]
    rules: tuple[tuple[str, str], ...]
    excluded: frozenset[str]
    cues: tuple[tuple[str, str], ...]


class RoutingLexicon:
    """Reads the words of segments; built once for a set of packs."""

    def __init__(self, packs: PackSet) -> None:
        self._meanings: defaultdict[str, _Meaning] = defaultdict(_Meaning)
        for pack in packs.domains:
            for tier, words in reversed(pack.keywords.by_tier()):
                for word in words:
                    self._meanings[word].tiers[pack.key] = tier
            for word in pack.exclude:
                self._meanings[word].excludes.add(pack.key)
        for rejection in packs.rejections:
            for word in rejection.cues:
                self._meanings[word].kinds.add(rejection.kind)
        self._rules = [(frozenset(rule), "+".join(rule), pack.key) for pack in packs.domains for rule in pack.rules]
        parts = {word for rule, _, _ in self._rules for word in rule}
        self._keywords = KeywordMatcher(self._meanings)
        self._parts = KeywordMatcher(parts)

    def read(self, text: str, morphemes: Sequence[Morpheme], segments: Iterable[Segment]) -> list[SegmentWords]:
        """The words of each segment of ``text``."""
        prepared = MatchText(text, morphemes)
        words = without_overlaps(self._keywords.find(prepared))
        parts = self._parts.find(prepared)
        return [self._of_segment(_within(words, segment), _within(parts, segment)) for segment in segments]

    def _of_segment(self, words: Sequence[str], parts: Sequence[str]) -> SegmentWords:
        meanings = [(word, self._meanings[word]) for word in words]
        present = frozenset(parts)
        rules = self._rules if len(present) > 1 else ()
        return SegmentWords(
            keywords=tuple((word, key, tier) for word, meaning in meanings for key, tier in meaning.tiers.items()),
            rules=tuple((name, key) for rule, name, key in rules if rule <= present),
            excluded=frozenset(key for _, meaning in meanings for key in meaning.excludes),
            cues=tuple(
                (word, kind)
                for word, meaning in meanings
                for kind in (meaning.kinds or ({"out_of_scope"} if meaning.excludes else set()))
            ),
        )


def _within(matches: Iterable[WordMatch], segment: Segment) -> list[str]:
    return list(dict.fromkeys(m.word for m in matches if segment.first <= m.first < segment.stop))
