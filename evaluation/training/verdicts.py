"""Training of yes and no: the judged phrasings of the base, each beside its unit without it, and owners' questions beside the
units that answer them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from tqdm import tqdm

from evaluation.measures.owner_questions import load_owner_questions, plain
from evaluation.training.linear import Floats, logistic_regression
from utils.conclusions.verdict_features import VOTING, Features, JudgedUnit, judged_unit, verdict_features
from utils.conclusions.yes_no_questions import read_question
from utils.knowledge.unit_parser import parse_unit_document
from utils.knowledge.units import UnitDocument
from utils.korean.asks import AskReader
from utils.linear_models import LinearModel
from vectorstores.tokenizer import KiwiTokenizer

OWNERS = "owners"
_L2 = 0.0006
_OWNER_SHARE = 15.0  # an owner's question counts for as many phrasings
_FEWEST = 8  # examples that have a feature worth a weight
_KEPT = 100_000


@dataclass(frozen=True, slots=True)
class VerdictExample:
    """A question beside a unit, and the yes or no that is right. ``group`` is held out as a whole; ``source`` is `OWNERS` or the base."""

    group: str
    source: str
    features: Features
    verdict: bool


def read_documents(folder: Path) -> list[UnitDocument]:
    """Read all documents in the unit form below ``folder``, as far as they can be read."""
    parsed = [parse_unit_document(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.md"))]
    return [each.document for each in parsed if each.document is not None]


def verdict_examples(
    documents: Sequence[UnitDocument], owner_files: Sequence[Path], tokenizer: KiwiTokenizer
) -> list[VerdictExample]:
    """Return the examples of all judged phrasings and of the owners' questions whose verdict is known."""
    morphemes_of = lru_cache(_KEPT)(tokenizer.morphemes)
    units = {
        (document.id, number): judged_unit(unit, morphemes_of)
        for document in tqdm(documents, unit="doc", desc="verdicts")
        for number, unit in enumerate(document.units)
    }
    examples = [
        VerdictExample(document, "base", verdict_features(ask.reading, unit.without(place)), ask.verdict)
        for (document, _), unit in units.items()
        for place, ask in enumerate(unit.asks)
        if ask.reading.polarity is not None
    ]
    return [*examples, *_of_owners(documents, units, owner_files, tokenizer)]


def _of_owners(
    documents: Sequence[UnitDocument],
    units: Mapping[tuple[str, int], JudgedUnit],
    files: Sequence[Path],
    tokenizer: KiwiTokenizer,
) -> Iterator[VerdictExample]:
    reader = AskReader(tokenizer)
    texts = {
        (document.id, number): plain(" ".join(sentence.text for sentence in unit.sentences))
        for document in documents
        for number, unit in enumerate(document.units)
    }
    for question in (question for file in files for question in load_owner_questions(file)):
        parts = reader.read(question.question)
        if question.history or len(parts) != len(question.asks):
            continue
        for part, ask in zip(parts, question.asks, strict=True):
            reading = read_question(part.text, tokenizer.morphemes(part.text))
            if ask.verdict is None or reading.polarity is None:
                continue
            answering = [key for key, text in texts.items() if key[0] in ask.gold and ask.facts_in(text) == ask.facts]
            for key in answering[:1]:
                yield VerdictExample(question.id, OWNERS, verdict_features(reading, units[key]), ask.verdict)


def learn_verdicts(examples: Sequence[VerdictExample], said_from: float) -> dict[str, LinearModel]:
    """Fit the probability of yes: by all features (``verdict``), and by those of votes alone (``votes``)."""
    return {
        "verdict": _learned(examples, said_from, lambda name: True),
        "votes": _learned(examples, said_from, lambda name: name.startswith(VOTING)),
    }


def _learned(examples: Sequence[VerdictExample], said_from: float, is_used: Callable[[str], bool]) -> LinearModel:
    counts = Counter(name for example in examples for name in example.features if is_used(name))
    names = sorted(name for name, count in counts.items() if count >= _FEWEST)
    places = {name: place for place, name in enumerate(names)}
    rows: Floats = np.zeros((len(examples), len(names)))
    for row, example in zip(rows, examples, strict=True):
        for name, value in example.features.items():
            if name in places:
                row[places[name]] = value
    shares = np.array([_OWNER_SHARE if example.source == OWNERS else 1.0 for example in examples])
    wanted = np.array([example.verdict for example in examples])
    weights, bias = logistic_regression(rows, wanted, shares / shares.sum(), _L2, standardised=False)
    return LinearModel.of(names, weights, bias, said_from)
