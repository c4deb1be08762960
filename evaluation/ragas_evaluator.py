"""RAGAS scores of answers (Es et al. 2023, "RAGAS: Automated Evaluation of Retrieval Augmented Generation").

RAGAS brings its metrics and their prompts; the calls go through the service's own `LanguageModel` and embedder, so that they
are bounded and counted like all others, and nothing is sent anywhere else. Needs the ``eval`` extra.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.messages import HumanMessage
from pydantic import BaseModel

from chains.models.errors import ModelUnavailable
from chains.models.language_model import LanguageModel
from chains.models.openai import build_openai_model
from chains.models.usage import ModelPurpose, UsageMeter
from evaluation.ragas_prompts import speak_korean
from schemas.evaluation import RagasResult
from utils.config.settings import Settings
from utils.protocols import FloatMatrix
from utils.resilience.deadline import Deadline
from utils.usage.sink import NO_USAGE, UsageSink

if TYPE_CHECKING:
    from ragas.metrics.result import MetricResult

logger = logging.getLogger(__name__)

Reply = TypeVar("Reply", bound=BaseModel)
Embed = Callable[[Sequence[str]], FloatMatrix]

_SECONDS = 120.0  # that one sample may take
MISSING_EXTRA = 'RAGAS is not installed. Install the eval extra: pip install -c constraints.txt ".[eval]"'


class RagasMissing(RuntimeError):
    """The ``eval`` extra is not installed; the message names it."""


@dataclass(frozen=True, slots=True)
class RagasSample:
    """An answer with the texts it was written from; ``reference`` is a right answer, where one is known."""

    question: str
    answer: str
    contexts: tuple[str, ...]
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class RagasScores:
    """Each in [0, 1]. None: the model did not score it, or there is no reference that recall could be measured by."""

    faithfulness: float | None = None
    answer_relevancy: float | None = None
    context_precision: float | None = None
    context_recall: float | None = None

    def as_dict(self) -> dict[str, float | None]:
        return asdict(self)


_call: ContextVar[tuple[Deadline, UsageMeter]] = ContextVar("call")
"""The time that the sample of this context has, and where its calls are counted."""


class RagasEvaluator:
    """Scores a sample by about ten model calls, one after the other. The prompts are Korean (`evaluation.ragas_prompts`).

    It has a model client of its own: a server that fails here is not left alone there.
    """

    def __init__(self, settings: Settings, embed: Embed, usage: UsageSink = NO_USAGE) -> None:
        """Loading RAGAS takes seconds: build it in a thread. ``usage`` counts its calls.

        Raises:
            RagasMissing: the ``eval`` extra is not installed.
        """
        collections = load_metrics()
        self._model = build_openai_model(settings, usage=usage)
        self._judge = _judge_of(self._model)
        embeddings = _embeddings_of(embed)
        self._faithfulness = collections.Faithfulness(llm=self._judge)
        self._relevancy = collections.AnswerRelevancy(llm=self._judge, embeddings=embeddings)
        self._precision = collections.ContextPrecisionWithReference(llm=self._judge)
        self._utilization = collections.ContextPrecisionWithoutReference(llm=self._judge)
        self._recall = collections.ContextRecall(llm=self._judge)
        speak_korean(self._faithfulness, self._relevancy, self._precision, self._utilization, self._recall)

    async def score(
        self, sample: RagasSample, deadline: Deadline | None = None, meter: UsageMeter | None = None
    ) -> RagasScores:
        """The scores of one sample; what the model does not answer in time is None. ``meter`` gets its calls."""
        _call.set((deadline or Deadline.after(_SECONDS), meter or UsageMeter()))
        question, answer, contexts = sample.question, sample.answer, list(sample.contexts)
        found = {"user_input": question, "retrieved_contexts": contexts}
        reference = sample.reference
        faithfulness = await _value(self._faithfulness.ascore(response=answer, **found)) if contexts else None
        relevancy = await _value(self._relevancy.ascore(user_input=question, response=answer))
        precision = recall = None
        if contexts and reference:
            precision = await _value(self._precision.ascore(reference=reference, **found))
            recall = await _value(self._recall.ascore(reference=reference, **found))
        elif contexts:
            precision = await _value(self._utilization.ascore(response=answer, **found))
        return RagasScores(faithfulness, relevancy, precision, recall)

    async def result(
        self,
        question: str,
        answer: str,
        contexts: Sequence[str],
        reference: str | None,
        deadline: Deadline,
        meter: UsageMeter,
    ) -> RagasResult:
        """The scores of one sample in their wire form, as `score`."""
        scores = await self.score(RagasSample(question, answer, tuple(contexts), reference), deadline, meter)
        return RagasResult.model_validate(scores.as_dict())

    async def aclose(self) -> None:
        """Give the connections back."""
        await self._model.aclose()


class LazyRagas:
    """An evaluator that is built when it is first asked for; most services never do."""

    def __init__(self, settings: Settings, embed: Embed, usage: UsageSink = NO_USAGE) -> None:
        self._build = partial(RagasEvaluator, settings, embed, usage)
        self._lock = asyncio.Lock()
        self._built: RagasEvaluator | None = None

    async def get(self) -> RagasEvaluator:
        """Return the evaluator. Raises `RagasMissing`."""
        async with self._lock:
            if self._built is None:
                self._built = await asyncio.to_thread(self._build)
            return self._built

    async def aclose(self) -> None:
        """Give the connections back."""
        if self._built is not None:
            await self._built.aclose()


def load_metrics() -> ModuleType:
    """RAGAS's metrics.

    Raises:
        RagasMissing: the ``eval`` extra is not installed.
    """
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"  # no report of what is evaluated leaves this machine
    try:
        from ragas.metrics import collections
    except ImportError as error:
        raise RagasMissing(MISSING_EXTRA) from error
    module: ModuleType = collections
    return module


async def _value(result: Awaitable[MetricResult]) -> float | None:
    try:
        value = float((await result).value)
    except ModelUnavailable as error:
        logger.warning("RAGAS: %s", error.reason)
        return None
    return None if math.isnan(value) else round(value, 4)


def _judge_of(model: LanguageModel) -> Any:
    """RAGAS's idea of a model, over ours. Its base class is known only once RAGAS is imported."""
    from ragas.llms.base import InstructorBaseRagasLLM

    class Judge(InstructorBaseRagasLLM):
        def generate(self, prompt: str, response_model: type[Reply]) -> Reply:
            raise NotImplementedError("the metrics are awaited")

        async def agenerate(self, prompt: str, response_model: type[Reply]) -> Reply:
            deadline, meter = _call.get()
            messages = [HumanMessage(prompt)]
            return await model.complete_json(ModelPurpose.EVALUATION, messages, response_model, deadline, meter)

    return Judge()


def _embeddings_of(embed: Embed) -> Any:
    from ragas.embeddings.base import BaseRagasEmbedding

    class Embeddings(BaseRagasEmbedding):
        def embed_text(self, text: str, **kwargs: Any) -> list[float]:
            vector: list[float] = embed([text])[0].tolist()
            return vector

        async def aembed_text(self, text: str, **kwargs: Any) -> list[float]:
            return await asyncio.to_thread(self.embed_text, text)

    return Embeddings()
