"""The commands ``backup`` and ``restore`` of ``python -m vectorstores``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from utils.config.settings import Settings
from vectorstores.backup.backup import FOLDER, back_up, new_backup_file, old_backups, restore

AddCommand = Callable[[str, Callable[[argparse.Namespace, Settings], int], str], argparse.ArgumentParser]
"""Adds a command by its name, what it does and a sentence about it."""


def add_commands(add: AddCommand) -> None:
    """Add both commands."""
    backup = add("backup", _backup, "자료 폴더 전체를 파일 하나로 백업합니다. 서비스가 실행 중이어도 됩니다")
    backup.add_argument("file", nargs="?", type=Path, metavar="FILE", help=f"백업 파일 (기본: DATA_DIR/{FOLDER})")
    backup.add_argument("--keep", type=count_of, metavar="N", help="그 폴더의 백업을 최근 N개만 남깁니다")
    back = add("restore", _restore, "백업을 자료 폴더에 복원합니다. 서비스는 멈춰야 합니다")
    back.add_argument("file", type=Path, metavar="FILE", help="백업 파일")
    back.add_argument("--replace", action="store_true", help="자료 폴더에 있는 것을 버리고 바꿉니다")


def _backup(options: argparse.Namespace, settings: Settings) -> int:
    target = options.file or new_backup_file(settings.data_dir)
    listed = back_up(settings.data_dir, target)
    size = sum(record.size for record in listed.files.values())
    print(
        f"백업했습니다: {target} (파일 {len(listed.files):,}개, {size / 1e6:,.1f} MB, 색인 {listed.index_version or '없음'})"
    )
    if options.keep is not None:
        for old in old_backups(target.parent, options.keep):
            old.unlink()
            print(f"오래된 백업을 지웠습니다: {old}")
    return 0


def _restore(options: argparse.Namespace, settings: Settings) -> int:
    listed = restore(options.file, settings.data_dir, replace=options.replace)
    print(
        f"복원했습니다: {listed.created:%Y-%m-%d %H:%M:%S} UTC의 백업, 파일 {len(listed.files):,}개, 색인 {listed.index_version or '없음'}"
    )
    print("확인하는 명령: python -m vectorstores verify")
    return 0


def count_of(text: str) -> int:
    """Read a number of at least one. Raises ArgumentTypeError, and ValueError for what is no number."""
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("1 이상이어야 합니다")
    return count
