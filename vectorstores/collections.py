"""The collections of the knowledge base and how their documents are cut, as the domain packs say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from utils.documents import DocumentType
from utils.routing.domain_pack import HEADING, DomainPack, PackSet
from vectorstores.errors import IngestError

CHUNKING_VERSION = 2
"""Raised whenever cutting or sentence spans change; an index cut by another version is cut anew."""


OVERLAP = 200
"""Characters, at most, that a passage repeats from the one before it (whole sentences or lines only)."""


@dataclass(frozen=True, slots=True)
class ChunkingPolicy:
    """Texts longer than ``threshold`` characters are cut into pieces of at most ``size``; None: never cut.

    Neighbours overlap by at most ``overlap`` characters. ``marks`` are characters that open a part also within a line: a text of
    which the lines are lost (a PDF) is cut before them.
    """

    threshold: int | None
    size: int = 0
    overlap: int = OVERLAP
    marks: str = ""

    @property
    def rules(self) -> tuple[int | str | None, ...]:
        """Equal for policies that cut alike; the usual overlap and no marks go without saying."""
        usual = self.overlap == OVERLAP and not self.marks
        return (self.threshold, self.size) if usual else (self.threshold, self.size, self.overlap, self.marks)


WHOLE = ChunkingPolicy(threshold=None)
LONG_ONLY = ChunkingPolicy(threshold=3_500, size=2_000)
ALWAYS = ChunkingPolicy(threshold=1_500, size=1_500)
PAGE = ChunkingPolicy(threshold=1_100, size=1_100)
"""Of a page of a PDF: about a dense page's worth, so that most pages stay whole and a hit names its page exactly."""
_PAGE_KEY = "page"
_SECTION_DEPTH = 3
_NAMED = {"whole": WHOLE, "long": LONG_ONLY, "always": ALWAYS}


@dataclass(frozen=True, slots=True)
class CollectionSpec:
    """Definition of a collection. ``policies`` is looked up by the stem of the file first, then by document type.

    Headings of guides down to ``section_depth`` begin a document of their own.
    """

    domain: str
    name: str
    policies: Mapping[str, ChunkingPolicy] = field(default_factory=dict)
    section_depth: int = _SECTION_DEPTH

    def policy(self, doc_type: DocumentType, file_stem: str = "") -> ChunkingPolicy:
        return self.policies.get(file_stem) or self.policies.get(doc_type, LONG_ONLY)

    @property
    def of_pages(self) -> ChunkingPolicy:
        """The policy of the pages of PDF files."""
        return self.policies.get(_PAGE_KEY, PAGE)

    @property
    def fingerprint(self) -> str:
        """Equal where documents come to lie in the same collection, cut in the same way."""
        depth = () if self.section_depth == _SECTION_DEPTH else (self.section_depth,)
        rules = repr((self.name, sorted((name, policy.rules) for name, policy in self.policies.items()), *depth))
        return hashlib.blake2b(rules.encode(), digest_size=8).hexdigest()


class Collections:
    """The collections of one state of the domain packs, and which documents belong to which."""

    def __init__(self, packs: PackSet) -> None:
        self.specs = tuple(_spec(pack) for pack in packs.domains)
        self._named = {spec.name: spec for spec in self.specs} | {spec.domain: spec for spec in self.specs}
        self._named |= {alias: self._named[pack.key] for pack in packs.domains for alias in pack.aliases}
        self._folders = {folder: pack.key for pack in packs.domains for folder in pack.case_folders}
        self._kinds = {kind: pack.key for pack in packs.domains for kind in pack.case_kinds}
        self._law = packs.law

    def find(self, key: str) -> CollectionSpec:
        """Return the collection of a domain, by its key (or an older one), or by its own name. Raises `IngestError`."""
        try:
            return self._named[key]
        except KeyError:
            known = ", ".join(spec.domain for spec in self.specs)
            raise IngestError(f"알 수 없는 컬렉션입니다: {key!r} (가능한 값: {known})") from None

    def domain_named(self, key: str | None) -> str | None:
        """Return the domain of the collection `find` gives; without a key that of the only one there is, None of several."""
        if key:
            return self.find(key).domain
        return self.specs[0].domain if len(self.specs) == 1 else None

    @property
    def law(self) -> str:
        """The domain of statutes. Raises `IngestError` where no domain is that of the law."""
        if self._law is None:
            raise IngestError("법률 분야(is_law)가 없어 법령과 판례를 넣을 컬렉션을 정해야 합니다 (--collection)")
        return self._law.key

    def of_cases(self, path: PurePosixPath) -> str:
        """Return the domain of the court cases in a folder, by its name. Raises as `law`."""
        return next((self._folders[part] for part in path.parts if part in self._folders), "") or self.law

    def of_case_kind(self, kind: str) -> str:
        """Return the domain of court cases of a kind. Raises as `law`."""
        return self._kinds.get(kind) or self.law

    def with_held(self, held: Mapping[str, str]) -> tuple[CollectionSpec, ...]:
        """Return the collections, and those ``held`` (name to domain) that no pack names any more."""
        named = {spec.name for spec in self.specs}
        return (*self.specs, *(CollectionSpec(domain, name) for name, domain in held.items() if name not in named))


def _spec(pack: DomainPack) -> CollectionSpec:
    policies = {name: _policy(text) for name, text in pack.chunking.items() if name != HEADING}
    return CollectionSpec(pack.key, pack.collection, policies, int(pack.chunking.get(HEADING, _SECTION_DEPTH)))


def _policy(text: str) -> ChunkingPolicy:
    """Read a policy as packs write it: a name, or ``threshold/size``, ``threshold/size/overlap``, ``threshold/size/overlap/marks``."""
    if text in _NAMED:
        return _NAMED[text]
    threshold, size, *rest = text.split("/", maxsplit=3)
    overlap, marks = (*rest, *("", "")[len(rest) :])
    return ChunkingPolicy(int(threshold), int(size), int(overlap) if overlap else OVERLAP, marks)
