"""The files of the pages: read once, each under an address that changes with any of them, so that a browser keeps them."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

STATIC = Path(__file__).parent / "static"
_MEDIA_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
_DIGEST = 12
_PLACE, _PRELOAD = "{assets}", "{preload}"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent: plain, or compressed for those who accept it."""

    content: bytes
    compressed: bytes
    media_type: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> Asset:
        return cls(content, gzip.compress(content, mtime=0), media_type)


@dataclass(frozen=True, slots=True)
class Assets:
    """The pages by their path, and their files by path below the service: ``/page/<digest>/<path>``."""

    pages: dict[str, Asset]
    files: dict[str, Asset]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of everything, none of which needs a key: it is the same for everybody."""
        return (*self.pages, *self.files)

    @classmethod
    @cache
    def load(cls) -> Assets:
        """Read the files once and write their addresses into the pages. Raises `OSError`."""
        names = sorted(
            file.relative_to(STATIC).as_posix()
            for file in STATIC.rglob("*")
            if file.suffix in _MEDIA_TYPES and file.is_file()
        )
        contents = {name: (STATIC / name).read_bytes() for name in names}
        digest = sha256(b"".join(name.encode() + content for name, content in contents.items())).hexdigest()[:_DIGEST]
        place = f"page/{digest}"
        files = {f"/{place}/{name}": Asset.of(content, _media_type(name)) for name, content in contents.items()}
        pages = {
            "/": _page("index.html", place, _modules(names, "chat")),
            "/ops": _page("ops.html", place, _modules(names, "ops")),
        }
        return cls(pages, files)


def _media_type(name: str) -> str:
    return _MEDIA_TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"


def _modules(names: list[str], own: str) -> list[str]:
    """The modules that a page needs: without naming them it would find them one behind the other."""
    return [name for name in names if name.endswith(".js") and name.split("/")[0] in (own, "shared", "vendor")]


def _page(name: str, place: str, modules: list[str]) -> Asset:
    preload = "\n".join(f'<link rel="modulepreload" href="{place}/{module}">' for module in modules)
    text = (STATIC / name).read_text(encoding="utf-8").replace(_PRELOAD, preload).replace(_PLACE, place)
    return Asset.of(text.encode(), "text/html; charset=utf-8")
