"""Checking the files of a base of answer units, and with a statute book that the articles they cite exist."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from utils.knowledge.front_matter import split_front_matter
from utils.knowledge.references import StatuteReference, references_of
from utils.knowledge.unit_checks import BaseRegister, document_faults
from utils.knowledge.unit_parser import Fault, parse_unit_document
from utils.knowledge.units import UnitDocument
from utils.knowledge.validity import OutdatedUnits
from utils.law.statute_names import squeeze
from vectorstores.collections import Collections
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions, LoadProblem, LoadReport
from vectorstores.loaders.files import TextFile, folder_paths, read_text_files
from vectorstores.loaders.statutes import StatuteLoader
from vectorstores.loaders.units import domain_of
from vectorstores.storage.chunk_store import ChunkStore
from vectorstores.versions.versions import IndexLayout

_SUFFIXES = (".md",)
_HEAD_BYTES = 4_096


@dataclass(slots=True)
class UnitCounts:
    """Of one domain, or of all."""

    documents: int = 0
    units: int = 0
    asks: int = 0
    sentences: int = 0


@dataclass(slots=True)
class UnitReport:
    """Outcome of a check: ``problems`` to correct, units that have ``expired`` or are ``due`` for a review, counts by domain."""

    problems: list[LoadProblem] = field(default_factory=list)
    expired: list[LoadProblem] = field(default_factory=list)
    due: list[LoadProblem] = field(default_factory=list)
    counts: dict[str, UnitCounts] = field(default_factory=dict)

    def add(self, path: str, faults: Iterable[Fault]) -> None:
        self.problems += [LoadProblem(path, fault.message, fault.line) for fault in sorted(faults)]


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    document: UnitDocument


def check_units(
    paths: Sequence[Path], collections: Collections, today: date, statutes: Path | None = None
) -> UnitReport:
    """Check every Markdown file below ``paths`` as one base.

    ``statutes`` is a data directory whose index holds statutes, or a statute Markdown tree; without it nobody looks whether
    articles exist. Raises `KnowledgeIndexError` where it is neither, and OSError.
    """
    report, register = UnitReport(), BaseRegister()
    files: list[_File] = []
    for path in paths:
        if not path.exists():
            raise IngestError(f"경로가 없습니다: {path}")
        folder = path if path.is_dir() else path.parent
        reading = LoadReport()
        for file in read_text_files(path, _SUFFIXES, reading):
            text = file.text(reading)
            if text is not None:
                name = str(folder / file.path)
                parsed = parse_unit_document(text)
                report.add(name, parsed.faults)
                if parsed.document is not None:
                    files.append(_File(name, parsed.document))
        report.problems += [LoadProblem(str(folder / told.path), told.message, told.line) for told in reading.problems]
    for checked in files:
        faults = [*document_faults(checked.document), *register.add(checked.path, checked.document)]
        report.add(checked.path, [*faults, *_place_faults(checked, collections)])
        _count(checked, collections, today, report)
    if statutes is not None:
        _check_articles(files, statutes, today, collections, report)
    report.problems.sort(key=lambda problem: (problem.path, problem.line or 0))
    return report


def _place_faults(file: _File, collections: Collections) -> list[Fault]:
    path, document = Path(file.path).resolve(), file.document
    faults = []
    if path.stem != document.id:
        faults.append(Fault(1, f"파일 이름은 {document.id}.md여야 합니다 (id와 같게)"))
    if domain_of(path, collections) is None:
        known = ", ".join(spec.domain for spec in collections.specs)
        faults.append(Fault(1, f"분야의 폴더 안에 있어야 합니다 ({known})"))
    return faults


def _count(file: _File, collections: Collections, today: date, report: UnitReport) -> None:
    domain = domain_of(Path(file.path).resolve(), collections) or "?"
    counts = report.counts.setdefault(domain, UnitCounts())
    units = file.document.units
    counts.documents += 1
    counts.units += len(units)
    counts.asks += sum(len(unit.asks) for unit in units)
    counts.sentences += sum(len(unit.sentences) for unit in units)
    outdated = OutdatedUnits.of(units, today)
    report.expired += [
        LoadProblem(file.path, f"유효 기간이 지났습니다 ({unit.valid_until}): {unit.name}", unit.line)
        for unit in outdated.expired
    ]
    report.due += [
        LoadProblem(file.path, f"검토할 날이 지났습니다 ({unit.review_by}): {unit.name}", unit.line)
        for unit in outdated.due
    ]


# Articles


def _check_articles(
    files: Sequence[_File], statutes: Path, today: date, collections: Collections, report: UnitReport
) -> None:
    cited = [
        (file.path, sentence.line, reference)
        for file in files
        for unit in file.document.units
        for sentence in unit.sentences
        for reference in references_of([sentence.text]).found
    ]
    articles = _articles({reference for _, _, reference in cited}, statutes, today, collections)
    for path, line, reference in cited:
        known = articles.get(squeeze(reference.law))
        if known is None:
            report.problems.append(
                LoadProblem(path, f"법령이 없습니다: {reference.law} (온전한 이름으로 씁니다)", line)
            )
        elif reference.article not in known:
            report.problems.append(LoadProblem(path, f"조문이 없거나 삭제되었습니다: {reference}", line))


def _articles(
    wanted: set[StatuteReference], statutes: Path, today: date, collections: Collections
) -> dict[str, set[str]]:
    """The articles in force among those wanted, by the squeezed name of each statute that is there."""
    layout = IndexLayout(statutes)
    pointer = layout.pointer()
    if pointer is not None:
        found = _indexed_articles(wanted, layout, pointer.current)
    else:
        found = _tree_articles(wanted, statutes, today, collections)
    if wanted and not found:
        raise IngestError(f"법령을 찾을 수 없습니다: {statutes} (법령을 색인한 자료 폴더 또는 법령 Markdown 폴더)")
    return found


def _indexed_articles(wanted: set[StatuteReference], layout: IndexLayout, version: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for build in layout.manifest(version).collections.values():
        store = ChunkStore.open(layout.collection_dir(build), build.name)
        try:
            names = {squeeze(name): name.replace(" ", "") for name in store.names()}
            for reference in wanted:
                law = squeeze(reference.law)
                if law in names:
                    ordinals = store.ordinals_of_label(f"{names[law]}|{reference.article}")
                    in_force = [chunk for chunk in store.chunks(ordinals) if not chunk.metadata.get("deleted")]
                    found.setdefault(law, set()).update([reference.article] if in_force else [])
        finally:
            store.close()
    return found


def _tree_articles(
    wanted: set[StatuteReference], tree: Path, today: date, collections: Collections
) -> dict[str, set[str]]:
    laws = {squeeze(reference.law) for reference in wanted}
    # A folder may bear an older name of its act: the title tells. All texts of one title lie in one folder.
    folders = {path.parent for path in folder_paths(tree, _SUFFIXES) if _title(path) in laws} or {tree}
    found: dict[str, set[str]] = {}
    options = LoadOptions(today, collections=collections)
    for folder in sorted(folders):
        for source in StatuteLoader().load(folder, options, LoadReport()):
            law, _, article = str(source.label).partition("|")
            if squeeze(law) in laws and not source.document.metadata.get("deleted"):
                found.setdefault(squeeze(law), set()).add(article)
    return found


def _title(path: Path) -> str:
    """The squeezed title of a statute file, by the start of its front matter; empty where there is none."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES).rpartition(b"\n")[0]  # whole lines
    text = TextFile(path.name, head).text(LoadReport())
    split = split_front_matter(f"{text or ''}\n---\n")  # closed here where the head goes on
    return "" if split is None else squeeze(split[0].get("제목", ""))


def total(counts: Iterable[UnitCounts]) -> UnitCounts:
    """Return the sum over domains."""
    every = list(counts)
    return UnitCounts(
        *(sum(getattr(domain, name) for domain in every) for name in ("documents", "units", "asks", "sentences"))
    )
