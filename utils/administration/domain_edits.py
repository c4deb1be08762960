"""Changes of the domain data as data: what each makes of a set of packs. Nothing is stored here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.administration.domains import (
    Domain,
    DomainEdit,
    DomainKeywords,
    ExampleEntry,
    KeywordEntry,
    PutDomain,
    PutRejection,
    Rejection,
    RemovePack,
    RuleEntry,
    SetExamples,
    SetKeywords,
    SetRules,
)
from schemas.problems import FieldProblem
from utils.administration.domain_checks import EditRefused, checked_domain, checked_rejection, checked_set
from utils.routing.domain_pack import DomainPack, Pack, PackSet, RejectionPack
from utils.routing.domain_tables import pack_digest, pack_key

ChangeKind = Literal["created", "replaced", "removed"]


class NoSuchPack(Exception):
    """There is no domain or kind of rejection of that key, or no such entry of it; ``what`` says which, in Korean."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(frozen=True, slots=True)
class ChangedPack:
    """A pack before and after a change; one of both is None where it came or went."""

    key: str
    before: Pack | None
    after: Pack | None

    @property
    def kind(self) -> ChangeKind:
        if self.after is None:
            return "removed"
        return "created" if self.before is None else "replaced"


def domain_of(pack: DomainPack) -> Domain:
    """Return a pack as operators read and write it. Raises pydantic's error for rows that no operator could write so."""
    return Domain.model_validate(pack.model_dump(mode="json"))


def rejection_of(pack: RejectionPack) -> Rejection:
    """Return a kind of rejection as operators read and write it. Raises as `domain_of`."""
    return Rejection.model_validate(pack.model_dump(mode="json"))


def applied(packs: PackSet, edits: Sequence[DomainEdit]) -> PackSet:
    """Return the packs after all edits in their order.

    Raises:
        EditRefused: they make no sense; paths begin with ``edits.N`` or, where packs do not go together, with a key.
        NoSuchPack: an edit is of a pack or an entry that is not there.
    """
    held = {pack_key(pack): pack for pack in packs.all()}
    for number, edit in enumerate(edits):
        try:
            _apply(held, edit)
        except EditRefused as refused:
            raise refused.below(f"edits.{number}.") from refused
    return checked_set(
        [pack for pack in held.values() if isinstance(pack, DomainPack)],
        [pack for pack in held.values() if isinstance(pack, RejectionPack)],
    )


def changed_packs(before: PackSet | None, after: PackSet) -> list[ChangedPack]:
    """Return what differs, in the order of the keys."""
    old = {pack_key(pack): pack for pack in before.all()} if before else {}
    new = {pack_key(pack): pack for pack in after.all()}
    every = sorted(old.keys() | new.keys())
    changed = [ChangedPack(key, old.get(key), new.get(key)) for key in every]
    return [change for change in changed if _digest(change.before) != _digest(change.after)]


def _digest(pack: Pack | None) -> str | None:
    return None if pack is None else pack_digest(pack)


def _apply(held: dict[str, Pack], edit: DomainEdit) -> None:
    match edit:
        case PutDomain():
            _require_kind(held, edit.domain.key, DomainPack)
            held[edit.domain.key] = _below("domain.", edit.domain)
        case PutRejection():
            _require_kind(held, edit.rejection.kind, RejectionPack)
            held[edit.rejection.kind] = _below("rejection.", edit.rejection)
        case RemovePack():
            if edit.key not in held:
                raise NoSuchPack(f"{edit.key} 분야가 없습니다.")
            del held[edit.key]
        case SetKeywords():
            _put(held, edit.key, "keywords", edit.keywords)
        case SetRules():
            _put(held, edit.key, "rules", edit.rules)
        case SetExamples():
            _put(held, edit.key, "examples", edit.examples)
        case KeywordEntry():
            _edit_keyword(held, edit)
        case RuleEntry():
            _edit_rule(held, edit)
        case ExampleEntry():
            _edit_example(held, edit)


def _below(prefix: str, given: Domain | Rejection) -> Pack:
    try:
        return checked_domain(given) if isinstance(given, Domain) else checked_rejection(given)
    except EditRefused as refused:
        raise refused.below(prefix) from refused


def _require_kind(held: dict[str, Pack], key: str, kind: type[Pack]) -> None:
    if not isinstance(held.get(key), kind | None):
        message = "거절 종류의 이름입니다." if kind is DomainPack else "분야의 이름입니다."
        raise EditRefused([FieldProblem(path="key" if kind is DomainPack else "kind", message=message)])


def _domain(held: dict[str, Pack], key: str) -> DomainPack:
    pack = held.get(key)
    if not isinstance(pack, DomainPack):
        raise NoSuchPack(f"{key} 분야가 없습니다.")
    return pack


def _put(held: dict[str, Pack], key: str, field: str, value: object) -> None:
    """Replace a field of a domain."""
    domain = domain_of(_domain(held, key))
    held[key] = checked_domain(domain.model_copy(update={field: value}), field)


def _edit_keyword(held: dict[str, Pack], edit: KeywordEntry) -> None:
    keywords = domain_of(_domain(held, edit.key)).keywords
    lists = keywords.model_dump()
    tier, word = edit.entry.tier, edit.entry.word
    if edit.op == "add":
        known = next((other for other, words in lists.items() if word in words), None)
        if known is not None:
            raise EditRefused([FieldProblem(path="word", message=f"이 분야의 {known} 키워드에 이미 있습니다.")])
        lists[tier] = [*lists[tier], word]
    elif word in lists[tier]:
        lists[tier] = [other for other in lists[tier] if other != word]
    else:
        raise NoSuchPack(f"{edit.key} 분야의 {tier} 키워드에 그런 말이 없습니다.")
    _put(held, edit.key, "keywords", DomainKeywords.model_validate(lists))


def _edit_rule(held: dict[str, Pack], edit: RuleEntry) -> None:
    rules = domain_of(_domain(held, edit.key)).rules
    others = [rule for rule in rules if set(rule) != set(edit.entry.lemmas)]
    _require_entry(edit.key, edit.op, is_there=len(others) < len(rules), path="lemmas", called="규칙")
    _put(held, edit.key, "rules", [*rules, edit.entry.lemmas] if edit.op == "add" else others)


def _edit_example(held: dict[str, Pack], edit: ExampleEntry) -> None:
    examples = domain_of(_domain(held, edit.key)).examples
    others = [question for question in examples if question != edit.entry.question]
    _require_entry(edit.key, edit.op, is_there=len(others) < len(examples), path="question", called="대표 질문")
    _put(held, edit.key, "examples", [*examples, edit.entry.question] if edit.op == "add" else others)


def _require_entry(key: str, op: Literal["add", "drop"], *, is_there: bool, path: str, called: str) -> None:
    """Refuse to add what is there and to take away what is not."""
    if op == "add" and is_there:
        raise EditRefused([FieldProblem(path=path, message=f"이 분야에 이미 있는 {called}입니다.")])
    if op == "drop" and not is_there:
        raise NoSuchPack(f"{key} 분야에 그런 {called}이 없습니다.")


def counts_of(pack: Pack) -> dict[str, int]:
    """Return how many entries each list of a pack holds."""
    lists = pack.model_dump(mode="json")
    keywords = lists.pop("keywords", None)
    counts = {name: len(values) for name, values in lists.items() if isinstance(values, list | tuple)}
    if isinstance(keywords, dict):
        counts["keywords"] = sum(len(words) for words in keywords.values())
    return counts
