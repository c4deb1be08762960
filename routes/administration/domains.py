"""``/api/domains``: the domains and the kinds of questions that are turned away, whole. Everything here needs the admin scope.

Whoever replaces or removes something names the ETag that he has read, so that two operators do not overwrite each other.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from routes.administration.conditions import KEY_IN_PATH, ActorDep, SeenTags, require_admin, tagged
from routes.dependencies import ServicesDep, require_json
from routes.openapi import Responses, problem_responses
from schemas.administration.domains import (
    Domain,
    DomainChange,
    DomainList,
    PackKey,
    PutDomain,
    PutRejection,
    Rejection,
    RemovePack,
)
from schemas.problems import ErrorCode, FieldProblem
from utils.http.problems import ProblemError

router = APIRouter(prefix="/api/domains", tags=["domains"], dependencies=[Depends(require_admin)])

NewCollection = Annotated[bool, Query(description="색인에 아직 없는 컬렉션을 써도 됩니다. 문서는 나중에 넣습니다.")]
JSON_BODY = [Depends(require_json)]


def write_responses(*codes: ErrorCode, body: bool = True) -> Responses:
    """The problems of a route that writes under a condition."""
    return problem_responses(
        ErrorCode.NOT_FOUND,
        ErrorCode.CONFLICT,
        ErrorCode.PRECONDITION_FAILED,
        ErrorCode.PRECONDITION_REQUIRED,
        ErrorCode.VALIDATION_FAILED,
        *codes,
        body=body,
    )


@router.get("", summary="분야와 거절 종류의 목록", responses=problem_responses())
async def list_domains(response: Response, services: ServicesDep) -> DomainList:
    """All domain data, with the tag of each pack and of all of them together."""
    found = await services.domains.overview()
    tagged(response, found.etag)
    return found


@router.post(
    "",
    summary="분야를 만든다",
    status_code=201,
    dependencies=JSON_BODY,
    responses=problem_responses(ErrorCode.CONFLICT, ErrorCode.NOT_FOUND, body=True),
)
async def create_domain(
    domain: Domain, response: Response, services: ServicesDep, actor: ActorDep, new_collection: NewCollection = False
) -> DomainChange:
    """Add a domain behind the others. Its documents are ingested afterwards, or are there already."""
    edit = PutDomain(op="put_domain", domain=domain)
    change = await services.domains.edit(domain.key, edit, actor, None, creates=True, new_collection=new_collection)
    response.headers["Location"] = f"/api/domains/{domain.key}"
    return _told(response, change)


@router.get(
    "/rejection-kinds/{kind}",
    summary="거절 종류를 읽는다",
    responses=problem_responses(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.VALIDATION_FAILED),
)
async def read_rejection(kind: PackKey, response: Response, services: ServicesDep) -> Rejection:
    """A kind of questions that are turned away, as PUT takes it."""
    found, etag = await services.domains.rejection(kind)
    tagged(response, etag)
    return found


@router.post(
    "/rejection-kinds",
    summary="거절 종류를 만든다",
    status_code=201,
    dependencies=JSON_BODY,
    responses=problem_responses(ErrorCode.CONFLICT, ErrorCode.NOT_FOUND, body=True),
)
async def create_rejection(
    rejection: Rejection, response: Response, services: ServicesDep, actor: ActorDep
) -> DomainChange:
    """Add a kind of questions that are turned away."""
    edit = PutRejection(op="put_rejection", rejection=rejection)
    change = await services.domains.edit(rejection.kind, edit, actor, None, creates=True)
    response.headers["Location"] = f"/api/domains/rejection-kinds/{rejection.kind}"
    return _told(response, change)


@router.put(
    "/rejection-kinds/{kind}", summary="거절 종류를 고친다", dependencies=JSON_BODY, responses=write_responses()
)
async def replace_rejection(
    kind: PackKey, rejection: Rejection, response: Response, services: ServicesDep, actor: ActorDep, seen: SeenTags
) -> DomainChange:
    """Replace a kind of questions that are turned away."""
    _require_same(kind, rejection.kind, "kind")
    edit = PutRejection(op="put_rejection", rejection=rejection)
    return _told(response, await services.domains.edit(kind, edit, actor, seen))


@router.delete("/rejection-kinds/{kind}", summary="거절 종류를 지운다", responses=write_responses(body=False))
async def remove_rejection(kind: PackKey, services: ServicesDep, actor: ActorDep, seen: SeenTags) -> DomainChange:
    """Remove a kind of questions that are turned away."""
    return await services.domains.edit(kind, RemovePack(op="remove", key=kind), actor, seen)


@router.get(
    f"/{{key:{KEY_IN_PATH}}}",
    summary="분야를 읽는다",
    responses=problem_responses(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.VALIDATION_FAILED),
)
async def read_domain(key: PackKey, response: Response, services: ServicesDep) -> Domain:
    """A domain whole, as PUT takes it."""
    found, etag = await services.domains.domain(key)
    tagged(response, etag)
    return found


@router.put(f"/{{key:{KEY_IN_PATH}}}", summary="분야를 고친다", dependencies=JSON_BODY, responses=write_responses())
async def replace_domain(
    key: PackKey,
    domain: Domain,
    response: Response,
    services: ServicesDep,
    actor: ActorDep,
    seen: SeenTags,
    new_collection: NewCollection = False,
) -> DomainChange:
    """Replace a domain."""
    _require_same(key, domain.key, "key")
    edit = PutDomain(op="put_domain", domain=domain)
    return _told(response, await services.domains.edit(key, edit, actor, seen, new_collection=new_collection))


@router.delete(f"/{{key:{KEY_IN_PATH}}}", summary="분야를 지운다", responses=write_responses(body=False))
async def remove_domain(key: PackKey, services: ServicesDep, actor: ActorDep, seen: SeenTags) -> DomainChange:
    """Remove a domain. Its documents stay in the index, are searched no more, and come back with it."""
    return await services.domains.edit(key, RemovePack(op="remove", key=key), actor, seen)


def _require_same(path: str, body: str, field: str) -> None:
    if path != body:
        problem = FieldProblem(path=field, message="주소에 있는 이름과 같아야 합니다.")
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[problem])


def _told(response: Response, change: DomainChange) -> DomainChange:
    """The change, under the tag of the pack where a single one has changed."""
    if len(change.changed) == 1:
        tagged(response, change.changed[0].etag)
    return change
