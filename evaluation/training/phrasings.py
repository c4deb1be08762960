"""Training of the vectors by which questions are held against answer units (`vectorstores.embedders.unit_encoder`).

The vectors of the embedded encoder are taught further on the phrasings of the base: one is to be near the others of its unit and the unit's
text, and far from those of the units beside it, which are in the same document and tell something else of the same matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from tqdm import tqdm

from evaluation.training.encoder.bags import Bags, Batch, Numbers
from evaluation.training.encoder.model import DualEncoder
from evaluation.training.encoder.pairs import Pairs
from utils.knowledge.units import UnitDocument
from utils.korean.question_words import subject_terms
from utils.protocols import FloatMatrix
from vectorstores.embedders.static_encoder import StaticEncoder
from vectorstores.storage.ragged import RaggedIds
from vectorstores.storage.unit_table import StoredUnit, UnitTexts
from vectorstores.tokenizer import KiwiTokenizer

_DROPOUT = 0.15  # share of a question's terms that are left out
_WITH_STORY = 0.6  # share of the questions that stand among words of another matter, as those of a long story do
_STORY_DROPOUT = 0.5  # share of the words of the other matter that are left out
_TEMPERATURE = 0.1
_LAST = 50  # steps whose loss is told
_TEXT_SHARE = 1 / 3  # share of the batches whose passages are the texts of units instead of phrasings


@dataclass(frozen=True)
class PhrasingOptions:
    """``documents``: so many have all their units in a batch."""

    steps: int = 1_500
    documents: int = 40
    seed: int = 1


@dataclass(frozen=True, slots=True)
class PhrasingCorpus:
    """The searched texts of all units as bags of ``terms``, once as they are asked and once as they are searched.

    ``firsts`` has the place of each unit's own text, and its phrasings stand behind it: ``sizes`` texts with it. ``documents``
    numbers the document of each unit.
    """

    terms: tuple[str, ...]
    asked: Bags
    searched: Bags
    firsts: Numbers
    sizes: Numbers
    documents: Numbers

    @classmethod
    def of(cls, documents: Sequence[UnitDocument], tokenizer: KiwiTokenizer) -> Self:
        """Read the units of some documents."""
        stored = [StoredUnit(document.id, 0, unit) for document in documents for unit in document.units]
        texts = UnitTexts.of(stored)
        numbers: dict[str, int] = {}
        searched, asked = [], []
        for located in tokenizer.located_many(tqdm(texts.texts, unit="text", desc="units")):
            searched.append([numbers.setdefault(term, len(numbers)) for term in located.terms])
            asked.append([numbers[term] for term in subject_terms(located.terms)])
        sizes = np.bincount(texts.owners)
        places = {document.id: number for number, document in enumerate(documents)}
        return cls(
            tuple(numbers),
            Bags(_ragged(asked)),
            Bags(_ragged(searched)),
            np.cumsum(sizes) - sizes,
            sizes,
            np.array([places[unit.document_id] for unit in stored], dtype=np.int64),
        )


class PhrasingSampler:
    """Draws batches of questions and the texts of the same units; the same ones for the same seed."""

    def __init__(self, corpus: PhrasingCorpus, documents: int, seed: int) -> None:
        self._corpus = corpus
        self._documents = documents
        self._random = np.random.default_rng(seed)
        self._with_pairs = corpus.sizes > 2  # a phrasing and another one

    def draw(self) -> Pairs:
        """A batch of all units of some documents."""
        corpus, random = self._corpus, self._random
        drawn = random.choice(int(corpus.documents.max()) + 1, self._documents, replace=False)
        units = np.flatnonzero(np.isin(corpus.documents, drawn) & self._with_pairs)
        firsts, phrasings = corpus.firsts[units] + 1, corpus.sizes[units] - 1
        asked = random.integers(0, phrasings)
        other = (asked + random.integers(1, phrasings)) % phrasings
        question = self._dropped(corpus.asked.take(firsts + asked), _DROPOUT)
        beside = corpus.asked.take((firsts + asked)[random.permutation(len(units))])
        told = random.random(len(units)) < _WITH_STORY
        story = self._dropped(beside.keep(told[beside.text]), _STORY_DROPOUT)
        is_text = random.random() < _TEXT_SHARE
        passages = corpus.searched.take(firsts - 1 if is_text else firsts + other)
        return Pairs(question.beside(story), passages, np.zeros((len(units), len(units)), dtype=np.bool_))

    def _dropped(self, bags: Batch, share: float) -> Batch:
        return bags.keep(self._random.random(len(bags.row)) >= share)


def train_phrasings(
    corpus: PhrasingCorpus, encoder: StaticEncoder, options: PhrasingOptions
) -> tuple[FloatMatrix, float]:
    """Return the vector of each of the corpus's terms, shape ``(terms, dimension)``, and the mean loss of the last steps, in nats.

    Deterministic for a seed and a number of threads.
    """
    start = encoder.vectors(corpus.terms)
    model = DualEncoder(start, np.ones(len(start), dtype=np.float32), options.steps, _TEMPERATURE)
    sampler = PhrasingSampler(corpus, options.documents, options.seed)
    losses = [model.learn(sampler.draw()) for _ in tqdm(range(options.steps), unit="step", desc="training")]
    return model.term_vectors(), float(np.mean(losses[-_LAST:]))


def _ragged(lists: Sequence[Sequence[int]]) -> RaggedIds:
    flat = np.array([number for each in lists for number in each], dtype=np.int32)
    return RaggedIds(flat, np.cumsum([0, *map(len, lists)], dtype=np.int64))
