"""The standing of a question of yes or no to a unit: what its judged phrasings say, and the force of its conclusion.

Phrasings vote in two camps: those of rules (줘야 하나요, 안 주면 처벌받나요, 안 줘도 되나요 all ask whether a rule binds) and those of claims
(받을 수 있나요, 있나요, 대상인가요). A vote is 1 where the rule binds or the claim holds, -1 where not; turned round for a question that asks
the opposite, it speaks for yes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from utils.conclusions.conclusions import Clause, Conclusion, read_conclusion
from utils.conclusions.thresholds import met
from utils.conclusions.yes_no_questions import DENIED, STANCES, Polarity, QuestionReading, read_question
from utils.knowledge.units import AnswerUnit, Aspect
from utils.protocols import Morpheme

Features = dict[str, float]

VOTING = ("mean:", "many:", "agreed:", "nearest", "margin")
"""Beginnings of the names of those features that only the votes of phrasings make."""

_FARTHEST = 0.05  # the weight of the vote of a phrasing that shares no word
_MANY = 4  # votes from which on more make none surer
_MOST_NEW = 5


@dataclass(frozen=True, slots=True)
class JudgedAsk:
    """A phrasing of a unit with its verdict."""

    reading: QuestionReading
    verdict: bool


@dataclass(frozen=True, slots=True)
class JudgedUnit:
    """A unit as verdicts see it."""

    aspect: Aspect
    asks: tuple[JudgedAsk, ...]
    conclusion: Conclusion

    def without(self, number: int) -> JudgedUnit:
        """The unit as if it had not this phrasing."""
        return JudgedUnit(self.aspect, self.asks[:number] + self.asks[number + 1 :], self.conclusion)


def judged_unit(unit: AnswerUnit, morphemes_of: Callable[[str], Sequence[Morpheme]]) -> JudgedUnit:
    """Read the phrasings of ``unit`` that have a verdict, and its conclusion."""
    asks = tuple(
        JudgedAsk(read_question(ask.text, morphemes_of(ask.text)), ask.verdict)
        for ask in unit.asks
        if ask.verdict is not None
    )
    return JudgedUnit(unit.aspect, asks, read_conclusion(unit, morphemes_of))


@dataclass(frozen=True, slots=True)
class _Vote:
    value: int
    likeness: float
    is_rule: bool
    reading: QuestionReading
    polarity: Polarity


def verdict_features(question: QuestionReading, unit: JudgedUnit) -> Features:
    """The features of a question beside a unit: positive ones of votes and forces speak for yes. None of them without a polarity."""
    polarity = question.polarity
    if polarity is None:
        return {}
    kind, denied = polarity.kind.value, -1.0 if polarity.is_negated else 1.0
    votes = [vote for ask in unit.asks if (vote := _vote(question, ask))]
    features = {f"kind:{kind}:{polarity.is_negated:d}": 1.0, f"aspect:{unit.aspect.value}:{kind}": denied}
    features |= _camps(polarity, votes) | _nearest(question, polarity, votes)
    features |= {f"{name}:{kind}": denied for name in _forces(question, unit.conclusion)}
    features |= _thresholds(question, polarity, unit.conclusion)
    features |= _wording(question, unit, denied)
    return features


def _vote(question: QuestionReading, ask: JudgedAsk) -> _Vote | None:
    polarity = ask.reading.polarity
    if polarity is None:
        return None
    shared = len(question.words & ask.reading.words)
    likeness = 2 * shared / max(len(question.words) + len(ask.reading.words), 1)
    value = _side(polarity) * (1 if ask.verdict else -1)
    return _Vote(value, likeness, polarity.kind in STANCES, ask.reading, polarity)


def _side(polarity: Polarity) -> int:
    """1 where yes means that the rule binds or the claim holds, -1 where it means the opposite."""
    return polarity.stance(True) or (-1 if polarity.is_negated else 1)


def _camps(polarity: Polarity, votes: Sequence[_Vote]) -> Features:
    """Of each camp the mean vote, by likeness, for yes; more of it where there are many, or all agree."""
    side, is_rule = _side(polarity), polarity.kind in STANCES
    camps: Mapping[str, list[_Vote]] = {
        "rules": [vote for vote in votes if vote.is_rule],
        "claims": [vote for vote in votes if not vote.is_rule],
        "same": [vote for vote in votes if vote.polarity.kind is polarity.kind],
    }
    features: Features = {}
    for name, members in camps.items():
        if not members:
            continue
        weights = [_FARTHEST + vote.likeness**2 for vote in members]
        mean = sum(weight * vote.value for weight, vote in zip(weights, members, strict=True)) / sum(weights)
        camp = name if name == "same" else f"{name}:{'rule' if is_rule else 'claim'}"
        features[f"mean:{camp}"] = side * mean
        features[f"many:{camp}"] = side * mean * min(len(members), _MANY) / _MANY
        features[f"mean:{camp}:{polarity.kind.value}"] = side * mean
        if len({vote.value for vote in members}) == 1:
            features[f"agreed:{camp}"] = side * mean
    return features


def _nearest(question: QuestionReading, polarity: Polarity, votes: Sequence[_Vote]) -> Features:
    """The vote of the likest phrasing for yes, as far as it is alike; and how much liker those for yes are than those against."""
    if not votes:
        return {}
    side = _side(polarity)
    best = max(votes, key=lambda vote: vote.likeness)
    voice = side * best.value * best.likeness
    features = {"nearest": voice, f"nearest:{best.polarity.kind is polarity.kind:d}": voice}
    if question.scope ^ best.reading.scope:
        features["nearest:scope"] = voice
    if question.quantities != best.reading.quantities:
        features["nearest:quantities"] = voice
    for name, members in (
        ("margin", [vote for vote in votes if vote.is_rule == (polarity.kind in STANCES)]),
        ("margin:same", [vote for vote in votes if vote.polarity.kind is polarity.kind]),
    ):
        likeness: dict[int, float] = defaultdict(float)
        for vote in members:
            likeness[vote.value] = max(likeness[vote.value], vote.likeness)
        features[name] = side * (likeness[1] - likeness[-1])
    return features


def _thresholds(question: QuestionReading, polarity: Polarity, conclusion: Conclusion) -> Features:
    """Features of the figures of the question beside the thresholds of the conclusion, and beside what it says of those that meet them."""
    relation = met(conclusion.thresholds, question.figures)
    if relation is None:
        return {}
    denied = -1.0 if polarity.is_negated else 1.0
    last = conclusion.clauses[-1].force if conclusion.clauses else None
    name, force = f"thresholds:{relation.value}", last.value if last else "none"
    return {
        name: denied,
        f"{name}:{polarity.kind.value}": denied,
        f"{name}:{force}": float(_side(polarity)),
        f"{name}:{force}:{polarity.kind.value}": denied,
    }


def _forces(question: QuestionReading, conclusion: Conclusion) -> list[str]:
    """Names of the forces of the conclusion: all of them, the last one, and that of the clause which shares most with the question."""
    last = conclusion.clauses[-1].force if conclusion.clauses else None
    names = [f"force:{clause.force.value}" for clause in conclusion.clauses if clause.force]
    names += [f"last:{last.value if last else 'none'}"]
    if conclusion.is_bounded:
        names += [f"bounded:{last.value if last else 'none'}"]
    about = max(conclusion.clauses, key=lambda clause: _shared(question, clause), default=None)
    if about is not None and about.force and _shared(question, about):
        names += [f"about:{about.force.value}"]
    return list(dict.fromkeys(names))


def _shared(question: QuestionReading, clause: Clause) -> int:
    return len(question.words & clause.words)


def _wording(question: QuestionReading, unit: JudgedUnit, denied: float) -> Features:
    """The small words of the question, and what of its words, limits and figures the unit nowhere has."""
    features: Features = {f"cue:{cue}": 1.0 for cue in question.cues}
    conclusion = unit.conclusion
    scope = conclusion.scope.union(*(ask.reading.scope for ask in unit.asks))
    for word in question.scope:
        name = DENIED if word.startswith(DENIED) else word
        features[f"scope:{name}"] = 1.0
        features[f"scope:{name}:turned"] = denied
        if word not in scope:
            features[f"scope:{name}:new"] = 1.0
    if question.quantities - conclusion.quantities.union(*(ask.reading.quantities for ask in unit.asks)):
        features["quantities:new"] = 1.0
    new = question.words - conclusion.words.union(*(ask.reading.words for ask in unit.asks))
    features["words:new"] = min(len(new), _MOST_NEW) / _MOST_NEW
    return features
