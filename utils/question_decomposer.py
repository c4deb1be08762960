"""Split a question into one self-contained sub-query for each domain, by rule.

Clauses go to the domains that their keywords and examples speak for; the situation that the user describes goes to all of them.
The several things that a question asks are told apart in `utils.korean.asks`.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from cachetools import LRUCache

from utils.protocols import Morpheme
from utils.routing.evidence import ClauseEvidence, EvidenceReader, QuestionEvidence
from utils.routing.follow_up import HISTORY_TURNS, Message, resolve_follow_up

_CACHE_SIZE = 512
_BACKGROUND_ENDINGS = frozenset({"는데", "은데", "ᆫ데", "라서", "니", "으니", "므로", "으므로", "지만"})
_COORDINATE_ENDINGS = frozenset({"고", "며", "으며"})
_INDIRECT_ENDINGS = frozenset("는지 은지 ᆫ지 을지 ᆯ지 는가 은가 ᆫ가".split())
_NEGLIGIBLE = 0.25  # evidence of a clause below which it says nothing about its domain


@dataclass(frozen=True, slots=True)
class SubQuery:
    """A question to look up in one domain; ``query`` is understood without the rest of the conversation.

    ``variants`` are other wordings of it that a model gave. ``terms`` say it in further words, as in another language; they count
    beside its own. ``tags`` set: only documents of these tags are looked at. ``k`` set: so many are kept, whatever the budget.
    """

    domain: str
    query: str
    variants: tuple[str, ...] = ()
    terms: str = ""
    tags: tuple[str, ...] = ()
    k: int | None = None


class QuestionDecomposer:
    """Rule decomposition and follow-up resolution; results are kept for (question, domains, recent history).

    ``reader`` is the classifier's, which has read the question already; ``keys`` orders its domains.
    """

    def __init__(self, reader: EvidenceReader, keys: Sequence[str]) -> None:
        self._reader = reader
        self._columns = {key: column for column, key in enumerate(keys)}
        self._cache: LRUCache[tuple[str, tuple[str, ...], str], tuple[SubQuery, ...]] = LRUCache(_CACHE_SIZE)
        self._lock = threading.Lock()

    def resolve_follow_up(self, question: str, history: Sequence[Message]) -> str:
        """Return ``question`` as it reads without the conversation; see `utils.routing.follow_up.resolve_follow_up`."""
        return resolve_follow_up(question, history, self._reader)

    def decompose(self, question: str, domains: Sequence[str], history: Sequence[Message] = ()) -> tuple[SubQuery, ...]:
        """Return one sub-query for each domain, in the order of ``domains``; for a single domain, the standalone question."""
        key = (question, tuple(domains), _digest(history))
        with self._lock:
            known = self._cache.get(key)
        if known is not None:
            return known
        made = self._by_clauses(self.resolve_follow_up(question, history), tuple(domains))
        with self._lock:
            self._cache[key] = made
        return made

    def _by_clauses(self, question: str, domains: tuple[str, ...]) -> tuple[SubQuery, ...]:
        if len(domains) < 2:
            return tuple(SubQuery(domain, question) for domain in domains)
        evidence = self._reader.read(question)
        context = [clause for clause in evidence.clauses if _is_background(evidence, clause)]
        asked = [clause for clause in evidence.clauses if not _is_background(evidence, clause)]
        owners = _owners(asked, domains, [self._columns[domain] for domain in domains])
        queries = []
        for domain in domains:
            own = [clause for clause, owned_by in zip(asked, owners, strict=True) if domain in owned_by]
            queries.append(SubQuery(domain, _compose(evidence, context, own) if own else question))
        return tuple(queries)


def _owners(asked: Sequence[ClauseEvidence], domains: tuple[str, ...], columns: Sequence[int]) -> list[frozenset[str]]:
    """The domains of each clause: the strongest, others with a keyword of their own, or those of the clause before."""
    owners: list[frozenset[str]] = []
    for clause in asked:
        strength = (clause.keywords + clause.examples)[list(columns)]
        best = int(np.argmax(strength))
        if strength[best] < _NEGLIGIBLE:
            owners.append(owners[-1] if owners else frozenset(domains))
            continue
        named = [k for k, column in enumerate(columns) if clause.keywords[column] >= 1.0]
        owners.append(frozenset(domains[k] for k in (best, *named)))
    return owners


def _is_background(evidence: QuestionEvidence, clause: ClauseEvidence) -> bool:
    """Return True if the clause describes the situation: its sentence asks nothing, or it leads up to the request (…는데)."""
    last = _last_word(evidence.morphemes, clause)
    return not clause.segment.asks or (last.tag == "EC" and last.form in _BACKGROUND_ENDINGS)


def _compose(evidence: QuestionEvidence, context: Sequence[ClauseEvidence], own: Sequence[ClauseEvidence]) -> str:
    parts = sorted((*context, *own), key=lambda clause: clause.segment.start)
    told = set(map(id, context))
    texts = []
    for number, clause in enumerate(parts):
        if id(clause) in told:
            texts.append(_plain(evidence, clause))
            continue
        follows_on = number + 1 < len(parts) and parts[number + 1].segment.first == clause.segment.stop
        same_sentence = follows_on and parts[number + 1].segment.sentence == clause.segment.sentence
        texts.append(_plain(evidence, clause) if same_sentence else _finished(evidence, clause))
    return " ".join(texts)


def _plain(evidence: QuestionEvidence, clause: ClauseEvidence) -> str:
    first = _first_word(evidence.morphemes, clause)
    return evidence.text[first.start : clause.segment.end].strip()


def _finished(evidence: QuestionEvidence, clause: ClauseEvidence) -> str:
    """The clause as a sentence of its own: a connective ending becomes a question, a bare noun phrase a request."""
    first, last = _first_word(evidence.morphemes, clause), _last_word(evidence.morphemes, clause)
    closing = evidence.morphemes[clause.segment.stop - 1]
    if last.tag == "EF" or closing.tag == "SF":
        return _plain(evidence, clause)
    if last.tag == "EC" and last.form in _COORDINATE_ENDINGS:
        return evidence.text[first.start : last.start].strip() + "나요?"
    text = evidence.text[first.start : last.end].strip()
    if last.tag == "EC" and last.form in _INDIRECT_ENDINGS:
        return f"{text} 알려 주세요."
    if last.tag.startswith("J") or last.tag == "EC":
        return f"{text} 알려 주세요."
    return f"{text}{_object_particle(text)} 알려 주세요."


def _first_word(morphemes: Sequence[Morpheme], clause: ClauseEvidence) -> Morpheme:
    """The first morpheme of the clause after a connective such as 그리고."""
    span = morphemes[clause.segment.first : clause.segment.stop]
    return next((m for m in span if m.tag not in ("MAJ", "SP")), span[0])


def _last_word(morphemes: Sequence[Morpheme], clause: ClauseEvidence) -> Morpheme:
    """The last morpheme of the clause before its punctuation."""
    span = morphemes[clause.segment.first : clause.segment.stop]
    return next((m for m in reversed(span) if m.tag not in ("SP", "SF", "SE", "SS")), span[-1])


def _object_particle(text: str) -> str:
    """을 after a final consonant, else 를; brackets are passed over."""
    letters = [character for character in text if "가" <= character <= "힣"]
    if not letters:
        return "을(를)"
    return "을" if (ord(letters[-1]) - ord("가")) % 28 else "를"


def _digest(history: Sequence[Message]) -> str:
    recent = history[-2 * HISTORY_TURNS :]
    joined = "\x1e".join(f"{message.role}\x1f{message.content}" for message in recent)
    return hashlib.sha256(joined.encode()).hexdigest()
