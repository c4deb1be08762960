"""Pictures: described by a model before anything reads the question, so that every later step reads the description, too."""

from __future__ import annotations

import logging
from contextlib import aclosing
from typing import ClassVar

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime

from agents.abilities.base import Ability, AbilityTools
from agents.state import RouterState, RunContext
from chains.models.errors import ModelStreamCut, ModelUnavailable
from chains.models.usage import ModelFailureReason, ModelPurpose
from schemas.assistants import Medium, Need
from schemas.chat import ChatRequest, Component, Degradation
from utils.media.fetching import FetchRefused, PublicFetcher
from utils.media.images import ImageRefused, Picture, picture_in, picture_of
from utils.prompts.abilities import images as prompt
from utils.prompts.data import as_data
from utils.sanitizing.sanitize import sanitize_question

logger = logging.getLogger(__name__)

_DATA = "data:"
_NO_MODEL = "이미지를 읽는 모델이 없습니다. OPENAI_API_KEY나 OPENAI_BASE_URL을 설정하세요."
_BY_DATA_ALONE = "이미지의 주소는 받지 않습니다. 이미지를 data:image/…;base64,… 로 보내 주세요."


class ImagesAbility(Ability):
    """Takes a picture with a question, as data or, where that is switched on, from a public address."""

    name: ClassVar[str] = "images"
    takes: ClassVar[frozenset[Medium]] = frozenset({Medium.IMAGE})

    def __init__(self, tools: AbilityTools) -> None:
        """Raises ``ValueError`` for any parameter."""
        super().__init__(tools)
        if tools.parameters:
            raise ValueError(f"unknown parameters {sorted(tools.parameters)}")
        self._most = tools.settings.max_image_bytes
        self._fetcher: PublicFetcher | None = None
        if tools.settings.enable_image_fetch:
            self._fetcher = PublicFetcher(tools.settings.image_fetch_timeout, self._most)

    def needs(self) -> tuple[Need, ...]:
        is_met = self.tools.model.supports(ModelPurpose.IMAGE)
        return (Need(name="image_model", is_met=is_met, remedy="" if is_met else _NO_MODEL),)

    def check(self, request: ChatRequest) -> None:
        """Refuse what is no picture, and an address where none is fetched."""
        if request.image is None:
            return
        if request.image.startswith(_DATA):
            picture_in(request.image, self._most)
        elif self._fetcher is None:
            raise ImageRefused(_BY_DATA_ALONE)

    async def before_classify(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Put what is to be seen behind the question. A picture that cannot be had, or read, is named in ``degraded``."""
        if (address := state.get("image")) is None:
            return {}
        try:
            seen = await self._described(await self._picture(address), state["query"], runtime.context)
        except (FetchRefused, ImageRefused) as error:
            logger.warning("a picture was not fetched: %s", error)
            return _without(prompt.NOT_FETCHED)
        except ModelUnavailable as error:
            return _without(f"{prompt.NOT_DESCRIBED} (image: {error.reason})")
        return {"query": f"{state['query']}{prompt.LEAD}{seen}", "seen": seen, "trace": {"image": len(seen)}}

    async def _picture(self, address: str) -> Picture:
        if address.startswith(_DATA):
            return await self.tools.chain.in_pool(picture_in, address, self._most)
        if self._fetcher is None:
            raise FetchRefused("no addresses are fetched")
        return picture_of(await self._fetcher.fetch(address), self._most)

    async def _described(self, picture: Picture, question: str, run: RunContext) -> str:
        """The description, on one line; one that the limit of tokens ended is one all the same. Raises `ModelUnavailable`."""
        asked = {"type": "text", "text": prompt.USER_TEMPLATE.format(question=as_data(question))}
        shown = {"type": "image_url", "image_url": {"url": picture.address}}
        messages = [SystemMessage(prompt.SYSTEM_PROMPT), HumanMessage([asked, shown])]
        pieces: list[str] = []
        try:
            stream = self.tools.model.stream(ModelPurpose.IMAGE, messages, run.deadline, run.usage)
            async with aclosing(stream) as texts:
                async for text in texts:
                    pieces.append(text)  # noqa: PERF401 - what came before a cut is kept
        except ModelStreamCut as error:
            if error.reason is not ModelFailureReason.TRUNCATED:
                raise
        seen = " ".join(sanitize_question("".join(pieces)).split())
        if not seen:
            raise ModelUnavailable(ModelFailureReason.EMPTY)
        return seen


def _without(reason: str) -> RouterState:
    return {"degraded": (Degradation(component=Component.IMAGE, reason=reason),)}
