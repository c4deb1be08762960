"""``python -m utils.paperwork.templates check [FOLDER]``: check the templates after an edit."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from utils.paperwork.templates.checker import template_problems
from utils.paperwork.templates.template import TEMPLATES_DIR


def main(arguments: list[str] | None = None) -> int:
    """Print what is wrong with the templates; 1 where there is something, else 0."""
    parser = argparse.ArgumentParser(prog="python -m utils.paperwork.templates", description="문서의 틀을 확인합니다.")
    parser.add_argument("command", choices=["check"])
    parser.add_argument("folder", nargs="?", type=Path, default=TEMPLATES_DIR, help="틀이 있는 폴더")
    given = parser.parse_args(arguments)
    problems = template_problems(given.folder)
    for problem in problems:
        print(problem)
    print(f"틀 {len(list(given.folder.glob('*.toml')))}개, 고칠 곳 {len(problems)}개")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
