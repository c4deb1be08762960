"""The paths that need no key, and those that are not limited."""

from __future__ import annotations

from routes.metrics import METRICS_PATH
from routes.page.assets import Assets
from routes.page.docs import DOCS_PATHS, OPENAPI_PATH
from utils.config.settings import Settings

OPEN_PATHS = ("/health/live", "/health/ready", OPENAPI_PATH, *DOCS_PATHS)
"""The paths that are open whatever is set."""


def open_paths(settings: Settings) -> tuple[str, ...]:
    """The paths that need no key: those above, the pages with their files, and the metrics where they are open."""
    pages = Assets.load().paths if settings.enable_page else ()
    return (*OPEN_PATHS, *pages, *([METRICS_PATH] if settings.metrics_open else []))


def unlimited_paths(settings: Settings) -> tuple[str, ...]:
    """The paths that cost nothing and are answered however often they are asked for."""
    return (*open_paths(settings), "/health", METRICS_PATH)
