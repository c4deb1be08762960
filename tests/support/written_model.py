"""A model in this process that writes what a test wrote down, under the real `LanguageModel` and `RAGChain`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

from chains.models.errors import AttemptFailed
from chains.models.language_model import LanguageModel
from chains.models.usage import ModelFailureReason, ModelPurpose
from chains.rag_chain import RAGChain
from utils.config.settings import Settings


class WrittenChatModel(BaseChatModel):
    """Writes ``pieces`` and then fails for a reason, if it is given one; keeps what it was asked."""

    pieces: tuple[str, ...] = ()
    failure: ModelFailureReason | None = None
    _asked: list[tuple[list[BaseMessage], Any]] = PrivateAttr(default_factory=list)

    @property
    def asked(self) -> list[tuple[list[BaseMessage], Any]]:
        """The messages and the task of each call."""
        return self._asked

    @property
    def _llm_type(self) -> str:
        return "written"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self._asked.append((messages, kwargs.get("task")))
        if self.failure is not None:
            raise AttemptFailed(self.failure)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content="".join(self.pieces)))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        self._asked.append((messages, kwargs.get("task")))
        for piece in self.pieces:
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
        if self.failure is not None:
            raise AttemptFailed(self.failure)


def language_model(
    name: str, chat: BaseChatModel, purposes: Sequence[ModelPurpose] = tuple(ModelPurpose)
) -> LanguageModel:
    """The service's own way to that model."""
    return LanguageModel(name, dict.fromkeys(purposes, chat))


def chain_of(model: LanguageModel, settings: Settings | None = None, searcher: Any = None) -> RAGChain:
    """A chain for stages that search for nothing; ``searcher`` is what they ask of the index all the same."""
    live = cast("Any", SimpleNamespace(lease=nullcontext, searcher=searcher))
    return RAGChain(settings or Settings(), live, model, ThreadPoolExecutor(1))
