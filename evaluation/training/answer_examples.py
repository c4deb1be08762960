"""The examples that the answers are learned from: questions beside the sentences of the documents found for them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from agents.answering.company_profile import facts, with_stated_headcount
from agents.answering.prompt_builder import extractive_documents
from agents.engine import Engine, build_engine
from chains.extractive.sentence_features import (
    ANSWER_FEATURES,
    OF_AN_ANSWER,
    SENTENCE_FEATURES,
    answer_features,
    sentence_features,
)
from chains.extractive.sentence_model import ANSWER_WEIGHTS, AnswerModel
from chains.extractive.sentence_scoring import SentenceScorer
from chains.extractive_task import ExtractiveDocument
from evaluation.measures.retrieval import ranked_id
from evaluation.questions import EvaluationQuestion
from evaluation.training.documents import found_documents
from evaluation.training.sentences import AnswerExample
from utils.config.settings import load_settings
from utils.documents import Hit
from utils.korean.word_rarity import WordRarity
from utils.linear_models import LearnedWith
from utils.protocols import Embedder
from vectorstores.embedders.factory import build_kiwi_embedder
from vectorstores.ranking.combiner import learned_order
from vectorstores.tokenizer import KiwiTokenizer


def collect_answer_examples(
    data_dirs: Sequence[Path], questions: Sequence[EvaluationQuestion]
) -> tuple[list[AnswerExample], WordRarity, LearnedWith]:
    """Return the examples of all data directories, how rare words are in the documents of the first, and what read them.

    Raises:
        utils.linear_models.WeightsRefused: the order of candidates is not that of what is in effect: it is learned first.
    """
    tokenizer = KiwiTokenizer()
    examples: list[AnswerExample] = []
    rarity: WordRarity | None = None
    learned_with: LearnedWith | None = None
    for data_dir in data_dirs:
        settings = load_settings().model_copy(update={"data_dir": data_dir})
        engine, embedder = build_engine(settings, tokenizer), build_kiwi_embedder(tokenizer)
        searching = LearnedWith(
            tokenizer=tokenizer.id, embedder=engine.parts.embedder_id, reranker=engine.parts.reranker_id
        )
        learned_with = searching.model_copy(update={"embedder": embedder.id})
        if ANSWER_WEIGHTS.learned_for(learned_with) is not ANSWER_WEIGHTS:
            rarity = WordRarity.load()  # one table for all; it belongs to the shipped weights
        found, rarity = asyncio.run(_collect(engine, embedder, searching, questions, rarity))
        examples += found
    assert rarity is not None
    assert learned_with is not None
    return examples, rarity, learned_with


async def _collect(
    engine: Engine,
    embedder: Embedder,
    searching: LearnedWith,
    questions: Sequence[EvaluationQuestion],
    rarity: WordRarity | None,
) -> tuple[list[AnswerExample], WordRarity]:
    """Each question beside the documents of its domain, and again without those that answer it; and how rare words are:
    where it is not given, in all documents found."""
    parts = engine.parts
    try:
        learned_order(parts.settings, searching)
        found = await found_documents(engine, questions)
    finally:
        await engine.aclose()

    def scorer(rarity: WordRarity) -> SentenceScorer:
        sentence, answer = (np.zeros(len(names), dtype=np.float32) for names in (SENTENCE_FEATURES, ANSWER_FEATURES))
        untrained = AnswerModel(sentence, answer, bias=0.0, answered_from=0.5, rarity=rarity)
        return SentenceScorer(parts.analyzer, embedder, untrained, parts.reader)

    if rarity is None:
        reader = scorer(WordRarity(1, {}, {}))
        hits = {hit.chunk.id: hit for _, own in found for hit in own}
        candidates = reader.candidates(extractive_documents(list(hits.values())))
        rarity = WordRarity.count([(candidate.read.terms, candidate.read.plain) for candidate in candidates])
    learner = scorer(rarity)
    return [example for question, own in found for example in _examples(learner, question, own)], rarity


def _examples(scorer: SentenceScorer, question: EvaluationQuestion, hits: Sequence[Hit]) -> Iterator[AnswerExample]:
    documents: tuple[ExtractiveDocument, ...] = extractive_documents(hits)
    headcount = facts(with_stated_headcount(None, question.question)).get("employee_count")
    employees = headcount if isinstance(headcount, int) else None
    candidates = scorer.candidates(documents, employees)
    if not candidates:
        return
    match = scorer.match(question.question, candidates, employees)
    gold = np.array([ranked_id(hits[candidate.document.index - 1]) in question.gold for candidate in candidates])
    states = gold & np.array([question.states_fact(candidate.text) for candidate in candidates])
    for ask in scorer.asks(match):
        features = sentence_features(match, ask)
        found = answer_features(match, features[0])[len(OF_AN_ANSWER) :]
        yield AnswerExample(question.id, features.astype(float), states, gold, found.astype(float))
