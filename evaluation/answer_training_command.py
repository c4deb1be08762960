"""``python -m evaluation train-answers``: learn which sentence answers, and whether any does."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

import numpy as np

from agents.company_profile import facts, with_stated_headcount
from agents.engine import Engine, build_engine
from agents.prompt_builder import extractive_documents
from chains.answer_model import WEIGHTS_FILE, AnswerModel
from chains.extractive_task import ExtractiveDocument
from chains.sentence_features import (
    ANSWER_FEATURES,
    OF_AN_ANSWER,
    SENTENCE_FEATURES,
    answer_features,
    sentence_features,
)
from chains.sentence_scoring import SentenceScorer
from evaluation.answer_training import (
    AnswerExample,
    Flags,
    Floats,
    best_features,
    learn_answer_weights,
    learn_sentence_weights,
)
from evaluation.answers import area_under_curve
from evaluation.questions import EvaluationQuestion
from evaluation.retrieval import ranked_id
from evaluation.training_documents import found_documents, training_questions
from utils.config.settings import load_settings
from utils.knowledge import Hit
from utils.protocols import Embedder
from utils.word_rarity import RARITY_FILE, WordRarity
from vectorstores.embedders.factory import build_embedder
from vectorstores.tokenizer import KiwiTokenizer

_FOLDS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data-dir",
        type=Path,
        nargs="+",
        required=True,
        help="data directories: with the starter base, and with the statutes beside it",
    )
    parser.add_argument("--out", type=Path, default=WEIGHTS_FILE, help="where to write the weights")
    parser.add_argument("--rarity-out", type=Path, default=RARITY_FILE, help="where to write how rare words are")
    parser.add_argument(
        "--answered-from",
        type=float,
        default=0.4,
        help="probability of an answer from which it is given (default: 0.4)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Learn from the choosing half of the answer questions and the starter questions; write the weights."""
    questions = training_questions()
    examples, rarity = _collect_all(arguments.data_dir, questions)
    weights = learn_sentence_weights(examples)
    learned, bias = learn_answer_weights(*_outcomes(examples, weights))
    named = {
        "command": "python -m evaluation train-answers",
        "questions": len(questions),
        "cross_validated": _cross_validated(examples),
        "answered_from": arguments.answered_from,
        "sentence": _named(SENTENCE_FEATURES, weights),
        "bias": round(bias, 4),
        "answer": _named(ANSWER_FEATURES, learned),
    }
    arguments.out.write_text(json.dumps(named, indent=2) + "\n", encoding="utf-8")
    arguments.rarity_out.write_text(rarity.as_json() + "\n", encoding="utf-8")
    print(json.dumps(named["cross_validated"]))
    return 0


def _collect_all(
    data_dirs: Sequence[Path], questions: Sequence[EvaluationQuestion]
) -> tuple[list[AnswerExample], WordRarity]:
    """The examples of all data directories, and how rare words are in the documents of the first."""
    tokenizer = KiwiTokenizer()
    examples: list[AnswerExample] = []
    rarity: WordRarity | None = None
    for data_dir in data_dirs:
        settings = load_settings().model_copy(update={"data_dir": data_dir})
        engine, embedder = build_engine(settings, tokenizer), build_embedder(settings, tokenizer)
        found, rarity = asyncio.run(_collect(engine, embedder, questions, rarity))
        examples += found
    assert rarity is not None
    return examples, rarity


async def _collect(
    engine: Engine, embedder: Embedder, questions: Sequence[EvaluationQuestion], rarity: WordRarity | None
) -> tuple[list[AnswerExample], WordRarity]:
    """Each question beside the documents of its domain, and again without those that answer it; and how rare words are:
    where it is not given, in all documents found."""
    parts = engine.parts
    try:
        found = await found_documents(engine, questions)
    finally:
        await engine.aclose()

    def scorer(rarity: WordRarity) -> SentenceScorer:
        sentence, answer = (np.zeros(len(names), dtype=np.float32) for names in (SENTENCE_FEATURES, ANSWER_FEATURES))
        untrained = AnswerModel(sentence, answer, bias=0.0, answered_from=0.5, rarity=rarity)
        return SentenceScorer(parts.analyzer, embedder, untrained, parts.glossary.wordings)

    if rarity is None:
        reader = scorer(WordRarity(1, {}, {}))
        hits = {hit.chunk.id: hit for _, own in found for hit in own}
        candidates = reader.candidates(extractive_documents(list(hits.values())))
        rarity = WordRarity.count([(one.read.terms, one.read.plain) for one in candidates])
    learner = scorer(rarity)
    return [example for one, own in found for example in _examples(learner, one, own)], rarity


def _examples(scorer: SentenceScorer, question: EvaluationQuestion, hits: Sequence[Hit]) -> Iterator[AnswerExample]:
    documents: tuple[ExtractiveDocument, ...] = extractive_documents(hits)
    headcount = facts(with_stated_headcount(None, question.question)).get("employee_count")
    employees = headcount if isinstance(headcount, int) else None
    candidates = scorer.candidates(documents, employees)
    if not candidates:
        return
    match = scorer.match(question.question, candidates, employees)
    gold = np.array([ranked_id(hits[one.document.index - 1]) in question.gold for one in candidates])
    states = gold & np.array([question.states_fact(one.text) for one in candidates])
    for ask in scorer.asks(match):
        features = sentence_features(match, ask)
        found = answer_features(match, features[0])[len(OF_AN_ANSWER) :]
        yield AnswerExample(question.id, features.astype(float), states, gold, found.astype(float))


def _outcomes(examples: Sequence[AnswerExample], weights: Floats) -> tuple[Floats, Flags]:
    rows = np.array([best_features(one, weights) for one in examples])
    return rows, np.array([bool(one.gold.any()) for one in examples])


def _cross_validated(examples: Sequence[AnswerExample]) -> dict[str, float]:
    """On questions that were not learned from: share whose best sentence is of a document that answers, and states a key
    fact; and how well the probability of an answer tells those with one from those without (area under the curve)."""
    ids = sorted({one.question for one in examples})
    fold = {name: number % _FOLDS for number, name in enumerate(np.random.default_rng(0).permutation(ids).tolist())}
    gold: list[bool] = []
    states: list[bool] = []
    right: list[float] = []
    wrong: list[float] = []
    for number in range(_FOLDS):
        learned_from = [one for one in examples if fold[one.question] != number]
        weights = learn_sentence_weights(learned_from)
        answer, bias = learn_answer_weights(*_outcomes(learned_from, weights))
        for one in (one for one in examples if fold[one.question] == number):
            odds = float(best_features(one, weights) @ answer) + bias
            (right if one.gold.any() else wrong).append(odds)
            best = int(np.argmax(one.features @ weights))
            if one.gold.any():
                gold.append(bool(one.gold[best]))
            if one.states.any():
                states.append(bool(one.states[best]))
    figures = {"gold_first": mean(gold), "states_first": mean(states), "auc": area_under_curve(right, wrong)}
    return {name: round(value, 4) for name, value in figures.items()}


def _named(features: Sequence[str], weights: Floats) -> dict[str, float]:
    return {name: round(float(weight), 4) for name, weight in zip(features, weights, strict=True)}
