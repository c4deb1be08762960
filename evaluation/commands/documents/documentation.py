"""The pages of the documentation: those of ``docs/``, the README, and the reference that is read off the code."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from evaluation.catalogue import COMMANDS
from evaluation.commands.documents.benchmark_plots import draw
from evaluation.commands.documents.openapi import openapi_document
from utils.config.settings import PROJECT_ROOT
from vectorstores.cli import build_parser

DOCS = PROJECT_ROOT / "docs"
_ABLATIONS = ("ablation.md", "ablation_features.md")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_DECISION = re.compile(r"^# (?P<number>\d+)\. (?P<title>.+)$", re.MULTILINE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the pages go."""
    parser.add_argument("--output", type=Path, default=PROJECT_ROOT / "build" / "docs" / "pages")


def run(arguments: argparse.Namespace) -> int:
    """Write all pages anew; what is in the folder goes."""
    output: Path = arguments.output
    shutil.rmtree(output, ignore_errors=True)
    shutil.copytree(DOCS, output)
    reference = output / "reference"
    reference.mkdir()
    for name in ("settings.md", "python.md"):
        shutil.move(output / name, reference / name)
    (output / "manual.md").write_text(_manual(), encoding="utf-8")
    (output / "decisions" / "index.md").write_text(_decisions(), encoding="utf-8")
    (reference / "commands.md").write_text(_commands(), encoding="utf-8")
    (reference / "http.md").write_text("[OAD(./openapi.json)]\n", encoding="utf-8")
    (reference / "openapi.json").write_text(json.dumps(openapi_document(), ensure_ascii=False), encoding="utf-8")
    for name in _ABLATIONS:
        shutil.copyfile(PROJECT_ROOT / "evaluation" / name, output / name)
    for page in output.rglob("*.md"):
        page.write_text(_with_moved_links(page.read_text(encoding="utf-8"), page.parent == reference), encoding="utf-8")
    draw(PROJECT_ROOT / "evaluation" / "baselines", output / "images" / "benchmark")
    print(f"{len(list(output.rglob('*.md')))} pages in {output}")
    return 0


def _with_moved_links(text: str, is_reference: bool) -> str:
    """``text`` with its links to what lies elsewhere on the site than in the tree."""
    text = text.replace("](../evaluation/ablation", "](ablation").replace("](decisions)", "](decisions/index.md)")
    if is_reference:
        return re.sub(r"\]\((?!\.\./|https?:|#)((?:decisions/)?[\w-]+\.md)", r"](../\1", text)
    return text.replace("](settings.md", "](reference/settings.md")


def _manual() -> str:
    text = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")
    return text.replace("# Bizi RAG", "# 안내서", 1).replace("[.env.example](.env.example)", "`.env.example`")


def _decisions() -> str:
    lines = ["# Decisions", ""]
    for page in sorted((DOCS / "decisions").glob("[0-9]*.md")):
        heading = _DECISION.search(page.read_text(encoding="utf-8"))
        lines.append(
            f"- [{heading['number']}. {heading['title']}]({page.name})" if heading else f"- [{page.stem}]({page.name})"
        )
    return "\n".join(lines) + "\n"


def _commands() -> str:
    """The commands of both programs with their options, as their parsers tell them."""
    parts = ["# Commands\n"]
    for program, commands in (("evaluation", _of_evaluation()), ("vectorstores", _of_vectorstores())):
        parts.append(f"## python -m {program}\n")
        parts += [f"### {name}\n\n```text\n{parser.format_help().rstrip()}\n```\n" for name, parser in commands]
    return "\n".join(parts)


def _of_evaluation() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for command in COMMANDS:
        parser = argparse.ArgumentParser(prog=f"python -m evaluation {command.name}", description=command.help)
        getattr(importlib.import_module(command.module), command.arguments)(parser)
        yield command.name, parser


def _of_vectorstores() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()
