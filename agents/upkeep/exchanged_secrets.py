"""Keys and passwords that were exchanged while the service runs, handed on to all that connect with them."""

from __future__ import annotations

import asyncio
from typing import Protocol

from agents.sessions.errors import SessionStoreRefused
from agents.sessions.store import SessionStore
from utils.config.settings import Settings, SettingsError
from utils.resilience.redis_link import RedisAddressError, RedisLink
from utils.routing.domain_pack import DomainDataError


class UsesSecrets(Protocol):
    """Parts that connect with keys of the settings, such as `agents.engine.Engine`."""

    def use_secrets(self, settings: Settings) -> None:
        """Connect with those of ``settings`` from now on; blocking. Raises `DomainDataError`."""


async def use_secrets(
    engine: UsesSecrets, redis: RedisLink | None, sessions: SessionStore | None, settings: Settings
) -> None:
    """Have keys and passwords of ``settings`` used from now on; what is under way goes on with those of before.

    Raises:
        SettingsError: an address cannot be used.
    """
    try:
        await asyncio.to_thread(engine.use_secrets, settings)
        if sessions is not None:
            sessions.use_secrets(settings)
        if redis is not None and settings.redis_url:
            await redis.use(settings.redis_url)
    except (DomainDataError, SessionStoreRefused, RedisAddressError) as error:
        raise SettingsError(str(error)) from error
