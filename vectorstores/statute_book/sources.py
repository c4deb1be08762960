"""Sources of statutes: where their Markdown comes from, behind one interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Protocol

from utils.knowledge.front_matter import split_front_matter
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadReport
from vectorstores.loaders.files import TextFile, read_text_files

SUFFIXES = (".md",)
ROOT = "kr"
"""The folder of a tree that holds the statutes: ``kr/<law>/<file>.md``."""
_HEAD_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Edition:
    """Which text of a statute a file holds, by its head. ``law_id`` stays from edition to edition, ``serial`` (MST) does not."""

    law_id: str
    serial: str
    promulgated: date
    effective: date


@dataclass(frozen=True, slots=True)
class Offer:
    """A statute that a source has: its place in a tree, its edition and how to read it.

    ``is_at_hand``: reading costs nothing, so that also a text corrected within an edition is noticed. ``read`` returns the
    Markdown; it raises `StatuteSourceError`.
    """

    path: PurePosixPath
    edition: Edition
    read: Callable[[], bytes] = field(compare=False)
    is_at_hand: bool = False


class StatuteSource(Protocol):
    """Offers statutes."""

    def offers(self, held: HeldTree) -> Iterator[Offer]:
        """Yield every statute of the source; ``held`` is what is there already. Raises `KnowledgeIndexError`."""
        ...


class HeldTree:
    """The tree on disk, and where each statute of it lies."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.editions: dict[PurePosixPath, Edition] = {}
        """By place in the tree, as found; those that a run brings in are not added."""
        for path in sorted((root / ROOT).glob("*/*.md")):
            edition = _edition_of_file(path)
            if edition is not None:
                self.editions[PurePosixPath(path.relative_to(root).as_posix())] = edition
        self._owners = {path: edition.law_id for path, edition in self.editions.items()}

    def place(self, folder: str, name: str, kind: str, law_id: str) -> PurePosixPath:
        """Return where a statute lies or is to lie: its place, or one named by its kind where another act has that place."""
        usual, by_kind = (PurePosixPath(ROOT, folder, f"{stem}.md") for stem in (name, f"{name}({kind})"))
        own = next((path for path in (usual, by_kind) if self._owners.get(path) == law_id), None)
        place = own or (by_kind if usual in self._owners else usual)
        self._owners[place] = law_id
        return place


class TreeSource:
    """A folder, clone or ``.tar.gz`` of a statute tree."""

    def __init__(self, path: Path, report: LoadReport) -> None:
        """Files that cannot be read go to ``report``. Raises `IngestError` where there is no such path."""
        if not path.exists():
            raise IngestError(f"경로가 없습니다: {path}")
        self._path = path
        self._report = report

    def offers(self, held: HeldTree) -> Iterator[Offer]:
        """Yield the statutes below the last folder ``kr`` of each path; other files are none."""
        found = False
        for file in read_text_files(self._path, SUFFIXES, self._report):
            edition = edition_of(file, LoadReport())
            place = _place(file.path, self._path)
            if edition is None or place is None:
                continue
            found = True
            yield Offer(place, edition, _kept(file.data), is_at_hand=True)
        if not found:
            raise IngestError(f"법령이 없습니다: {self._path} (kr/<법령>/<파일>.md의 폴더나 tar.gz)")


def _kept(data: bytes) -> Callable[[], bytes]:
    return lambda: data


def _place(path: str, root: Path) -> PurePosixPath | None:
    """Return ``kr/<law>/<file>.md`` of a file in a tree, or in the folder ``kr`` of one; None for any other."""
    parts = (*((ROOT,) if root.name == ROOT else ()), *PurePosixPath(path).parts)
    place = parts[-3:]
    is_safe = all(part not in ("", ".", "..") for part in place)
    return PurePosixPath(*place) if len(place) == 3 and place[0] == ROOT and is_safe else None


def edition_of(file: TextFile, report: LoadReport) -> Edition | None:
    """Return the edition that the head of a statute file names; None where it names none."""
    text = file.text(report)
    split = split_front_matter(f"{text}\n---\n") if text else None  # closed here where only the head was read
    if split is None or "법령구분" not in split[0]:
        return None
    fields = split[0]
    try:
        days = date.fromisoformat(fields["공포일자"]), date.fromisoformat(fields["시행일자"])
    except (KeyError, ValueError):
        return None
    return Edition(fields.get("법령ID", ""), fields.get("법령MST", ""), *days)


def _edition_of_file(path: Path) -> Edition | None:
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES).rpartition(b"\n")[0]  # whole lines
    return edition_of(TextFile(path.name, head), LoadReport())
