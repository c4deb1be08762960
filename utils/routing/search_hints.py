"""Words that make a search fit the asker's company, as a domain pack writes them.

``{region}`` and ``{industry_name}`` stand for what is known of the company; a hint of which something is not known is left
out. A hint may hold for some companies alone: ``employee_count < 5: 상시 근로자 5명 미만 사업장 적용 범위``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from schemas.chat import Scalar

_NUMBERS = ("employee_count", "years_in_business", "annual_revenue")
_WORDS = ("region", "industry_name")
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_CONDITION = re.compile(r"(?P<field>[a-z_]+)\s*(?P<compare>[<>]=?)\s*(?P<bound>\d+(?:\.\d+)?)\s*:\s*(?P<words>.+)")
_PLACE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class SearchHint:
    """``words`` to search for as well, for companies of which ``field`` compares with ``bound``; "" for all."""

    words: str
    field: str = ""
    compare: str = "<"
    bound: float = 0.0

    @classmethod
    def parse(cls, text: str) -> SearchHint:
        """Read a hint. Raises ``ValueError`` for a field that companies do not have."""
        found = _CONDITION.fullmatch(text)
        words = found["words"] if found else text
        unknown = sorted(set(_PLACE.findall(words)) - set(_WORDS))
        if unknown:
            raise ValueError(f"{text!r}: {unknown} is not among {list(_WORDS)}")
        if found is None:
            return cls(words)
        if found["field"] not in _NUMBERS:
            raise ValueError(f"{text!r}: {found['field']!r} is not among {list(_NUMBERS)}")
        return cls(words, found["field"], found["compare"], float(found["bound"]))

    def words_for(self, company: Mapping[str, Scalar]) -> str | None:
        """Return the words for a company, given by what is known of it; None where the hint does not hold or too little is known."""
        if self.field:
            value = company.get(self.field)
            if not isinstance(value, int | float) or not _COMPARE[self.compare](value, self.bound):
                return None
        places = _PLACE.findall(self.words)
        if not all(company.get(place) for place in places):
            return None
        return _PLACE.sub(lambda place: str(company[place[1]]), self.words)
