"""Calls the hooks of an assistant's abilities in their order, each with the changes of those before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from langgraph.runtime import Runtime

from agents.abilities.base import Ability, Write
from agents.state import RouterState, RunContext, merged
from agents.understanding import ReadingOrders

Hook = Literal[
    "before_classify",
    "after_classify",
    "after_decompose",
    "after_retrieve",
    "after_generate",
    "after_evaluate",
    "before_end",
]


class AbilityHooks:
    """The abilities of an assistant as the stages call them. A hook that no ability has costs nothing."""

    def __init__(self, abilities: Sequence[Ability]) -> None:
        self.all = tuple(abilities)
        self._by_name = {ability.name: ability for ability in abilities}

    @property
    def reading_orders(self) -> ReadingOrders | None:
        """Orders to the model that reads questions; None where no ability has any."""
        given = (ability.reading_orders() for ability in self.all)
        return next((orders for orders in given if orders is not None), None)

    async def after(
        self, hook: Hook, state: RouterState, update: RouterState, runtime: Runtime[RunContext]
    ) -> RouterState:
        """Return ``update``, the changes of a stage to ``state``, with those of every ability at ``hook``."""
        for ability in self._having(hook):
            changes = await getattr(ability, hook)(merged(state, update), runtime)
            update = merged(update, changes)
        return update

    async def claimed(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState | None:
        """Return the changes of the first ability that takes the question over, with its name; None where none does."""
        for ability in self._having("claims"):
            if (changes := await ability.claims(state, runtime)) is not None:
                return {**changes, "claimed_by": ability.name}
        return None

    async def answer(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Have the ability that took the question over answer it."""
        return await self._by_name[state["claimed_by"]].answer(state, runtime)

    async def try_again(self, state: RouterState, runtime: Runtime[RunContext], write: Write) -> RouterState | None:
        """Return the changes of the first ability with a second attempt of its own; None where none has."""
        for ability in self._having("try_again"):
            if (changes := await ability.try_again(state, runtime, write)) is not None:
                return changes
        return None

    def _having(self, hook: str) -> list[Ability]:
        """The abilities that do something at a hook."""
        return [ability for ability in self.all if getattr(type(ability), hook) is not getattr(Ability, hook)]
