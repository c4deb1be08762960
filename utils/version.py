"""The version of the running service."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import metadata

from utils.config.settings import PROJECT_ROOT

DISTRIBUTION = "bizi-rag"


@cache
def service_version() -> str:
    """The installed distribution's version, or that of the checkout it runs from."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        return str(project["project"]["version"])
