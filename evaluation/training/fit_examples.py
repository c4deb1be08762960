"""The examples that the evaluator's subject fit is learned from: what an answer cites, and whether it is what answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agents.answering.prompt_builder import extractive_documents
from agents.engine import Engine, build_engine
from chains.extractive.chat_model import ExtractiveWriter
from chains.extractive.sentence_model import AnswerModel
from chains.extractive.sentence_scoring import SentenceScorer
from chains.extractive_task import ExtractivePart, ExtractiveTask
from evaluation.measures.retrieval import ranked_id
from evaluation.questions import EvaluationQuestion
from evaluation.training.documents import found_documents
from utils.config.settings import load_settings
from utils.documents import Hit
from utils.grounding.check import AnswerChecker
from utils.grounding.rule_evaluator import EvaluatedDocument, EvaluationInquiry, RuleEvaluator
from utils.grounding.sources import grounding_sources
from utils.grounding.subject_fit import SubjectFit
from utils.linear_models import LearnedWith
from utils.protocols import Embedder
from vectorstores.embedders.factory import build_kiwi_embedder
from vectorstores.tokenizer import KiwiTokenizer


@dataclass(frozen=True)
class FitExample:
    """A source that a sentence cites, and whether it is one that answers."""

    question: str
    features: tuple[float, ...]
    right: bool


def collect_fit_examples(
    data_dir: Path, questions: Sequence[EvaluationQuestion]
) -> tuple[list[FitExample], LearnedWith]:
    """Answer the questions with their documents and again without the right ones, whatever the probability of an answer; return
    what is cited, and what read it.

    Raises:
        utils.linear_models.WeightsRefused: the weights of the answers are not those of what is in effect.
    """
    settings = load_settings().model_copy(update={"data_dir": data_dir})
    tokenizer = KiwiTokenizer()
    engine, embedder = build_engine(settings, tokenizer), build_kiwi_embedder(tokenizer)
    learned_with = LearnedWith(tokenizer=tokenizer.id, embedder=embedder.id, reranker=engine.parts.reranker_id)
    return asyncio.run(_collect(engine, embedder, learned_with, questions)), learned_with


async def _collect(
    engine: Engine, embedder: Embedder, learned_with: LearnedWith, questions: Sequence[EvaluationQuestion]
) -> list[FitExample]:
    parts = engine.parts
    try:
        model = replace(AnswerModel.load(in_effect=learned_with), answered_from=0.0)
        found = await found_documents(engine, questions)
    finally:
        await engine.aclose()
    writer = ExtractiveWriter(SentenceScorer(parts.analyzer, embedder, model, parts.reader))
    evaluator = RuleEvaluator(parts.reader, SubjectFit.plain())
    checker = AnswerChecker(parts.glossary.law_aliases)
    return [row for one, hits in found for row in _rows(writer, evaluator, checker, one, hits)]


def _rows(
    writer: ExtractiveWriter,
    evaluator: RuleEvaluator,
    checker: AnswerChecker,
    question: EvaluationQuestion,
    hits: Sequence[Hit],
) -> Iterator[FitExample]:
    asked = question.question
    part = ExtractivePart(domain=question.domain, label=question.domain, question=asked)
    task = ExtractiveTask(question=asked, parts=(part,), documents=extractive_documents(hits))
    answer = "".join(writer.write(task))
    report = checker.check(answer, grounding_sources(hits), asked)
    documents = [EvaluatedDocument(hit.chunk, hit.relevance) for hit in hits]
    inquiry = EvaluationInquiry([asked], answer, documents, retrieval_passed=True, grounding=report)
    for number, features in evaluator.cited_features(asked, inquiry, report.sentences):
        yield FitExample(question.id, features, ranked_id(hits[number - 1]) in question.gold)
