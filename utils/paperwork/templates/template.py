"""Templates as files that a lawyer can edit: ``data/paperwork/<key>.toml``.

A template names its fields and its blocks. Texts of blocks hold ``{{ field }}``; ``when`` is a condition on fields and ``each``
the name of a field of rows, for each of which the block is written (as ``row``, counted by ``number``). Texts and conditions are
Jinja expressions in its sandbox, so they read values and can do nothing else.
"""

from __future__ import annotations

import tomllib
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from utils.config.settings import PROJECT_ROOT
from utils.paperwork.layout import Alignment
from utils.paperwork.templates.field_types import NAME_PATTERN, FieldsModel, FieldSpec, FieldType, Frozen, fields_model

TEMPLATES_DIR = PROJECT_ROOT / "data" / "paperwork"
_LONGEST_TEXT = 8_000

Text = Annotated[str, Field(max_length=_LONGEST_TEXT)]


class TemplateError(ValueError):
    """A template that cannot be used; the message names the file and the place in it."""


class TableSpec(Frozen):
    """A table: fixed ``rows``, or a ``row`` for each entry of the rows field ``each``; ``header`` names the columns."""

    caption: Text
    header: tuple[Text, ...] = ()
    rows: tuple[tuple[Text, ...], ...] = ()
    each: str = ""
    row: tuple[Text, ...] = ()
    has_header_column: bool = False
    widths: tuple[float, ...] = ()


class PartySpec(Frozen):
    """A place to sign: the role, and lines of a label and a text."""

    role: Text
    lines: tuple[tuple[Text, Text], ...]
    when: Text = ""
    each: str = ""


class SignaturesSpec(Frozen):
    """The date and the parties that sign."""

    date: Text
    parties: tuple[PartySpec, ...] = Field(min_length=1)


class BlockSpec(Frozen):
    """A block: of article, heading, text, items, table, signatures and page_break it has just a single kind.

    An ``article`` is a heading that gets its number (제1조, 제2조 …) when the document is written, so that leaving an article out
    leaves no gap. ``draft_of`` names the field that a model may draft: the block is marked where it did.
    """

    article: Text = ""
    heading: Text = ""
    level: int = Field(1, ge=1, le=2)
    text: Text = ""
    align: Alignment = "left"
    bold: bool = False
    note: bool = False
    items: tuple[Text, ...] = ()
    numbered: bool = False
    table: TableSpec | None = None
    signatures: SignaturesSpec | None = None
    page_break: bool = False
    when: Text = ""
    each: str = ""

    @model_validator(mode="after")
    def _check(self) -> Self:
        kinds = (self.article, self.heading, self.text, self.items, self.table, self.signatures, self.page_break)
        if sum(map(bool, kinds)) != 1:
            raise ValueError("a block has one of: article, heading, text, items, table, signatures, page_break")
        return self


class Template(Frozen):
    """A type of document: what it is, what it asks for, and what it says.

    ``variants`` names the choice on which the statutory items depend (the kinds of an employment contract); ``laws`` are the
    articles it rests on; ``computed`` are names that a computation adds to the fields.
    """

    key: str = Field(pattern=NAME_PATTERN)
    label: str = Field(min_length=1, max_length=60)
    description: str = Field(min_length=1, max_length=500)
    title: Text = Field(min_length=1)
    file_stem: Text = Field(min_length=1)
    laws: tuple[str, ...] = Field(min_length=1)
    guidance: tuple[str, ...] = ()
    variants: str = ""
    computed: tuple[str, ...] = ()
    fields: tuple[FieldSpec, ...] = Field(min_length=1)
    blocks: tuple[BlockSpec, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        names = [field.name for field in self.fields]
        repeated = {name for name in names if names.count(name) > 1}
        if repeated:
            raise ValueError(f"fields: found twice: {', '.join(sorted(repeated))}")
        if self.variants and self.field(self.variants) is None:
            raise ValueError(f"variants: no field {self.variants!r}")
        return self

    def field(self, name: str) -> FieldSpec | None:
        """Return the field of that name, None where there is none."""
        return next((field for field in self.fields if field.name == name), None)

    @cached_property
    def model(self) -> type[FieldsModel]:
        """The model that validates what a client sends."""
        return fields_model(self.key, self.fields)

    @property
    def drafted_fields(self) -> tuple[FieldSpec, ...]:
        """The fields that a model may draft."""
        return tuple(field for field in self.fields if field.draft)

    @property
    def variant_keys(self) -> tuple[str, ...]:
        """The keys of the variants; a single empty one where there are none."""
        found = self.field(self.variants) if self.variants else None
        return tuple(found.choices) if found is not None and found.type is FieldType.CHOICE else ("",)


def read_template(path: Path) -> Template:
    """Read a template.

    Raises:
        TemplateError: the file cannot be read or says what no template says; the message names file and place.
    """
    try:
        template = Template.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TemplateError(f"{path.name}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise TemplateError(f"{path.name}: {place}: {first['msg']}") from error
    if template.key != path.stem:
        raise TemplateError(f"{path.name}: key: {template.key!r} is not the name of the file")
    return template


@cache
def shipped_templates() -> dict[str, Template]:
    """Return all templates by key, in the order of their labels.

    Raises:
        TemplateError: one of them cannot be used.
    """
    found = [read_template(path) for path in sorted(TEMPLATES_DIR.glob("*.toml"))]
    return {template.key: template for template in sorted(found, key=lambda template: template.label)}
