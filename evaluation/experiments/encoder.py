"""Finding documents by the embedder alone: no BM25, no reranker, no prior."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import mean

import numpy as np

from evaluation.measures.retrieval import RankedAnswer, score
from evaluation.questions import EvaluationQuestion, load_questions
from evaluation.training.encoder.corpus import TextReader, read_articles
from utils.config.settings import PROJECT_ROOT
from utils.korean.question_words import subject_terms
from utils.protocols import AnalyzedText, Embedder, FloatMatrix
from utils.routing.domain_pack import load_pack_files
from utils.routing.domain_store import SHIPPED_DOMAINS
from vectorstores.cli import starter_source
from vectorstores.collections import ALWAYS, Collections
from vectorstores.loaders.base import LoadOptions, LoadReport
from vectorstores.loaders.files import read_text_files
from vectorstores.storage.chunking import chunk_text

_DEPTH = 100
_NEAREST = 400  # passages that are looked at for a question: several may be of one document
_SAMPLED = 300
_QUESTION_BLOCK = 64


@dataclass(frozen=True, slots=True)
class EncoderSet:
    """Passages as (id of the document, text), and questions with the ids that answer them."""

    name: str
    passages: Sequence[tuple[str, str]]
    questions: Sequence[EvaluationQuestion]


def encoder_sets(shared: Path) -> Iterator[EncoderSet]:
    """The development sets: statutes, labour questions, Korean API pages, and the starter knowledge base."""
    corpus, questions = shared / "corpus", shared / "eval"
    articles = [(article.label, article.text) for article in read_articles(corpus / "statutes-md.tar.gz")]
    yield EncoderSet("statutes", articles, load_questions(questions / "statute_recall_dev.jsonl"))
    lines = (json.loads(line) for line in (corpus / "labor-faq.jsonl").read_text(encoding="utf-8").splitlines())
    entries = [(str(line["id"]), f"{line['question']}\n{line['answer']}") for line in lines]
    yield EncoderSet("labor_faq", entries, load_questions(questions / "labor_faq_dev.jsonl"))
    asked = [
        question
        for question in load_questions(questions / "google_api_dev.jsonl")
        if question.model_dump()["page_lang"] == "ko"
    ]
    sample = random.Random(1).sample(asked, min(_SAMPLED, len(asked)))  # noqa: S311  # a fixed sample, no secret
    yield EncoderSet("google_api_ko", list(_pages(corpus / "google-api-docs.tar.gz")), sample)
    yield starter_set()


def starter_set() -> EncoderSet:
    """The knowledge base and the questions that ship with the project."""
    return EncoderSet("starter", list(_starter_documents()), list(_starter_questions()))


def dense_figures(encoder_set: EncoderSet, texts: TextReader, embedder: Embedder) -> dict[str, dict[str, float]]:
    """any@k, recall@10, recall@100 and MRR of a set, and of each origin within it."""
    passages = _embedded([text for _, text in encoder_set.passages], texts, embedder, of_questions=False)
    questions = _embedded([question.question for question in encoder_set.questions], texts, embedder, of_questions=True)
    answers = list(_ranked(questions, passages, encoder_set))
    origins = sorted({question.origin for question in encoder_set.questions})
    return {
        "/".join(filter(None, (encoder_set.name, origin))): _scored(
            [
                answer
                for answer, question in zip(answers, encoder_set.questions, strict=True)
                if question.origin == origin
            ],
            [question for question in encoder_set.questions if question.origin == origin],
        )
        for origin in origins
    }


def _scored(answers: Sequence[RankedAnswer], questions: Sequence[EvaluationQuestion]) -> dict[str, float]:
    figures = score(answers, {question.id: question.gold for question in questions})
    found = [len(set(a.hits) & set(q.gold)) / len(q.gold) for a, q in zip(answers, questions, strict=True)]
    kept = {name: value for name, value in figures.items() if not name.startswith("ms_")}
    return kept | {f"recall@{_DEPTH}": round(mean(found), 4)}


def _ranked(questions: FloatMatrix, passages: FloatMatrix, encoder_set: EncoderSet) -> Iterator[RankedAnswer]:
    nearest = min(_NEAREST, len(passages))
    for start in range(0, len(questions), _QUESTION_BLOCK):
        block = questions[start : start + _QUESTION_BLOCK] @ passages.T
        for cosines, question in zip(block, encoder_set.questions[start : start + _QUESTION_BLOCK], strict=True):
            best = np.argpartition(-cosines, nearest - 1)[:nearest]
            ids = [
                encoder_set.passages[number][0] for number in best[np.argsort(-cosines[best], kind="stable")].tolist()
            ]
            yield RankedAnswer(question.id, question.as_gold(ids)[:_DEPTH], 0.0)


def _embedded(texts: Sequence[str], reader: TextReader, embedder: Embedder, *, of_questions: bool) -> FloatMatrix:
    blocks = [np.zeros((0, embedder.dimension), dtype=np.float32)]
    lists = reader.read("임베딩", texts)
    for start in range(0, len(texts), 1_000):
        terms = (tuple(reader.terms[number] for number in ids.tolist()) for ids in lists[start : start + 1_000])
        items = [AnalyzedText("", subject_terms(term) if of_questions else term) for term in terms]
        blocks.append(embedder.embed(items))
    return np.concatenate(blocks)


def _pages(archive: Path) -> Iterator[tuple[str, str]]:
    """The pages in passages; the first line of a page is its address."""
    report = LoadReport()
    for file in read_text_files(archive, (".txt",), report):
        body = (file.text(report) or "").partition("\n")[2]
        yield from ((file.path.removeprefix("./"), passage.text) for passage in chunk_text(body, ALWAYS))


def _starter_documents() -> Iterator[tuple[str, str]]:
    source = starter_source()
    options = LoadOptions(date.max, collections=Collections(load_pack_files(SHIPPED_DOMAINS)))
    for found in source.loader.load(source.path, options, LoadReport()):
        yield found.document.id, f"{found.document.title}\n{found.document.content}"


def _starter_questions() -> Iterator[EvaluationQuestion]:
    folder = PROJECT_ROOT / "evaluation" / "datasets"
    return (question for file in sorted(folder.glob("starter_*.jsonl")) for question in load_questions(file))
