"""Bringing a statute tree up to date from a source: file by file, each whole or not at all.

The tree itself is the record of what was fetched: a run that stops, for whatever reason, is taken up by the next.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from vectorstores.build.progress import Progress
from vectorstores.errors import StatuteAnswerMalformed, StatuteSourceUnavailable
from vectorstores.loaders.base import LoadProblem, LoadReport
from vectorstores.statute_book.sources import ROOT, Edition, HeldTree, Offer, StatuteSource

_PART = ".part"
_FAILURES_IN_A_ROW = 5  # of statutes that cannot be read, after which the source is taken to be down


@dataclass(slots=True)
class FetchReport:
    """Outcome of a run. ``left`` are statutes beyond the limit, ``gone`` those held that the source does not have (any more).

    ``reading`` tells what of the source is unreadable, ``failed`` which statutes it could not give; what was held of them stays.
    """

    fetched: int = 0
    unchanged: int = 0
    left: int = 0
    removed: int = 0
    gone: list[PurePosixPath] = field(default_factory=list)
    reading: LoadReport = field(default_factory=LoadReport)
    failed: list[LoadProblem] = field(default_factory=list)

    @property
    def problems(self) -> list[LoadProblem]:
        return [*self.reading.problems, *self.failed]


def update_tree(
    source: StatuteSource,
    root: Path,
    report: FetchReport,
    progress: Progress,
    limit: int | None = None,
    prune: bool = False,
) -> None:
    """Bring in what ``source`` has in another edition than the tree below ``root``, ``limit`` statutes at most.

    An older edition never replaces a newer one. With ``prune`` statutes that the source does not have are removed, if all of it
    could be read. Raises `StatuteSourceError` when the source fails; what was fetched until then is kept and stands in ``report``.
    """
    _remove_parts(root)
    held = HeldTree(root)
    progress.start("법령 받기", None)
    offered: set[PurePosixPath] = set()
    failures = 0
    for offer in source.offers(held):
        offered.add(offer.path)
        progress.advance()
        if _is_known(held.editions.get(offer.path), offer):
            report.unchanged += 1
        elif limit is not None and report.fetched >= limit:
            report.left += 1
        else:
            failures = 0 if _bring(offer, root, report) else failures + 1
            if failures >= _FAILURES_IN_A_ROW:
                last = report.failed[-1].message
                raise StatuteSourceUnavailable(f"잇따라 {failures}건을 받지 못해 멈춥니다. 마지막: {last}")
    if report.reading.problems:
        return
    report.gone = sorted(held.editions.keys() - offered)
    if prune:
        for path in report.gone:
            (root / path).unlink(missing_ok=True)
        report.removed = len(report.gone)


def _is_known(held: Edition | None, offer: Offer) -> bool:
    """Return True where an offer need not be read: an older edition than is held, or by its serial the very same."""
    if held is None:
        return False
    offered = offer.edition
    if (offered.promulgated, offered.effective) < (held.promulgated, held.effective):
        return True
    return not offer.is_at_hand and bool(offered.serial) and offered.serial == held.serial


def _bring(offer: Offer, root: Path, report: FetchReport) -> bool:
    """Read a statute and put it in its place, if its text is another one; False where the source does not give it."""
    try:
        data = offer.read()
    except (StatuteAnswerMalformed, StatuteSourceUnavailable) as error:
        report.failed.append(LoadProblem(str(offer.path), str(error)))
        return False
    target = root / offer.path
    if target.is_file() and target.read_bytes() == data:
        report.unchanged += 1
        return True
    write_whole(target, data)
    report.fetched += 1
    return True


def write_whole(target: Path, data: bytes) -> None:
    """Write a file beside its place and move it there, so that nobody ever finds half of it. Raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.parent / f"{_PART}-{os.getpid()}"
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _remove_parts(root: Path) -> None:
    """Remove what a killed run has left."""
    for part in root.glob(f"{ROOT}/*/{_PART}-*"):
        part.unlink(missing_ok=True)
