"""Packs: all that tells one kind of notices from another, and the words that people use for them. Files, not code."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from types import MappingProxyType
from typing import Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from schemas.funding.notices import NoticeStatus
from schemas.notice_state import NoticeIntent
from utils.config.settings import PROJECT_ROOT
from vectorstores.notices.errors import NoticeDataError
from vectorstores.notices.regions import RegionData, Regions

Model = TypeVar("Model", bound=BaseModel)

REPLY_FACTS = ("title", "url", "agency", "deadline", "status")
OTHER_FIELDS = "분야"
SHIPPED = PROJECT_ROOT / "data" / "notices"


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StatusWords(_Data):
    """A status of the pack: its label, and the words that notices and people use for it."""

    label: str
    words: tuple[str, ...] = ()


class StageWords(_Data):
    """A stage of a company; ``years`` since it was founded, from and below. 0 and 0: not founded yet."""

    words: tuple[str, ...] = ()
    years: tuple[float, float]


class PackIntent(_Data):
    """An intent of the pack's own: said by one of ``words``, answered by ``reply``.

    ``needs``: the notice that it is about has to be selected before; its ``{title}``, ``{url}``, ``{agency}``, ``{deadline}`` and ``{status}`` may stand
    in the reply then.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,47}$")
    words: tuple[str, ...] = Field(min_length=1)
    needs: Literal["nothing", "selected"] = "nothing"
    reply: str = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        named = {name for _, name, _, _ in Formatter().parse(self.reply) if name is not None}
        if unknown := named - (set(REPLY_FACTS) if self.needs == "selected" else set()):
            raise ValueError(f"reply: {', '.join(sorted(unknown))}: no fact of a notice that is selected")
        if self.name in set(NoticeIntent):
            raise ValueError(f"{self.name}: an intent of every pack")
        return self


class NoticePack(_Data):
    """A kind of notices.

    ``objects`` are what people call such notices, ``kinds`` of them are keywords as well; ``programmes`` are those of them that are nothing else, so
    that who asks for some asks for notices. Fields, targets and stages have a name and the
    words that mean it. ``filters`` group fields: those of one filter are alternatives, one of each has to fit. ``summary_labels`` say what the marked parts of a summary tell, in their order.
    """

    key: str = Field(pattern=r"^[a-z][a-z0-9_]{0,23}$")
    label: str
    domain: str = ""
    national_fits_all: bool = True
    objects: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    programmes: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    fillers: tuple[str, ...] = ()
    summary_labels: tuple[str, ...] = ()
    columns: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    statuses: dict[NoticeStatus, StatusWords]
    fields: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    filters: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    intents: tuple[PackIntent, ...] = ()
    targets: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    stages: dict[str, StageWords] = Field(default_factory=dict)
    synonyms: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> Self:
        grouped = [name for names in self.filters.values() for name in names]
        if unknown := [name for name in grouped if name not in self.fields or grouped.count(name) > 1]:
            raise ValueError(f"filters: {', '.join(unknown)}: no field, or in two filters")
        return self

    def filter_of(self, field: str) -> str:
        """Return the filter that a field belongs to; ``분야`` for one in none."""
        return next((name for name, fields in self.filters.items() if field in fields), OTHER_FIELDS)

    def label_of(self, status: NoticeStatus) -> str:
        """Return the Korean name of a status."""
        return self.statuses[status].label

    def status_of(self, word: str) -> NoticeStatus | None:
        """Return the status that a word stands for; None for a word that the pack does not have."""
        wanted = plain(word)
        return next(
            (
                status
                for status, known in self.statuses.items()
                if wanted in (plain(known.label), status.value, *map(plain, known.words))
            ),
            None,
        )

    def field_of(self, word: str) -> str | None:
        """Return the name of the field that a word stands for."""
        return _named(self.fields, word)

    def target_of(self, word: str) -> str | None:
        """Return the name of the target that a word stands for."""
        return _named(self.targets, word)

    def stage_of(self, word: str) -> str | None:
        """Return the name of the stage that a word stands for."""
        return _named({name: stage.words for name, stage in self.stages.items()}, word)


class TalkWords(_Data):
    """Words that conversations about any notices share; see ``data/notices/words.toml``."""

    lists: tuple[str, ...]
    finds: tuple[str, ...]
    listing_verbs: tuple[str, ...]
    in_talk: tuple[str, ...]
    more: tuple[str, ...]
    again: tuple[str, ...]
    narrow: tuple[str, ...]
    current: tuple[str, ...]
    deictic: tuple[str, ...]
    other_notices: tuple[str, ...]
    consults: tuple[str, ...]
    other_matters: tuple[str, ...]
    compares: tuple[str, ...]
    details: tuple[str, ...]
    fillers: tuple[str, ...]
    thanks: tuple[str, ...]
    synonyms: dict[str, tuple[str, ...]]
    outranks: dict[str, tuple[str, ...]] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NoticeData:
    """All packs with the words and the regions that they share."""

    packs: Mapping[str, NoticePack]
    words: TalkWords
    regions: Mapping[str, Regions]
    """Regions of each pack: its own file, where it has one, else the shared one."""

    @classmethod
    def load(cls, folder: Path | None = None) -> Self:
        """Read the files of ``folder``, or those shipped.

        Raises:
            NoticeDataError: a file is missing or makes no sense.
        """
        root = folder or SHIPPED
        shared = _read(root / "regions.toml", RegionData)
        words = _read(root / "words.toml", TalkWords)
        packs: dict[str, NoticePack] = {}
        regions: dict[str, Regions] = {}
        for file in sorted(
            root.glob("*/pack.toml"), key=lambda file: (file.parent.name != "support", file.parent.name)
        ):
            pack = _read(file, NoticePack)
            if pack.key in packs or set(pack.statuses) != set(NoticeStatus):
                raise NoticeDataError(f"{file}: 열쇠가 겹치거나 상태가 모자랍니다 ({pack.key})")
            own = file.with_name("regions.toml")
            packs[pack.key] = pack
            regions[pack.key] = Regions(_read(own, RegionData) if own.exists() else shared)
        if not packs:
            raise NoticeDataError(f"{root}: 공고의 묶음(<이름>/pack.toml)이 없습니다")
        return cls(MappingProxyType(packs), words, MappingProxyType(regions))


def plain(text: str) -> str:
    """Return a text as words are compared: without blanks, lower case, one kind of middle dot."""
    return "".join(text.split()).casefold().replace("·", "ㆍ")


def _named(words: Mapping[str, tuple[str, ...]], word: str) -> str | None:
    wanted = plain(word)
    return next((name for name, known in words.items() if wanted in (plain(name), *map(plain, known))), None)


def _read(file: Path, model: type[Model]) -> Model:
    try:
        return model.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NoticeDataError(f"{file}: {type(error).__name__}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise NoticeDataError(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
