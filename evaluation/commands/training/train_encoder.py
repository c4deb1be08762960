"""``python -m evaluation train-encoder``: train the embedded encoder and write it to data/encoder.

Needs the statute archive and the headnotes of court decisions. Extracting Kiwi's vectors (40 s) and analysing the texts (ten
minutes on two cores) are done once a data directory; the training itself takes some five minutes.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
from kiwipiepy import __version__ as kiwi_version
from tqdm import tqdm

from evaluation.training.encoder.corpus import Corpus, TextReader, add_corpus_arguments, build_corpus
from evaluation.training.encoder.export import compacted, file_record, write_encoder
from evaluation.training.encoder.headnotes import excluded_questions
from evaluation.training.encoder.kiwi_vectors import MorphemeVectors, load_or_extract
from evaluation.training.encoder.train import TrainingOptions, train
from utils.config.settings import load_settings
from vectorstores.build.analysis_cache import AnalysisCache
from vectorstores.commands.progress_bar import TqdmProgress
from vectorstores.embedders.ids import KIWI_EMBEDDER_VERSION
from vectorstores.embedders.static_encoder import ENCODER_DIR
from vectorstores.tokenizer import TOKENIZER_ID, KiwiTokenizer

_SHOWN = 100  # steps between two lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_corpus_arguments(parser)
    parser.add_argument("--out", type=Path, default=ENCODER_DIR, help="folder to write (default: data/encoder)")
    parser.add_argument("--steps", type=int, default=TrainingOptions.steps, help="training steps")
    parser.add_argument("--seed", type=int, default=TrainingOptions.seed)


def run(arguments: argparse.Namespace) -> int:
    """Read the statutes and decisions, train, and write the encoder."""
    data_dir = arguments.data_dir or load_settings().data_dir
    progress = TqdmProgress()
    tokenizer = KiwiTokenizer()
    cache = AnalysisCache(data_dir / "cache" / "analysis.sqlite")
    try:
        kiwi = load_or_extract(tokenizer.kiwi, data_dir / "cache", progress)
        reader = TextReader(cache, tokenizer, progress)
        excluded = excluded_questions(arguments.exclude)
        corpus = build_corpus(arguments.statutes, arguments.headnotes, list(kiwi.rows), excluded, reader)
    finally:
        cache.close()
        progress.close()
    _train_and_write(arguments, kiwi, corpus)
    return 0


def _train_and_write(options: argparse.Namespace, kiwi: MorphemeVectors, corpus: Corpus) -> None:
    losses: dict[str, list[float]] = defaultdict(list)
    with tqdm(total=options.steps, desc="training", unit="step") as bar:

        def report(source: str, loss: float) -> None:
            losses[source].append(loss)
            bar.update()
            if bar.n % _SHOWN == 0:
                bar.write(
                    f"{bar.n}: " + "  ".join(f"{name} {np.mean(values[-20:]):.3f}" for name, values in losses.items())
                )

        vectors, learned = train(corpus, kiwi, TrainingOptions(steps=options.steps, seed=options.seed), report)
    origin = {
        "encoder": KIWI_EMBEDDER_VERSION,
        "tokenizer": TOKENIZER_ID,
        "kiwipiepy": kiwi_version,
        "command": _command(options),
        "seed": options.seed,
        "steps": options.steps,
        "data": {path.name: file_record(path) for path in (options.statutes, options.headnotes)},
        "pairs": {"articles": len(corpus.articles), "citations": len(corpus.citations), "rulings": len(corpus.rulings)},
        "terms": {"all": len(corpus.terms), "trained": int(learned.sum())},
        "last_losses": {name: round(float(np.mean(values[-20:])), 4) for name, values in sorted(losses.items())},
    }
    write_encoder(options.out, corpus.terms, compacted(vectors), origin)


def _command(arguments: argparse.Namespace) -> str:
    """Return the command as it was given, for the record."""
    excluded = ["--exclude", *map(str, arguments.exclude)] if arguments.exclude else []
    given = ["--statutes", str(arguments.statutes), "--headnotes", str(arguments.headnotes), *excluded]
    return " ".join(["python -m evaluation train-encoder", *given])
