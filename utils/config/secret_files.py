"""Secrets from files: ``OPENAI_API_KEY_FILE=/run/secrets/openai_api_key`` stands for the content of that file.

So that a secret stands neither in the environment, which every child process and `docker inspect` shows, nor in ``.env``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, PydanticBaseSettingsSource

SUFFIX = "_FILE"
_MAX_BYTES = 65_536


class SecretFileError(ValueError):
    """Secret files that cannot be used; one sentence a file, which names the setting and never shows the content."""


class SecretFilesSource(PydanticBaseSettingsSource):
    """Reads a secret setting from the file that ``<NAME>_FILE`` names in the environment or in ``.env``.

    Raises:
        SecretFileError: a file is missing, unreadable, empty or no text, or its setting is given besides.
    """

    def __init__(self, settings_cls: type[BaseSettings], *named_in: PydanticBaseSettingsSource) -> None:
        super().__init__(settings_cls)
        self._named_in = [source.env_vars for source in named_in if isinstance(source, EnvSettingsSource)]

    def __call__(self) -> dict[str, Any]:
        values: dict[str, str] = {}
        problems: list[str] = []
        for name in secret_settings(self.settings_cls):
            file = self._given(f"{name}{SUFFIX}".lower())
            if file is None:
                continue
            if self._given(name):
                problems.append(f"{name.upper()}{SUFFIX}: {name.upper()} is set as well; keep one of the two")
                continue
            try:
                values[name] = read_secret(Path(file))
            except SecretFileError as error:
                problems.append(f"{name.upper()}{SUFFIX}: {error}")
        if problems:
            raise SecretFileError("; ".join(problems))
        return values

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        raise NotImplementedError  # `__call__` reads all of them

    def _given(self, name: str) -> str | None:
        return next((value for variables in self._named_in if (value := variables.get(name))), None)


class FromSecretFiles:
    """Settings that may come from files; what is given in any other way counts first."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        given = (init_settings, env_settings, dotenv_settings, file_secret_settings)
        return (*given, SecretFilesSource(settings_cls, *given))


def secret_settings(settings_cls: type[BaseSettings]) -> list[str]:
    """The settings that hold a secret: those that ``repr`` leaves out."""
    return [name for name, field in settings_cls.model_fields.items() if not field.repr]


def secret_files(settings_cls: type[BaseSettings]) -> dict[str, Path]:
    """Return the file of each secret setting that the environment or ``.env`` names one for."""
    sources = (EnvSettingsSource(settings_cls), DotEnvSettingsSource(settings_cls))
    files = {}
    for name in secret_settings(settings_cls):
        variable = f"{name}{SUFFIX}".lower()
        if given := next((value for source in sources if (value := source.env_vars.get(variable))), None):
            files[name] = Path(given)
    return files


def read_secret(path: Path) -> str:
    """The text of a file without the blanks around it.

    Raises:
        SecretFileError: there is no such text; the reason.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise SecretFileError(f"{path} cannot be read ({error.strerror})") from error
    if len(content) > _MAX_BYTES:
        raise SecretFileError(f"{path} is larger than {_MAX_BYTES:,} bytes")
    try:
        text = content.decode().strip()
    except UnicodeDecodeError:
        raise SecretFileError(f"{path} is no UTF-8 text") from None
    if not text:
        raise SecretFileError(f"{path} is empty")
    return text
