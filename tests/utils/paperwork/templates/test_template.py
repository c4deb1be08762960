"""Templates as files: what they may say, and what is refused when they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from utils.paperwork.templates.template import TemplateError, read_template, shipped_templates

_HEAD = 'key = "letter"\nlabel = "편지"\ndescription = "편지"\ntitle = "편지"\nfile_stem = "편지"\nlaws = ["민법 제544조"]\n'
_FIELD = '[[fields]]\nname = "who"\nlabel = "받는 사람"\ntype = "text"\n'
_BLOCK = '[[blocks]]\ntext = "{{ who }}"\n'


def read(folder: Path, text: str) -> None:
    path = folder / "letter.toml"
    path.write_text(text, encoding="utf-8")
    read_template(path)


def test_a_small_template_is_read(tmp_path: Path) -> None:
    read(tmp_path, _HEAD + _FIELD + _BLOCK)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (_HEAD + _FIELD + _FIELD + _BLOCK, "found twice"),
        (_HEAD + _FIELD + '[[blocks]]\ntext = "가"\nheading = "나"\n', "a block has one of"),
        (_HEAD + _FIELD.replace('"text"', '"choice"') + _BLOCK, "has choices"),
        (_HEAD + _FIELD.replace('"text"', '"rows"') + _BLOCK, "have columns"),
        (_HEAD + _FIELD + 'default = "나"\n' + _BLOCK, "default"),
        (_HEAD + 'variants = "kind"\n' + _FIELD + _BLOCK, "no field 'kind'"),
        (_HEAD + _FIELD, "blocks"),
    ],
)
def test_what_no_template_says_is_refused_with_its_place(tmp_path: Path, text: str, place: str) -> None:
    with pytest.raises(TemplateError, match=place) as refused:
        read(tmp_path, text)
    assert str(refused.value).startswith("letter.toml")


def test_fields_have_labels_and_schemas_say_them() -> None:
    for template in shipped_templates().values():
        schema = template.model.model_json_schema()
        assert schema["additionalProperties"] is False
        assert {field.name for field in template.fields} == set(schema["properties"])
        assert all(any("가" <= letter <= "힣" for letter in entry["title"]) for entry in schema["properties"].values())
