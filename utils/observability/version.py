"""The version of the running service."""

from __future__ import annotations

import tomllib
from functools import cache

from utils.config.settings import PROJECT_ROOT


@cache
def service_version() -> str:
    """Return the version that ``pyproject.toml`` gives the checkout."""
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["project"]["version"])
