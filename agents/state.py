"""The graph's state that the stages hand on, and the values in it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, TypedDict

from opentelemetry.trace import Tracer

from agents.notices.reading import Reading
from chains.models.usage import UsageMeter
from schemas.chat import ActionItem, Degradation, SessionState, SourceItem, Turn, UserContext
from schemas.events import StreamEvent
from schemas.notice_state import DebugInfo
from utils.documents import Hit
from utils.domain_classifier import DomainClassificationResult
from utils.grounding.answer_sentences import cited_numbers
from utils.grounding.rule_evaluator import AnswerEvaluation
from utils.knowledge.case import Case
from utils.observability.tracing import NO_TRACER
from utils.question_decomposer import SubQuery
from utils.resilience.deadline import Deadline
from vectorstores.search.articles import ArticleLookup
from vectorstores.units.search import FoundUnit, RankedUnits

Trace = dict[str, str | int | float | bool]
Emit = Callable[[StreamEvent], None]
NEVER = 2.0
"""More than any probability."""
"""Where the events of a run go."""


@dataclass(frozen=True, slots=True)
class WordedQuery:
    """Something to look for, in two languages; ``tags`` name where, as an ability put them to the model."""

    korean: str
    english: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Understanding:
    """The reading of a question by one model call (or the rules).

    ``question`` stands alone: history is folded in. ``sub_queries`` with their variants and the ``variants`` of the whole
    question are empty where rules have to supply them. ``awaited`` is whether a model call was waited for to get it, and
    ``follows_up`` whether what was asked needs the turns before it to be understood. ``from_english``: it was asked in English, and
    ``question`` is what that was read as. ``queries`` are those that a model gave to an ability that asked for them.
    """

    question: str
    sub_queries: tuple[SubQuery, ...] = ()
    variants: tuple[str, ...] = ()
    awaited: bool = False
    follows_up: bool = False
    from_english: bool = False
    queries: tuple[WordedQuery, ...] = ()


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The documents of one domain and how they were come by.

    ``passed`` is the verdict of the retrieval evaluator; ``steps`` names the retry levels that ran, in order.
    """

    domain: str
    query: str
    hits: tuple[Hit, ...]
    passed: bool
    mode: str
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedUnits:
    """The answer units for one thing asked, best first; ``verdict`` is the yes or no that the best one gives, where it is sure.

    From the probability ``offered_from`` on the best one is offered as the nearest there is where it does not answer. ``ranked`` has the
    units beside it, and ``case`` the asker's: an answer is judged by them.
    """

    ask: str
    units: tuple[FoundUnit, ...]
    answers_from: float
    ranked: RankedUnits
    case: Case
    verdict: bool | None = None
    offered_from: float = NEVER

    @property
    def is_answered(self) -> bool:
        """Return True if the best unit answers, as far as can be told."""
        return bool(self.units) and self.units[0].answers >= self.answers_from

    @property
    def is_offered(self) -> bool:
        """Return True if the best unit, which does not answer, is the nearest there is and may well be what is looked for."""
        return bool(self.units) and not self.is_answered and self.units[0].answers >= self.offered_from

    @property
    def is_beyond(self) -> bool:
        """Return True if no probability would be enough: it is nothing that documents tell."""
        return self.answers_from > 1


@dataclass(frozen=True, slots=True)
class ComputedConclusion:
    """A sum computed for a thing asked: its source, and the sentence of it that is said."""

    ask: str
    hit: Hit
    sentence: str


@dataclass(frozen=True, slots=True)
class ComputedSums:
    """``conclusions`` of what could be computed; ``requests`` name, in Korean, what is missing for the rest."""

    conclusions: tuple[ComputedConclusion, ...] = ()
    requests: tuple[str, ...] = ()


NO_SUMS = ComputedSums()


@dataclass(frozen=True, slots=True)
class Answer:
    """A written answer with its numbered sources, the documents behind them, and its evaluation once it has one.

    ``is_final``: another attempt would say the same, or nothing better.
    """

    content: str
    documents: tuple[Hit, ...]
    sources: tuple[SourceItem, ...]
    model: str
    evaluation: AnswerEvaluation | None = None
    degraded: tuple[Degradation, ...] = ()
    is_final: bool = False

    @property
    def cited_sources(self) -> tuple[SourceItem, ...]:
        """The sources that its text cites, under the numbers that stand there."""
        cited = frozenset(cited_numbers(self.content))
        return tuple(source for source in self.sources if source.index in cited)


@dataclass(frozen=True, slots=True)
class RunContext:
    """The context of a run besides its state: its limits, whether anybody follows it, and what it has used."""

    request_id: str
    deadline: Deadline
    today: date
    streaming: bool
    usage: UsageMeter = field(default_factory=UsageMeter)
    tracer: Tracer = NO_TRACER


class RouterState(TypedDict, total=False):
    """State of one question. ``degraded``, ``timings`` and ``trace`` grow; everything else is replaced.

    ``image`` is the address or the data of a picture that came with the question, ``seen`` what is to be seen in it, where it could be
    read, ``claimed_by`` the ability that answers it.
    """

    query: str
    image: str | None
    seen: str
    claimed_by: str
    history: tuple[Turn, ...]
    user_context: UserContext | None
    session_state: SessionState | None
    notice: Reading
    debug_info: DebugInfo
    understanding: Understanding
    classification_result: DomainClassificationResult
    domains: tuple[str, ...]
    sub_queries: tuple[SubQuery, ...]
    retrieval_results: tuple[RetrievalResult, ...]
    documents: tuple[Hit, ...]
    articles: ArticleLookup
    units: tuple[AskedUnits, ...]
    sums: ComputedSums
    actions: tuple[ActionItem, ...]
    answer: Answer
    retry_count: int
    degraded: Annotated[tuple[Degradation, ...], operator.add]
    timings: Annotated[dict[str, float], operator.or_]
    trace: Annotated[Trace, operator.or_]


def merged(state: RouterState, changes: RouterState) -> RouterState:
    """Return the state, or the changes so far, with further changes: what grows is added up, everything else replaced."""
    grown: RouterState = {}
    if "degraded" in state and "degraded" in changes:
        grown["degraded"] = (*state["degraded"], *changes["degraded"])
    if "timings" in state and "timings" in changes:
        grown["timings"] = state["timings"] | changes["timings"]
    if "trace" in state and "trace" in changes:
        grown["trace"] = state["trace"] | changes["trace"]
    return {**state, **changes, **grown}
