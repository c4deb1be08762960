"""``export-domains`` and ``import-domains``: the domain data as files, beside a service that may run on the same database."""

from __future__ import annotations

import argparse
import getpass
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from utils.administration.audit import AuditTrail
from utils.administration.audit_records import Actor
from utils.administration.domain_changes import DomainChanges
from utils.administration.domain_checks import EditRefused, unknown_collections
from utils.administration.domain_edits import ChangedPack, changed_packs
from utils.administration.pack_files import exported, files_below, imported
from utils.config.settings import Settings
from utils.routing.database import DomainStoreError
from utils.routing.domain_pack import DomainDataError, PackSet
from utils.routing.domain_store import SHIPPED_DOMAINS, DomainStore, open_domain_store
from vectorstores.build.providers import open_store

_SIGNS = {"created": "+ 새로", "replaced": "* 바뀜", "removed": "- 없앰"}
_CLIENT = "command"


def add_domain_commands(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Declare the commands; ``command(name, run, text)`` gives the parser of each."""
    export = command("export-domains", _export, "분야 정보를 파일(TOML)로 내보냅니다")
    export.add_argument("folder", type=Path, metavar="DIR", help="쓸 폴더 (없으면 만듭니다; 비어 있어야 합니다)")
    bring = command("import-domains", _import, "파일(TOML)로 분야 정보를 모두 바꿉니다. 전부 옳을 때만 바꿉니다")
    bring.add_argument("folder", type=Path, metavar="DIR", help="분야 파일과 rejections 폴더가 있는 폴더")
    bring.add_argument("--dry-run", action="store_true", help="검사하고 바뀔 것만 보여 줍니다")
    bring.add_argument("--new-collection", action="store_true", help="색인에 아직 없는 컬렉션을 써도 됩니다")


def _export(options: argparse.Namespace, settings: Settings) -> int:
    folder: Path = options.folder
    if folder.exists() and any(folder.iterdir()):
        print(f"오류: 비어 있지 않은 폴더입니다: {folder}", file=sys.stderr)
        return 1
    with _told() as failed, _opened(settings) as store:
        packs = store.read().packs
        for file in exported(packs, settings.domain_dir or SHIPPED_DOMAINS):
            path = folder / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.content, encoding="utf-8")
        print(f"{folder}: 분야 {len(packs.domains)}개, 거절 종류 {len(packs.rejections)}개")
    return len(failed)


def _import(options: argparse.Namespace, settings: Settings) -> int:
    with _told() as failed, _opened(settings) as store, closing(AuditTrail.from_settings(settings)) as trail:
        after = imported(files_below(options.folder))
        indexed = _collections_of(settings)

        def change(before: PackSet | None) -> PackSet:
            problems = unknown_collections(before, after, indexed)
            if problems and not options.new_collection:
                raise EditRefused(problems)
            return after

        if options.dry_run:
            before = store.read().packs
            _print_changes(changed_packs(before, change(before)))
            return 0
        made = DomainChanges(store, trail).make(change, Actor(_CLIENT, _user()), replaces_all=True)
        _print_changes(made.changed)
    return len(failed)


@contextmanager
def _opened(settings: Settings) -> Iterator[DomainStore]:
    """The domain tables, made and filled where nobody has used them yet."""
    store = open_domain_store(settings)
    try:
        found = store.load()
        if found.origin == "files":
            raise DomainStoreError(found.reason or "")
        yield store
    finally:
        store.close()


@contextmanager
def _told() -> Iterator[list[str]]:
    """Say what is wrong where the block fails; the list holds something then."""
    failed: list[str] = []
    try:
        yield failed
    except EditRefused as refused:
        failed.append("refused")
        for problem in refused.problems:
            print(f"{problem.path}: {problem.message}", file=sys.stderr)
        print("바뀐 것은 없습니다.", file=sys.stderr)
    except (DomainStoreError, DomainDataError) as error:
        failed.append("away")
        print(f"오류: 분야 정보를 읽거나 바꿀 수 없습니다: {error}", file=sys.stderr)


def _collections_of(settings: Settings) -> frozenset[str]:
    """The collections of the index in use; none where there is no index."""
    layout = open_store(settings).layout
    pointer = layout.pointer()
    return frozenset(layout.manifest(pointer.current).collections) if pointer is not None else frozenset()


def _print_changes(changed: list[ChangedPack] | tuple[ChangedPack, ...]) -> None:
    for change in changed:
        print(f"{_SIGNS[change.kind]} {change.key}")
    if not changed:
        print("바뀐 것이 없습니다.")


def _user() -> str:
    """Who runs the command, as the audit log names it in place of a request."""
    try:
        return f"user:{getpass.getuser()}"[:128]
    except (OSError, KeyError):
        return "user:-"
