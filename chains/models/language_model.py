"""The one way to a model: purposes, retries, deadlines, the circuit breaker and token counts live here.

`LanguageModel` works over any LangChain chat model. Those of a model server come from `chains.models.openai`; a model
in this process (the extractive one) has nothing to retry, to break or to count.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, SystemMessage
from pydantic import BaseModel, SecretStr

from chains.extractive_task import ExtractiveTask
from chains.models.call_telemetry import CallTelemetry
from chains.models.errors import AttemptFailed, ModelStreamCut, ModelUnavailable
from chains.models.health import ModelHealth
from chains.models.masked_messages import masked_messages
from chains.models.repeated_orders import RepeatedOrders
from chains.models.structured_reply import parse_reply
from chains.models.usage import ModelCall, ModelFailureReason, ModelPurpose, UsageMeter
from utils.media.recordings import Recording
from utils.observability.pseudonyms import Pseudonyms
from utils.resilience.breaker import CircuitBreaker, CircuitOpen
from utils.resilience.deadline import Deadline
from utils.sanitizing.output_text import OutputCleaner
from utils.sanitizing.sanitize import clean_text
from utils.usage.budgets import BudgetExhausted
from utils.usage.records import size_of

logger = logging.getLogger(__name__)

Reply = TypeVar("Reply", bound=BaseModel)

_BACKOFF = 0.25  # seconds that a faulty server is given before the first retry when it names none; doubles


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The server of a model outside this process: a breaker for each purpose, its patience, and the end of its connections.

    ``timeouts`` (seconds) bound a whole structured call with all its tries, and in a stream the time to the first text and
    the wait for each next piece. ``max_chars`` bounds a text, also of a server that ignores the limit of tokens.
    ``use_key`` has the next calls sent with another key, ``transcribe`` raises `AttemptFailed`. ``masks``: it gets placeholders for personal data (`utils.observability.pseudonyms`), which are put back into its text.
    """

    breakers: Mapping[ModelPurpose, CircuitBreaker]
    timeouts: Mapping[ModelPurpose, float]
    max_attempts: int
    max_chars: int
    health: ModelHealth
    close: Callable[[], Awaitable[None]]
    telemetry: CallTelemetry
    use_key: Callable[[SecretStr | None], None]
    masks: bool = True
    transcribe: Callable[[Recording], Awaitable[str]] | None = None


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
    def health(self) -> ModelHealth | None:
        """The health of the model server; None for models in this process."""
        return self._server.health if self._server else None

    def supports(self, purpose: ModelPurpose) -> bool:
        """Return whether there is a model for ``purpose``; the caller has a rule for those without."""
        if purpose is ModelPurpose.VOICE:
            return self._server is not None and self._server.transcribe is not None
        return purpose in self._models

    def use_key(self, key: SecretStr | None) -> None:
        """Have the next calls of a model server sent with this key; calls under way go on."""
        if self._server is not None:
            self._server.use_key(key)

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
        sent, names = await self._masked(messages)
        while True:
            try:
                with self._attempt(purpose, sent, deadline, meter) as call:
                    async with tries.time_limit():
                        message = await self._models[purpose].ainvoke(sent)
                    _count_tokens(call, message)
                    text = str(message.text)
                    call.written_bytes = size_of(text)
                    self._check_length(len(text))
                    return parse_reply(text, schema, names.restored)
            except AttemptFailed as failure:
                await tries.wait_for_next(failure)

    async def transcribe(self, recording: Recording, deadline: Deadline, meter: UsageMeter) -> str:
        """Return what is said in a recording, in one line, empty where nothing is; only for a model that supports the purpose.

        Raises:
            ModelUnavailable: no text within the tries and the deadline.
        """
        assert self._server is not None, "supports() was asked"
        assert self._server.transcribe is not None, "supports() was asked"
        tries = _Tries(ModelPurpose.VOICE, self._server, deadline)
        while True:
            try:
                with self._attempt(ModelPurpose.VOICE, (), deadline, meter) as call:
                    async with tries.time_limit():
                        text = " ".join(clean_text(await self._server.transcribe(recording)).split())
                    call.written_bytes = size_of(text)
                    self._check_length(len(text))
                    return text
            except AttemptFailed as failure:
                await tries.wait_for_next(failure)

    async def stream(
        self,
        purpose: ModelPurpose,
        messages: Sequence[BaseMessage],
        deadline: Deadline,
        meter: UsageMeter,
        task: ExtractiveTask | None = None,
    ) -> AsyncGenerator[str, None]:
        """The model's text, piece by piece as it is written, as plain text without white space around it.

        No piece is empty. ``task`` goes to a model of this process along with the messages. Close it (``aclosing``) to stop early.

        Raises:
            ModelUnavailable: no text within the tries and the deadline.
            ModelStreamCut: after some text was handed out the model failed, fell silent, ran out of time or of tokens, was
                filtered, wrote more than an answer may have, or repeated its orders.
        """
        tries = _Tries(purpose, self._server, deadline)
        sent, names = await self._masked(messages)
        while True:
            handed_out = False
            restorer = names.restored_pieces()
            try:
                async with aclosing(self._stream_once(purpose, sent, tries, meter, task)) as texts:
                    async for masked in texts:
                        if text := restorer.feed(masked):
                            handed_out = True
                            yield text
                if text := restorer.flush():
                    yield text
                return
            except AttemptFailed as failure:
                if handed_out:
                    logger.warning("model stream for %s broke off: %s", purpose, failure.reason)
                    raise ModelStreamCut(failure.reason) from failure
                await tries.wait_for_next(failure)

    async def _stream_once(
        self,
        purpose: ModelPurpose,
        messages: list[BaseMessage],
        tries: _Tries,
        meter: UsageMeter,
        task: ExtractiveTask | None,
    ) -> AsyncGenerator[str, None]:
        cleaner, received = OutputCleaner(), 0
        orders = RepeatedOrders(str(message.text) for message in messages if isinstance(message, SystemMessage))
        more: dict[str, Any] = {} if task is None else {"task": task}
        with self._attempt(purpose, messages, tries.deadline, meter) as call:
            chunks = cast("AsyncGenerator[AIMessageChunk, None]", self._models[purpose].astream(messages, **more))
            async with aclosing(chunks):
                while True:
                    # chunks without text do not renew the server's time
                    async with tries.time_limit(writing=call.first_token is not None):
                        piece = await _next_piece(chunks, call)
                    received += len(piece or "")
                    call.written_bytes += size_of(piece or "")
                    self._check_length(received)
                    if text := cleaner.flush() if piece is None else cleaner.feed(piece):
                        if orders.are_in(text):
                            raise AttemptFailed(ModelFailureReason.REPEATED_PROMPT)
                        call.first_token = call.first_token or time.monotonic()
                        yield text
                    if piece is None:
                        break
            if call.first_token is None:
                raise AttemptFailed(ModelFailureReason.EMPTY)

    async def _masked(self, messages: Sequence[BaseMessage]) -> tuple[list[BaseMessage], Pseudonyms]:
        """The messages as they leave this process, with what stands for what in them; a long prompt takes milliseconds."""
        names = Pseudonyms()
        if self._server is None or not self._server.masks:
            return list(messages), names
        return await asyncio.to_thread(masked_messages, messages, names), names

    def _check_length(self, characters: int) -> None:
        if self._server is not None and characters > self._server.max_chars:
            raise AttemptFailed(ModelFailureReason.TOO_LONG)

    @contextmanager
    def _attempt(
        self, purpose: ModelPurpose, messages: Sequence[BaseMessage], deadline: Deadline, meter: UsageMeter
    ) -> Iterator[ModelCall]:
        """Around one request: the breaker, the meter and the account of usage see how it ends."""
        call = ModelCall(purpose, time.monotonic())
        if self._server is None:
            yield call
            return
        if not deadline.remaining():
            raise AttemptFailed(ModelFailureReason.DEADLINE)
        call.prompt_bytes = size_of(*(str(message.text) for message in messages))
        try:
            self._server.telemetry.check_budget(purpose)
            with self._server.breakers[purpose].guard(_opens_breaker), self._server.telemetry.observed(call):
                meter.calls.append(call)
                yield call
            self._server.health.succeeded(purpose)
        except BudgetExhausted as error:
            raise AttemptFailed(ModelFailureReason.BUDGET) from error
        except CircuitOpen as error:
            raise AttemptFailed(ModelFailureReason.CIRCUIT_OPEN) from error
        except AttemptFailed as failure:
            self._server.health.failed(purpose, failure)
            raise


class _Tries:
    """The tries left to a call, and the time until which its reply or its first text has to be there."""

    def __init__(self, purpose: ModelPurpose, server: ModelServer | None, deadline: Deadline) -> None:
        self.deadline = deadline
        self._purpose = purpose
        self._left = server.max_attempts if server else 1
        self._timeout = server.timeouts[purpose] if server else None
        # one for all tries: whoever waits for the answer has waited through the first as well
        self._first_text = None if self._timeout is None else Deadline.after(self._timeout)
        self._backoff = _BACKOFF
        self._reason: ModelFailureReason | None = None

    @asynccontextmanager
    async def time_limit(self, *, writing: bool = False) -> AsyncIterator[None]:
        """Bound the wait for the reply or the first text; when the model is ``writing``, that for its next piece.

        Raises:
            AttemptFailed: `TIMEOUT`, or `DEADLINE` where the request's time ended first.
        """
        if self._timeout is None or self._first_text is None:
            yield
            return
        limit, remaining = self._timeout if writing else self._first_text.remaining(), self.deadline.remaining()
        try:
            async with asyncio.timeout(min(limit, remaining)):
                yield
        except TimeoutError as error:
            reason = ModelFailureReason.TIMEOUT if limit <= remaining else ModelFailureReason.DEADLINE
            raise AttemptFailed(reason) from error

    async def wait_for_next(self, failure: AttemptFailed) -> None:
        """Wait as long as the server asked for.

        Raises:
            ModelUnavailable: there is no next try, or it would come too late.
        """
        self._left -= 1
        pause = failure.retry_after if failure.retry_after is not None else self._backoff * failure.server_fault
        retry = failure.retryable and self._left > 0 and pause < self._remaining()
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

    def _remaining(self) -> float:
        left = self.deadline.remaining()
        return left if self._first_text is None else self._first_text.bound(left)


async def _next_piece(chunks: AsyncGenerator[AIMessageChunk, None], call: ModelCall) -> str | None:
    """The next non-empty piece, or None at the end."""
    async for chunk in chunks:
        _count_tokens(call, chunk)
        if piece := str(chunk.text):
            return piece
    return None


def _opens_breaker(error: Exception) -> bool:
    return isinstance(error, AttemptFailed) and error.opens_breaker


def _count_tokens(call: ModelCall, message: BaseMessage) -> None:
    """Servers report the total so far, once or repeatedly: the last report counts."""
    if isinstance(message, AIMessage) and (usage := message.usage_metadata):
        call.report(usage)
