"""Every route that the router knows, so that a test of all of them also covers those to come."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts


def operations(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Method and path of every operation of ``app``; parameters of the path are filled in."""
    for context in iter_route_contexts(app.routes):
        route = context.route
        methods, path = getattr(route, "methods", None), getattr(route, "path", "")
        assert methods, f"{route} takes no HTTP methods, so the middlewares do not see it"
        for method in sorted(methods):
            yield method, re.sub(r"\{[^}]*\}", "x", path)
