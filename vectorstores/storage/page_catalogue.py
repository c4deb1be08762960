"""Which pages a collection holds and which chunks make up each: what a page search widens over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from schemas.chat import Scalar

PageKey = tuple[str, int]
"""SHA-256 of the file, and the page from 1."""


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page: its chunks in order, and the metadata of its file."""

    ordinals: tuple[int, ...]
    metadata: Mapping[str, Scalar]

    @property
    def file_name(self) -> str:
        return str(self.metadata.get("file_name", ""))

    @property
    def label(self) -> str:
        return str(self.metadata.get("page_label", ""))

    def matches(self, wanted: Mapping[str, Scalar]) -> bool:
        """Return True if the metadata has every wanted value."""
        return all(self.metadata.get(key) == value for key, value in wanted.items())


class PageCatalogue:
    """The pages of one collection, by file and number."""

    def __init__(self, pages: Mapping[PageKey, PageEntry]) -> None:
        self._pages = pages

    @classmethod
    def of(cls, chunks: Iterable[tuple[int, Mapping[str, Scalar]]]) -> Self:
        """From ``(ordinal, metadata)`` of chunks in order; what has no page is left out."""
        grouped: dict[PageKey, tuple[list[int], Mapping[str, Scalar]]] = {}
        for ordinal, metadata in chunks:
            file_hash, page = metadata.get("file_hash"), metadata.get("page")
            if isinstance(file_hash, str) and isinstance(page, int):
                grouped.setdefault((file_hash, page), ([], metadata))[0].append(ordinal)
        return cls({key: PageEntry(tuple(ordinals), metadata) for key, (ordinals, metadata) in grouped.items()})

    def __len__(self) -> int:
        return len(self._pages)

    def get(self, key: PageKey) -> PageEntry | None:
        return self._pages.get(key)

    def ordinals(self, wanted: Mapping[str, Scalar]) -> tuple[int, ...]:
        """The chunks of all pages whose metadata hold every value wanted, rising."""
        return tuple(sorted(ordinal for entry in self._matching(wanted) for ordinal in entry.ordinals))

    def _matching(self, wanted: Mapping[str, Scalar]) -> Iterator[PageEntry]:
        return (entry for entry in self._pages.values() if entry.matches(wanted))
