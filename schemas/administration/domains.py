"""Wire types of ``/api/domains``: the domain packs as operators read and write them, and changes of them as data."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StringConstraints
from pydantic_core import PydanticCustomError

from schemas.chat import ActionType, Degradation, Scalar, Strict

LONGEST_PROMPT = 8_000
MOST_ENTRIES = 3_000
"""Of a list of a pack: keywords of a tier, rules, questions."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def _plain_line(text: str) -> str:
    """Refuse what cannot be seen and put blanks in order: the files and the tables hold lines."""
    if any(unicodedata.category(letter) in _HIDDEN for letter in text):
        raise PydanticCustomError("hidden_character", "control or invisible characters")
    return " ".join(text.split())


def _plain_text(text: str) -> str:
    """Refuse control characters but line ends and tabs; line ends are written as one character."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if any(unicodedata.category(letter) in _HIDDEN and letter not in "\n\t" for letter in text):
        raise PydanticCustomError("hidden_character", "control or invisible characters")
    return text


def _line(longest: int) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=longest)


_Plain = AfterValidator(_plain_line)
PackKey = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,47}$")]
"""Of a domain or of a kind of questions that are turned away; the fixed paths below ``/api/domains`` hold a hyphen."""
Label = Annotated[str, _line(100), _Plain]
About = Annotated[str, _line(500), _Plain]
Word = Annotated[str, _line(100), _Plain]
Lemma = Annotated[str, _line(50), _Plain]
Question = Annotated[str, _line(500), _Plain]
Rule = Annotated[list[Lemma], Field(min_length=2, max_length=8)]
"""Lemmas that point at the domain when they stand in one sentence together."""
Tier = Literal["core", "common", "context"]
Words = Annotated[list[Word], Field(max_length=MOST_ENTRIES)]
Questions = Annotated[list[Question], Field(max_length=MOST_ENTRIES)]
Rules = Annotated[list[Rule], Field(max_length=MOST_ENTRIES)]
_CHUNKING = r"^([1-3]|whole|long|always|[1-9][0-9]{2,4}/[1-9][0-9]{2,4}(/[0-9]{1,3}(/[^\s/]{1,60})?)?)$"


class DomainKeywords(Strict):
    """Keywords by weight: ``core`` is enough alone, ``common`` points at the domain, ``context`` says that a business asks."""

    core: Words = Field(default_factory=list)
    common: Words = Field(default_factory=list)
    context: Words = Field(default_factory=list)


class DomainAction(Strict):
    """A next step offered where a question holds one of the ``keywords``; words joined by + stand together."""

    type: ActionType
    label: Label
    description: About
    keywords: Annotated[list[Word], Field(min_length=1, max_length=200)]
    params: dict[Word, Scalar] = Field(default_factory=dict, max_length=20)


class Domain(Strict):
    """A domain whole, as it is read and as it is written."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "key": "farming",
                    "label": "농업·농촌",
                    "agent_label": "영농 상담사",
                    "description": "농지의 취득과 임대차, 농업경영체 등록, 직불금",
                    "collection": "farming_db",
                    "neighbours": ["law_common"],
                    "keywords": {"core": ["농지", "직불금"], "common": ["농사"], "context": []},
                    "rules": [["농사", "짓다"]],
                    "examples": ["농지를 사려면 어떤 증명이 필요한가요?"],
                }
            ]
        },
    )

    key: PackKey
    label: Label
    agent_label: Annotated[str, StringConstraints(strip_whitespace=True, max_length=100), _Plain] = ""
    description: About
    collection: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{1,58}[a-z0-9]$")] = Field(
        description="Name of its collection in the index."
    )
    is_law: StrictBool = False
    prompt: Annotated[str, StringConstraints(max_length=LONGEST_PROMPT), AfterValidator(_plain_text)] = Field(
        "", description="System prompt of its agent."
    )
    neighbours: list[PackKey] = Field(default_factory=list, max_length=50)
    aliases: list[PackKey] = Field(default_factory=list, max_length=50)
    chunking: dict[Word, Annotated[str, StringConstraints(pattern=_CHUNKING)]] = Field(
        default_factory=dict, max_length=50
    )
    case_folders: Words = Field(default_factory=list)
    case_kinds: Words = Field(default_factory=list)
    search_hints: Questions = Field(default_factory=list)
    actions: list[DomainAction] = Field(default_factory=list, max_length=50)
    keywords: DomainKeywords = Field(default_factory=DomainKeywords)
    rules: Rules = Field(default_factory=list)
    examples: Questions = Field(default_factory=list)
    exclude: Words = Field(default_factory=list)


class Rejection(Strict):
    """A kind of questions that are turned away; ``{domains}`` in ``response`` stands for the labels of all domains."""

    kind: PackKey
    label: Label
    response: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500), _Plain] = ""
    phrases: Questions = Field(default_factory=list)
    cues: Words = Field(default_factory=list)
    examples: Questions = Field(default_factory=list)


class DomainSummary(BaseModel):
    """A domain in the list; ``etag`` is what If-Match asks for."""

    key: str
    label: str
    description: str
    collection: str
    documents: int | None = Field(description="In the index; null: the index has no such collection yet.")
    is_law: bool
    neighbours: list[str]
    counts: dict[str, int] = Field(description="Keywords, rules, examples and so on.")
    etag: str


class RejectionSummary(BaseModel):
    """A kind of questions that are turned away, in the list."""

    kind: str
    label: str
    counts: dict[str, int]
    etag: str


class DomainList(BaseModel):
    """All domain data there are.

    ``origin`` in_force: the database is away or its rows make no sense; these are what answers now.
    """

    origin: Literal["database", "in_force"]
    etag: str = Field(description="Of all data together.")
    domains: list[DomainSummary]
    rejections: list[RejectionSummary]
    degraded: list[Degradation] = Field(default_factory=list)


class PutDomain(Strict):
    """Create a domain or replace it whole."""

    op: Literal["put_domain"]
    domain: Domain


class PutRejection(Strict):
    """Create a kind of questions that are turned away, or replace it whole."""

    op: Literal["put_rejection"]
    rejection: Rejection


class RemovePack(Strict):
    """Remove a domain or a kind of questions that are turned away."""

    op: Literal["remove"]
    key: PackKey


class SetKeywords(Strict):
    """Replace all keywords of a domain."""

    op: Literal["set_keywords"]
    key: PackKey
    keywords: DomainKeywords


class SetRules(Strict):
    """Replace all compound rules of a domain."""

    op: Literal["set_rules"]
    key: PackKey
    rules: Rules


class SetExamples(Strict):
    """Replace all representative questions of a domain."""

    op: Literal["set_examples"]
    key: PackKey
    examples: Questions


class Keyword(Strict):
    """A keyword and its weight."""

    tier: Tier = "core"
    word: Word


class CompoundRule(Strict):
    """A compound rule."""

    lemmas: Rule


class Example(Strict):
    """A representative question."""

    question: Question


class _Entry(Strict):
    op: Literal["add", "drop"]
    key: PackKey


class KeywordEntry(_Entry):
    """Add a keyword to a domain, or take it away."""

    part: Literal["keywords"]
    entry: Keyword


class RuleEntry(_Entry):
    """Add a compound rule to a domain, or take it away."""

    part: Literal["rules"]
    entry: CompoundRule


class ExampleEntry(_Entry):
    """Add a representative question to a domain, or take it away."""

    part: Literal["examples"]
    entry: Example


EntryEdit = Annotated[KeywordEntry | RuleEntry | ExampleEntry, Field(discriminator="part")]
WholeEdit = Annotated[
    PutDomain | PutRejection | RemovePack | SetKeywords | SetRules | SetExamples, Field(discriminator="op")
]
DomainEdit = WholeEdit | EntryEdit
"""A change of the domain data: what a route does, what a dry run tries, and what the audit log names."""


class PackChange(BaseModel):
    """Change of a pack; ``etag`` is null where it is gone."""

    key: str
    kind: Literal["created", "replaced", "removed"]
    etag: str | None = None


class DomainChange(BaseModel):
    """A change that has been made; no ``changed``: everything was as asked for already."""

    changed: list[PackChange]
    etag: str = Field(description="Of all data together, after the change.")
    in_force: bool = Field(description="True: this process answers by it already; others follow within seconds.")


class DomainFile(Strict):
    """A file of the domain data as it ships: ``<key>.toml`` or ``rejections/<kind>.toml``."""

    name: Annotated[str, StringConstraints(pattern=r"^(rejections/)?[a-z][a-z0-9_]{0,47}\.toml$")]
    content: Annotated[str, StringConstraints(max_length=1_000_000)]


class DomainFiles(Strict):
    """All files of the domain data: together they take the place of all that there is."""

    files: Annotated[list[DomainFile], Field(min_length=1, max_length=100)]
