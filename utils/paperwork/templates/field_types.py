"""The fields of a document: what a template says of them, and the pydantic model that validates what a client sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, create_model
from pydantic import model_validator as checked
from pydantic_core import PydanticCustomError

from schemas.values import JsonNumber
from utils.calculators.result import MAX_WON, Day
from utils.paperwork.templates.text_checks import harmless_line, harmless_text

NAME_PATTERN = r"^[a-z][a-z0-9_]{0,47}$"
_TIME = r"^(?:[01][0-9]|2[0-3]):[0-5][0-9]$"
_LONGEST_LINE = 200
_LONGEST_TEXT = 20_000
_MOST_ROWS = 30
_YEARS_AROUND = 100


class FieldType(StrEnum):
    """The kinds of fields a template may have."""

    TEXT = "text"  # one line
    LONG_TEXT = "long_text"  # lines
    DATE = "date"
    TIME = "time"  # HH:MM
    WON = "won"
    INTEGER = "integer"
    HOURS = "hours"
    PERCENT = "percent"
    CHOICE = "choice"
    FLAG = "flag"
    ROWS = "rows"  # a list of objects with fields of their own


class Frozen(BaseModel):
    """Base of all that a template says: nothing beside the declared keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FieldSpec(Frozen):
    """A field: its name for clients, its Korean label, its type and bounds, and the article that asks for it.

    ``min`` and ``max`` bound numbers by value, texts by characters and rows by count. ``choices`` are labels by key. ``columns``
    are the fields of a row; an empty list is written as ``blank_rows`` rows to fill in. ``draft`` tells a model what to write
    where the field is empty.
    """

    name: str = Field(pattern=NAME_PATTERN)
    label: str = Field(min_length=1, max_length=60)
    type: FieldType
    help: str = Field("", max_length=300)
    article: str = Field("", max_length=120)
    unit: str = Field("", max_length=10)
    required: bool = False
    min: float | None = None
    max: float | None = None
    default: str | bool | None = None
    choices: dict[str, str] = Field(default_factory=dict)
    columns: tuple[FieldSpec, ...] = ()
    blank_rows: int = Field(2, ge=0, le=10)
    draft: str = Field("", max_length=500)

    @checked(mode="after")
    def _check(self) -> Self:
        if (self.type is FieldType.CHOICE) != bool(self.choices):
            raise ValueError(f"{self.name}: a choice, and only a choice, has choices")
        if (self.type is FieldType.ROWS) != bool(self.columns):
            raise ValueError(f"{self.name}: rows, and only rows, have columns")
        if any(column.type is FieldType.ROWS for column in self.columns):
            raise ValueError(f"{self.name}: a row has no rows within it")
        if self.draft and self.type is not FieldType.LONG_TEXT:
            raise ValueError(f"{self.name}: only a long_text is drafted")
        if self.default is not None and not self._allows_default():
            raise ValueError(f"{self.name}: only flags and choices have a default; everything else stays blank")
        if self.required and self.default is not None:
            raise ValueError(f"{self.name}: a required field has no default")
        return self

    def _allows_default(self) -> bool:
        if self.type is FieldType.FLAG:
            return isinstance(self.default, bool)
        return self.type is FieldType.CHOICE and self.default in self.choices


class FieldsModel(BaseModel):
    """Base of the models that validate the fields of a document: unknown ones are refused by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def fields_model(name: str, fields: Sequence[FieldSpec], *, may_be_partial: bool = False) -> type[FieldsModel]:
    """Return the model of the fields; with ``may_be_partial`` none is required (what a chat prefills)."""
    definitions: dict[str, Any] = {field.name: _definition(name, field, may_be_partial) for field in fields}
    return create_model(name, __base__=FieldsModel, **definitions)


def _definition(model: str, field: FieldSpec, may_be_partial: bool) -> tuple[Any, Any]:
    annotation = _ANNOTATIONS[field.type](model, field)
    extra = {key: value for key, value in (("article", field.article), ("unit", field.unit)) if value}
    if field.choices:
        extra["labels"] = dict(field.choices)  # type: ignore[assignment]
    described: dict[str, Any] = {
        "title": field.label,
        "description": field.help or field.label,
        "json_schema_extra": extra or None,
    }
    if field.required and not may_be_partial:
        return annotation, Field(**described)
    if field.type is FieldType.ROWS:
        return annotation, Field(default_factory=list, **described)
    if field.type is FieldType.FLAG:
        return annotation, Field(bool(field.default), **described)
    return Annotated[annotation | None, BeforeValidator(_blank_as_none)], Field(field.default, **described)


def _blank_as_none(value: object) -> object:
    """A form sends an empty text for what was left blank."""
    return None if isinstance(value, str) and not value.strip() else value


def _text(_model: str, field: FieldSpec) -> Any:
    limit = int(field.max or _LONGEST_LINE)
    return Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=limit), AfterValidator(harmless_line)
    ]


def _long_text(_model: str, field: FieldSpec) -> Any:
    limit = int(field.max or _LONGEST_TEXT)
    return Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=limit), AfterValidator(harmless_text)
    ]


def _within_a_century(day: date) -> date:
    """Refuse days that nobody means, as of a year with a digit too few."""
    limit = timedelta(days=_YEARS_AROUND * 366)
    if not date.today() - limit <= day <= date.today() + limit:  # noqa: DTZ011  # a hundred years: the zone does not matter
        raise PydanticCustomError("day_too_far", "day too far")
    return day


def _date(_model: str, _field: FieldSpec) -> Any:
    return Annotated[Day, AfterValidator(_within_a_century)]


def _time(_model: str, _field: FieldSpec) -> Any:
    return Annotated[str, StringConstraints(pattern=_TIME)]


def _number_of(kind: type[int] | type[float], least: float, most: float) -> Callable[[str, FieldSpec], Any]:
    def annotation(_model: str, field: FieldSpec) -> Any:
        low = least if field.min is None else field.min
        high = most if field.max is None else field.max
        return Annotated[
            kind,
            Field(ge=kind(low), le=kind(high), allow_inf_nan=False)
            if kind is float
            else Field(ge=int(low), le=int(high)),
            JsonNumber,
        ]

    return annotation


def _choice(_model: str, field: FieldSpec) -> Any:
    return Literal[tuple(field.choices)]


def _flag(_model: str, _field: FieldSpec) -> Any:
    return Annotated[bool, Field(strict=True)]


def _rows(model: str, field: FieldSpec) -> Any:
    row = fields_model(f"{model}_{field.name}", field.columns)
    return Annotated[list[row], Field(min_length=int(field.min or 0), max_length=int(field.max or _MOST_ROWS))]  # type: ignore[valid-type]


_ANNOTATIONS: Mapping[FieldType, Callable[[str, FieldSpec], Any]] = MappingProxyType(
    {
        FieldType.TEXT: _text,
        FieldType.LONG_TEXT: _long_text,
        FieldType.DATE: _date,
        FieldType.TIME: _time,
        FieldType.WON: _number_of(int, 0, MAX_WON),
        FieldType.INTEGER: _number_of(int, 0, 1_000_000),
        FieldType.HOURS: _number_of(float, 0, 168),
        FieldType.PERCENT: _number_of(float, 0, 100),
        FieldType.CHOICE: _choice,
        FieldType.FLAG: _flag,
        FieldType.ROWS: _rows,
    }
)
