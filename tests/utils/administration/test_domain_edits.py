"""Every change of the packs: the packs after it, and the refusals with their field and reason."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from schemas.administration.domains import DomainEdit
from tests.support.packs import shipped_packs
from tests.support.routing import LABOR, LAW, STARTUP, TAX
from utils.administration.domain_checks import EditRefused
from utils.administration.domain_edits import (
    NoSuchPack,
    applied,
    changed_packs,
    counts_of,
    domain_of,
    rejection_of,
)

_EDIT: TypeAdapter[DomainEdit] = TypeAdapter(DomainEdit)
PACKS = shipped_packs()


def edit(**values: Any) -> DomainEdit:
    return _EDIT.validate_python(values)


def put(**changes: Any) -> DomainEdit:
    domain = domain_of(PACKS.get(LABOR)).model_dump(mode="json")
    return edit(op="put_domain", domain={**domain, **changes})


def refused(*edits: DomainEdit) -> dict[str, str]:
    with pytest.raises(EditRefused) as raised:
        applied(PACKS, edits)
    return {problem.path: problem.message for problem in raised.value.problems}


def test_the_packs_that_ship_can_be_written_as_they_are_read() -> None:
    edits = [edit(op="put_domain", domain=domain_of(pack).model_dump(mode="json")) for pack in PACKS.domains]
    edits += [edit(op="put_rejection", rejection=rejection_of(pack).model_dump()) for pack in PACKS.rejections]
    assert changed_packs(PACKS, applied(PACKS, edits)) == []


def test_entries_come_and_go_one_by_one() -> None:
    entries = [
        edit(op="add", part="keywords", key=TAX, entry={"tier": "common", "word": " 새  말 "}),
        edit(op="add", part="rules", key=TAX, entry={"lemmas": ["새", "말"]}),
        edit(op="add", part="examples", key=TAX, entry={"question": "새 질문인가요?"}),
    ]
    after = applied(PACKS, entries)
    tax = after.get(TAX)
    assert (tax.keywords.common[-1], tax.rules[-1], tax.examples[-1]) == ("새 말", ("새", "말"), "새 질문인가요?")
    assert [change.key for change in changed_packs(PACKS, after)] == [TAX]
    assert counts_of(tax)["keywords"] == counts_of(PACKS.get(TAX))["keywords"] + 1
    dropped = [
        edit(op="drop", part="keywords", key=TAX, entry={"tier": "common", "word": "새 말"}),
        edit(op="drop", part="rules", key=TAX, entry={"lemmas": ["말", "새"]}),
        edit(op="drop", part="examples", key=TAX, entry={"question": "새 질문인가요?"}),
    ]
    assert applied(after, dropped) == PACKS


@pytest.mark.parametrize(
    ("changes", "path", "said"),
    [
        ({"neighbours": [LAW, "nowhere"]}, f"{LABOR}.neighbours.1", "nowhere 분야가 없습니다."),
        ({"neighbours": [LABOR]}, "edits.0.domain.neighbours.0", "자기 자신"),
        ({"keywords": {"core": ["급여", "세금", "급여"]}}, "edits.0.domain.keywords.core.2", "1번째 항목과 같습니다."),
        ({"keywords": {"core": ["급여"], "context": ["급여"]}}, "edits.0.domain.keywords.context.0", "core"),
        ({"rules": [["일", "일"]]}, "edits.0.domain.rules.0", "서로 다른 말"),
        ({"rules": [["a", "b"], ["b", "a"]]}, "edits.0.domain.rules.1", "1번째 규칙"),
        ({"rules": [["a+b", "c"]]}, "edits.0.domain.rules.0", "+를 넣을 수 없습니다"),
        ({"collection": "law_common_db"}, f"{LABOR}.collection", "다른 분야의 컬렉션"),
        ({"collection": "staging"}, "edits.0.domain.collection", "색인이 쓰는 이름"),
        ({"aliases": [TAX]}, f"{LABOR}.aliases.0", "다른 분야의 이름"),
        ({"is_law": True}, f"{LAW}.is_law", "하나만"),
        ({"search_hints": ["{rank} 기준"]}, "edits.0.domain.search_hints.0", "회사 정보에 없는"),
        ({"examples": ["같은가요?", "같은가요?"]}, "edits.0.domain.examples.1", "1번째 항목과 같습니다."),
    ],
)
def test_what_makes_no_sense_is_refused_by_field(changes: dict[str, Any], path: str, said: str) -> None:
    problems = refused(put(**changes))
    assert said in problems[path], problems


@pytest.mark.parametrize(
    "changes",
    [
        {"keywords": {"core": [""]}},
        {"keywords": {"core": ["보이지\u200b않는"]}},
        {"keywords": {"core": ["가" * 101]}},
        {"rules": [["하나뿐"]]},
        {"examples": ["가" * 501]},
        {"prompt": "널\0문자"},
        {"collection": "../etc"},
        {"unknown": 1},
    ],
)
def test_what_no_row_could_hold_is_no_domain(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        put(**changes)


def test_what_is_there_is_not_added_and_what_is_not_there_not_dropped() -> None:
    known = PACKS.get(TAX)
    assert (
        "이미 있습니다"
        in refused(edit(op="add", part="keywords", key=TAX, entry={"tier": "context", "word": known.keywords.core[0]}))[
            "edits.0.word"
        ]
    )
    rule = {"lemmas": list(reversed(known.rules[0]))}
    assert "이미 있는" in refused(edit(op="add", part="rules", key=TAX, entry=rule))["edits.0.lemmas"]
    for missing in (
        edit(op="drop", part="examples", key=TAX, entry={"question": "없는 질문"}),
        edit(op="drop", part="keywords", key="nowhere", entry={"word": "말"}),
        edit(op="set_rules", key="chitchat", rules=[]),
        edit(op="remove", key="nowhere"),
    ):
        with pytest.raises(NoSuchPack):
            applied(PACKS, [missing])


def test_a_domain_that_others_point_at_stays() -> None:
    assert set(refused(edit(op="remove", key=LAW))) >= {f"{TAX}.neighbours.1", f"{LABOR}.neighbours.0"}
    alone = [put(neighbours=[]), edit(op="remove", key=LABOR)]
    without = [pack.key for pack in PACKS.domains if LABOR in pack.neighbours and pack.key != LABOR]
    cut = [
        edit(
            op="put_domain",
            domain=domain_of(PACKS.get(key)).model_dump(mode="json")
            | {"neighbours": [name for name in PACKS.get(key).neighbours if name != LABOR]},
        )
        for key in without
    ]
    assert set(applied(PACKS, [*cut, *alone]).keys()) == {TAX, LAW, STARTUP}


def test_old_flaws_do_not_keep_an_operator_from_other_edits() -> None:
    flawed = PACKS.get(TAX).model_copy(
        update={"keywords": PACKS.get(TAX).keywords.model_copy(update={"context": (PACKS.get(TAX).keywords.core[0],)})}
    )
    packs = PACKS.model_copy(update={"domains": tuple(flawed if p.key == TAX else p for p in PACKS.domains)})
    after = applied(packs, [edit(op="add", part="examples", key=TAX, entry={"question": "새 질문인가요?"})])
    assert after.get(TAX).examples[-1] == "새 질문인가요?"
