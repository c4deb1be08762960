"""Writes what is told of the settings from their classes: ``python -m utils.config.settings_table``.

That is ``docs/settings.md``, ``.env.example`` and the settings that ``docker-compose.yml`` passes on.

``--check`` writes nothing and fails when a file is not what the classes say.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from utils.config.secret_files import SUFFIX
from utils.config.settings import PROJECT_ROOT, Settings

TABLE_FILE = Path("docs/settings.md")
EXAMPLE_FILE = Path(".env.example")
COMPOSE_FILE = Path("docker-compose.yml")

SECRETS_FOLDER = "/run/secrets"
SET_BY_THE_IMAGE = frozenset({"HOST", "PORT", "DATA_DIR", "LOG_DIR"})
_BEGIN, _END = "  # begin of what `make settings-table` writes\n", "  # end of what `make settings-table` writes\n"

_HEAD = """\
# Settings

Every setting comes from the environment or from `.env` in the project folder; an empty value counts as not set.
A wrong value stops the start with a sentence that names the setting. `/health` shows what is in effect.
A secret can lie in a file instead: `OPENAI_API_KEY_FILE=/run/secrets/openai_api_key` stands for the content of that file.

Generated from `utils/config/settings.py` by `make settings-table`; a test fails when this file is stale.
"""


def setting_groups() -> list[type[BaseSettings]]:
    """The classes `Settings` is combined from, in its method resolution order."""
    return [cls for cls in Settings.__mro__ if issubclass(cls, BaseSettings) and cls not in (Settings, BaseSettings)]


def settings_table() -> str:
    """The Markdown document: a table of name, default and meaning for each group."""
    return "\n".join([_HEAD, *(_group_table(group) for group in setting_groups())])


def env_example() -> str:
    """All settings with their defaults, commented out."""
    lines = ["# Copy to .env and uncomment what should differ. docs/settings.md holds the same as a table."]
    for group in setting_groups():
        lines += ["", f"## {_summary(group)}"]
        for name, field in _fields(group):
            lines.append(f"# {field.description}")
            lines.append(f"# {name}={default_text(field)}")
            if not field.repr:
                lines.append(f"# {name}{SUFFIX}=")
    return "\n".join(lines) + "\n"


def compose_file(text: str) -> str:
    """``docker-compose.yml`` with every setting passed on; of a secret also the file that it may lie in.

    Raises:
        ValueError: ``text`` has no place for them.
    """
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"{COMPOSE_FILE}: the comments around the settings are missing")
    lines = []
    for group in setting_groups():
        for name, field in _fields(group):
            if name not in SET_BY_THE_IMAGE:
                lines.append(f"  {name}: ${{{name}:-}}\n")
            if not field.repr:
                lines.append(f"  {name}{SUFFIX}: ${{{name}{SUFFIX}:+{SECRETS_FOLDER}/{name.lower()}}}\n")
    return "".join([before, begin, *lines, end, after])


def default_text(field: FieldInfo) -> str:
    """A default as it would be written in the environment; empty when nothing is set."""
    value = field.get_default(call_default_factory=True)
    if value is None or value in ((), {}):
        return ""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Path):
        return value.relative_to(PROJECT_ROOT).as_posix() if value.is_relative_to(PROJECT_ROOT) else str(value)
    if isinstance(value, tuple):
        return ",".join(str(part) for part in value)
    return str(value)


def _group_table(group: type[BaseSettings]) -> str:
    rows = [
        f"| `{name}` | {f'`{default}`' if (default := default_text(field)) else '(empty)'} | {_cell(name, field)} |"
        for name, field in _fields(group)
    ]
    return "\n".join([f"## {_summary(group)}", "", "| setting | default | meaning |", "|---|---|---|", *rows, ""])


def _fields(group: type[BaseSettings]) -> Iterator[tuple[str, FieldInfo]]:
    return ((name.upper(), field) for name, field in group.model_fields.items())


def _cell(name: str, field: FieldInfo) -> str:
    of_file = "" if field.repr else f" Or `{name}{SUFFIX}`."
    return (field.description or "").replace("|", "\\|") + of_file


def _summary(group: type[BaseSettings]) -> str:
    return (inspect.getdoc(group) or group.__name__).splitlines()[0].rstrip(".")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m utils.config.settings_table", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is stale")
    check = parser.parse_args().check
    stale = []
    compose = compose_file((PROJECT_ROOT / COMPOSE_FILE).read_text(encoding="utf-8"))
    for file, text in ((TABLE_FILE, settings_table()), (EXAMPLE_FILE, env_example()), (COMPOSE_FILE, compose)):
        path = PROJECT_ROOT / file
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(str(file))
            if not check:
                path.write_text(text, encoding="utf-8")
                print(f"wrote {file}")
    if check and stale:
        print(f"stale: {', '.join(stale)}; run `make settings-table`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
