"""Questions of users that nothing answered, or whose answers did not help: from the question log, grouped by topic.

Two questions are of one topic where they share rare terms, or where the same document comes nearest to both. The order of the
lines of the log decides ties, so that the same log gives the same topics.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from agents.question_log.records import AnsweredQuestion, GivenFeedback
from schemas.chat import Component, NearestDocument
from utils.korean.question_words import ASPECT_WORDS, subject_terms
from utils.korean.word_rarity import WordRarity

NEAR = 0.1
"""The likelihood from which a document counts as near to what is asked."""

NO_DOMAIN = "-"
_SAME_TOPIC = 0.3  # share of a question's weight, by rarity, that it has in common with a topic
_LABEL_TERMS = 3
# While one of these is away an answer lacks what the base may hold.
_SEARCHING = frozenset({Component.INDEX, Component.VECTOR, Component.BM25, Component.RERANK})


class Cause(StrEnum):
    """Reasons for which a question is a gap."""

    NOT_FOUND = "nothing found"
    KEPT_BACK = "kept back"  # something near was found, and not said, or said and judged to be no answer
    TURNED_AWAY = "turned away"
    UNHELPFUL = "unhelpful"


@dataclass(frozen=True, slots=True)
class Gap:
    """A thing asked in a logged question. ``verdict`` is that of the asker, where it did not help."""

    question: AnsweredQuestion
    text: str
    causes: tuple[Cause, ...]
    nearest: NearestDocument | None
    verdict: GivenFeedback | None

    @property
    def domain(self) -> str:
        return self.question.domains[0] if self.question.domains else NO_DOMAIN

    @property
    def why(self) -> tuple[str, ...]:
        """The causes in words, that of the asker with the reason given."""
        reason = self.verdict.reason if self.verdict else None
        return tuple(
            f"{cause} ({reason.value})" if cause is Cause.UNHELPFUL and reason else cause.value for cause in self.causes
        )


@dataclass(slots=True)
class Topic:
    """Gaps of one domain about one thing."""

    domain: str
    gaps: list[Gap] = field(default_factory=list)
    terms: Counter[str] = field(default_factory=Counter)
    label: str = ""

    @property
    def questions(self) -> int:
        """The number of times that it was asked."""
        return len({gap.question.key for gap in self.gaps})

    @property
    def why(self) -> list[tuple[str, int]]:
        """The causes with the number of gaps, the most frequent first."""
        counts = Counter(why for gap in self.gaps for why in gap.why)
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    @property
    def examples(self) -> list[str]:
        """The distinct texts, the most frequent first, then in the order in which they were asked."""
        return [text for text, _ in Counter(gap.text for gap in self.gaps).most_common()]

    @property
    def comments(self) -> list[str]:
        """The words of askers whom the answer did not help, each once."""
        said = (gap.verdict.comment for gap in self.gaps if gap.verdict)
        return list(dict.fromkeys(comment for comment in said if comment))

    @property
    def nearest(self) -> NearestDocument | None:
        """The document that is near to at least half of the gaps, where there is one."""
        near = [gap.nearest for gap in self.gaps if gap.nearest and gap.nearest.likelihood >= NEAR]
        common, count = Counter(document.id for document in near).most_common(1)[0] if near else ("", 0)
        if 2 * count < len(self.gaps):
            return None
        return max((document for document in near if document.id == common), key=lambda document: document.likelihood)


@dataclass(frozen=True, slots=True)
class GapLog:
    """The gaps of a log: ``asked`` counts all questions, ``outages`` those unanswered while a part of the search was away."""

    asked: int
    outages: int
    gaps: tuple[Gap, ...]


def read_gaps(lines: Iterable[AnsweredQuestion | GivenFeedback]) -> GapLog:
    """Find the gaps among the lines of a log, in their order; small talk is none unless its asker says so."""
    questions: dict[tuple[str, str], AnsweredQuestion] = {}
    verdicts: dict[tuple[str, str], GivenFeedback] = {}
    for line in lines:
        if isinstance(line, AnsweredQuestion):
            questions[line.key] = line
            verdicts.pop(line.key, None)  # it was of an earlier answer under the same id
        else:
            verdicts[line.key] = line
    outages, gaps = 0, []
    for key, question in questions.items():
        verdict = verdicts.get(key)
        found = list(_gaps_of(question, verdict if verdict and not verdict.helpful else None))
        if found and all(gap.verdict is None for gap in found) and not _SEARCHING.isdisjoint(question.degraded):
            outages += 1
        else:
            gaps += found
    return GapLog(len(questions), outages, tuple(gaps))


def _gaps_of(question: AnsweredQuestion, verdict: GivenFeedback | None) -> Iterator[Gap]:
    said = (Cause.UNHELPFUL,) if verdict else ()
    missing = [ask for ask in question.asks if not ask.answered]
    for ask in missing or (question.asks if verdict else ()):
        near = ask.nearest is not None and ask.nearest.likelihood >= NEAR
        cause = () if ask.answered else (Cause.KEPT_BACK if near else Cause.NOT_FOUND,)
        yield Gap(question, ask.text, (*cause, *said), ask.nearest, verdict)
    if question.asks:
        return
    if not question.domains and question.reply != "chitchat":
        yield Gap(question, question.question, (Cause.TURNED_AWAY, *said), None, verdict)
    elif verdict:
        yield Gap(question, question.question, said, None, verdict)


@dataclass
class TopicFinder:
    """Puts gaps together; ``terms`` gives the content terms of a text in order, as they are indexed."""

    terms: Callable[[str], Sequence[str]]
    rarity: WordRarity

    @cached_property
    def _rarest(self) -> float:
        return self.rarity.of_term("")

    def topics(self, gaps: Iterable[Gap]) -> list[Topic]:
        """Return the topics, most asked first within each domain, domains in the order of their names."""
        topics: list[Topic] = []
        with_mark: dict[tuple[str, str], list[Topic]] = defaultdict(list)
        for gap in gaps:
            marks = self._marks(gap)
            topic = self._best(marks, with_mark, gap.domain)
            if topic is None:
                topic = Topic(gap.domain)
                topics.append(topic)
            for mark in marks:
                if mark not in topic.terms:
                    with_mark[gap.domain, mark].append(topic)
            topic.gaps.append(gap)
            topic.terms.update(marks.keys())
        for topic in topics:
            topic.label = self._label(topic)
        return sorted(topics, key=lambda topic: (topic.domain, -topic.questions))

    def _marks(self, gap: Gap) -> dict[str, float]:
        """The terms of a gap with their weights, and its near document, which weighs as much as the rarest term."""
        terms = [term for term in subject_terms(self.terms(gap.text)) if term not in ASPECT_WORDS]
        marks = {term: self.rarity.of_term(term) for term in terms}
        if gap.nearest and gap.nearest.likelihood >= NEAR:
            marks[f"[{gap.nearest.id}]"] = self._rarest
        return marks

    def _best(
        self, marks: dict[str, float], with_mark: dict[tuple[str, str], list[Topic]], domain: str
    ) -> Topic | None:
        """The topic that has most of the weight of ``marks``, each by the share of its gaps that have it."""
        total = sum(marks.values())
        if not total:
            return None
        shared: dict[int, float] = defaultdict(float)
        candidates: dict[int, Topic] = {}
        for mark, weight in marks.items():
            for topic in with_mark[domain, mark]:
                candidates[id(topic)] = topic
                shared[id(topic)] += weight * topic.terms[mark] / len(topic.gaps)
        best = max(candidates, key=lambda key: shared[key], default=None)
        return candidates[best] if best is not None and shared[best] >= _SAME_TOPIC * total else None

    def _label(self, topic: Topic) -> str:
        """The near document, else the rarest of the words that most of the gaps share."""
        if (nearest := topic.nearest) is not None:
            return f"{nearest.title} · {nearest.section}" if nearest.section else nearest.title
        words = [term for term in topic.terms if not term.startswith("[")]
        most = sorted(words, key=lambda term: (-topic.terms[term], -self.rarity.of_term(term), term))
        return " ".join(most[:_LABEL_TERMS]) or topic.gaps[0].text
