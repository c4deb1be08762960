"""Commands of the knowledge index, from ingest to rollback; `_parser` lists them."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from schemas.vectordb import JobState
from utils.assistants.pack import DEFAULT_ASSISTANT, AssistantDataError, settings_of_assistant
from utils.config.settings import PROJECT_ROOT, Settings, SettingsError, load_settings
from utils.knowledge.units import AnswerUnit
from utils.knowledge.validity import OUTDATED, OutdatedUnits, outdated_words
from vectorstores.backup.cli import add_commands as add_backup_commands
from vectorstores.backup.cli import count_of
from vectorstores.build.domains import collections_in_force
from vectorstores.build.draft import IngestResult
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers, open_store
from vectorstores.build.spread import analysis_processes, spread_over
from vectorstores.build.staging import Source
from vectorstores.build.verify import verify_index
from vectorstores.commands.domains import add_domain_commands
from vectorstores.commands.progress_bar import TqdmProgress
from vectorstores.errors import KnowledgeIndexError, LexicalIndexUnavailable, StatuteSourceError
from vectorstores.index import KnowledgeIndex
from vectorstores.integrity.damage_messages import MENDED
from vectorstores.jobs.runner import purge_documents
from vectorstores.jobs.uploads import source_of
from vectorstores.loaders.base import LoadProblem, LoadReport
from vectorstores.loaders.registry import LOADERS, loader_for
from vectorstores.notices.importers import cli as notices
from vectorstores.statute_book.articles import tree_articles
from vectorstores.statute_book.changes import base_citations, changes_between
from vectorstores.statute_book.fetch import STATUTES_KEY, fetch, statute_source
from vectorstores.statute_book.mirror import FetchReport, write_whole
from vectorstores.statute_book.report import report_lines, report_record
from vectorstores.unit_check import check_units, total
from vectorstores.versions.versions import IndexLayout, SourceRecord

STARTER_FOLDER = PROJECT_ROOT / "data" / "knowledge"
STARTER_KEY = "starter"
_SHOWN_PROBLEMS = 50


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0 done, 1 failed or documents left out, 2 wrong usage."""
    options = build_parser().parse_args(arguments)
    try:
        settings = load_settings()
        return int(options.run(options, settings_of_assistant(settings, options.data_dir, options.assistant)))
    except (SettingsError, AssistantDataError) as error:
        print(f"설정 오류: {error}", file=sys.stderr)
    except KnowledgeIndexError as error:
        print(f"오류: {error}", file=sys.stderr)
    except OSError as error:
        print(f"오류: {error.strerror or error} {error.filename or ''}".rstrip(), file=sys.stderr)
    except KeyboardInterrupt:
        print("중단했습니다. 지금까지의 분석은 남아 있어 다음에 이어집니다.", file=sys.stderr)
    return 1


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vectorstores", description="지식 색인을 만들고 살펴봅니다.")
    commands = parser.add_subparsers(required=True, metavar="명령")
    ingest = _command(commands, "ingest", _ingest, "문서를 더하거나 새로 고칩니다 (경로가 없으면 기본 지식)")
    ingest.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="답변 단위, JSONL, 법령·판례 Markdown(폴더, tar.gz), PDF, 안내문",
    )
    ingest.add_argument("--collection", metavar="KEY", help="넣을 컬렉션 (hr_labor 또는 hr_labor_db)")
    ingest.add_argument("--format", choices=[loader.name for loader in LOADERS], help="형식 (없으면 내용으로 판단)")
    ingest.add_argument("--rebuild", action="store_true", help="지금 색인의 문서를 버리고 주어진 것만으로 만듭니다")
    ingest.add_argument("--restore", action="store_true", help="전에 지운 문서도 다시 넣습니다")
    ingest.add_argument("--jobs", type=count_of, default=1, metavar="N", help="분석할 프로세스 수 (기본: 1)")
    ingest.add_argument("--scheduler", metavar="ADDRESS", help="분석을 맡길 Dask 스케줄러 (tcp://…; 여러 컴퓨터)")
    fetch = _command(commands, "fetch-statutes", _fetch_statutes, "법령을 받아 바뀐 것만 넣습니다")
    fetch.add_argument("--tree", type=Path, metavar="PATH", help="법령 Markdown 트리에서: 폴더(git clone) 또는 tar.gz")
    fetch.add_argument(
        "--limit", type=count_of, metavar="N", help="한 번에 받을 법령 수의 한도 (나머지는 다음에 이어서)"
    )
    fetch.add_argument("--prune", action="store_true", help="원본에 없는 법령을 지웁니다")
    changes = _command(commands, "statute-changes", _statute_changes, "두 법령 트리의 차이를 조문으로 보여 줍니다")
    changes.add_argument("old", type=Path, metavar="OLD", help="전의 법령 Markdown 트리 (폴더 또는 tar.gz)")
    changes.add_argument("new", type=Path, metavar="NEW", help="새 법령 Markdown 트리")
    changes.add_argument(
        "--knowledge", type=Path, default=STARTER_FOLDER, metavar="DIR", help="근거로 든 답변 단위의 폴더"
    )
    changes.add_argument("--json", type=Path, metavar="FILE", help="모든 차이를 JSON으로 씁니다")
    check = _command(commands, "check", _check, "답변 단위로 쓴 문서(.md)를 검사합니다 (경로가 없으면 기본 지식)")
    check.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="파일이나 폴더; 함께 하나의 지식으로 봅니다")
    check.add_argument(
        "--statutes",
        type=Path,
        metavar="DIR",
        help="조문이 있는지도 봅니다: 법령을 색인한 자료 폴더 또는 법령 Markdown 폴더",
    )
    delete = _command(commands, "delete", _delete, "문서를 지웁니다. 같은 파일을 다시 넣어도 돌아오지 않습니다")
    delete.add_argument("ids", nargs="+", metavar="ID", help="문서 id (PDF는 파일 전체의 id도 됩니다)")
    purge = _command(commands, "purge", _purge, "문서를 흔적 없이 파기합니다 (이전 버전, 올린 파일, 캐시, 작업 기록)")
    purge.add_argument("ids", nargs="+", metavar="ID", help="문서 id (PDF는 파일 전체의 id도 됩니다)")
    _command(commands, "stats", _stats, "버전, 문서 수, 크기, 임베딩과 형태소 분석기를 보여 줍니다")
    _command(commands, "verify", _verify, "모든 파일이 만든 그대로이고 텍스트, BM25, 벡터가 서로 맞는지 검사합니다")
    _command(commands, "repair", _repair, "손상된 것을 다시 만듭니다. 문서는 그대로 둡니다")
    notices.add_arguments(_command(commands, "notices", notices.run, "지원사업과 주택의 공고를 가져오고 새로 받습니다"))
    _command(commands, "rollback", _rollback, "바로 전 버전으로 되돌립니다")
    add_backup_commands(partial(_command, commands))
    add_domain_commands(partial(_command, commands))
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, run: object, text: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=text)
    command.set_defaults(assistant=DEFAULT_ASSISTANT)
    if run is not notices.run:  # notices are those of the whole service
        command.add_argument("--assistant", metavar="NAME", help="색인의 비서 (data/assistants; 기본: bizi)")
    command.add_argument("--data-dir", type=Path, metavar="DIR", help="자료 폴더 (기본: DATA_DIR 설정)")
    command.set_defaults(run=run)
    return command


def _ingest(options: argparse.Namespace, settings: Settings) -> int:
    domain = collections_in_force(settings).domain_named(options.collection)
    sources = [_source(path, options.format, domain, settings) for path in options.paths or [STARTER_FOLDER]]
    progress = TqdmProgress()
    try:
        with analysis_processes(options.jobs, options.scheduler) as executor:
            ingest = Ingest(settings, spread_over(build_providers(settings), executor), progress=progress)
            result = ingest.run(sources, rebuild=options.rebuild, restore=options.restore)
    finally:
        progress.close()
    return _report(result)


def _fetch_statutes(options: argparse.Namespace, settings: Settings) -> int:
    """Fetch and ingest; what came before a failure of the source is ingested, too."""
    report, failure = FetchReport(), ""
    progress = TqdmProgress()
    try:
        fetch(settings, report, progress, tree=options.tree, limit=options.limit, prune=options.prune)
    except StatuteSourceError as error:
        failure = f"{error}. 받은 것은 남아 있고, 다시 실행하면 이어서 받습니다."
    finally:
        progress.close()
    _print_some(report.problems)
    print(
        f"받은 법령 {report.fetched:,}, 그대로 {report.unchanged:,}, 남은 것 {report.left:,}, 원본에 없는 것 {len(report.gone):,}"
    )
    if failure:
        print(f"오류: {failure}", file=sys.stderr)
    source = statute_source(settings)
    if source is None:
        return 1
    try:
        result = Ingest(settings, build_providers(settings), progress=progress).run([source])
    finally:
        progress.close()
    return max(_report(result), int(bool(failure or report.problems or report.left)))


def _statute_changes(options: argparse.Namespace, settings: Settings) -> int:
    """Report what changed; 1 where a file could not be read."""
    report, today = LoadReport(), datetime.now(UTC).date()
    collections = collections_in_force(settings)
    citations = base_citations(options.knowledge, report)
    old = tree_articles(options.old, today, collections, report)
    new = tree_articles(options.new, today, collections, report)
    changes = changes_between(old, new, citations)
    print(*report_lines(changes), sep="\n")
    if options.json is not None:
        write_whole(options.json, json.dumps(report_record(changes), ensure_ascii=False, indent=1).encode())
    _print_some(report.problems)
    return int(bool(report.problems))


def _source(path: Path, format_name: str | None, domain: str | None, settings: Settings) -> Source:
    if path.resolve() == STARTER_FOLDER:
        return starter_source()
    return source_of(path, settings.data_dir, format_name, domain)


def _check(options: argparse.Namespace, settings: Settings) -> int:
    paths = options.paths or [STARTER_FOLDER]
    report = check_units(paths, collections_in_force(settings), datetime.now(UTC).date(), options.statutes)
    for problem in (*report.problems, *report.expired, *report.due):
        print(problem, file=sys.stderr)
    print(f"{'분야':<20}{'문서':>8}{'단위':>8}{'묻는 말':>8}{'문장':>8}")
    for name, counts in [*sorted(report.counts.items()), ("모두", total(report.counts.values()))]:
        print(f"{name:<20}{counts.documents:>8,}{counts.units:>8,}{counts.asks:>8,}{counts.sentences:>8,}")
    outdated = outdated_words(len(report.expired), len(report.due))
    print(f"고칠 것 {len(report.problems):,}건, {outdated}")
    return 1 if report.problems else 0


def _delete(options: argparse.Namespace, settings: Settings) -> int:
    progress = TqdmProgress()
    try:
        result = Ingest(settings, build_providers(settings), progress=progress).delete(options.ids)
    finally:
        progress.close()
    if not result.changed:
        print("그런 문서가 없습니다.", file=sys.stderr)
        return 1
    return _report(result)


def _purge(options: argparse.Namespace, settings: Settings) -> int:
    """Purge each document as a job: of the service that runs on the data directory, which also drops its answers, or here."""
    jobs = asyncio.run(purge_documents(settings, options.ids))
    for document_id, job in zip(options.ids, jobs, strict=True):
        told = job.reason or f"파기했습니다 (문서 {job.removed}건, 버전 {job.version})"
        print(f"{document_id}: {told}", *(note.message for note in job.notes))
    return int(any(job.state is not JobState.DONE for job in jobs))


def starter_source() -> Source:
    """The knowledge base that ships with the project; documents gone from it leave the index too."""
    return Source(STARTER_FOLDER, loader_for(STARTER_FOLDER, "units"), key=STARTER_KEY, mirror=True)


def _report(result: IngestResult) -> int:
    _print_some(result.notes)
    _print_some(result.problems)
    if result.changed:
        print(f"새 버전 {result.version}: 추가 {result.added}, 변경 {result.updated}, 삭제 {result.removed}")
    else:
        print(f"바뀐 것이 없습니다 (버전 {result.version})")
    if result.withheld:
        print(f"전에 지운 문서 {result.withheld}건은 넣지 않았습니다 (--restore 로 다시 넣습니다)")
    if result.problems:
        print(f"읽지 못한 것이 {len(result.problems)}건 있습니다. 나머지는 모두 반영했습니다.", file=sys.stderr)
    return 1 if result.problems else 0


def _print_some(reported: Sequence[LoadProblem]) -> None:
    for problem in reported[:_SHOWN_PROBLEMS]:
        print(problem, file=sys.stderr)
    if len(reported) > _SHOWN_PROBLEMS:
        print(f"… 외 {len(reported) - _SHOWN_PROBLEMS}건", file=sys.stderr)


def _stats(options: argparse.Namespace, settings: Settings) -> int:
    layout = open_store(settings).layout
    pointer = layout.pointer()
    if pointer is None:
        print(f"색인이 없습니다: {layout.root}")
        return 1
    manifest = layout.manifest(pointer.current)
    print(f"버전        {manifest.version} ({manifest.created:%Y-%m-%d %H:%M:%S} UTC)")
    print(f"이전 버전   {pointer.previous or '없음'}")
    print(f"형태소      {manifest.identity.tokenizer}")
    print(f"임베딩      {manifest.identity.embedder}")
    print(f"벡터 저장소 {manifest.identity.vector_store}")
    print(f"BM25        {', '.join(f'{key}={value}' for key, value in manifest.lexical.items())}")
    print(f"\n{'컬렉션':<20}{'문서':>10}{'청크':>10}{'용어':>10}{'크기(MB)':>10}  만든 버전")
    for name, build in manifest.collections.items():
        files = layout.collection_dir(build).rglob("*")
        size = sum(file.stat().st_size for file in files if file.is_file()) / 1e6
        print(f"{name:<23}{build.documents:>10,}{build.chunks:>12,}{build.terms:>12,}{size:>12,.1f}  {build.built_in}")
    for key, source in manifest.sources.items():
        print(f"원본 {source.format:<10} {source.sha256[:12]}  {key}")
    return 0


def _verify(options: argparse.Namespace, settings: Settings) -> int:
    store = open_store(settings)
    index = store.open_current()
    try:
        problems = [*_damaged_records(store.layout, index.version), *verify_index(index)]
        outdated = OutdatedUnits.of(_units_of(index), datetime.now(UTC).date())
    finally:
        index.close()
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"버전 {index.version}: " + (f"문제 {len(problems)}건. {MENDED}" if problems else "이상 없음"))
    print(f"{outdated}. {OUTDATED}" if outdated else outdated)
    return 1 if problems else 0


def _units_of(index: KnowledgeIndex) -> Iterator[AnswerUnit]:
    """The answer units of the collections that can be read."""
    for collection in index.collections.values():
        try:
            table = collection.units
        except LexicalIndexUnavailable:  # a problem that is said
            continue
        yield from (stored.unit for stored in table.units) if table else ()


def _damaged_records(layout: IndexLayout, version: str) -> list[str]:
    return [f"파일이 없거나 손상되어 사본을 씁니다: {name}" for name in layout.damaged_records(version)]


def _repair(options: argparse.Namespace, settings: Settings) -> int:
    progress = TqdmProgress()
    try:
        ingest = Ingest(settings, build_providers(settings), progress=progress)
        result = ingest.repair(partial(_source_again, settings))
    finally:
        progress.close()
    return _report(result)


def _source_again(settings: Settings, key: str, record: SourceRecord) -> Source | None:
    """Return the source that was ingested under a key of the manifest; None if its path is gone."""
    if key == STARTER_KEY:
        return starter_source()
    if key == STATUTES_KEY:
        return statute_source(settings)
    path = settings.data_dir / key
    return Source(path, loader_for(path, record.format), key, record.domain) if path.exists() else None


def _rollback(options: argparse.Namespace, settings: Settings) -> int:
    layout = open_store(settings).layout
    with layout.lock_for_build():
        pointer = layout.rollback()
    print(f"현재 버전: {pointer.current} (이전 버전: {pointer.previous})")
    return 0
