"""All assistants of the service: each answers once its index is there, the others by a word on what they need."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from agents.abilities.base import Ability
from agents.abilities.voice import VoiceAbility
from agents.engine import Engine, Foundation, build_assistant
from agents.serving.page_search import PageKnowledge
from agents.serving.recorded_chat import RecordedChat
from schemas.assistants import AssistantItem, Medium, Need
from schemas.chat import ChatRequest
from schemas.problems import ErrorCode, FieldProblem
from utils.assistants.pack import AssistantDataError, AssistantPack, load_assistants
from utils.config.settings import Settings
from utils.http.problems import ProblemError
from utils.middleware.error_boundary import StartupError
from utils.routing.domain_pack import DomainDataError
from vectorstores.build.providers import open_store
from vectorstores.errors import IndexMissing, KnowledgeIndexError
from vectorstores.live.opening import open_connected

logger = logging.getLogger("bizi")

_POLL_SECONDS = 5.0
_COMMAND = "make assistant NAME={name} SOURCE=<문서>"


Serve = Callable[[Engine], RecordedChat]
"""Makes the chat of an engine: its cache, its conversations and its records."""


@dataclass(frozen=True, slots=True)
class Assistant:
    """An assistant that answers."""

    engine: Engine
    chat: RecordedChat

    @property
    def pages(self) -> PageKnowledge:
        """Searching and answering by the pages of its documents."""
        return self.engine.pages

    @property
    def takes(self) -> frozenset[Medium]:
        """The media that its requests may carry."""
        return frozenset({Medium.TEXT}).union(*(ability.takes for ability in self._taking()))

    async def check(self, question: ChatRequest) -> None:
        """Refuse a picture that it does not take. Raises `ProblemError`."""
        if question.image is None:
            return
        if Medium.IMAGE not in self.takes:
            raise _not_taken("image", "이 비서는 이미지를 받지 않습니다.")
        try:
            for ability in self._taking():
                await asyncio.to_thread(ability.check, question)
        except ValueError as error:
            raise _not_taken("image", str(error)) from error

    async def transcribed(self, data: bytes) -> str:
        """Return what is said in a recording. Raises `ProblemError`."""
        voice = next((ability for ability in self._taking() if isinstance(ability, VoiceAbility)), None)
        if voice is None:
            raise _not_taken("file", "이 비서는 음성을 받지 않습니다.")
        return await voice.transcribed(data)

    def _taking(self) -> list[Ability]:
        """The abilities that take more than text, and have what they need for it."""
        abilities = (ability for ability in self.engine.router().abilities if ability.takes)
        return [ability for ability in abilities if all(need.is_met for need in ability.needs())]


def _not_taken(field: str, message: str) -> ProblemError:
    return ProblemError(ErrorCode.VALIDATION_FAILED, errors=[FieldProblem(path=field, message=message)])


class Assistants:
    """The assistants of the packs by name; `watch` opens those whose index comes to be there while the service runs."""

    def __init__(self, default: Assistant, packs: Mapping[str, AssistantPack], serve: Serve) -> None:
        self._packs = packs
        self._foundation: Foundation = default.engine.foundation
        self._today = default.engine.executor.today
        self._serve = serve
        self._open: dict[str, Assistant] = {default.engine.assistant.name: default}
        self._reasons: dict[str, str] = {}
        self._settings: dict[str, Settings] = {}
        self._default = default
        self._exchanged: Settings | None = None

    def get(self, name: str) -> Assistant:
        """Return an assistant that answers.

        Raises:
            ProblemError: there is none of that name, or it lacks its index.
        """
        if name not in self._packs:
            raise ProblemError(ErrorCode.NOT_FOUND, f"‘{name}’ 비서는 없습니다.")
        if name not in self._open:
            raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, self._need_of_index(name).remedy)
        return self._open[name]

    def listed(self) -> list[AssistantItem]:
        """Return all assistants, the default one first; blocking, milliseconds."""
        return [self._item(pack) for pack in self._packs.values()]

    async def watch(self) -> None:
        """Look for the indexes of the assistants that have none yet, until cancelled."""
        while len(self._open) < len(self._packs):
            for name in self._packs.keys() - self._open.keys():
                await asyncio.to_thread(self._try_to_open, name)
            await asyncio.sleep(_POLL_SECONDS)

    def use_secrets(self, settings: Settings) -> None:
        """Call the models and the database with the keys of ``settings`` from now on; also those of assistants that open later.

        Raises:
            DomainDataError: ``DATABASE_URL`` cannot be used; nothing has changed.
        """
        self._default.engine.use_secrets(settings)
        self._exchanged = settings
        for assistant in self._open.values():
            assistant.engine.parts.chain.model.use_key(settings.openai_api_key)

    async def aclose(self) -> None:
        """Give back all but the default one, which its engine's owner closes."""
        for assistant in self._open.values():
            if not assistant.engine.assistant.is_default:
                await assistant.engine.close_assistant()

    def _try_to_open(self, name: str) -> None:
        pack = self._packs[name]
        try:
            index = open_connected(open_store(self._settings_of(pack)))
            engine = build_assistant(self._foundation, pack, index, self._today)
        except IndexMissing:
            return
        except (KnowledgeIndexError, DomainDataError, AssistantDataError) as error:
            if self._reasons.get(name) != str(error):
                logger.warning("비서 %s을(를) 열 수 없습니다: %s", name, error)
            self._reasons[name] = str(error)
            return
        if self._exchanged is not None:
            engine.parts.chain.model.use_key(self._exchanged.openai_api_key)
        self._reasons.pop(name, None)
        self._open[name] = Assistant(engine, self._serve(engine))
        logger.info("비서 %s이(가) 답합니다.", name)

    def _settings_of(self, pack: AssistantPack) -> Settings:
        """The settings of an assistant, which take some milliseconds to make; raises `AssistantDataError`."""
        if pack.name not in self._settings:
            self._settings[pack.name] = pack.settings_in(self._foundation.settings)
        return self._settings[pack.name]

    def _need_of_index(self, name: str) -> Need:
        remedy = "" if name in self._open else f"‘{name}’ 비서의 색인이 없습니다. {_COMMAND.format(name=name)}"
        return Need(name="index", is_met=not remedy, remedy=remedy)

    def _item(self, pack: AssistantPack) -> AssistantItem:
        assistant = self._open.get(pack.name)
        needs = [self._need_of_index(pack.name)]
        domains: dict[str, str] = {}
        documents = 0
        if assistant is not None:
            engine = assistant.engine
            needs += [need for ability in engine.router().abilities for need in ability.needs()]
            domains = {domain.key: domain.label for domain in engine.routing.current.packs.domains}
            documents = sum(each.documents for each in engine.live.searcher.index.collections.values())
        takes = assistant.takes if assistant is not None else {Medium.TEXT}
        return AssistantItem(
            name=pack.name,
            label=pack.label,
            description=pack.description,
            is_default=pack.is_default,
            ready=assistant is not None,
            takes=[medium for medium in Medium if medium in takes],
            abilities=[ability.name for ability in pack.abilities],
            needs=needs,
            source=pack.source,
            examples=list(pack.examples),
            domains=domains,
            documents=documents,
        )


@asynccontextmanager
async def assistants_of(engine: Engine, serve: Serve) -> AsyncIterator[Assistants]:
    """Yield all assistants of the packs, of which those beside the engine's open while the service runs.

    Raises:
        StartupError: a pack cannot be used.
    """
    try:
        packs = load_assistants(engine.settings.assistant_dir)
    except AssistantDataError as error:
        raise StartupError(f"시작할 수 없습니다. {error}") from error
    assistants = Assistants(Assistant(engine, serve(engine)), packs, serve)
    watching = asyncio.create_task(assistants.watch(), name="assistant watch")
    try:
        yield assistants
    finally:
        watching.cancel()
        await assistants.aclose()
