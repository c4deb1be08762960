"""The part of its topic that a question asks for, told by the small words in it: 언제, 얼마, 안 하면, 어디서.

A naive Bayes model over morphemes of every kind, particles and endings included, learned from the phrasings of the units
themselves (``python -m evaluation train-units``): their aspects are known.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from utils.config.settings import PROJECT_ROOT
from utils.knowledge.units import Aspect
from utils.protocols import Morpheme

ASPECTS_FILE = PROJECT_ROOT / "data" / "units" / "aspects.json"
_ASPECTS = tuple(Aspect)
_PLACES = {aspect: place for place, aspect in enumerate(_ASPECTS)}
_LAST = 6  # morphemes from whose pairs the end of a question is read
_FEWEST_DOCUMENTS = 12  # a cue of fewer documents is a word of their topic
_DECIMALS = 2
_MOST = 8.0  # in log odds: what many cues together may say
# 안 하면 어떻게 되나요?: what comes of it is asked for, though 어떻게 elsewhere asks for the way to do a thing.
_OF_FAILURE = {Aspect.SANCTION: 4.0, Aspect.CONSEQUENCE: 4.0, Aspect.RATE: 2.0}
_OF_ANOTHER = -4.0
_FAILURES = frozenset("안 못 않 늦 어기 위반 미루 거부 지나 넘기 놓치 빠뜨리".split())
_REACH = 4  # morphemes before the condition's ending

AspectOdds = NDArray[np.float64]
"""Log odds against the usual share of each aspect, in the order of `Aspect`."""


@dataclass(frozen=True, slots=True)
class AspectCues:
    """The log odds that each cue gives to the aspects."""

    odds: Mapping[str, AspectOdds]

    def read(self, morphemes: Sequence[Morpheme]) -> AspectOdds:
        """The log odds of each aspect for a question, within ±8."""
        if _asks_what_comes_of_failure(morphemes):
            return np.array([_OF_FAILURE.get(aspect, _OF_ANOTHER) for aspect in _ASPECTS])
        found = [self.odds[cue] for cue in cues_of(morphemes) if cue in self.odds]
        total: AspectOdds = np.sum(found, axis=0) if found else np.zeros(len(_ASPECTS))
        return np.clip(total, -_MOST, _MOST)

    @classmethod
    def learn(cls, phrasings: Iterable[tuple[Sequence[Morpheme], Aspect, str]]) -> Self:
        """Count the cues of phrasings, each with the aspect of its unit and the id of its document."""
        totals = np.zeros(len(_ASPECTS))
        counts: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(len(_ASPECTS)))
        documents: dict[str, set[str]] = defaultdict(set)
        for morphemes, aspect, document in phrasings:
            place = _PLACES[aspect]
            totals[place] += 1
            for cue in cues_of(morphemes):
                counts[cue][place] += 1
                documents[cue].add(document)
        every = totals.sum()
        return cls(
            {
                cue: np.log(own + 0.5) - np.log(totals + 1) - np.log((own.sum() + 0.5) / (every + 1))
                for cue, own in sorted(counts.items())
                if len(documents[cue]) >= _FEWEST_DOCUMENTS
            }
        )

    @classmethod
    def load(cls, path: Path = ASPECTS_FILE) -> Self:
        """Read the learned cues. Raises OSError, or ValueError where the file is of other aspects."""
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["aspects"] != [aspect.value for aspect in _ASPECTS]:
            raise ValueError(f"{path.name}: other aspects than those of the code")
        return cls({cue: np.asarray(odds, dtype=np.float64) for cue, odds in stored["cues"].items()})

    def as_json(self) -> str:
        """The file that `load` reads, a cue a line."""
        cues = [
            f"{json.dumps(cue, ensure_ascii=False)}: {json.dumps(odds.round(_DECIMALS).tolist())}"
            for cue, odds in self.odds.items()
        ]
        aspects = json.dumps([aspect.value for aspect in _ASPECTS])
        return f'{{"aspects": {aspects}, "cues": {{\n' + ",\n".join(cues) + "\n}}\n"


def _asks_what_comes_of_failure(morphemes: Sequence[Morpheme]) -> bool:
    """The question is 안 하면 어떻게 되나요?, whatever it is that is not done."""
    for place in range(1, len(morphemes) - 2):
        ending, how, so, come = morphemes[place - 1 : place + 3]
        if (how.form, so.form, come.form) == ("어떻", "게", "되") and ending.form in ("면", "으면"):
            before = morphemes[max(0, place - 1 - _REACH) : place - 1]
            return any(morpheme.form in _FAILURES for morpheme in before)
    return False


def cues_of(morphemes: Sequence[Morpheme]) -> frozenset[str]:
    """The morphemes with the class of their tag, and the pairs of neighbours at the end."""
    forms = [f"{morpheme.form}/{morpheme.tag[0]}" for morpheme in morphemes]
    ends = forms[-_LAST:]
    return frozenset(forms) | {f"{left} {right}" for left, right in pairwise(ends)}


def place_of(aspect: Aspect) -> int:
    """Where in `AspectOdds` an aspect stands."""
    return _PLACES[aspect]
