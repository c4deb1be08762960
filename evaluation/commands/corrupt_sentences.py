"""``python -m evaluation corrupt-sentences``: cited sentences with one fact changed, and what the grounding check finds of it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from evaluation.measures.sentence_corruption import PER_KIND, SEED, CheckedSentence, checked, figures, spoilt_sentences
from utils.config.settings import PROJECT_ROOT
from utils.grounding.check import AnswerChecker
from utils.korean.glossary import load_glossary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--per-kind", type=int, default=PER_KIND, help="sentences of each kind and half")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--show", choices=("design", "held-out"), help="also print what was missed and what was raised wrongly there"
    )
    parser.add_argument(
        "--knowledge", type=Path, default=PROJECT_ROOT / "data" / "knowledge", help="folder of the starter base"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check the sentences as they were and spoilt; print the figures by kind and half."""
    sentences = spoilt_sentences(arguments.knowledge, arguments.per_kind, arguments.seed)
    results = checked(sentences, AnswerChecker(load_glossary().law_aliases))
    print(table(results))
    if arguments.show:
        print(*faults(results, held_out=arguments.show == "held-out"), sep="\n")
    return 0


def table(results: Sequence[CheckedSentence]) -> str:
    """Sentences, share found and share of false alarms by kind and half."""
    lines = [f"{'kind':<10}{'half':>10}{'sentences':>11}{'found':>8}{'alarms':>8}"]
    for (kind, held_out), (count, found, alarms) in sorted(figures(results).items()):
        half = "held out" if held_out else "design"
        lines.append(f"{kind:<10}{half:>10}{count:>11}{found / count:>8.1%}{alarms / count:>8.1%}")
    return "\n".join(lines)


def faults(results: Sequence[CheckedSentence], *, held_out: bool) -> list[str]:
    """The sentences of one half that were judged wrongly, in words."""
    half = [result for result in results if result.sentence.is_held_out is held_out]
    missed = [result for result in half if not result.found]
    raised = [result for result in half if result.alarm]
    return [
        *(f"missed {each.sentence.change} {each.sentence.document}: {each.sentence.spoilt}\n    was: {each.sentence.intact}" for each in missed),
        *(f"alarm {each.sentence.document} {each.alarm}: {each.sentence.intact}" for each in raised),
    ]  # fmt: skip
