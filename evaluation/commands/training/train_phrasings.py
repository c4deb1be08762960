"""``python -m evaluation train-phrasings``: teach the vectors of answer units on the phrasings of the starter base; a minute."""

from __future__ import annotations

import argparse
from pathlib import Path

from kiwipiepy import __version__ as kiwi_version

from evaluation.commands.training.train_verdicts import STARTER_BASE
from evaluation.training.encoder.export import write_encoder
from evaluation.training.phrasings import PhrasingCorpus, PhrasingOptions, train_phrasings
from evaluation.training.verdicts import read_documents
from vectorstores.embedders.ids import KIWI_EMBEDDER_VERSION, UNIT_ENCODER_VERSION
from vectorstores.embedders.static_encoder import shipped_encoder
from vectorstores.embedders.unit_encoder import UNIT_ENCODER_DIR
from vectorstores.tokenizer import TOKENIZER_ID, KiwiTokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=UNIT_ENCODER_DIR, help="folder to write (default: data/units/encoder)"
    )
    parser.add_argument("--steps", type=int, default=PhrasingOptions.steps, help="training steps")
    parser.add_argument("--seed", type=int, default=PhrasingOptions.seed)


def run(arguments: argparse.Namespace) -> int:
    """Read the units of the starter base, train, and write the vectors of their terms."""
    documents = read_documents(STARTER_BASE)
    corpus = PhrasingCorpus.of(documents, KiwiTokenizer())
    options = PhrasingOptions(steps=arguments.steps, seed=arguments.seed)
    vectors, loss = train_phrasings(corpus, shipped_encoder(), options)
    origin = {
        "encoder": UNIT_ENCODER_VERSION,
        "started_from": KIWI_EMBEDDER_VERSION,
        "tokenizer": TOKENIZER_ID,
        "kiwipiepy": kiwi_version,
        "command": "python -m evaluation train-phrasings",
        "seed": options.seed,
        "steps": options.steps,
        "documents": len(documents),
        "units": len(corpus.sizes),
        "texts": int(corpus.sizes.sum()),
        "last_loss": round(loss, 4),
    }
    write_encoder(arguments.out, corpus.terms, vectors, origin)
    print(f"{len(corpus.terms)} terms of {len(corpus.sizes)} units, loss {loss:.3f}, written to {arguments.out}")
    return 0
