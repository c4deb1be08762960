"""``python -m evaluation encoder``."""

from __future__ import annotations

import argparse
from pathlib import Path

import orjson

from evaluation.baseline import write_baseline
from evaluation.experiments.encoder import dense_figures, encoder_sets
from evaluation.training.encoder.corpus import TextReader
from evaluation.training.encoder.export import ORIGIN_FILE
from utils.config.settings import PROJECT_ROOT, load_settings
from vectorstores.build.analysis_cache import AnalysisCache
from vectorstores.commands.progress_bar import TqdmProgress
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.embedders.static_encoder import ENCODER_DIR, StaticEncoder
from vectorstores.tokenizer import KiwiTokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared = PROJECT_ROOT.parent / "shared"
    parser.add_argument(
        "--shared", type=Path, default=shared, help="folder with corpus/ and eval/ (default: ../shared)"
    )
    parser.add_argument("--encoder", type=Path, default=ENCODER_DIR, help="encoder to measure (default: data/encoder)")
    parser.add_argument("--data-dir", type=Path, help="where analyses are kept (default: DATA_DIR)")
    parser.add_argument("--baseline", type=Path, help="JSON to write the scores to")
    parser.add_argument("--record", action="store_true", help="write the scores into the encoder's origin.json too")


def run(arguments: argparse.Namespace) -> int:
    """Print the figures of an encoder alone on each set; needs the development data."""
    data_dir = arguments.data_dir or load_settings().data_dir
    tokenizer = KiwiTokenizer()
    embedder = KiwiEmbedder(tokenizer, StaticEncoder.open(arguments.encoder))
    progress = TqdmProgress()
    cache = AnalysisCache(data_dir / "cache" / "analysis.sqlite")
    scores: dict[str, dict[str, float]] = {}
    try:
        for encoder_set in encoder_sets(arguments.shared):
            scores |= dense_figures(encoder_set, TextReader(cache, tokenizer, progress), embedder)
    finally:
        cache.close()
        progress.close()
    for name, figures in scores.items():
        print(name, " ".join(f"{key}={value:g}" for key, value in figures.items()))
    if arguments.baseline:
        write_baseline(arguments.baseline, scores)
    if arguments.record:
        origin = arguments.encoder / ORIGIN_FILE
        record = orjson.loads(origin.read_bytes()) | {"found_alone": scores}
        origin.write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
    return 0
