"""The items that a statute demands of a document, kept apart from the templates: an edit cannot lose one unseen."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from utils.paperwork.templates.field_types import FieldsModel, Frozen
from utils.paperwork.templates.template import TEMPLATES_DIR, Template, TemplateError

ITEMS_FILE = TEMPLATES_DIR / "statutory" / "items.toml"


class StatutoryItem(Frozen):
    """An item: every one of ``fields`` (but ``may_be_empty``), or one of ``any_of``, has to be filled in.

    ``shown`` are computed names and ``text`` are words that the document has to hold too. With ``variants`` it is demanded of these
    kinds alone.
    """

    template: str
    label: str
    article: str = Field(min_length=1)
    fields: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    may_be_empty: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    text: str = ""
    variants: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not (self.fields or self.any_of or self.shown or self.text):
            raise ValueError("an item names fields, any_of, shown or text")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """All names that the text of the template has to print."""
        return (*self.fields, *self.any_of, *self.shown)


@dataclass(frozen=True, slots=True)
class MissingItem:
    """A demanded item that is still blank: the field, its label, the article."""

    path: str
    label: str
    article: str


class _Items(Frozen):
    items: tuple[StatutoryItem, ...]


@cache
def shipped_items(path: Path = ITEMS_FILE) -> tuple[StatutoryItem, ...]:
    """Return all items.

    Raises:
        TemplateError: the file cannot be used.
    """
    try:
        return _Items.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).items
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise TemplateError(f"{path.name}: {error}") from error


def items_of(key: str, variant: str = "") -> Iterator[StatutoryItem]:
    """Yield the items demanded of a type, or of a variant of it."""
    for item in shipped_items():
        if item.template == key and (not item.variants or variant in item.variants):
            yield item


def missing_items(template: Template, values: FieldsModel) -> tuple[MissingItem, ...]:
    """Return the demanded items that nothing was given for, in the order of the file."""
    variant = str(getattr(values, template.variants)) if template.variants else ""
    found: list[MissingItem] = []
    for item in items_of(template.key, variant):
        blank = [name for name in item.fields if name not in item.may_be_empty and _is_blank(values, name)]
        if item.any_of and all(_is_blank(values, name) for name in item.any_of):
            blank.append(item.any_of[0])
        found += [MissingItem(name, _label(template, name, item), item.article) for name in blank]
    return tuple({missing.path: missing for missing in reversed(found)}.values())[::-1]


def _label(template: Template, name: str, item: StatutoryItem) -> str:
    field = template.field(name)
    return field.label if field is not None else item.label


def _is_blank(values: FieldsModel, name: str) -> bool:
    value: Any = getattr(values, name)
    return value is None or value is False or (isinstance(value, Sequence) and not value)
