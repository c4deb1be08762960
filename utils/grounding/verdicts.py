"""The yes or no that leads a sentence, held against what its sources settle."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

Verdicts = Mapping[int, frozenset[bool]]
"""By source the answers (True: yes) to the questions of yes or no that it settles."""

NOTHING_SETTLED: Verdicts = MappingProxyType({})

_LED = re.compile(r"[\s>*•\-–]{0,8}(?P<said>(?P<yes>네|예)|아니요|아니오|아닙니다)(?=[\s,.!*]|$)")


def misjudged(sentence: str, cited: Sequence[int], verdicts: Verdicts) -> list[str]:
    """The yes or no that leads ``sentence`` where the sources that it cites, or all where it cites none, settle the opposite."""
    settled = [verdicts[number] for number in cited or verdicts if number in verdicts]
    led = _LED.match(sentence) if settled else None
    if led is None or any(bool(led["yes"]) in told for told in settled):
        return []
    return [led["said"]]
