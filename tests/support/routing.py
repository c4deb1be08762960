"""Shared parts of the routing tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from utils.config.settings import PROJECT_ROOT

DOMAINS_DIR = PROJECT_ROOT / "data" / "domains"

STARTUP, TAX, LABOR, LAW = "startup_funding", "finance_tax", "hr_labor", "law_common"

_REQUIRED = """
key = "{key}"
label = "이름"
description = "설명"
collection = "{key}_db"
"""


@dataclass(frozen=True)
class Said:
    """A message of a conversation."""

    role: str
    content: str


def write_pack(directory: Path, key: str, more: str = "") -> Path:
    """A domain file with nothing in it but what is required, and ``more``."""
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / f"{key}.toml"
    file.write_text(_REQUIRED.format(key=key) + more, encoding="utf-8")
    return file
