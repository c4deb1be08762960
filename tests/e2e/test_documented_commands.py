"""Every shell command of the documentation does what the page that has it says, or it is said why it is not typed here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

import pytest

from tests.support.documented_commands import (
    OTHER_LANGUAGES,
    PAGES,
    SHELL,
    UNTYPED,
    Command,
    Untyped,
    commands_of,
    fence_languages,
    untyped,
)
from tests.support.reader import Reader
from utils.config.settings import PROJECT_ROOT, Settings

COMMANDS = [command for page in PAGES for command in commands_of(page)]
TYPED = [command for command in COMMANDS if untyped(command) is None]
SECTIONS = [
    pytest.param(list(commands), id=f"{page}: {section}" if section else page)
    for (page, section), commands in groupby(TYPED, lambda command: (command.page, command.section))
]


def test_every_block_tells_its_language_so_that_no_command_is_overlooked() -> None:
    told = {language for page in PAGES for language in fence_languages(page)}
    assert told <= SHELL | OTHER_LANGUAGES


@pytest.mark.parametrize("left_out", UNTYPED, ids=lambda left_out: left_out.pattern)
def test_what_is_not_typed_is_a_command_that_is_there_and_names_a_test_that_is(left_out: Untyped) -> None:
    assert any(re.fullmatch(left_out.pattern, command.name) for command in COMMANDS)
    if left_out.instead:
        file, _, function = left_out.instead.partition("::")
        assert f"def {function}(" in (PROJECT_ROOT / file).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def reader(starter_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    reader = Reader(tmp_path_factory.mktemp("reader") / "bizi", starter_settings.data_dir)
    try:
        for text in ("python -m vectorstores notices import 공고.jsonl", "make serve"):
            reader.type(Command("README.md", "", 0, text))
        yield reader
    finally:
        reader.stop()


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.timeout(900)
@pytest.mark.parametrize("commands", SECTIONS)
def test_what_a_page_tells_to_type_works(reader: Reader, commands: list[Command]) -> None:
    for command in commands:
        reader.type(command)
