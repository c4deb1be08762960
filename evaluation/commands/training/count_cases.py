"""``python -m evaluation count-cases``: what published decisions say of the statutes, counted, into data/ranking.

Needs the statute archive and the headnotes; analysing these takes some two minutes, once a data directory.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from evaluation.training.cases import case_citations, case_words
from evaluation.training.encoder.corpus import TextReader, add_corpus_arguments, read_articles
from evaluation.training.encoder.headnotes import CitationReader, excluded_questions, read_headnotes
from utils.config.settings import load_settings
from vectorstores.build.analysis_cache import AnalysisCache
from vectorstores.commands.progress_bar import TqdmProgress
from vectorstores.ranking.case_citations import CASE_CITATIONS_FILE
from vectorstores.ranking.case_words import CASE_WORDS_FILE
from vectorstores.tokenizer import KiwiTokenizer

RANKING_DIR = CASE_WORDS_FILE.parent


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_corpus_arguments(parser)
    parser.add_argument("--out", type=Path, default=RANKING_DIR, help="folder to write (default: data/ranking)")


def run(arguments: argparse.Namespace) -> int:
    """Read the decisions, count, and write both tables."""
    data_dir = arguments.data_dir or load_settings().data_dir
    progress = TqdmProgress()
    cache = AnalysisCache(data_dir / "cache" / "analysis.sqlite")
    try:
        reader = CitationReader(article.label for article in read_articles(arguments.statutes))
        parts = list(read_headnotes(arguments.headnotes, reader, excluded_questions(arguments.exclude)))
        texts = TextReader(cache, KiwiTokenizer(), progress)
        issues = texts.read("판시사항", [part.issue for part in parts])
        words = case_words(parts, issues, texts.terms)
    finally:
        cache.close()
        progress.close()
    arguments.out.mkdir(parents=True, exist_ok=True)
    lines = (f"{name}\t{count}\n" for name, count in sorted(case_citations(parts).items()))
    (arguments.out / CASE_CITATIONS_FILE.name).write_text("".join(lines), encoding="utf-8")
    words.save(arguments.out / CASE_WORDS_FILE.name)
    print(f"{len(words.labels)} articles, {len(words.terms)} words, {len(words.words)} pairs: {arguments.out}")
    return 0
