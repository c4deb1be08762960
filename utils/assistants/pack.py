"""All that tells one assistant from another, as data: a folder of ``ASSISTANT_DIR`` with `assistant.toml` and, for most, ``domains``.

An assistant answers from an index of its own (``DATA_DIR/assistants/<name>``), but for the advisory one, whose domains and index
are those that ``DOMAIN_DIR`` and ``DATA_DIR`` name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from utils.config.feature_flags import FeatureFlags
from utils.config.provider_settings import ModelSettings
from utils.config.retrieval_settings import RetrievalSettings
from utils.config.settings import PROJECT_ROOT, GenerationSettings, Settings, SettingsError, settings_with

SHIPPED_ASSISTANTS = PROJECT_ROOT / "data" / "assistants"
DEFAULT_ASSISTANT = "bizi"
NAME_PATTERN = r"^[a-z][a-z0-9_]{0,47}$"
_FILE = "assistant.toml"
_DOMAINS = "domains"
_OF_THE_SERVICE = frozenset({"llm_provider", "openai_api_key", "openai_base_url"})
_OWN = (
    frozenset(
        name
        for group in (RetrievalSettings, GenerationSettings, ModelSettings, FeatureFlags)
        for name in group.model_fields
    )
    - _OF_THE_SERVICE
)
"""Settings that an assistant may have its own values of: how it searches, writes and judges, not where and by whom."""


class AssistantDataError(ValueError):
    """An assistant that cannot be used; the message names the file, and what is wrong in it."""


class AbilityPack(BaseModel):
    """An ability of an assistant by its name, and all else as its parameters.

    It is one of the service (`agents.abilities.registry`), or that of the Python ``file`` beside the pack.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    file: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,47}\.py$")] | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that the ability reads; it refuses what it does not know."""
        return dict(self.model_extra or {})


class AssistantPack(BaseModel):
    """An assistant. ``settings`` stand in for those of the service, by their names in lower case.

    ``abilities`` are asked in their order. ``source`` says, in Korean, what its index is made from. ``folder`` is where the
    pack was read from.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    label: str = Field(min_length=1, max_length=100)
    description: str = Field(min_length=1, max_length=500)
    source: str = Field("", max_length=300)
    examples: tuple[str, ...] = ()
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    abilities: tuple[AbilityPack, ...] = ()
    folder: Path

    @model_validator(mode="after")
    def _check(self) -> AssistantPack:
        unknown = sorted(set(self.settings) - _OWN)
        if unknown:
            raise ValueError(f"settings: {', '.join(unknown)}: no setting that an assistant may have its own value of")
        names = [ability.name for ability in self.abilities]
        if len(set(names)) < len(names):
            raise ValueError("abilities: one stands twice")
        return self

    @property
    def is_default(self) -> bool:
        """Return True for the advisory assistant, which ``/api/chat`` asks."""
        return self.name == DEFAULT_ASSISTANT

    def settings_in(self, service: Settings) -> Settings:
        """Return the settings that this assistant runs with in a service.

        Raises:
            AssistantDataError: a value of its own is wrong.
        """
        own: dict[str, Any] = dict(self.settings)
        if not self.is_default:
            own |= {
                "data_dir": service.data_dir / "assistants" / self.name,
                "domain_dir": self.folder / _DOMAINS,
                "database_url": None,
            }
        try:
            return settings_with(service, own) if own else service
        except SettingsError as error:
            raise AssistantDataError(f"{self.folder / _FILE}: {error}") from error


def load_assistants(folder: Path | None) -> Mapping[str, AssistantPack]:
    """Read all packs below ``folder`` (None: the shipped ones) by their names, the default one first.

    Raises:
        AssistantDataError: one cannot be read or does not validate, or the default one is not there.
    """
    root = folder or SHIPPED_ASSISTANTS
    packs = {path.parent.name: _read(path) for path in sorted(root.glob(f"*/{_FILE}"))}
    if DEFAULT_ASSISTANT not in packs:
        raise AssistantDataError(f"{root}: there is no {DEFAULT_ASSISTANT}/{_FILE}")
    return {DEFAULT_ASSISTANT: packs.pop(DEFAULT_ASSISTANT), **packs}


def assistant_named(name: str, folder: Path | None) -> AssistantPack:
    """Return one pack. Raises ``AssistantDataError`` as `load_assistants`, and where there is none of that name."""
    packs = load_assistants(folder)
    if name not in packs:
        raise AssistantDataError(f"{name}: no such assistant; there are {', '.join(packs)}")
    return packs[name]


def settings_of_assistant(service: Settings, data_dir: Path | None, name: str) -> Settings:
    """Return the settings of a command on one assistant, in ``data_dir`` or where the service has its data.

    Raises:
        AssistantDataError: there is no such assistant, or it cannot be used.
    """
    if data_dir is not None:
        service = service.model_copy(update={"data_dir": data_dir.resolve()})
    return assistant_named(name, service.assistant_dir).settings_in(service)


def _read(path: Path) -> AssistantPack:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
        pack = AssistantPack.model_validate({**values, "folder": path.parent})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AssistantDataError(f"{path}: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise AssistantDataError(f"{path}: {where}: {first['msg']}".replace(": : ", ": ")) from error
    if pack.name != path.parent.name:
        raise AssistantDataError(f"{path}: name: {pack.name!r} is not that of its folder")
    return pack
