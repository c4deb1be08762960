"""``python -m evaluation <command>``: measure the service, and learn what it learns (docs/learned.md)."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from evaluation.catalogue import COMMANDS
from vectorstores.errors import KnowledgeIndexError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. A wrong input ends with a sentence on stderr and status 1, a wrong option with status 2."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(
        prog="python -m evaluation", description="Measure the service, and learn what it learns."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        sub_parser = commands.add_parser(command.name, help=command.help, description=command.help)
        if words[:1] == [command.name]:
            getattr(importlib.import_module(command.module), command.arguments)(sub_parser)
    arguments = parser.parse_args(words)
    chosen = next(command for command in COMMANDS if command.name == arguments.command)
    try:
        status: int = getattr(importlib.import_module(chosen.module), chosen.run)(arguments)
    except (ValueError, OSError, KnowledgeIndexError) as error:
        print(f"{chosen.name}: {error}", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
