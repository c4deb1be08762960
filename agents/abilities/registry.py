"""Every ability by the name that packs know it by. A new one is its file and a line here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.abilities.base import Ability, AbilityTools
from agents.abilities.bullets import BulletsAbility
from agents.abilities.notices import NoticeAbility
from agents.abilities.search_line import SearchLineAbility
from agents.abilities.web_answer import WebAnswerAbility
from utils.assistants.pack import AbilityPack, AssistantDataError

ABILITIES: dict[str, type[Ability]] = {
    ability.name: ability for ability in (NoticeAbility, SearchLineAbility, BulletsAbility, WebAnswerAbility)
}


def build_abilities(packs: Sequence[AbilityPack], tools: AbilityTools) -> tuple[Ability, ...]:
    """Build the abilities of an assistant in the order of its pack.

    Raises:
        AssistantDataError: there is no ability of a name, or it does not take the parameters.
    """
    return tuple(_built(pack, replace(tools, parameters=pack.parameters)) for pack in packs)


def _built(pack: AbilityPack, tools: AbilityTools) -> Ability:
    where = f"{tools.folder}: abilities: {pack.name}"
    if pack.name not in ABILITIES:
        raise AssistantDataError(f"{where}: no such ability; there are {', '.join(ABILITIES)}")
    try:
        return ABILITIES[pack.name](tools)
    except ValueError as error:
        raise AssistantDataError(f"{where}: {error}") from error
