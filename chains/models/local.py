"""Chat models of Hugging Face in this process (the ``neural`` extra): in four bits where there is a CUDA device, else in single precision."""

from __future__ import annotations

import asyncio
import importlib
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

from chains.models.call_telemetry import CallTelemetry
from chains.models.errors import AttemptFailed
from chains.models.health import ModelHealth
from chains.models.language_model import LanguageModel, ModelServer
from chains.models.usage import ModelFailureReason, ModelPurpose, model_names
from utils.config.settings import Settings
from utils.observability.telemetry import Telemetry
from utils.resilience.breaker import CircuitBreaker
from utils.usage.sink import NO_USAGE, UsageSink
from vectorstores.errors import ProviderUnavailable
from vectorstores.providers.neural import NeuralRuntime, failed

_SETTING = "LLM_PROVIDER=local"
_THRESHOLD = 3
_CHARS_PER_TOKEN = 4
_NOT_LOCAL = frozenset({ModelPurpose.IMAGE, ModelPurpose.VOICE})

Put = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CausalModel:
    """A model of ``transformers`` with its tokenizer; writes one text at a time."""

    model: Any
    tokenizer: Any
    max_new_tokens: int
    repetition_penalty: float
    temperature: float

    def write(self, messages: list[BaseMessage], put: Put, left: threading.Event) -> UsageMetadata:
        """Hand the answer to ``put`` piece by piece, until ``left`` is set; blocking.

        Raises:
            AttemptFailed: the prompt is longer than the model reads, or the text did not come to its own end.
        """
        transformers = importlib.import_module("transformers")
        prompt = self._prompt(messages).to(self.model.device)
        length = prompt["input_ids"].shape[1]
        longest = getattr(self.model.config, "max_position_embeddings", None)
        if longest is not None and length + self.max_new_tokens > longest:
            raise AttemptFailed(ModelFailureReason.REJECTED)
        streamer = transformers.TextStreamer(self.tokenizer, skip_prompt=True, skip_special_tokens=True)
        streamer.on_finalized_text = lambda text, stream_end=False: put(text)
        sampling = {"do_sample": True, "temperature": self.temperature} if self.temperature else {"do_sample": False}
        written = self.model.generate(
            **prompt,
            **sampling,
            max_new_tokens=self.max_new_tokens,
            repetition_penalty=self.repetition_penalty,
            pad_token_id=self.tokenizer.pad_token_id or self.tokenizer.eos_token_id,
            streamer=streamer,
            stopping_criteria=[lambda ids, scores, **_: self._stops(ids, left)],
        )
        count = int(written.shape[1]) - length
        ended = int(written[0, -1]) in _numbers(self.model.generation_config.eos_token_id)
        if not ended and not left.is_set():
            raise AttemptFailed(ModelFailureReason.TRUNCATED)
        return UsageMetadata(input_tokens=length, output_tokens=count, total_tokens=length + count)

    def _stops(self, ids: Any, left: threading.Event) -> Any:
        torch = importlib.import_module("torch")
        return torch.full((ids.shape[0],), left.is_set(), dtype=torch.bool, device=ids.device)

    def _prompt(self, messages: list[BaseMessage]) -> Any:
        """The messages in the template of the model; one without a template gets their texts, one below the other."""
        if self.tokenizer.chat_template:
            roles = [
                {"role": "system" if isinstance(message, SystemMessage) else "user", "content": str(message.text)}
                for message in messages
            ]
            return self.tokenizer.apply_chat_template(
                roles, add_generation_prompt=True, return_dict=True, return_tensors="pt"
            )
        return self.tokenizer("\n\n".join(str(message.text) for message in messages), return_tensors="pt")


class LocalChatModel(BaseChatModel):
    """A `CausalModel` as LangChain knows models; texts are written in a thread of its own, one after the other."""

    _causal: CausalModel = PrivateAttr()
    _pool: ThreadPoolExecutor = PrivateAttr()

    def __init__(self, causal: CausalModel, pool: ThreadPoolExecutor) -> None:
        super().__init__()
        self._causal = causal
        self._pool = pool

    @property
    def _llm_type(self) -> str:
        return "local"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        pieces: list[str] = []
        usage = self._causal.write(messages, pieces.append, threading.Event())
        message = AIMessage("".join(pieces), usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        """The whole text. The model stops at the next word where nobody waits for it any more."""
        pieces: list[str] = []
        left = threading.Event()
        work = partial(self._causal.write, messages, pieces.append, left)
        try:
            usage = await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            left.set()
        message = AIMessage("".join(pieces), usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        loop, left = asyncio.get_running_loop(), threading.Event()
        pieces: asyncio.Queue[str | None] = asyncio.Queue()

        def put(piece: str | None) -> None:
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

        def write() -> UsageMetadata:
            try:
                return self._causal.write(messages, put, left)
            finally:
                put(None)

        work = loop.run_in_executor(self._pool, write)
        try:
            while (piece := await pieces.get()) is not None:
                yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
            usage = await work
            yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=usage))
        finally:
            left.set()


def build_local_model(
    settings: Settings, telemetry: Telemetry | None = None, usage: UsageSink = NO_USAGE
) -> LanguageModel:
    """Load the configured model; seconds to minutes. It serves every purpose that is text.

    Raises:
        ProviderUnavailable: the extra is not installed, or the model cannot be loaded.
    """
    name = settings.local_llm
    assert name is not None, "the settings were checked"
    pool = ThreadPoolExecutor(1, thread_name_prefix="local model")
    chat = LocalChatModel(load_causal_model(name, settings), pool)
    purposes = [purpose for purpose in ModelPurpose if purpose not in _NOT_LOCAL]
    breakers = {purpose: CircuitBreaker(f"local model, {purpose}", threshold=_THRESHOLD) for purpose in ModelPurpose}

    async def close() -> None:
        pool.shutdown(wait=False, cancel_futures=True)

    async def look() -> None:
        """A model in this process is there."""

    server = ModelServer(
        breakers=breakers,
        timeouts=dict.fromkeys(ModelPurpose, settings.llm_timeout),
        max_attempts=1,
        max_chars=_CHARS_PER_TOKEN * settings.generation_max_tokens,
        health=ModelHealth(breakers, look),
        close=close,
        telemetry=CallTelemetry(telemetry or Telemetry(), model_names(settings), usage),
        use_key=lambda _: None,
        masks=False,  # nothing leaves the house
    )
    return LanguageModel(name, dict.fromkeys(purposes, chat), server)


def load_causal_model(name: str, settings: Settings) -> CausalModel:
    """Load a model by its name or folder. Raises `ProviderUnavailable`."""
    runtime = NeuralRuntime.of(settings)
    try:
        torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    except ImportError as error:
        raise ProviderUnavailable(
            f'{_SETTING}: transformers가 없습니다. pip install "bizi-rag[neural]"로 설치하세요'
        ) from error
    if runtime.threads is not None:
        torch.set_num_threads(runtime.threads)
    device = runtime.device or ("cuda" if torch.cuda.is_available() else "cpu")
    options: dict[str, Any] = {"cache_dir": runtime.cache_dir, "dtype": getattr(torch, runtime.dtype)}
    if device.startswith("cuda"):
        options["quantization_config"] = transformers.BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
        )
        options["device_map"] = device
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, cache_dir=runtime.cache_dir)
        model = transformers.AutoModelForCausalLM.from_pretrained(name, **options).eval()
        if not device.startswith("cuda"):
            model = model.to(device)
    except Exception as error:  # what a broken file, a missing device or bitsandbytes raises is anything
        raise failed(_SETTING, f"모델 {name!r}을(를) 불러올 수 없습니다", error) from error
    return CausalModel(
        model,
        tokenizer,
        settings.local_llm_max_tokens,
        settings.local_llm_repetition_penalty,
        settings.openai_temperature,
    )


def _numbers(ids: object) -> frozenset[int]:
    if ids is None:
        return frozenset()
    return frozenset(ids) if isinstance(ids, list | tuple) else frozenset({ids})  # type: ignore[arg-type]
