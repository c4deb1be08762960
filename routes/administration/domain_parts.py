"""``/api/domains/{key}/…``: keywords, compound rules and representative questions of a domain, as lists and one by one.

A list is replaced under the ETag of its domain. To add or take away an entry overwrites nothing and needs none.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from routes.administration.conditions import KEY_IN_PATH, ActorDep, SeenTags, require_admin, tagged
from routes.administration.domains import JSON_BODY, write_responses
from routes.dependencies import ServicesDep
from routes.openapi import problem_responses
from schemas.administration.domains import (
    CompoundRule,
    DomainChange,
    DomainKeywords,
    Example,
    ExampleEntry,
    Keyword,
    KeywordEntry,
    Lemma,
    PackKey,
    Question,
    Questions,
    RuleEntry,
    Rules,
    SetExamples,
    SetKeywords,
    SetRules,
    Tier,
    Word,
)
from schemas.problems import ErrorCode

router = APIRouter(
    prefix=f"/api/domains/{{key:{KEY_IN_PATH}}}", tags=["domains"], dependencies=[Depends(require_admin)]
)

_READ = problem_responses(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.VALIDATION_FAILED)
_ADD = problem_responses(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, body=True)
_DROP = _READ


@router.get("/keywords", summary="분야의 키워드", responses=_READ)
async def read_keywords(key: PackKey, response: Response, services: ServicesDep) -> DomainKeywords:
    """Keywords by weight."""
    domain, etag = await services.domains.domain(key)
    tagged(response, etag)
    return domain.keywords


@router.put("/keywords", summary="분야의 키워드를 모두 바꾼다", dependencies=JSON_BODY, responses=write_responses())
async def replace_keywords(
    key: PackKey, keywords: DomainKeywords, services: ServicesDep, actor: ActorDep, seen: SeenTags
) -> DomainChange:
    """Replace all keywords."""
    edit = SetKeywords(op="set_keywords", key=key, keywords=keywords)
    return await services.domains.edit(key, edit, actor, seen)


@router.post("/keywords", summary="키워드를 더한다", dependencies=JSON_BODY, responses=_ADD)
async def add_keyword(key: PackKey, keyword: Keyword, services: ServicesDep, actor: ActorDep) -> DomainChange:
    """Add a keyword that the domain does not have yet."""
    edit = KeywordEntry(op="add", part="keywords", key=key, entry=keyword)
    return await services.domains.edit(key, edit, actor, None)


@router.delete("/keywords", summary="키워드를 뺀다", responses=_DROP)
async def drop_keyword(
    key: PackKey,
    services: ServicesDep,
    actor: ActorDep,
    word: Annotated[Word, Query()],
    tier: Annotated[Tier, Query()] = "core",
) -> DomainChange:
    """Take a keyword away."""
    entry = Keyword(tier=tier, word=word)
    return await services.domains.edit(key, KeywordEntry(op="drop", part="keywords", key=key, entry=entry), actor, None)


@router.get("/rules", summary="분야의 복합 규칙", responses=_READ)
async def read_rules(key: PackKey, response: Response, services: ServicesDep) -> Rules:
    """Sets of lemmas that point at the domain together."""
    domain, etag = await services.domains.domain(key)
    tagged(response, etag)
    return domain.rules


@router.put("/rules", summary="분야의 복합 규칙을 모두 바꾼다", dependencies=JSON_BODY, responses=write_responses())
async def replace_rules(
    key: PackKey, rules: Rules, services: ServicesDep, actor: ActorDep, seen: SeenTags
) -> DomainChange:
    """Replace all rules."""
    return await services.domains.edit(key, SetRules(op="set_rules", key=key, rules=rules), actor, seen)


@router.post("/rules", summary="복합 규칙을 더한다", dependencies=JSON_BODY, responses=_ADD)
async def add_rule(key: PackKey, rule: CompoundRule, services: ServicesDep, actor: ActorDep) -> DomainChange:
    """Add a rule that the domain does not have yet, in any order of its lemmas."""
    edit = RuleEntry(op="add", part="rules", key=key, entry=rule)
    return await services.domains.edit(key, edit, actor, None)


@router.delete("/rules", summary="복합 규칙을 뺀다", responses=_DROP)
async def drop_rule(
    key: PackKey,
    services: ServicesDep,
    actor: ActorDep,
    lemma: Annotated[list[Lemma], Query(min_length=2, max_length=8, description="규칙의 말마다 한 번씩.")],
) -> DomainChange:
    """Take a rule away."""
    edit = RuleEntry(op="drop", part="rules", key=key, entry=CompoundRule(lemmas=lemma))
    return await services.domains.edit(key, edit, actor, None)


@router.get("/examples", summary="분야의 대표 질문", responses=_READ)
async def read_examples(key: PackKey, response: Response, services: ServicesDep) -> Questions:
    """Representative questions."""
    domain, etag = await services.domains.domain(key)
    tagged(response, etag)
    return domain.examples


@router.put("/examples", summary="분야의 대표 질문을 모두 바꾼다", dependencies=JSON_BODY, responses=write_responses())
async def replace_examples(
    key: PackKey, examples: Questions, services: ServicesDep, actor: ActorDep, seen: SeenTags
) -> DomainChange:
    """Replace all representative questions."""
    edit = SetExamples(op="set_examples", key=key, examples=examples)
    return await services.domains.edit(key, edit, actor, seen)


@router.post("/examples", summary="대표 질문을 더한다", dependencies=JSON_BODY, responses=_ADD)
async def add_example(key: PackKey, example: Example, services: ServicesDep, actor: ActorDep) -> DomainChange:
    """Add a representative question that the domain does not have yet."""
    edit = ExampleEntry(op="add", part="examples", key=key, entry=example)
    return await services.domains.edit(key, edit, actor, None)


@router.delete("/examples", summary="대표 질문을 뺀다", responses=_DROP)
async def drop_example(
    key: PackKey, services: ServicesDep, actor: ActorDep, question: Annotated[Question, Query()]
) -> DomainChange:
    """Take a representative question away."""
    edit = ExampleEntry(op="drop", part="examples", key=key, entry=Example(question=question))
    return await services.domains.edit(key, edit, actor, None)
