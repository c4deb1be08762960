"""Pictures of the samples of all documents, as their PDF looks."""

from __future__ import annotations

import argparse
import json
from datetime import date
from pathlib import Path

from utils.config.settings import PROJECT_ROOT
from utils.paperwork.preparation.preparation import prepared, validated_fields
from utils.paperwork.rendering.pdf_writer import pictures
from utils.paperwork.rendering.writable import writable

SAMPLES = PROJECT_ROOT / "data" / "paperwork" / "samples"
_TODAY = date(2026, 11, 23)  # of every sample, so that the pictures change with the documents alone
_PIXELS_PER_INCH = 45.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the pictures go."""
    parser.add_argument("--output", type=Path, default=PROJECT_ROOT / "docs" / "images" / "documents")


def run(arguments: argparse.Namespace) -> int:
    """Write one picture a page, named after the sample and the page."""
    arguments.output.mkdir(parents=True, exist_ok=True)
    for sample in sorted(SAMPLES.glob("*.json")):
        fields = json.loads(sample.read_text(encoding="utf-8"))
        document = prepared(sample.stem, validated_fields(sample.stem, fields), _TODAY).document
        pages = pictures(writable(document), _PIXELS_PER_INCH)
        for number, page in enumerate(pages, 1):
            (arguments.output / f"{sample.stem}-{number}.png").write_bytes(page)
        print(f"{sample.stem}: {len(pages)} pages")
    return 0
