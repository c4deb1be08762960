"""The evidence that routing weighs: all that speaks for each domain, and against all of them, in one question.

Keywords, rules and examples are read per clause as well as over the whole question, so that a short hit in one clause
cannot hide the subject of another; what the question asks counts apart from the situation it tells.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from utils.korean.keyword_matcher import normalise
from utils.korean.question_segments import Segment, is_casual, split_segments
from utils.protocols import AnalyzedText, Analyzer, Embedder, Morpheme
from utils.routing.domain_pack import PackSet, RejectionKind, Tier
from utils.routing.examples import Example, ExampleClassifier, FittedExamples, fit_examples
from utils.routing.fit_cache import FitCache
from utils.routing.lexicon import RoutingLexicon, SegmentWords

FeatureVector = NDArray[np.float64]

DOMAIN_FEATURES = (
    "asked_keywords", "asked_best_clause", "asked_clauses", "told_keywords", "keyword_share", "leads_a_clause",
    "example_clause", "example_lead",
)  # fmt: skip
SCOPE_FEATURES = (
    "keywords",
    "has_keyword",
    "context",
    "cues",
    "casual",
    "in_scope_examples",
    "rejected_examples",
    "example_balance",
)

_FIT_VERSION = 1  # raised whenever the same examples are analysed or fitted otherwise

TIER_WEIGHTS = {Tier.CORE: 1.0, Tier.COMMON: 0.4, Tier.CONTEXT: 0.0}
_RULE_WEIGHT = 1.0
_EXCLUDED_SHARE = 0.2  # what a keyword keeps beside a cue that it does not mean the domain
_CUE_BESIDE_KEYWORD = 0.3
_LOGIT_LIMIT = 5.0
_CACHE_SIZE = 256
_REPEATS = re.compile(r"(.)\1{2,}")
_EDGES = re.compile(r"(?<![\W_])[\W_]+$|^\W+")
_CONTENT_TAGS = ("NNG", "NNP", "XR", "SL", "SH")
_PREDICATE_TAGS = ("VV", "VA")


@dataclass(frozen=True, slots=True)
class ClauseEvidence:
    """A clause; ``keywords`` is the summed keyword weight and ``examples`` the probability by examples, per domain."""

    segment: Segment
    words: SegmentWords
    keywords: FeatureVector
    examples: FeatureVector


@dataclass(frozen=True, slots=True)
class QuestionEvidence:
    """All evidence of one question.

    ``domain_features`` has shape ``(domains, len(DOMAIN_FEATURES))``, ``scope_features`` ``(len(SCOPE_FEATURES),)``;
    ``rejected`` is the strength of each kind of rejection; ``stock_phrase`` its kind when the
    text is nothing but phrases such as a greeting.
    """

    text: str
    morphemes: tuple[Morpheme, ...]
    clauses: tuple[ClauseEvidence, ...]
    domain_features: NDArray[np.float64]
    scope_features: FeatureVector
    rejected: dict[RejectionKind, float]
    stock_phrase: RejectionKind | None

    def matched(self, domain: str) -> tuple[str, ...]:
        """Keywords and rules of a domain that were found, context words left out, in order."""
        found: dict[str, None] = {}
        for clause in self.clauses:
            found |= {word: None for word, key, tier in clause.words.keywords if key == domain and TIER_WEIGHTS[tier]}
            found |= {name: None for name, key in clause.words.rules if key == domain}
        return tuple(found)


class EvidenceReader:
    """Reads the evidence of questions for one set of packs and one embedder; built once, then read-only.

    ``read(text)`` keeps the latest results: classification, follow-up resolution and decomposition ask for the same text.
    """

    def __init__(self, analyzer: Analyzer, embedder: Embedder, packs: PackSet, cache: FitCache | None = None) -> None:
        self._analyzer = analyzer
        self._embedder = embedder
        self._keys = packs.keys()
        self._kinds = tuple(pack.kind for pack in packs.rejections)
        self._lexicon = RoutingLexicon(packs)
        self._phrases = {_phrase(phrase): pack.kind for pack in packs.rejections for phrase in pack.phrases}
        self._labelled = packs.labelled_examples()
        self._fitted = cache.get(self._fit_key(), self._fit) if cache else self._fit()
        self._examples = ExampleClassifier(embedder, self._fitted)
        self.read = lru_cache(maxsize=_CACHE_SIZE)(self._read)

    def _fit(self) -> FittedExamples:
        examples = [Example(analyzed(text, self._analyzer.morphemes(text)), label) for text, label in self._labelled]
        return fit_examples(self._embedder, examples, (*self._keys, *self._kinds))

    def _fit_key(self) -> str:
        """Equal where `_fit` gives the same."""
        learned_by = (_FIT_VERSION, self._analyzer.id, self._embedder.id, *self._keys, *self._kinds)
        return hashlib.blake2b(repr((learned_by, self._labelled)).encode(), digest_size=16).hexdigest()

    def _read(self, text: str) -> QuestionEvidence:
        morphemes = self._analyzer.morphemes(text)
        segments = split_segments(text, morphemes)
        pieces = [analyzed(text[s.start : s.end], morphemes[s.first : s.stop]) for s in segments]
        # The whole is the first row; one call embeds everything.
        probabilities = self._examples.probabilities([analyzed(text, morphemes), *pieces])
        return self._weighed(text, morphemes, segments, probabilities)

    def held_out_examples(self) -> list[tuple[str, QuestionEvidence]]:
        """(label, evidence) of each representative question, as if it were not one: for fitting, not for serving."""
        found = []
        for (text, label), row in zip(self._labelled, self._fitted.held_out, strict=True):
            morphemes = self._analyzer.morphemes(text)
            segments = split_segments(text, morphemes)
            probabilities = np.tile(row, (len(segments) + 1, 1))
            found.append((label, self._weighed(text, morphemes, segments, probabilities)))
        return found

    def _weighed(
        self, text: str, morphemes: Sequence[Morpheme], segments: Sequence[Segment], probabilities: NDArray[np.float64]
    ) -> QuestionEvidence:
        """The evidence, given the probabilities by examples of the whole text (first row) and of each segment."""
        words = self._lexicon.read(text, morphemes, segments)
        count = len(self._keys)
        clauses = tuple(
            ClauseEvidence(segment, found, self._keyword_weights(found), row[:count])
            for segment, found, row in zip(segments, words, probabilities[1:], strict=True)
        )
        return QuestionEvidence(
            text=text,
            morphemes=tuple(morphemes),
            clauses=clauses,
            domain_features=_domain_features(clauses, probabilities[0, :count]),
            scope_features=_scope_features(clauses, is_casual(segments, morphemes), probabilities, count),
            rejected=self._rejected(clauses, probabilities[0]),
            stock_phrase=self._stock_phrase(text, segments),
        )

    def _keyword_weights(self, words: SegmentWords) -> FeatureVector:
        weights = np.zeros(len(self._keys))
        for position, key in enumerate(self._keys):
            weights[position] = sum(TIER_WEIGHTS[tier] for _, owner, tier in words.keywords if owner == key)
            weights[position] += _RULE_WEIGHT * any(owner == key for _, owner in words.rules)
            if key in words.excluded:
                weights[position] *= _EXCLUDED_SHARE
        return weights

    def _rejected(self, clauses: Sequence[ClauseEvidence], whole: FeatureVector) -> dict[RejectionKind, float]:
        cues = [kind for clause in clauses for _, kind in clause.words.cues]
        offset = len(self._keys)
        return {kind: float(whole[offset + n]) + 0.3 * cues.count(kind) for n, kind in enumerate(self._kinds)}

    def _stock_phrase(self, text: str, segments: Sequence[Segment]) -> RejectionKind | None:
        pieces = [self._phrases.get(_phrase(text[segment.start : segment.end])) for segment in segments]
        whole = self._phrases.get(_phrase(text))
        return whole or (pieces[0] if pieces and None not in pieces else None)


def analyzed(text: str, morphemes: Sequence[Morpheme]) -> AnalyzedText:
    """``text`` with the content lemmas of its morphemes, predicates in dictionary form."""
    terms = []
    for morpheme in morphemes:
        if morpheme.tag in _CONTENT_TAGS:
            terms.append(morpheme.form.lower())
        elif morpheme.tag.startswith(_PREDICATE_TAGS):
            terms.append(morpheme.form + "다")
    return AnalyzedText(text, tuple(terms))


def _phrase(text: str) -> str:
    """As compared: no white space, no punctuation at the edges, no polite 요, runs of one character cut to two."""
    shortened = _REPEATS.sub(r"\1\1", _EDGES.sub("", normalise(text)))
    return shortened[:-1] if len(shortened) > 1 and shortened.endswith("요") else shortened


def _domain_features(clauses: Sequence[ClauseEvidence], whole: FeatureVector) -> NDArray[np.float64]:
    asked = [clause for clause in clauses if clause.segment.asks]
    told = [clause for clause in clauses if not clause.segment.asks]
    if not any(clause.keywords.any() for clause in asked):  # "…. 어떻게 하죠?": the story is the question
        asked, told = list(clauses), []
    size = len(whole)
    asked_keywords = np.array([clause.keywords for clause in asked]).reshape(-1, size)
    asked_examples = np.array([clause.examples for clause in asked]).reshape(-1, size)
    told_keywords = np.array([clause.keywords for clause in told]).reshape(-1, size)
    total = asked_keywords.sum(axis=0)
    best = asked_keywords.max(axis=0, initial=0.0)
    evidence = asked_keywords + asked_examples
    leads = (evidence >= evidence.max(axis=1, keepdims=True, initial=0.0) - 1e-9) & (evidence > 0.3)
    example_best = np.maximum(asked_examples.max(axis=0, initial=0.0), 1e-3)
    whole_logit = logit(whole)
    others = np.array([np.delete(whole_logit, k).max(initial=-_LOGIT_LIMIT) for k in range(size)])
    return np.column_stack(
        [
            np.log1p(total),
            np.minimum(best, 2.0),
            np.log1p((asked_keywords >= 1.0).sum(axis=0)),
            np.log1p(told_keywords.sum(axis=0)),
            total / max(total.sum(), 1.0),
            np.log1p(leads.sum(axis=0)),
            logit(example_best),
            whole_logit - others,
        ]
    )


def _scope_features(
    clauses: Sequence[ClauseEvidence], casual: bool, probabilities: NDArray[np.float64], count: int
) -> FeatureVector:
    keywords = sum((clause.keywords for clause in clauses), np.zeros(count))
    context = {word for clause in clauses for word, _, tier in clause.words.keywords if tier is Tier.CONTEXT}
    strongest = float(keywords.max(initial=0.0))
    # Beside a keyword of a domain a cue says little: a piano school, a pregnant employee, a shop in the wife's name.
    cues: float = min(len({word for clause in clauses for word, _ in clause.words.cues}), 3)
    if strongest >= 1.0:
        cues *= _CUE_BESIDE_KEYWORD
    whole = logit(probabilities[0])
    inside, outside = whole[:count].max(initial=-_LOGIT_LIMIT), whole[count:].max(initial=-_LOGIT_LIMIT)
    return np.array(
        [
            min(strongest, 3.0),
            float(strongest >= 1.0),
            min(len(context), 3),
            cues,
            float(casual),
            inside,
            outside,
            inside - outside,
        ]
    )


def logit(probabilities: FeatureVector) -> FeatureVector:
    """Log odds, bounded so that one sure clause does not outweigh everything else."""
    clipped = np.clip(probabilities, 1e-6, 1 - 1e-6)
    return np.clip(np.log(clipped / (1 - clipped)), -_LOGIT_LIMIT, _LOGIT_LIMIT)
