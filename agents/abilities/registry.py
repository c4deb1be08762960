"""Every ability by the name that packs know it by: those of the service, and those that a pack brings along.

A new one of the service is its file and a line here; one of a pack is a file beside `assistant.toml`, as docs/assistants/tutorial.md shows.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from agents.abilities.answer_check import AnswerCheckAbility
from agents.abilities.base import Ability, AbilityTools
from agents.abilities.bullets import BulletsAbility
from agents.abilities.hypothetical_answers import HypotheticalAnswersAbility
from agents.abilities.images import ImagesAbility
from agents.abilities.notices import NoticeAbility
from agents.abilities.search_line import SearchLineAbility
from agents.abilities.tagged_search import TaggedSearchAbility
from agents.abilities.talk import TalkAbility
from agents.abilities.voice import VoiceAbility
from agents.abilities.web_answer import WebAnswerAbility
from utils.assistants.pack import AbilityPack, AssistantDataError

ABILITIES: dict[str, type[Ability]] = {
    ability.name: ability
    for ability in (
        NoticeAbility,
        SearchLineAbility,
        BulletsAbility,
        WebAnswerAbility,
        TalkAbility,
        TaggedSearchAbility,
        ImagesAbility,
        VoiceAbility,
        AnswerCheckAbility,
        HypotheticalAnswersAbility,
    )
}


def build_abilities(packs: Sequence[AbilityPack], tools: AbilityTools) -> tuple[Ability, ...]:
    """Build the abilities of an assistant in the order of its pack.

    Raises:
        AssistantDataError: there is no ability of a name, or it does not take the parameters.
    """
    return tuple(_built(pack, replace(tools, parameters=pack.parameters)) for pack in packs)


def _built(pack: AbilityPack, tools: AbilityTools) -> Ability:
    where = f"{tools.folder}: abilities: {pack.name}"
    if pack.file is None and pack.name not in ABILITIES:
        raise AssistantDataError(f"{where}: no such ability; there are {', '.join(ABILITIES)}")
    try:
        kind = _of_file(tools.folder / pack.file, pack.name) if pack.file else ABILITIES[pack.name]
        return kind(tools)
    except ValueError as error:
        raise AssistantDataError(f"{where}: {error}") from error


@cache
def _of_file(file: Path, name: str) -> type[Ability]:
    """Run a pack's file, once, and return its ability. Raises ``ValueError`` where it has none of that name, or fails."""
    spec = importlib.util.spec_from_file_location(f"bizi_ability_{name}", file)
    assert spec is not None, "a .py file has a loader"
    assert spec.loader is not None, "a .py file has a loader"
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever an operator's file raises, the message names the file
        raise ValueError(f"{file.name}: {type(error).__name__}: {error}") from error
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Ability) and getattr(value, "name", None) == name:
            return value
    raise ValueError(f"{file.name}: no ability of that name in it")
