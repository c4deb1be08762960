"""What the service knows about a domain, as data: keywords, rules, representative questions, and what to turn away.

The files under ``data/domains`` seed the domain database and serve in its place when it is away. One file is one domain
(``<key>.toml``) or one kind of question to turn away (``rejections/<kind>.toml``).
"""

from __future__ import annotations

import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

RejectionKind = Literal["chitchat", "out_of_scope"]


class Tier(StrEnum):
    """How much a keyword says about its domain."""

    CORE = "core"  # enough on its own
    COMMON = "common"  # points at the domain, but is heard in others too
    CONTEXT = "context"  # only says that a person in business is asking


class DomainDataError(ValueError):
    """Domain data that cannot be used; the message names the file and the field."""


def _distinct_lines(values: tuple[str, ...]) -> tuple[str, ...]:
    cleaned = tuple(dict.fromkeys(" ".join(value.split()) for value in values))
    if "" in cleaned:
        raise ValueError("must not contain blank entries")
    return cleaned


Lines = Annotated[tuple[str, ...], AfterValidator(_distinct_lines)]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Keywords(_Frozen):
    """Surface forms by tier; an entry ending in 다 of which the stem is one predicate matches every inflection."""

    core: Lines = ()
    common: Lines = ()
    context: Lines = ()

    def by_tier(self) -> tuple[tuple[Tier, Lines], ...]:
        return (Tier.CORE, self.core), (Tier.COMMON, self.common), (Tier.CONTEXT, self.context)


class DomainPack(_Frozen):
    """One domain of the service.

    ``rules`` are sets of two or more lemmas that point at the domain when they stand in one sentence together.
    ``exclude`` are cues that look like the domain and are not (picking stocks is not ``finance_tax``).
    """

    key: str = Field(pattern=r"^[a-z][a-z0-9_]{0,47}$")
    label: str = Field(min_length=1, max_length=100)
    description: str = Field(min_length=1, max_length=500)
    collection: str = Field(min_length=1, max_length=100)
    neighbours: tuple[str, ...] = ()
    keywords: Keywords = Keywords()
    rules: tuple[tuple[str, ...], ...] = ()
    examples: Lines = ()
    exclude: Lines = ()

    @model_validator(mode="after")
    def _check_rules(self) -> DomainPack:
        for rule in self.rules:
            if len(set(rule)) < 2:
                raise ValueError(f"rules: a rule needs two different lemmas or more, got {list(rule)}")
        return self


class RejectionPack(_Frozen):
    """One kind of question that is turned away: whole phrases, cue words and example questions."""

    kind: RejectionKind
    label: str = Field(min_length=1, max_length=100)
    phrases: Lines = ()
    cues: Lines = ()
    examples: Lines = ()


class PackSet(_Frozen):
    """All domains in their order and all kinds of rejection: what routing is built from."""

    domains: tuple[DomainPack, ...] = Field(min_length=1)
    rejections: tuple[RejectionPack, ...] = ()

    @model_validator(mode="after")
    def _check_references(self) -> PackSet:
        keys = [pack.key for pack in self.domains]
        if len(set(keys)) != len(keys):
            raise ValueError(f"domains: keys must be distinct, got {keys}")
        for pack in self.domains:
            unknown = set(pack.neighbours) - set(keys)
            if unknown:
                raise ValueError(f"{pack.key}: neighbours name unknown domains {sorted(unknown)}")
        return self

    def keys(self) -> tuple[str, ...]:
        return tuple(pack.key for pack in self.domains)

    def labelled_examples(self) -> list[tuple[str, str]]:
        """(question, key of its domain or kind of rejection) of every representative question."""
        found = [(text, pack.key) for pack in self.domains for text in pack.examples]
        return found + [(text, pack.kind) for pack in self.rejections for text in pack.examples]

    def get(self, key: str) -> DomainPack:
        """The domain of that key. Raises ``KeyError`` when there is none."""
        for pack in self.domains:
            if pack.key == key:
                return pack
        raise KeyError(key)


PackT = TypeVar("PackT", DomainPack, RejectionPack)


def load_pack_files(directory: Path) -> PackSet:
    """Read every domain and rejection file under ``directory``.

    Raises ``DomainDataError`` naming the file when one cannot be read or does not validate, or when there is none.
    """
    domain_files = sorted(directory.glob("*.toml"))
    if not domain_files:
        raise DomainDataError(f"{directory}: no domain files (*.toml)")
    domains = [_read(path, DomainPack) for path in domain_files]
    rejections = [_read(path, RejectionPack) for path in sorted((directory / "rejections").glob("*.toml"))]
    try:
        return PackSet(domains=tuple(domains), rejections=tuple(rejections))
    except ValidationError as error:
        raise DomainDataError(f"{directory}: {_first_message(error)}") from error


def _read(path: Path, model: type[PackT]) -> PackT:
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DomainDataError(f"{path}: {error}") from error
    except ValidationError as error:
        raise DomainDataError(f"{path}: {_first_message(error)}") from error


def _first_message(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])
