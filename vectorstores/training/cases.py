"""``python -m vectorstores.training.cases``: what published decisions say of the statutes, counted, into data/ranking.

How often an article is cited, and the words of the issues it was cited for. Needs the statute archive and the headnotes; analysing
these takes some two minutes, once a data directory.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from utils.config.settings import load_settings
from vectorstores.analysis_cache import AnalysisCache
from vectorstores.cli import TqdmProgress
from vectorstores.ranking.case_citations import CASE_CITATIONS_FILE
from vectorstores.ranking.case_words import CASE_WORDS_FILE, CaseWords
from vectorstores.tokenizer import KiwiTokenizer
from vectorstores.training.corpus import TextReader, add_corpus_arguments, is_word, read_articles
from vectorstores.training.headnotes import CitationReader, HeadnotePart, excluded_questions, read_headnotes

RANKING_DIR = CASE_WORDS_FILE.parent
WORDS_OF_AN_ARTICLE = 40  # more of them find no more (measured on the questions that the order is learned from)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read, count, write; returns the exit status."""
    options = _parser().parse_args(sys.argv[1:] if arguments is None else arguments)
    data_dir = options.data_dir or load_settings().data_dir
    progress = TqdmProgress()
    cache = AnalysisCache(data_dir / "cache" / "analysis.sqlite")
    try:
        reader = CitationReader(article.label for article in read_articles(options.statutes))
        parts = list(read_headnotes(options.headnotes, reader, excluded_questions(options.exclude)))
        texts = TextReader(cache, KiwiTokenizer(), progress)
        issues = texts.read("판시사항", [part.issue for part in parts])
        words = case_words(parts, issues, texts.terms)
    finally:
        cache.close()
        progress.close()
    options.out.mkdir(parents=True, exist_ok=True)
    lines = (f"{name}\t{count}\n" for name, count in sorted(case_citations(parts).items()))
    (options.out / CASE_CITATIONS_FILE.name).write_text("".join(lines), encoding="utf-8")
    words.save(options.out / CASE_WORDS_FILE.name)
    print(f"{len(words.labels)} articles, {len(words.terms)} words, {len(words.words)} pairs: {options.out}")
    return 0


def case_citations(parts: Iterable[HeadnotePart]) -> Counter[str]:
    """How many decisions cite each article, by label, and any article of each statute, by name."""
    cited = {(part.decision, key) for part in parts for label in part.cited for key in (label, label.split("|")[0])}
    return Counter(key for _, key in cited)


def case_words(parts: Sequence[HeadnotePart], issues: Sequence[NDArray[np.int32]], terms: Sequence[str]) -> CaseWords:
    """The words that mark what each article was cited for; ``issues`` are the terms of the parts' issues, numbers of ``terms``.

    An issue that cites several articles says less of each, and counts 1/√n.
    """
    of_article: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for part, issue in zip(parts, issues, strict=True):
        words = {word for number in issue.tolist() if is_word(word := terms[number])}
        for label in part.cited:
            for word in words:
                of_article[label][word] += len(part.cited) ** -0.5
    spread = Counter(word for counts in of_article.values() for word in counts)
    rarity = {word: math.log(len(of_article) / articles) for word, articles in spread.items()}
    kept = {label: _marking(counts, rarity) for label, counts in sorted(of_article.items()) if counts}
    used = sorted({word for counts in kept.values() for word in counts})
    place = {word: number for number, word in enumerate(used)}
    return CaseWords(
        list(kept),
        used,
        np.repeat(np.arange(len(kept), dtype=np.int32), [len(counts) for counts in kept.values()]),
        np.asarray([place[word] for counts in kept.values() for word in counts], dtype=np.int32),
        np.asarray([count for counts in kept.values() for count in counts.values()], dtype=np.float32),
    )


def _marking(counts: Mapping[str, float], rarity: Mapping[str, float]) -> dict[str, float]:
    """The words of an article that tell it from others, in the order of their letters."""
    best = sorted(counts, key=lambda word: (-counts[word] * rarity[word], word))[:WORDS_OF_AN_ARTICLE]
    return {word: counts[word] for word in sorted(best)}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vectorstores.training.cases", description="Count court decisions.")
    add_corpus_arguments(parser)
    parser.add_argument("--out", type=Path, default=RANKING_DIR, help="folder to write (default: data/ranking)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
