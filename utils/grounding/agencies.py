"""Public agencies in a text, each by its one name: 관할 세무서장 and 세무서, 공정위 and 공정거래위원회 are the same.

Data, not code: ``data/glossary/agencies.toml``. Places before a name (강남구청, 대구지방법원) say which office it is and are not compared.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from utils.config.settings import PROJECT_ROOT

_FILE = PROJECT_ROOT / "data" / "glossary" / "agencies.toml"
# The head of an agency, and what may follow a name: a particle or no letter; 법원칙 and 노동위원회법 are other words.
_AFTER = r"(?P<head>장관|[청서소처원]?장)?(?=[은는이가을를에의와과도로으나까부만입인등및측한께]|[^가-힣]|$)"


@dataclass(frozen=True, slots=True)
class Agency:
    """An agency in a text: its one name, and where it is named."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Agencies:
    """``synonyms`` maps each name to the one that is compared; ``parts`` an agency to those whose mention speaks of it too.

    ``sites`` are parts that are no agencies themselves: 홈택스.
    """

    synonyms: Mapping[str, str]
    parts: Mapping[str, tuple[str, ...]]
    sites: frozenset[str]

    def find(self, text: str) -> list[Agency]:
        """The agencies that ``text`` names, in order."""
        return [agency for agency in self._named(text) if agency.name not in self.sites]

    def implied(self, text: str) -> frozenset[str]:
        """The agencies that ``text`` speaks of: those it names, and those of which it names a part or a site."""
        return frozenset(name for agency in self._named(text) for name in (agency.name, *self._wholes[agency.name]))

    def without(self, text: str) -> str:
        """``text`` with a blank in place of each name."""
        return self._names.sub(" ", text)

    def _named(self, text: str) -> list[Agency]:
        return [Agency(self.synonyms[match["name"]], *match.span()) for match in self._names.finditer(text)]

    @cached_property
    def _names(self) -> re.Pattern[str]:
        longest_first = sorted(self.synonyms, key=len, reverse=True)
        initials = re.escape("".join(sorted({name[0] for name in self.synonyms})))
        return re.compile(rf"(?=[{initials}])(?P<name>{'|'.join(map(re.escape, longest_first))}){_AFTER}")

    @cached_property
    def _wholes(self) -> Mapping[str, list[str]]:
        wholes: defaultdict[str, list[str]] = defaultdict(list)
        for whole, parts in self.parts.items():
            for part in parts:
                wholes[part].append(whole)
        return wholes


@cache
def load_agencies() -> Agencies:
    """The agencies of the data file."""
    tables = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    parts = {whole: tuple(names) for whole, names in tables["parts"].items()}
    named = {other: name for name, others in tables["synonyms"].items() for other in (name, *others)}
    sites = frozenset(part for names in parts.values() for part in names if part not in named)
    return Agencies(named | {site: site for site in sites}, parts, sites)
