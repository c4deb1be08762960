"""Training of answer units: questions beside every unit of the base, and the phrasings with their aspects."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from agents.assembly import build_agents, build_retrieval
from agents.engine import Engine, build_engine
from agents.retrieval.inquiry import RetrievalInquiry
from evaluation.measures.owner_questions import load_owner_questions, plain
from evaluation.questions import EvaluationQuestion
from evaluation.training.documents import DATASETS, found_documents
from evaluation.training.linear import Flags, Floats, RankedList, listwise_fit, logistic_regression
from utils.config.settings import load_settings
from utils.documents import Hit
from utils.korean.asks import AskReader
from utils.linear_models import LearnedWith
from utils.question_decomposer import SubQuery
from vectorstores.embedders.ids import unit_embedder_id
from vectorstores.tokenizer import KiwiTokenizer
from vectorstores.units.aspects import AspectCues
from vectorstores.units.match import Context, UnitMatch, UnitQuestion, match_units
from vectorstores.units.model import AGREEING, ANSWER_FEATURES, ORDER_FEATURES
from vectorstores.units.search import UnitSearcher

OWNER_FILES = tuple(
    DATASETS / f"owner_questions_{name}.jsonl" for name in ("dev", "train_tax_labor", "train_law_startup")
)
_SHARES = (0.7, 0.3)  # of a unit that states a key fact, and of any unit of a document that answers
_ORDER_L2 = 0.01
_ANSWER_L2 = 0.005
_OWNER_SHARE = 3.0  # how many questions made for a document an owner's question counts for when silence is learned
_CANDIDATES = 60  # the units that a fit chooses among


@dataclass(frozen=True, slots=True)
class UnitExample:
    """A question beside its nearest units: order features, whether each states a key fact and is of a document that answers.

    ``answer_rows`` are the answer features of each, without its score and its agreement with the best; ``documents`` numbers the documents they are of.
    ``is_owners``: it is asked as owners type, and not made for a document.
    """

    question: str
    rows: Floats
    states: Flags
    gold: Flags
    answer_rows: Floats
    documents: NDArray[np.int64]
    is_owners: bool


def learn_aspects(searcher: UnitSearcher, tokenizer: KiwiTokenizer) -> AspectCues:
    """Count the cues of all phrasings of the index."""
    units = [placed.stored for placed in searcher.catalogue.units]
    return AspectCues.learn(
        (tokenizer.morphemes(ask.text), stored.unit.aspect, stored.document_id)
        for stored in tqdm(units, unit="u", desc="aspects")
        for ask in stored.unit.asks
    )


def collect_unit_examples(
    data_dir: Path, questions: Sequence[EvaluationQuestion]
) -> tuple[list[UnitExample], AspectCues, LearnedWith]:
    """Return the examples of a data directory, the aspects learned from its phrasings, and what read both."""
    tokenizer = KiwiTokenizer()
    engine = build_engine(load_settings().model_copy(update={"data_dir": data_dir}), tokenizer)
    return asyncio.run(_collect(engine, tokenizer, questions))


async def _collect(
    engine: Engine, tokenizer: KiwiTokenizer, questions: Sequence[EvaluationQuestion]
) -> tuple[list[UnitExample], AspectCues, LearnedWith]:
    try:
        searcher, reader = engine.live.searcher.units, AskReader(tokenizer)
        aspects = learn_aspects(searcher, tokenizer)
        found = await found_documents(engine, questions)

        def asked(question: EvaluationQuestion) -> UnitQuestion:
            parts = reader.read(question.question)
            cues = aspects.read(tokenizer.morphemes(question.question))
            if len(parts) > 1:  # which of them is answered where is not known
                return searcher.asked(question.question, cues)
            clause = aspects.read(tokenizer.morphemes(parts[0].clause))
            return searcher.asked_part(parts[0], searcher.reading(question.question, cues), clause)

        def ids(hits: Sequence[Hit]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(hit.chunk.doc_id for hit in hits))

        classifier = engine.routing.current.classifier
        examples = await _of_owners(engine, searcher, reader, aspects, tokenizer)
        examples += [
            _example(
                searcher,
                asked(question),
                Context(classifier.classify(question.question).domains or (question.domain,), ids(hits)),
                question,
            )
            for question, hits in found
        ]
        return examples, aspects, LearnedWith(tokenizer=tokenizer.id, embedder=unit_embedder_id(tokenizer.id))
    finally:
        await engine.aclose()


async def _of_owners(
    engine: Engine, searcher: UnitSearcher, reader: AskReader, aspects: AspectCues, tokenizer: KiwiTokenizer
) -> list[UnitExample]:
    """The owner's questions of the choosing half, as far as they are cut into as many parts as they ask things."""
    retrieval = build_retrieval(engine.parts, build_agents(engine.parts))
    examples = []
    questions = [question for file in OWNER_FILES for question in load_owner_questions(file)]
    texts = [plain(" ".join(said.text for said in each.stored.unit.sentences)) for each in searcher.catalogue.units]
    for question in tqdm(questions, unit="q", desc="owners"):
        parts = reader.read(question.question)
        domains = engine.routing.current.classifier.classify(question.question).domains
        if question.history or len(parts) != len(question.asks) or not domains:
            continue
        inquiry = RetrievalInquiry(question.question, tuple(SubQuery(name, question.question) for name in domains))
        documents = (await retrieval.retrieve(inquiry)).searched
        context = Context(domains, tuple(dict.fromkeys(hit.chunk.doc_id for hit in documents)))
        story = searcher.reading(question.question, aspects.read(tokenizer.morphemes(question.question)))
        for number, (part, ask) in enumerate(zip(parts, question.asks, strict=True)):
            cues = aspects.read(tokenizer.morphemes(part.clause))
            match = _matched(searcher, searcher.asked_part(part, story, cues), context)
            gold = np.array([unit.stored.document_id in ask.gold for unit in searcher.catalogue.units])
            states = gold & np.array([ask.facts_in(text) > 0 for text in texts])
            name = f"{question.id}.{number}"
            examples.append(_nearest(name, match, np.arange(len(gold)), states, gold, is_owners=True))
    return examples


def _example(
    searcher: UnitSearcher, asked: UnitQuestion, context: Context, question: EvaluationQuestion
) -> UnitExample:
    match = _matched(searcher, asked, context)
    units = [placed.stored for placed in searcher.catalogue.units]
    gold = np.array([stored.document_id in question.gold for stored in units])
    is_without = gold.any() and not set(question.gold) & set(
        context.documents
    )  # the same again without what answers it
    kept = np.flatnonzero(~gold) if is_without else np.arange(len(units))
    texts = [" ".join(sentence.text for sentence in stored.unit.sentences) for stored in units]
    states = gold & np.array([question.states_fact(text) for text in texts])
    return _nearest(question.id, match, kept, states, gold)


def _matched(searcher: UnitSearcher, asked: UnitQuestion, context: Context) -> UnitMatch:
    """Return all units beside a thing asked: those that a search leaves out are learned from, too."""
    return match_units(searcher.catalogue, [asked], context, most_documents=len(searcher.catalogue.document_ids))[0]


def _nearest(
    name: str, match: UnitMatch, kept: NDArray[np.int64], states: Flags, gold: Flags, *, is_owners: bool = False
) -> UnitExample:
    near = kept[np.argsort(-_plain_score(match)[kept], kind="stable")[:_CANDIDATES]]
    return UnitExample(
        name,
        match.order_features[near],
        states[near],
        gold[near],
        match.answer_features(near, np.zeros(len(near)), np.zeros(len(near))),
        match.catalogue.documents[near],
        is_owners,
    )


def _plain_score(match: UnitMatch) -> Floats:
    """Return the scores, shape ``(units,)``, that candidates are taken by before anything is learned: overlap and cosines."""
    weights = {"phrasing": 1.0, "phrasings_cosine": 1.0, "text_coverage": 0.5}
    plain = [weights.get(name.partition("_")[2], 0.0) for name in ORDER_FEATURES]
    score: Floats = match.order_features @ np.array(plain)
    return score


def learn_unit_order(examples: Sequence[UnitExample]) -> Floats:
    """Fit the order of units to the questions of which is known what a unit has to state."""
    lists = [RankedList(example.rows, (example.states, example.gold)) for example in examples if example.states.any()]
    return listwise_fit(lists, _SHARES, _ORDER_L2)


def best_of(example: UnitExample, order: Floats) -> int:
    """The place of the unit that is said."""
    return int(np.argmax(example.rows @ order))


def answer_row(example: UnitExample, at: int, order: Floats) -> Floats:
    """The answer features of a candidate, with its score and agreement in this order."""
    row: Floats = example.answer_rows[at].copy()
    scores = example.rows @ order
    best = np.argsort(-scores, kind="stable")[:AGREEING]
    row[ANSWER_FEATURES.index("score")] = scores[at]
    row[ANSWER_FEATURES.index("agreement")] = (example.documents[best] == example.documents[at]).mean()
    return row


def learn_unit_answers(examples: Sequence[UnitExample], order: Floats) -> tuple[Floats, float]:
    """Fit whether the best unit is of a document that answers."""
    best = [best_of(example, order) for example in examples]
    rows = np.stack([answer_row(example, at, order) for example, at in zip(examples, best, strict=True)])
    right = np.array([bool(example.gold[at]) for example, at in zip(examples, best, strict=True)])
    shares = np.array([_OWNER_SHARE if example.is_owners else 1.0 for example in examples])
    return logistic_regression(rows, right, shares / shares.sum(), _ANSWER_L2)
