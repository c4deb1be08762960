"""The one way to a model: purposes, retries, deadlines, the circuit breaker and token counts live here.

`LanguageModel` works over any LangChain chat model. Those of a model server come from `chains.openai_models`; a model
in this process (the extractive one) has nothing to retry, to break or to count.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TypeVar, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from pydantic import BaseModel

from chains.model_errors import AttemptFailed, ModelStreamCut, ModelUnavailable
from chains.structured_reply import parse_reply
from utils.breaker import BreakerState, CircuitBreaker, CircuitOpen
from utils.deadline import Deadline
from utils.model_calls import ModelCall, ModelFailureReason, ModelPurpose, UsageMeter

logger = logging.getLogger(__name__)

Reply = TypeVar("Reply", bound=BaseModel)

_BACKOFF = 0.25  # seconds that a faulty server is given before the first retry when it names none; doubles


@dataclass(frozen=True, slots=True)
class ModelServer:
    """What a model outside this process needs: its breaker, its patience, and the end of its connections.

    ``timeout`` (seconds) bounds a whole structured call, and in a stream the wait for each next piece of text.
    """

    breaker: CircuitBreaker
    timeout: float
    max_attempts: int
    close: Callable[[], Awaitable[None]]


class LanguageModel:
    """Models by purpose. ``name`` is what answers call the model that wrote them.

    Without a ``server`` the models run in this process: they are quick, so that no deadline is put on them, and free,
    so that no call is counted.
    """

    def __init__(
        self, name: str, models: Mapping[ModelPurpose, BaseChatModel], server: ModelServer | None = None
    ) -> None:
        self.name = name
        self._models = dict(models)
        self._server = server

    @property
    def breaker_state(self) -> BreakerState:
        """Whether the model server is being called (closed), left alone (open) or tried again (half open)."""
        return self._server.breaker.state if self._server else BreakerState.CLOSED

    def supports(self, purpose: ModelPurpose) -> bool:
        """Whether there is a model for ``purpose``; the caller has a rule for those without."""
        return purpose in self._models

    async def aclose(self) -> None:
        """Give the connections back."""
        if self._server is not None:
            await self._server.close()

    async def complete_json(
        self,
        purpose: ModelPurpose,
        messages: Sequence[BaseMessage],
        schema: type[Reply],
        deadline: Deadline,
        meter: UsageMeter,
    ) -> Reply:
        """The model's reply as a ``schema``; the messages ask for a JSON object.

        Raises:
            ModelUnavailable: no valid reply within the tries and the deadline.
        """
        tries = _Tries(purpose, self._server, deadline)
        while True:
            try:
                with self._attempt(purpose, deadline, meter) as call:
                    async with self._time_limit(deadline):
                        message = await self._models[purpose].ainvoke(list(messages))
                    _count_tokens(call, message)
                    return parse_reply(str(message.text), schema)
            except AttemptFailed as failure:
                await tries.wait_for_next(failure)

    async def stream(
        self, purpose: ModelPurpose, messages: Sequence[BaseMessage], deadline: Deadline, meter: UsageMeter
    ) -> AsyncGenerator[str, None]:
        """The model's text, piece by piece as it is written; no piece is empty. Close it (``aclosing``) to stop early.

        Raises:
            ModelUnavailable: no text within the tries and the deadline.
            ModelStreamCut: the model failed, fell silent or ran out of time after some text was handed out.
        """
        tries = _Tries(purpose, self._server, deadline)
        while True:
            handed_out = False
            try:
                async with aclosing(self._stream_once(purpose, messages, deadline, meter)) as texts:
                    async for text in texts:
                        handed_out = True
                        yield text
                return
            except AttemptFailed as failure:
                if handed_out:
                    raise ModelStreamCut(failure.reason) from failure
                await tries.wait_for_next(failure)

    async def _stream_once(
        self, purpose: ModelPurpose, messages: Sequence[BaseMessage], deadline: Deadline, meter: UsageMeter
    ) -> AsyncGenerator[str, None]:
        with self._attempt(purpose, deadline, meter) as call:
            chunks = cast("AsyncGenerator[AIMessageChunk, None]", self._models[purpose].astream(list(messages)))
            async with aclosing(chunks):
                while (text := await self._next_text(chunks, call, deadline)) is not None:
                    call.first_token = call.first_token or time.monotonic()
                    yield text
            if call.first_token is None:
                raise AttemptFailed(ModelFailureReason.GARBAGE)

    async def _next_text(
        self, chunks: AsyncGenerator[AIMessageChunk, None], call: ModelCall, deadline: Deadline
    ) -> str | None:
        """The next non-empty text, or None at the end. Chunks without text do not renew the server's time."""
        async with self._time_limit(deadline):
            async for chunk in chunks:
                _count_tokens(call, chunk)
                if text := str(chunk.text):
                    return text
        return None

    @contextmanager
    def _attempt(self, purpose: ModelPurpose, deadline: Deadline, meter: UsageMeter) -> Iterator[ModelCall]:
        """Around one request: the breaker and the meter see how it ends."""
        call = ModelCall(purpose, time.monotonic())
        if self._server is None:
            yield call
            return
        if not deadline.remaining():
            raise AttemptFailed(ModelFailureReason.DEADLINE)
        try:
            with self._server.breaker.guard(_is_server_fault):
                meter.calls.append(call)
                yield call
        except CircuitOpen as error:
            raise AttemptFailed(ModelFailureReason.CIRCUIT_OPEN) from error
        except AttemptFailed as failure:
            call.failure = failure.reason
            raise
        finally:
            call.ended = time.monotonic()

    @asynccontextmanager
    async def _time_limit(self, deadline: Deadline) -> AsyncIterator[None]:
        if self._server is None:
            yield
            return
        limit, remaining = self._server.timeout, deadline.remaining()
        try:
            async with asyncio.timeout(min(limit, remaining)):
                yield
        except TimeoutError as error:
            reason = ModelFailureReason.TIMEOUT if limit <= remaining else ModelFailureReason.DEADLINE
            raise AttemptFailed(reason) from error


class _Tries:
    """How often one call may still be tried."""

    def __init__(self, purpose: ModelPurpose, server: ModelServer | None, deadline: Deadline) -> None:
        self._purpose = purpose
        self._left = server.max_attempts if server else 1
        self._deadline = deadline
        self._backoff = _BACKOFF
        self._reason: ModelFailureReason | None = None

    async def wait_for_next(self, failure: AttemptFailed) -> None:
        """Wait as long as the server asked for.

        Raises:
            ModelUnavailable: there is no next try, or it would come after the deadline.
        """
        self._left -= 1
        pause = failure.retry_after if failure.retry_after is not None else self._backoff * failure.server_fault
        retry = failure.retryable and self._left > 0 and pause < self._deadline.remaining()
        logger.warning(
            "model call for %s failed: %s%s",
            self._purpose,
            failure.reason,
            f"; again in {pause:.2f} s" if retry else "",
        )
        # a circuit that opened between two tries opened because of the first
        if failure.reason is not ModelFailureReason.CIRCUIT_OPEN or self._reason is None:
            self._reason = failure.reason
        if not retry:
            raise ModelUnavailable(self._reason) from failure
        self._backoff *= 2
        await asyncio.sleep(pause)


def _is_server_fault(error: Exception) -> bool:
    return isinstance(error, AttemptFailed) and error.server_fault


def _count_tokens(call: ModelCall, message: BaseMessage) -> None:
    """Servers report the total so far, once or repeatedly: the last report counts."""
    if isinstance(message, AIMessage) and (usage := message.usage_metadata):
        call.input_tokens = usage["input_tokens"]
        call.output_tokens = usage["output_tokens"]
