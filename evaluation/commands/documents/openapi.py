"""The OpenAPI document of the service, as the documentation shows it and as the clients are made from it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from main import create_app
from utils.config.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the document goes."""
    parser.add_argument("output", type=Path)


def run(arguments: argparse.Namespace) -> int:
    """Write the document, unless it stands there already: what is made from it need not be made anew then."""
    output: Path = arguments.output
    text = json.dumps(openapi_document(), ensure_ascii=False, indent=1)
    if not output.is_file() or output.read_text(encoding="utf-8") != text:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
        print(f"wrote {output}")
    return 0


def openapi_document() -> dict[str, object]:
    """Return the document without the domains of a running service, of which there may be others tomorrow."""
    return create_app(Settings(_env_file=None)).openapi()
