"""The collections that the domain packs in force ask for, for whoever builds an index."""

from __future__ import annotations

from utils.config.settings import Settings
from utils.routing.domain_pack import DomainDataError
from utils.routing.domain_store import packs_in_force
from vectorstores.collections import Collections
from vectorstores.errors import IngestError


def collections_in_force(settings: Settings) -> Collections:
    """Read the domain data and return their collections. Raises `IngestError` when there are none that can be used."""
    try:
        return Collections(packs_in_force(settings))
    except DomainDataError as error:
        raise IngestError(f"분야 정보를 읽을 수 없습니다: {error}") from error


def default_domain(settings: Settings, known: Collections) -> str | None:
    """Return the domain of documents that do not say theirs; None where it has to be named. Raises as `Collections.find`."""
    return known.find(settings.default_collection).domain if settings.default_collection else None
