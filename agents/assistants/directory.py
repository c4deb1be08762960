"""All assistants of the service: each answers once its index is there, the others by a word on what they need."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from agents.engine import Engine, Foundation, build_assistant
from agents.serving.page_search import PageKnowledge
from agents.serving.recorded_chat import RecordedChat
from schemas.assistants import AssistantItem, Medium, Need
from schemas.problems import ErrorCode
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
        media = (ability.takes for ability in self.engine.router().abilities)
        return frozenset({Medium.TEXT}).union(*media)


class Assistants:
    """The assistants of the packs by name; `watch` opens those whose index comes to be there while the service runs."""

    def __init__(self, default: Assistant, packs: Mapping[str, AssistantPack], serve: Serve) -> None:
        self._packs = packs
        self._foundation: Foundation = default.engine.foundation
        self._today = default.engine.executor.today
        self._serve = serve
        self._open: dict[str, Assistant] = {default.engine.assistant.name: default}
        self._reasons: dict[str, str] = {}
        self._settings: dict[str, Settings] = {}  # read once: an index is looked for every few seconds

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
        self._reasons.pop(name, None)
        self._open[name] = Assistant(engine, self._serve(engine))
        logger.info("비서 %s이(가) 답합니다.", name)

    def _settings_of(self, pack: AssistantPack) -> Settings:
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
