"""The check of templates: what a lawyer's edit may have broken is told with file, place and reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from jinja2 import TemplateError as JinjaError
from jinja2 import meta, nodes

from utils.paperwork.templates.statutory import StatutoryItem, items_of
from utils.paperwork.templates.template import (
    TEMPLATES_DIR,
    BlockSpec,
    PartySpec,
    TableSpec,
    Template,
    TemplateError,
    read_template,
)
from utils.paperwork.templates.values import blank_values, printed_values
from utils.paperwork.templates.writing import environment, holds

_OF_ROWS = frozenset({"row", "number"})


def template_problems(directory: Path = TEMPLATES_DIR) -> list[str]:
    """Return what is wrong with the templates of a folder, a sentence each; empty when all is well."""
    paths = sorted(directory.glob("*.toml"))
    if not paths:
        return [f"{directory}: 틀이 없습니다(*.toml)."]
    problems: list[str] = []
    for path in paths:
        try:
            problems += problems_of(read_template(path))
        except TemplateError as error:
            problems.append(str(error))
    return problems


def problems_of(template: Template) -> list[str]:
    """Return unreadable texts and conditions, unknown names, unused fields, and statutory items that the text does not hold."""
    problems = list(_text_problems(template))
    if problems:  # what cannot be read cannot be searched
        return problems
    return [*_unused(template), *_lost_items(template)]


def _text_problems(template: Template) -> Iterator[str]:
    known = {field.name for field in template.fields} | set(template.computed)
    rows = {field.name: {column.name for column in field.columns} for field in template.fields if field.columns}
    for name, text in (("title", template.title), ("file_stem", template.file_stem)):
        yield from _unreadable(template, name, text, known, None)
    for number, block in enumerate(template.blocks, start=1):
        for place, text, each, is_condition in _texts(block):
            if each and each not in rows and each not in template.computed:
                yield f"{template.key}.toml: blocks[{number}]: each: 목록인 칸 {each!r}이(가) 없습니다."
                continue
            columns = rows.get(each) if each else None
            names = known | (_OF_ROWS if each else frozenset())
            where = f"blocks[{number}].{place}"
            yield from _unreadable(template, where, text, names, columns, is_condition=is_condition)


def _texts(block: BlockSpec) -> Iterator[tuple[str, str, str, bool]]:
    """Yield place, text, the rows it repeats over, and whether it is a condition."""
    for place, text in (("article", block.article), ("heading", block.heading), ("text", block.text)):
        if text:
            yield place, text, block.each, False
    if block.when:
        yield "when", block.when, block.each, True
    for item in block.items:
        yield "items", item, block.each, False
    if block.table is not None:
        yield from _table_texts(block.table, block.each)
    if block.signatures is not None:
        yield "signatures.date", block.signatures.date, block.each, False
        for party in block.signatures.parties:
            yield from _party_texts(party)


def _table_texts(table: TableSpec, each: str) -> Iterator[tuple[str, str, str, bool]]:
    for text in (table.caption, *table.header, *(cell for row in table.rows for cell in row)):
        yield "table", text, each, False
    for text in table.row:
        yield "table.row", text, table.each or each, False


def _party_texts(party: PartySpec) -> Iterator[tuple[str, str, str, bool]]:
    for text in (party.role, *(part for line in party.lines for part in line)):
        yield "signatures.parties", text, party.each, False
    if party.when:
        yield "signatures.parties.when", party.when, party.each, True


def _unreadable(
    template: Template, place: str, text: str, known: set[str], columns: set[str] | None, *, is_condition: bool = False
) -> Iterator[str]:
    """Yield the fault of a text or a condition: it cannot be parsed, or names what there is not."""
    where = f"{template.key}.toml: {place}"
    try:
        tree = environment().parse(f"{{% if {text} %}}{{% endif %}}" if is_condition else text)
        environment().compile(tree)
    except JinjaError as error:
        kind = "조건" if is_condition else "글"
        yield f"{where}: {kind}을(를) 읽을 수 없습니다({error.message}): {text!r}"
        return
    for name in sorted(meta.find_undeclared_variables(tree) - known):
        yield f"{where}: {name!r}이라는 칸이 없습니다: {text!r}"
    if columns is not None:
        yield from (
            f"{where}: 목록에 {name!r}이라는 칸이 없습니다: {text!r}"
            for name in sorted(_row_names(text, is_condition) - columns)
        )


def _row_names(text: str, is_condition: bool) -> set[str]:
    tree = environment().parse(f"{{% if {text} %}}{{% endif %}}" if is_condition else text)
    return {
        node.attr
        for node in tree.find_all(nodes.Getattr)
        if isinstance(node.node, nodes.Name) and node.node.name == "row"
    }


def _names_in(text: str) -> set[str]:
    return meta.find_undeclared_variables(environment().parse(text))


def _unused(template: Template) -> Iterator[str]:
    """Fields that are asked for and written nowhere; those that only conditions or rules read count as used where they have help."""
    used = _names_in(template.title) | _names_in(template.file_stem)
    for block in template.blocks:
        for _, text, each, is_condition in _texts(block):
            used |= _names_in(f"{{% if {text} %}}{{% endif %}}" if is_condition else text) | {each}
        if block.table is not None:
            used.add(block.table.each)
    for field in template.fields:
        if field.name not in used and not (field.help or field.article):
            yield f"{template.key}.toml: fields: {field.name!r} 칸이 문서 어디에도 쓰이지 않습니다."


def _lost_items(template: Template) -> Iterator[str]:
    """Statutory items whose fields or words a document of a variant would not hold, were nothing filled in."""
    for variant in template.variant_keys:
        values = blank_values(template.fields) | dict.fromkeys(template.computed, "")
        if template.variants:
            chosen = template.model.model_validate({**_required(template), template.variants: variant})
            values = printed_values(template.fields, chosen) | dict.fromkeys(template.computed, "")
        shown, texts = _shown(template, values)
        for item in items_of(template.key, variant):
            yield from _lost(template, variant, item, shown, texts)


def _required(template: Template) -> dict[str, object]:
    """Values for required fields other than the variant: whichever, for no condition may hide a statutory item."""
    return {field.name: 1 for field in template.fields if field.required and field.name != template.variants}


def _shown(template: Template, values: dict[str, object]) -> tuple[set[str], str]:
    """Names printed and words written by the blocks whose condition holds for these values."""
    names: set[str] = set()
    words: list[str] = []
    for block in template.blocks:
        if (
            not block.each
            and not holds(block.when, values)
            and not set(_names_in(f"{{{{ {block.when} }}}}")) & set(template.computed)
        ):
            continue
        for _, text, each, is_condition in _texts(block):
            if not is_condition:
                names |= _names_in(text) | {each}
                words.append(text)
        if block.table is not None:
            names.add(block.table.each)
    return names, "\n".join(words)


def _lost(template: Template, variant: str, item: StatutoryItem, shown: set[str], texts: str) -> Iterator[str]:
    of = f" ({variant})" if variant else ""
    is_computed = bool(item.shown) and set(item.shown) <= shown  # a sum prints what it is made of
    for name in item.names:
        if template.field(name) is None and name not in template.computed:
            yield f"{template.key}.toml: {item.article}이(가) 정한 '{item.label}'의 칸 {name!r}이(가) 없습니다."
        elif name not in shown and not is_computed and not set(item.any_of) & shown:
            yield f"{template.key}.toml{of}: {item.article}이(가) 정한 '{item.label}'({name})이(가) 문서에 나오지 않습니다."
    if item.text and item.text not in texts:
        yield f"{template.key}.toml{of}: {item.article}이(가) 정한 '{item.label}'의 글({item.text!r})이 문서에 없습니다."
