"""The checks of a change of the domain data, each with the path of the field and a sentence for the operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from pydantic import ValidationError

from schemas.administration.domains import Domain, Rejection
from schemas.problems import FieldProblem
from utils.routing.domain_pack import HEADING, DomainPack, PackSet, PackT, RejectionPack
from utils.routing.search_hints import SearchHint

MOST_DOMAINS = 50
MOST_REJECTIONS = 50
_LONGEST_RULE = 500  # characters of its lemmas together, as a row holds them
_RESERVED_COLLECTIONS = frozenset({"staging", "computed"})
_RESERVED_KINDS = frozenset({"consult", "unintelligible"})


class EditRefused(Exception):
    """A change that makes no sense; ``problems`` say where and why, in Korean. ``of_set`` ones begin with the key of a pack."""

    def __init__(self, problems: Sequence[FieldProblem]) -> None:
        super().__init__("; ".join(f"{problem.path}: {problem.message}" for problem in problems))
        self.problems = tuple(problems)

    def below(self, prefix: str) -> EditRefused:
        """Return the refusal with every path below ``prefix``."""
        return EditRefused([problem.model_copy(update={"path": prefix + problem.path}) for problem in self.problems])


def checked_domain(given: Domain, field: str | None = None) -> DomainPack:
    """Return the pack of a domain that makes sense on its own; ``field`` is what was written, None: all. Raises `EditRefused`.

    What was there before, from a time or a client that checked less, does not keep an operator from writing something else.
    """
    problems = [
        problem for problem in _problems_of_domain(given) if field is None or problem.path.partition(".")[0] == field
    ]
    if problems:
        raise EditRefused(problems)
    return _built(DomainPack, given.model_dump(mode="json"))


def checked_rejection(given: Rejection) -> RejectionPack:
    """Return the pack of a kind of rejection that makes sense on its own. Raises `EditRefused`."""
    problems = [
        *_repeated("phrases", given.phrases),
        *_repeated("cues", given.cues),
        *_repeated("examples", given.examples),
    ]
    if given.kind in _RESERVED_KINDS:
        problems.append(FieldProblem(path="kind", message="서비스가 쓰는 이름이라 쓸 수 없습니다."))
    if problems:
        raise EditRefused(problems)
    return _built(RejectionPack, given.model_dump(mode="json"))


def checked_set(domains: Sequence[DomainPack], rejections: Sequence[RejectionPack]) -> PackSet:
    """Return the packs as a set that goes together. Raises `EditRefused`; paths begin with the key of the pack."""
    problems = list(_problems_of_set(domains, rejections))
    if problems:
        raise EditRefused(problems)
    try:
        return PackSet(domains=tuple(domains), rejections=tuple(rejections))
    except ValidationError as error:
        raise EditRefused([FieldProblem(path="domains", message="분야 정보가 서로 맞지 않습니다.")]) from error


def unknown_collections(before: PackSet | None, after: PackSet, indexed: Collection[str]) -> list[FieldProblem]:
    """Return a problem for each domain that came to a collection which the index does not have."""
    known = {(pack.key, pack.collection) for pack in before.domains} if before else set()
    return [
        FieldProblem(
            path=f"{pack.key}.collection",
            message=f"{pack.collection} 컬렉션이 색인에 없습니다. 문서를 아직 넣지 않은 새 컬렉션이면 "
            "new_collection=true를 함께 보내 주세요.",
        )
        for pack in after.domains
        if pack.collection not in indexed and (pack.key, pack.collection) not in known
    ]


def _problems_of_domain(given: Domain) -> Iterator[FieldProblem]:
    yield from _problems_of_keywords(given)
    for name, values in (
        ("examples", given.examples),
        ("exclude", given.exclude),
        ("neighbours", given.neighbours),
        ("aliases", given.aliases),
        ("case_folders", given.case_folders),
        ("case_kinds", given.case_kinds),
        ("search_hints", given.search_hints),
    ):
        yield from _repeated(name, values)
    yield from _problems_of_rules(given.rules)
    if given.key in given.neighbours:
        number = given.neighbours.index(given.key)
        yield FieldProblem(path=f"neighbours.{number}", message="자기 자신은 이웃 분야가 될 수 없습니다.")
    if given.collection in _RESERVED_COLLECTIONS:
        yield FieldProblem(path="collection", message="색인이 쓰는 이름이라 컬렉션 이름으로 쓸 수 없습니다.")
    for number, hint in enumerate(given.search_hints):
        try:
            SearchHint.parse(hint)
        except ValueError:
            yield FieldProblem(path=f"search_hints.{number}", message="회사 정보에 없는 항목을 가리킵니다.")
    for number, action in enumerate(given.actions):
        yield from _repeated(f"actions.{number}.keywords", action.keywords)
        for place, word in enumerate(action.keywords):
            if "," in word:
                yield FieldProblem(path=f"actions.{number}.keywords.{place}", message="쉼표를 넣을 수 없습니다.")
    for name, way in given.chunking.items():
        if "=" in name:
            yield FieldProblem(path=f"chunking.{name}", message="등호를 넣을 수 없습니다.")
        if (name == HEADING) != way.isdigit():
            yield FieldProblem(path=f"chunking.{name}", message="1~3은 제목의 단계(heading)에만 씁니다.")


def _problems_of_keywords(given: Domain) -> Iterator[FieldProblem]:
    tiers = {"core": given.keywords.core, "common": given.keywords.common, "context": given.keywords.context}
    seen: dict[str, str] = {}
    for tier, words in tiers.items():
        yield from _repeated(f"keywords.{tier}", words)
        for number, word in enumerate(words):
            other = seen.setdefault(word, tier)
            if other != tier:
                message = f"이 분야의 {other} 키워드에 이미 있습니다."
                yield FieldProblem(path=f"keywords.{tier}.{number}", message=message)


def _problems_of_rules(rules: Sequence[Sequence[str]]) -> Iterator[FieldProblem]:
    known: dict[frozenset[str], int] = {}
    for number, rule in enumerate(rules):
        path = f"rules.{number}"
        if len(set(rule)) < len(rule):
            yield FieldProblem(
                path=path, message="규칙 하나에는 서로 다른 말이 둘 이상 있어야 하고, 같은 말이 두 번 올 수 없습니다."
            )
        if len(" + ".join(rule)) > _LONGEST_RULE:
            yield FieldProblem(path=path, message=f"규칙의 말은 모두 합해 {_LONGEST_RULE}자 이하여야 합니다.")
        if any("+" in lemma for lemma in rule):
            yield FieldProblem(path=path, message="규칙의 말에는 +를 넣을 수 없습니다. 말마다 따로 적어 주세요.")
        if (other := known.setdefault(frozenset(rule), number)) != number:
            yield FieldProblem(path=path, message=f"{other + 1}번째 규칙과 같습니다.")


def _repeated(path: str, values: Sequence[str]) -> Iterator[FieldProblem]:
    first: dict[str, int] = {}
    for number, value in enumerate(values):
        if (other := first.setdefault(value, number)) != number:
            yield FieldProblem(path=f"{path}.{number}", message=f"{other + 1}번째 항목과 같습니다.")


def _problems_of_set(domains: Sequence[DomainPack], rejections: Sequence[RejectionPack]) -> Iterator[FieldProblem]:
    if not domains:
        yield FieldProblem(path="domains", message="분야가 하나는 있어야 합니다.")
    if len(domains) > MOST_DOMAINS or len(rejections) > MOST_REJECTIONS:
        yield FieldProblem(path="domains", message=f"분야와 거절 종류는 각각 {MOST_DOMAINS}개 이하여야 합니다.")
    keys = {pack.key for pack in domains}
    for pack in domains:
        for number, neighbour in enumerate(pack.neighbours):
            if neighbour not in keys:
                message = f"{neighbour} 분야가 없습니다."
                yield FieldProblem(path=f"{pack.key}.neighbours.{number}", message=message)
    named = [(pack.key, "key", pack.key) for pack in domains]
    named += [(pack.kind, "kind", pack.kind) for pack in rejections]
    named += [(pack.key, f"aliases.{number}", alias) for pack in domains for number, alias in enumerate(pack.aliases)]
    yield from _shared(named, "다른 분야의 이름이나 옛 이름, 거절 종류와 같습니다.")
    yield from _shared([(pack.key, "collection", pack.collection) for pack in domains], "다른 분야의 컬렉션입니다.")
    for pack in [pack for pack in domains if pack.is_law][1:]:
        yield FieldProblem(path=f"{pack.key}.is_law", message="법령을 담는 분야는 하나만 있을 수 있습니다.")


def _shared(named: Iterable[tuple[str, str, str]], message: str) -> Iterator[FieldProblem]:
    found = list(named)
    counts = Counter(name for _, _, name in found)
    for owner, field, name in found:
        if counts[name] > 1:
            yield FieldProblem(path=f"{owner}.{field}", message=message)


def _built(model: type[PackT], values: dict[str, object]) -> PackT:
    """Return the pack of checked values; whatever a check above should have missed is refused by its field."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = [
            FieldProblem(path=".".join(map(str, found["loc"])) or "domain", message="올바르지 않은 값입니다.")
            for found in error.errors()
        ]
        raise EditRefused(problems) from error
