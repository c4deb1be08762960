"""The settings in effect as one record for the log, without a secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum

from pydantic import SecretStr

from utils.config.secret_files import secret_settings
from utils.config.settings import Settings

MASK = "***"
# Up to the last @: a password may hold one, and what a path holds is not worth a password.
_USER = re.compile(r"(?<=://).*@", re.DOTALL)
_QUERY = re.compile(r"([?&][^=?&#]*=)[^&#]*")


def settings_record(settings: Settings) -> dict[str, object]:
    """Return every setting by its name in the environment, and what follows from several.

    A secret shows only whether it is set; of an address the user, the password and the values of its query are masked, whatever
    the setting.
    """
    secrets = secret_settings(type(settings))
    record = {name.upper(): _shown(getattr(settings, name), name in secrets) for name in type(settings).model_fields}
    return record | {
        "effective": {
            "LLM_PROVIDER": settings.effective_llm_provider.value,
            "ENABLE_LLM_DOMAIN_CLASSIFICATION": settings.llm_classifies_domains,
            "ALLOWED_HOSTS": sorted(settings.served_hosts),
        }
    }


def _shown(value: object, is_secret: bool) -> object:
    if value is None:
        return None
    if isinstance(value, Mapping):
        return {str(name): _shown(item, is_secret) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_shown(item, is_secret) for item in value]
    if isinstance(value, SecretStr):
        return MASK
    if isinstance(value, str) and "://" in value:
        return masked_address(value)
    if is_secret:
        return MASK
    if isinstance(value, Enum):
        return value.value
    return value if isinstance(value, bool | int | float) else str(value)


def masked_address(address: str) -> str:
    """Return an address without the user and password in it and without the values of its query."""
    return _QUERY.sub(rf"\1{MASK}", _USER.sub(f"{MASK}@", address))
