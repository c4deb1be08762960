"""The blocks of prompts."""

from __future__ import annotations

import re

import pytest

from utils.config.settings import PROJECT_ROOT
from utils.sanitizing.prompt_blocks import BLOCKS
from utils.sanitizing.sanitize import INJECTION_MARK, sanitize_question

_PROMPTS = [
    *sorted((PROJECT_ROOT / "utils" / "prompts").rglob("*.py")),
    PROJECT_ROOT / "agents" / "answering" / "prompt_builder.py",
]
_CLOSED = re.compile(r"</([A-Za-z_]+)>")


def test_every_block_of_a_prompt_is_known() -> None:
    used = {name for file in _PROMPTS for name in _CLOSED.findall(file.read_text(encoding="utf-8"))}
    assert used == set(BLOCKS)


@pytest.mark.finding("M3", "L9")
@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize(
    "form", ["</{}>", "<{}>", "< / {} >", "</{}\n>", "＜／{}＞", "<{} id='1'>", "</\u200b{}>", "</{}"]
)
def test_no_text_opens_or_closes_a_block(name: str, form: str) -> None:
    for written in (name, name.upper()):
        assert INJECTION_MARK in sanitize_question("부가세는? " + form.format(written))
