"""From a template and values to a `PaperDocument`: texts are filled in, conditions decide, articles are numbered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from jinja2 import StrictUndefined
from jinja2 import Template as JinjaTemplate
from jinja2.environment import TemplateExpression
from jinja2.sandbox import ImmutableSandboxedEnvironment

from utils.paperwork.layout import (
    Block,
    Heading,
    ItemList,
    PageBreak,
    PaperDocument,
    Paragraph,
    Signatory,
    Signatures,
    Table,
)
from utils.paperwork.templates.template import BlockSpec, PartySpec, TableSpec, Template

Context = Mapping[str, Any]

_FINALS, _RIEUL = 28, 8  # syllables of Unicode by their last consonant, ㄹ the eighth
_LONGEST_STEM = 80
_REFUSED_IN_NAMES = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]+')
_ONLY_BLANK = re.compile(r"[_\s년월일시분원]*")
_DRAFTED = "[초안] 다음 항목은 모델이 쓴 초안입니다. 사실과 숫자를 확인하고 고쳐서 쓰십시오: {labels}"


class _Environment(ImmutableSandboxedEnvironment):
    """Plain text: what a file format needs escaped, its writer escapes. Unknown names are errors, never empty."""

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, autoescape=False)
        self.filters["josa"] = with_particle
        self.globals.clear()  # no range and no lipsum: a template repeats by rows alone


def with_particle(value: object, pair: str) -> str:
    """Return a value with the particle that its last syllable takes, of a pair as in 을/를, 은/는, 이/가, 과/와, 으로/로.

    Behind a blank, a digit or a letter of another script both are written: 을(를).
    """
    text = str(value)
    closed, opened = pair.split("/")
    last = text.rstrip(")]」』'\"").removesuffix(" ")[-1:]
    if not "가" <= last <= "힣":
        return text + (f"({closed[0]}){opened}" if closed.endswith(opened) else f"{closed}({opened})")
    final = (ord(last) - ord("가")) % _FINALS
    takes_opened = final == 0 or (closed == "으로" and final == _RIEUL)
    return text + (opened if takes_opened else closed)


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """Return the environment of all templates."""
    return _Environment()


@cache
def _text(source: str) -> JinjaTemplate:
    return environment().from_string(source)


@cache
def _condition(source: str) -> TemplateExpression:
    return environment().compile_expression(source, undefined_to_none=False)


def written(template: Template, values: Context, drafted: tuple[str, ...] = ()) -> PaperDocument:
    """Return the document of a template with its values; ``drafted`` names the fields whose text a model wrote.

    Raises:
        jinja2.TemplateError: a text or a condition names what is not there; `utils.paperwork.templates.checker` finds that before.
    """
    labels = [field.label for field in template.fields if field.name in drafted]
    note = [Paragraph(_DRAFTED.format(labels=", ".join(labels)), is_note=True)] if labels else []
    return PaperDocument(
        title=filled(template.title, values),
        blocks=(*note, *_blocks(template, values)),
        file_stem=_stem(filled(template.file_stem, values)),
        is_draft=bool(labels),
    )


def filled(source: str, values: Context) -> str:
    """Return a text with its placeholders filled in."""
    return _text(source).render(values).strip("\n")


def holds(condition: str, values: Context) -> bool:
    """Return whether a condition of a template holds; none always does."""
    return not condition or bool(_condition(condition)(**values))


def _stem(name: str) -> str:
    cleaned = " ".join(_REFUSED_IN_NAMES.sub(" ", name.replace("_" * 4, "")).split())
    return cleaned.strip(" ._")[:_LONGEST_STEM].strip(" ._") or "문서"


def _blocks(template: Template, values: Context) -> Iterator[Block]:
    articles = 0
    for block in template.blocks:
        for context in _contexts(block.each, values):
            if not holds(block.when, context):
                continue
            if block.article:
                articles += 1
                yield Heading(f"제{articles}조 ({filled(block.article, context)})")
            else:
                yield _block(block, context)


def _contexts(each: str, values: Context) -> Iterator[Context]:
    if not each:
        yield values
        return
    for number, row in enumerate(values[each], start=1):
        yield {**values, "row": row, "number": number}


def _block(block: BlockSpec, values: Context) -> Block:
    if block.heading:
        return Heading(filled(block.heading, values), 2 if block.level == 2 else 1)
    if block.items:
        items = (filled(item, values) for item in block.items)
        return ItemList(tuple(item for item in items if item.strip()), block.numbered)
    if block.table is not None:
        return _table(block.table, values)
    if block.signatures is not None:
        parties = (
            _signatory(party, context)
            for party in block.signatures.parties
            for context in _contexts(party.each, values)
            if holds(party.when, context)
        )
        return Signatures(filled(block.signatures.date, values), tuple(parties))
    if block.page_break:
        return PageBreak()
    return Paragraph(filled(block.text, values), block.align, block.bold, block.note)


def _signatory(party: PartySpec, values: Context) -> Signatory:
    lines = ((filled(label, values), filled(text, values)) for label, text in party.lines)
    return Signatory(
        filled(party.role, values),
        tuple((label, "" if _ONLY_BLANK.fullmatch(text) else text) for label, text in lines),
    )


def _table(table: TableSpec, values: Context) -> Table:
    rows = [tuple(filled(cell, values) for cell in row) for row in table.rows]
    if table.each:
        repeated = [tuple(filled(cell, context) for cell in table.row) for context in _contexts(table.each, values)]
        rows = [*repeated, *rows]
    header = [tuple(filled(cell, values) for cell in table.header)] if table.header else []
    return Table(
        rows=(*header, *rows),
        caption=filled(table.caption, values),
        header_rows=len(header),
        has_header_column=table.has_header_column,
        widths=table.widths,
    )
