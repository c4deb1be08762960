"""Tending the domain data of a running service: reading, changing, trying out, and taking them away and back as files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from agents.administration.preview import RoutingPreview
from agents.administration.trial import RoutingTrial, TrialUnderWay
from agents.routing import RoutingDirectory
from chains.rag_chain import RAGChain
from schemas.administration.domain_trials import DryRun, DryRunRequest, RoutePreview
from schemas.administration.domains import (
    Domain,
    DomainChange,
    DomainEdit,
    DomainFile,
    DomainFiles,
    DomainList,
    DomainSummary,
    PackChange,
    Rejection,
    RejectionSummary,
    RemovePack,
)
from schemas.problems import ErrorCode, FieldProblem
from utils.administration.audit import AuditTrail
from utils.administration.audit_records import Actor
from utils.administration.domain_changes import (
    DomainChanges,
    Expected,
    MadeChange,
    StaleEdit,
    pack_etag,
    set_etag,
)
from utils.administration.domain_checks import EditRefused, unknown_collections
from utils.administration.domain_edits import (
    ChangedPack,
    NoSuchPack,
    applied,
    changed_packs,
    counts_of,
    domain_of,
    rejection_of,
)
from utils.administration.pack_files import exported, imported
from utils.config.settings import Settings
from utils.http.problems import ProblemError, retry_after
from utils.routing.database import DomainStoreError
from utils.routing.domain_pack import DomainDataError, DomainPack, PackSet
from utils.routing.domain_store import SHIPPED_DOMAINS
from utils.routing.domain_tables import pack_key

logger = logging.getLogger(__name__)

Wire = TypeVar("Wire", Domain, Rejection)

_RETRY_SECONDS = 10.0
_AWAY = "분야 정보 데이터베이스를 쓸 수 없어 바꾸지 못했습니다. 바뀐 것은 없습니다. 잠시 후 다시 시도해 주세요."
_SENSELESS = (
    "데이터베이스에 든 분야 정보가 서로 맞지 않아 일부만 고칠 수 없습니다. 파일로 가져오기(PUT /api/domains/data-files)로 "
    "전체를 바꾸면 됩니다."
)
_NO_DOMAIN = "그런 분야가 없습니다."
_NO_REJECTION = "그런 거절 종류가 없습니다."


class DomainAdministration:
    """Answers for the domain data of one process. Every refusal is a `ProblemError`."""

    def __init__(self, settings: Settings, chain: RAGChain, directory: RoutingDirectory, trail: AuditTrail) -> None:
        self._chain = chain
        self._directory = directory
        self._changes = DomainChanges(directory.store, trail)
        self._shipped = settings.domain_dir or SHIPPED_DOMAINS
        self._trial = RoutingTrial(settings, chain, directory)
        self._preview = RoutingPreview(settings, chain, directory)

    async def overview(self) -> DomainList:
        """Return all packs with their tags; those in force where the tables cannot be read."""
        packs, is_stored = await self._packs()
        held = self._chain.searcher.index.collections
        degradation = self._directory.current.degradation
        return DomainList(
            origin="database" if is_stored else "in_force",
            etag=set_etag(packs),
            domains=[
                _summary(pack, held[pack.collection].documents if pack.collection in held else None)
                for pack in packs.domains
            ],
            rejections=[
                RejectionSummary(kind=pack.kind, label=pack.label, counts=counts_of(pack), etag=pack_etag(pack))
                for pack in packs.rejections
            ],
            degraded=[degradation] if degradation is not None else [],
        )

    async def domain(self, key: str) -> tuple[Domain, str]:
        """Return a domain and its tag."""
        packs, _ = await self._packs()
        found = next((pack for pack in packs.domains if pack.key == key), None)
        if found is None:
            raise ProblemError(ErrorCode.NOT_FOUND, _NO_DOMAIN)
        return _readable(lambda: domain_of(found)), pack_etag(found)

    async def rejection(self, kind: str) -> tuple[Rejection, str]:
        """Return a kind of rejection and its tag."""
        packs, _ = await self._packs()
        found = next((pack for pack in packs.rejections if pack.kind == kind), None)
        if found is None:
            raise ProblemError(ErrorCode.NOT_FOUND, _NO_REJECTION)
        return _readable(lambda: rejection_of(found)), pack_etag(found)

    async def edit(
        self,
        key: str,
        edit: DomainEdit,
        actor: Actor,
        etags: frozenset[str] | None,
        *,
        creates: bool = False,
        new_collection: bool = False,
    ) -> DomainChange:
        """Make one change of the pack ``key``; ``creates``: it must not be there yet, otherwise it must.

        ``etags`` None: the change overwrites nothing, whatever the pack is by now. ``new_collection``: the domain may have a
        collection that the index does not have yet.
        """

        def change(before: PackSet | None) -> PackSet:
            assert before is not None
            is_there = key in {pack_key(pack) for pack in before.all()}
            if is_there and creates:
                raise ProblemError(ErrorCode.CONFLICT, "이미 있는 이름입니다. 고치려면 PUT으로 보내 주세요.")
            if not is_there and not creates:
                raise NoSuchPack(_NO_DOMAIN)
            return self._after(before, [edit], new_collection=new_collection)

        expected = None if etags is None else Expected(etags, key)
        try:
            return await self._made(change, actor, expected)
        except EditRefused as refused:
            if isinstance(edit, RemovePack):
                others = ", ".join(sorted({problem.path.partition(".")[0] for problem in refused.problems}))
                detail = f"다른 분야({others})가 이웃으로 가리키고 있거나 마지막 분야라 지울 수 없습니다."
                raise ProblemError(ErrorCode.CONFLICT, detail, errors=refused.problems) from refused
            raise _invalid([_of_pack(problem, key) for problem in refused.problems]) from refused

    async def replace_all(
        self, files: Sequence[DomainFile], actor: Actor, etags: frozenset[str], *, new_collection: bool = False
    ) -> DomainChange:
        """Put the packs of files in place of all that there are; rows that make no sense are replaced, too."""

        def change(before: PackSet | None) -> PackSet:
            after = imported(files)
            self._require_collections(before, after, new_collection=new_collection)
            return after

        try:
            return await self._made(change, actor, Expected(etags), replaces_all=True)
        except EditRefused as refused:
            raise _invalid(refused.problems) from refused

    async def export(self) -> tuple[DomainFiles, str]:
        """Return all packs as files, and the tag of all of them together."""
        packs, _ = await self._packs()
        files = await asyncio.to_thread(exported, packs, self._shipped)
        return DomainFiles(files=files), set_etag(packs)

    async def dry_run(self, wanted: DryRunRequest) -> DryRun:
        """Return what a change would do; nothing is stored."""
        before, _ = await self._packs()
        try:
            after = await asyncio.to_thread(_wanted, before, wanted)
        except EditRefused as refused:
            raise _invalid(refused.problems) from refused
        except NoSuchPack as missing:
            raise ProblemError(ErrorCode.NOT_FOUND, missing.what) from missing
        changes = [_pack_change(change) for change in changed_packs(before, after)]
        try:
            return await self._trial.compare(before, after, changes, wanted)
        except TrialUnderWay as error:
            detail = "다른 시험이 진행 중입니다. 끝난 뒤에 다시 시도해 주세요."
            raise ProblemError(ErrorCode.CONFLICT, detail, headers=retry_after(_RETRY_SECONDS)) from error

    async def preview(self, question: str) -> RoutePreview:
        """Return where a question would go now, and why."""
        return await self._chain.in_pool(self._preview.of, question)

    async def _packs(self) -> tuple[PackSet, bool]:
        """Return what the tables hold, else what is in force; and True if it is of the tables."""
        try:
            return (await asyncio.to_thread(self._directory.store.read)).packs, True
        except (DomainStoreError, DomainDataError) as error:
            logger.warning("the domain tables cannot be read: %s", error)
            return self._directory.current.packs, False

    def _after(self, before: PackSet, edits: Sequence[DomainEdit], *, new_collection: bool) -> PackSet:
        after = applied(before, edits)
        self._require_collections(before, after, new_collection=new_collection)
        return after

    def _require_collections(self, before: PackSet | None, after: PackSet, *, new_collection: bool) -> None:
        problems = unknown_collections(before, after, self._chain.searcher.index.collections.keys())
        if problems and not new_collection:
            raise EditRefused(problems)

    async def _made(
        self,
        change: Callable[[PackSet | None], PackSet],
        actor: Actor,
        expected: Expected | None,
        *,
        replaces_all: bool = False,
    ) -> DomainChange:
        async with _problems():
            made = await asyncio.to_thread(
                lambda: self._changes.make(change, actor, expected, replaces_all=replaces_all)
            )
        return DomainChange(
            changed=[_pack_change(changed) for changed in made.changed],
            etag=made.etag,
            in_force=await asyncio.to_thread(self._put_in_force, made),
        )

    def _put_in_force(self, made: MadeChange) -> bool:
        """Have this process answer by the change now; where that fails, the watch of the directory tries again."""
        try:
            self._directory.refresh()
        except Exception:
            logger.exception("a stored change of the domain data could not be put in force")
        return set_etag(self._directory.current.packs) == made.etag


@asynccontextmanager
async def _problems() -> AsyncIterator[None]:
    try:
        yield
    except StaleEdit as stale:
        if stale.etag is None:
            raise ProblemError(ErrorCode.NOT_FOUND, _NO_DOMAIN) from stale
        raise ProblemError(ErrorCode.PRECONDITION_FAILED, headers={"ETag": f'"{stale.etag}"'}) from stale
    except NoSuchPack as missing:
        raise ProblemError(ErrorCode.NOT_FOUND, missing.what) from missing
    except DomainStoreError as error:
        logger.warning("a change of the domain data was refused: %s", error)
        raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _AWAY, headers=retry_after(_RETRY_SECONDS)) from error
    except DomainDataError as error:
        logger.warning("a change of the domain data was refused: %s", error)
        raise ProblemError(ErrorCode.CONFLICT, _SENSELESS) from error


def _wanted(before: PackSet, wanted: DryRunRequest) -> PackSet:
    return imported(wanted.files) if wanted.files is not None else applied(before, wanted.edits)


def _summary(pack: DomainPack, documents: int | None) -> DomainSummary:
    return DomainSummary(
        key=pack.key,
        label=pack.label,
        description=pack.description,
        collection=pack.collection,
        documents=documents,
        is_law=pack.is_law,
        neighbours=list(pack.neighbours),
        counts=counts_of(pack),
        etag=pack_etag(pack),
    )


def _pack_change(changed: ChangedPack) -> PackChange:
    return PackChange(
        key=changed.key, kind=changed.kind, etag=pack_etag(changed.after) if changed.after is not None else None
    )


def _readable(read: Callable[[], Wire]) -> Wire:
    """Return what an operator could have written; rows written by hand may hold what no request can."""
    try:
        return read()
    except ValueError as error:
        raise ProblemError(ErrorCode.CONFLICT, _SENSELESS) from error


def _of_pack(problem: FieldProblem, key: str) -> FieldProblem:
    """A problem of the only edit, or of the pack that it is of, by the path of the field in the request."""
    path = problem.path
    for prefix in ("edits.0.", "domain.", "rejection.", f"{key}."):
        path = path.removeprefix(prefix)
    return problem.model_copy(update={"path": path})


def _invalid(problems: Sequence[FieldProblem]) -> ProblemError:
    return ProblemError(ErrorCode.VALIDATION_FAILED, errors=problems)
