"""The service's knowledge of a domain, as data: all that tells one domain from another, and the questions to turn away.

The files of ``DOMAIN_DIR`` fill the domain database and serve in its place when it is away. One file is one domain
(``<key>.toml``) or one kind of question to turn away (``rejections/<kind>.toml``).
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from schemas.chat import ActionItem, ActionType, Scalar
from utils.routing.search_hints import SearchHint

RejectionKind = str
DEFAULT_REJECTION: RejectionKind = "out_of_scope"
KEY_PATTERN = r"^[a-z][a-z0-9_]{0,47}$"
# A collection is a folder of an index version, beside others.
_COLLECTION_PATTERN = r"^[a-z][a-z0-9_]{1,58}[a-z0-9]$"
_TAKEN_COLLECTIONS = frozenset({"staging", "computed"})
_TAKEN_KINDS = frozenset({"consult", "unintelligible"})
# The way long texts are cut: the name of a policy, or "more characters than/into pieces of at most/overlap/marks that open a part";
# of headings their level.
HEADING = "heading"
_CHUNKING_PATTERN = r"^([1-3]|whole|long|always|[1-9][0-9]{2,4}/[1-9][0-9]{2,4}(/[0-9]{1,3}(/[^\s/]{1,60})?)?)$"


class Tier(StrEnum):
    """The weight of a keyword: how much it says about its domain."""

    CORE = "core"  # enough on its own
    COMMON = "common"  # points at the domain, but is heard in others too
    CONTEXT = "context"  # only says that a person in business is asking


class DomainDataError(ValueError):
    """Domain data that cannot be used; the message names the file or the pack, and the field."""


def _distinct_lines(values: tuple[str, ...]) -> tuple[str, ...]:
    cleaned = tuple(dict.fromkeys(" ".join(value.split()) for value in values))
    if "" in cleaned:
        raise ValueError("must not contain blank entries")
    return cleaned


def _hints(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        SearchHint.parse(value)
    return values


Lines = Annotated[tuple[str, ...], AfterValidator(_distinct_lines)]
Key = Annotated[str, Field(pattern=KEY_PATTERN)]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Keywords(_Frozen):
    """Surface forms by tier; an entry ending in 다 of which the stem is one predicate matches every inflection."""

    core: Lines = ()
    common: Lines = ()
    context: Lines = ()

    def by_tier(self) -> tuple[tuple[Tier, Lines], ...]:
        return (Tier.CORE, self.core), (Tier.COMMON, self.common), (Tier.CONTEXT, self.context)


class ActionPack(_Frozen):
    """A next step offered to who asks: when a question holds one of the ``keywords``; words joined by + stand together."""

    type: ActionType
    label: str = Field(min_length=1, max_length=100)
    description: str = Field(min_length=1, max_length=500)
    keywords: Lines = Field(min_length=1)
    params: dict[str, Scalar] = Field(default_factory=dict)

    def item(self) -> ActionItem:
        """Return the step as it is offered."""
        return ActionItem(type=self.type, label=self.label, description=self.description, params=dict(self.params))


class DomainPack(_Frozen):
    """A domain of the service; every field that may be left out has a default that works.

    ``agent_label`` is how its agent calls itself, ``prompt`` its system prompt, ``chunking`` how the texts of a knowledge file
    (by its stem), a type of document or a ``page`` of a PDF are cut (see `vectorstores.collections`); its ``heading`` is the
    level of Markdown headings, 1 to 3, down to which a section is a document of its own. Court cases of the folders ``case_folders``
    and of the kinds ``case_kinds`` belong to it; ``is_law`` marks the domain of statutes and of all other cases.
    ``search_hints`` are words that make a search fit the asker's company (see `SearchHint`). ``aliases`` are older keys.
    ``rules`` are sets of two or more lemmas that point at the domain when they stand in one sentence together.
    ``exclude`` are cues that look like the domain and are not (picking stocks is not a question of tax).
    """

    key: Key
    label: str = Field(min_length=1, max_length=100)
    agent_label: str = Field("", max_length=100)
    description: str = Field(min_length=1, max_length=500)
    collection: str = Field(pattern=_COLLECTION_PATTERN)
    is_law: bool = False
    prompt: str = Field("", max_length=8_000)
    neighbours: tuple[str, ...] = ()
    aliases: tuple[Key, ...] = ()
    chunking: dict[str, Annotated[str, Field(pattern=_CHUNKING_PATTERN)]] = Field(default_factory=dict)
    case_folders: Lines = ()
    case_kinds: Lines = ()
    search_hints: Annotated[Lines, AfterValidator(_hints)] = ()
    actions: tuple[ActionPack, ...] = ()
    keywords: Keywords = Keywords()
    rules: tuple[tuple[str, ...], ...] = ()
    examples: Lines = ()
    exclude: Lines = ()

    @model_validator(mode="after")
    def _check(self) -> DomainPack:
        if self.collection in _TAKEN_COLLECTIONS:
            raise ValueError(f"collection: {self.collection!r} is the name of something else")
        for name, way in self.chunking.items():
            if (name == HEADING) != way.isdigit():
                raise ValueError(f"chunking: {name}: {way!r} is no way to cut these")
        for rule in self.rules:
            if len(set(rule)) < 2:
                raise ValueError(f"rules: a rule needs two different lemmas or more, got {list(rule)}")
        return self


class RejectionPack(_Frozen):
    """A kind of question that is turned away: whole phrases, cue words and example questions.

    ``response`` is what is answered; ``{domains}`` in it stands for the labels of all domains.
    """

    kind: Key
    label: str = Field(min_length=1, max_length=100)
    response: str = Field("", max_length=500)
    phrases: Lines = ()
    cues: Lines = ()
    examples: Lines = ()

    @model_validator(mode="after")
    def _check_kind(self) -> RejectionPack:
        if self.kind in _TAKEN_KINDS:
            raise ValueError(f"kind: {self.kind!r} is the name of something else")
        return self


Pack = DomainPack | RejectionPack


class PackSet(_Frozen):
    """All domains in their order and all kinds of rejection: what routing, agents and collections are built from."""

    domains: tuple[DomainPack, ...] = Field(min_length=1)
    rejections: tuple[RejectionPack, ...] = ()

    @model_validator(mode="after")
    def _check_references(self) -> PackSet:
        keys = self.keys()
        _require_distinct("keys", (*keys, *(pack.kind for pack in self.rejections)))
        _require_distinct("collections", (pack.collection for pack in self.domains))
        _require_distinct("keys and aliases", (*keys, *(alias for pack in self.domains for alias in pack.aliases)))
        for pack in self.domains:
            unknown = set(pack.neighbours) - set(keys)
            if unknown:
                raise ValueError(f"{pack.key}: neighbours name unknown domains {sorted(unknown)}")
        laws = [pack.key for pack in self.domains if pack.is_law]
        if len(laws) > 1:
            raise ValueError(f"is_law: there can be one domain of the law, got {laws}")
        return self

    def keys(self) -> tuple[str, ...]:
        return tuple(pack.key for pack in self.domains)

    def all(self) -> tuple[Pack, ...]:
        """Return domains and kinds of rejection."""
        return (*self.domains, *self.rejections)

    def labelled_examples(self) -> list[tuple[str, str]]:
        """Return (question, key of its domain or kind of rejection) of every representative question."""
        found = [(text, pack.key) for pack in self.domains for text in pack.examples]
        return found + [(text, pack.kind) for pack in self.rejections for text in pack.examples]

    @property
    def law(self) -> DomainPack | None:
        """The domain of the law, if there is one."""
        return next((pack for pack in self.domains if pack.is_law), None)

    def get(self, key: str) -> DomainPack:
        """Return the domain of that key. Raises ``KeyError`` when there is none."""
        for pack in self.domains:
            if pack.key == key:
                return pack
        raise KeyError(key)

    def response_to(self, kind: RejectionKind) -> str:
        """Return the answer to a question of that kind, or to one out of scope; empty where no pack has either."""
        labels = ", ".join(pack.label for pack in self.domains)
        responses = {pack.kind: pack.response for pack in self.rejections}
        found = responses.get(kind) or responses.get(DEFAULT_REJECTION, "")
        return found.replace("{domains}", labels)


def _require_distinct(what: str, names: Iterable[str]) -> None:
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise ValueError(f"{what} must be distinct, found twice: {repeated}")


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
        raise DomainDataError(f"{directory}: {first_message(error)}") from error


def files_stamp(directory: Path) -> tuple[tuple[str, int, int], ...]:
    """Return name, time of change and size of each file that `load_pack_files` reads, to see cheaply when one has changed."""
    found = []
    for path in sorted((*directory.glob("*.toml"), *(directory / "rejections").glob("*.toml"))):
        try:
            status = path.stat()
        except OSError:  # gone since it was listed
            continue
        found.append((str(path), status.st_mtime_ns, status.st_size))
    return tuple(found)


def _read(path: Path, model: type[PackT]) -> PackT:
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DomainDataError(f"{path}: {error}") from error
    except ValidationError as error:
        raise DomainDataError(f"{path}: {first_message(error)}") from error


def first_message(error: ValidationError) -> str:
    """Return what is wrong first, after the field where it is."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])
