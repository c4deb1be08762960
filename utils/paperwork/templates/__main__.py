"""``python -m utils.paperwork.templates``: check the templates after an edit, and write their reference into the docs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from utils.paperwork.templates.checker import template_problems
from utils.paperwork.templates.reference import write_reference
from utils.paperwork.templates.template import TEMPLATES_DIR


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 1 where templates have faults, else 0."""
    parser = argparse.ArgumentParser(prog="python -m utils.paperwork.templates", description="문서의 틀을 다룹니다.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="틀을 확인합니다(모르는 칸, 읽을 수 없는 조건, 빠진 법정 기재사항).")
    check.add_argument("folder", nargs="?", type=Path, default=TEMPLATES_DIR, help="틀이 있는 폴더")
    commands.add_parser("reference", help="docs/documents.md의 칸 목록을 새로 씁니다.")
    given = parser.parse_args(arguments)
    if given.command == "reference":
        write_reference()
        return 0
    problems = template_problems(given.folder)
    for problem in problems:
        print(problem)
    print(f"틀 {len(list(given.folder.glob('*.toml')))}개, 고칠 곳 {len(problems)}개")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
