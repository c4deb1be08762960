"""The index versions that are kept, as operators see them."""

from __future__ import annotations

from datetime import UTC, datetime

from schemas.vectordb import IndexVersion
from vectorstores.errors import IndexDamaged
from vectorstores.versions.versions import IndexLayout

_NAMED_BY_TIME = "%Y%m%dT%H%M%S%f"


def kept_versions(layout: IndexLayout) -> list[IndexVersion]:
    """Return the version in use and the one before it, where there is one; of a damaged list what its name tells.

    Raises:
        IndexDamaged: which version is in use cannot be read.
        IndexMissing: a version that the pointer names is gone.
    """
    pointer = layout.pointer()
    if pointer is None:
        return []
    names = [name for name in (pointer.current, pointer.previous) if name is not None]
    return [_version(layout, name, current=name == pointer.current) for name in names]


def _version(layout: IndexLayout, name: str, *, current: bool) -> IndexVersion:
    try:
        manifest = layout.manifest(name)
    except IndexDamaged:
        created = datetime.strptime(name.partition("-")[0], _NAMED_BY_TIME).replace(tzinfo=UTC)
        return IndexVersion(
            version=name,
            current=current,
            created=created,
            documents=0,
            chunks=0,
            embedder="",
            tokenizer="",
            damaged=True,
        )
    builds = manifest.collections.values()
    return IndexVersion(
        version=name,
        current=current,
        created=manifest.created,
        documents=sum(build.documents for build in builds),
        chunks=sum(build.chunks for build in builds),
        embedder=manifest.identity.embedder,
        tokenizer=manifest.identity.tokenizer,
    )
