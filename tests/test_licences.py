"""Everything that an installation brings along may be used commercially, and what asks for something in return is listed."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

import pytest

from utils.config.settings import PROJECT_ROOT

LISTS = ("base", "trace", "postgres", "redis", "neural", "web")
_PERMISSIVE = re.compile(
    r"\b(?:MIT|MIT-0|0BSD|BSD(?:-[23]-Clause)?|Apache(?: Software)?(?: License)?|ISC|PSF-2\.0|Python Software Foundation|Unlicense|"
    r"Zlib|CC0-1\.0|HPND|CNRI-Python|Dual License)\b|Apache-?2\.0",
    re.IGNORECASE,
)
_RECIPROCAL = re.compile(r"\b(?:LGPL|MPL|Mozilla Public License|EPL|CDDL)", re.IGNORECASE)
_FORBIDDEN = re.compile(
    r"(?<!L)(?<!Lesser )\b(?:A?GPL|SSPL|BUSL|BSL-1\.1|Elastic|Commons[- ]Clause|CC-BY-NC|PolyForm|proprietary|non-?commercial)",
    re.IGNORECASE,
)
RECIPROCAL = {"certifi", "orjson", "psycopg", "psycopg-binary", "psycopg-pool", "tqdm"}
"""LGPL and MPL: used as they come, as libraries of their own, which neither licence asks anything more for."""


@cache
def _packages() -> list[str]:
    texts = [(PROJECT_ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8") for name in LISTS]
    return sorted({name for text in texts for name in re.findall(r"^([a-z0-9.-]+)==", text, re.MULTILINE)})


def _licence(package: str) -> str | None:
    """The licence by the most exact of the places where a package may say it; None where it is not installed."""
    try:
        told = metadata(package)
    except PackageNotFoundError:
        return None
    if expression := told["License-Expression"]:
        return str(expression)
    classified = [
        text.rpartition(" :: ")[2] for text in told.get_all("Classifier") or () if text.startswith("License :: ")
    ]
    return "; ".join(classified) or (told["License"] or "").partition("\n")[0]


@pytest.mark.parametrize("package", _packages())
def test_commercial_use_is_allowed(package: str) -> None:
    licence = _licence(package)
    if licence is None:
        pytest.skip("not installed here")
    assert not _FORBIDDEN.search(licence), licence
    assert _PERMISSIVE.search(licence) or _RECIPROCAL.search(licence), f"{licence!r} is no licence that is known here"
    if _RECIPROCAL.search(licence):
        assert package in RECIPROCAL, licence


@pytest.mark.parametrize(
    "licence",
    ["GPL-3.0-only", "AGPL-3.0", "GNU Affero General Public License v3 or later (AGPLv3+)", "SSPL-1.0", "CC-BY-NC-4.0"],
)
def test_these_would_be_refused(licence: str) -> None:
    assert _FORBIDDEN.search(licence)


@pytest.mark.parametrize("licence", ["LGPL-3.0-only", "GNU Lesser General Public License v3 (LGPLv3)", "MIT"])
def test_these_would_not(licence: str) -> None:
    assert not _FORBIDDEN.search(licence)
