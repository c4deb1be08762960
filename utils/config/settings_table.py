"""Writes ``docs/settings.md`` and ``.env.example`` from the settings classes: ``python -m utils.config.settings_table``.

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

from utils.config.settings import PROJECT_ROOT, Settings

TABLE_FILE = Path("docs/settings.md")
EXAMPLE_FILE = Path(".env.example")

_HEAD = """\
# Settings

Every setting comes from the environment or from `.env` in the project folder; an empty value counts as not set.
A wrong value stops the start with a sentence that names the setting. `/health` shows what is in effect.

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
    return "\n".join(lines) + "\n"


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
        f"| `{name}` | {f'`{default}`' if (default := default_text(field)) else '(empty)'} | {_cell(field)} |"
        for name, field in _fields(group)
    ]
    return "\n".join([f"## {_summary(group)}", "", "| setting | default | meaning |", "|---|---|---|", *rows, ""])


def _fields(group: type[BaseSettings]) -> Iterator[tuple[str, FieldInfo]]:
    return ((name.upper(), field) for name, field in group.model_fields.items())


def _cell(field: FieldInfo) -> str:
    return (field.description or "").replace("|", "\\|")


def _summary(group: type[BaseSettings]) -> str:
    return (inspect.getdoc(group) or group.__name__).splitlines()[0].rstrip(".")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m utils.config.settings_table", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is stale")
    check = parser.parse_args().check
    stale = []
    for file, text in ((TABLE_FILE, settings_table()), (EXAMPLE_FILE, env_example())):
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
