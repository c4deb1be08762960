"""The gain of each feature of a linear model: learned again without it, judged on questions held out, pair by pair.

A feature is left out by setting it to 0 everywhere, so that it weighs nothing. Every question is judged by weights learned from
the other folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean

import numpy as np

from chains.extractive.sentence_features import SENTENCE_FEATURES
from evaluation.measures.paired import Paired
from evaluation.measures.routing import RoutingExample
from evaluation.training.judge_examples import AskExample
from evaluation.training.linear import FOLDS, Flags, Floats, fold_of
from evaluation.training.routing import TrainingSet, fit, folds
from evaluation.training.sentences import (
    AnswerExample,
    best_features,
    learn_answer_weights,
    learn_sentence_weights,
)
from utils.grounding.answer_judge import FEATURES, Treatment
from utils.routing.calibration import RoutingModel
from utils.routing.evidence import DOMAIN_FEATURES, SCOPE_FEATURES

ANSWERED_FROM = 0.4

Outcomes = Mapping[str, float]
"""The outcome of each question, by its key; higher is better."""


@dataclass(frozen=True)
class FeatureAblation:
    """``run`` gives the outcomes by measure when these features are left out."""

    title: str
    features: tuple[tuple[str, ...], ...]
    run: Callable[[frozenset[str]], Mapping[str, Outcomes]]

    def markdown(self) -> str:
        """Return the table: for each row the share that is right, and how many questions get better and worse without it."""
        whole = self.run(frozenset())
        lines = [
            f"## {self.title}",
            "",
            "| without | " + " | ".join(f"{name} | paired" for name in whole) + " |",
            "|---|" + "---|---|" * len(whole),
            "| nothing | " + " | ".join(f"{mean(found.values()):.3f} |" for found in whole.values()) + " |",
        ]
        for left_out in self.features:
            found = self.run(frozenset(left_out))
            cells = [f"{mean(found[name].values()):.3f} | {_paired(found[name], whole[name])}" for name in whole]
            lines.append(f"| {', '.join(f'`{name}`' for name in left_out)} | " + " | ".join(cells) + " |")
        return "\n".join(lines) + "\n"


def each(features: Sequence[str], *together: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return each feature alone, then some together, as far as they are all among these."""
    return (*((name,) for name in features), *(names for names in together if set(names) <= set(features)))


def sentence_ablation(examples: Sequence[AnswerExample], together: Sequence[tuple[str, ...]] = ()) -> FeatureAblation:
    """Which sentence answers: the best one states the fact, is of a right document; and an answer is told from none."""

    def run(left_out: frozenset[str]) -> Mapping[str, Outcomes]:
        off = [number for number, name in enumerate(SENTENCE_FEATURES) if name in left_out]
        return _sentence_outcomes([replace(example, features=_without(example.features, off)) for example in examples])

    return FeatureAblation("Which sentence answers", each(SENTENCE_FEATURES, *together), run)


def judge_ablation(
    treatment: Treatment, rows: Sequence[AskExample], together: Sequence[tuple[str, ...]] = ()
) -> FeatureAblation:
    """Is a thing asked treated as it should be: a question's share of its answers that are judged rightly at even odds."""
    features = np.array([row.finding.values for row in rows])
    right = np.array([row.right for row in rows])

    def run(left_out: frozenset[str]) -> Mapping[str, Outcomes]:
        off = [number for number, name in enumerate(FEATURES[treatment]) if name in left_out]
        told = _held_out_probabilities(rows, _without(features, off), right) >= 0.5
        shares: dict[str, list[bool]] = {}
        for row, is_right, said in zip(rows, right.tolist(), told.tolist(), strict=True):
            shares.setdefault(row.question, []).append(is_right == said)
        return {"told right from wrong": {question: mean(found) for question, found in shares.items()}}

    return FeatureAblation(f"Is an answer right: {treatment.value}", each(FEATURES[treatment], *together), run)


def routing_ablation(
    data: TrainingSet, own: TrainingSet, examples: Sequence[RoutingExample], together: Sequence[tuple[str, ...]] = ()
) -> FeatureAblation:
    """Which domains: exactly the labelled ones, as the share of five repeats."""

    def run(left_out: frozenset[str]) -> Mapping[str, Outcomes]:
        cut, rest = _routing_without(data, left_out), _routing_without(own, left_out)
        right = dict.fromkeys((example.id for example in examples), 0.0)
        everything = np.arange(len(examples))
        for held_out in folds(len(examples)):
            model = RoutingModel(fit(cut.subset(np.setdiff1d(everything, held_out)), rest), cut.keys)
            for row in held_out.tolist():
                relevant = model.is_relevant(cut.scope[row])
                domains = model.choose(model.scores(cut.domain[row])) if relevant else ()
                right[examples[row].id] += (frozenset(domains) == examples[row].domains) / FOLDS
        return {"exact": right}

    return FeatureAblation("Which domains", each((*DOMAIN_FEATURES, *SCOPE_FEATURES), *together), run)


def _held_out_probabilities(rows: Sequence[AskExample], features: Floats, right: Flags) -> Floats:
    """Return the probability of each row, learned from the other questions."""
    fold = fold_of(row.question for row in rows)
    of = np.array([fold[row.question] for row in rows])
    found = np.zeros(len(rows))
    for number in range(FOLDS):
        weights, bias = learn_answer_weights(features[of != number], right[of != number])
        found[of == number] = 1 / (1 + np.exp(-features[of == number] @ weights - bias))
    return found


def _sentence_outcomes(examples: Sequence[AnswerExample]) -> Mapping[str, Outcomes]:
    fold = fold_of(example.question for example in examples)
    found: dict[str, dict[str, float]] = {"states the fact": {}, "right document": {}, "answer or none": {}}
    for number in range(FOLDS):
        learned_from = [example for example in examples if fold[example.question] != number]
        weights = learn_sentence_weights(learned_from)
        best = np.array([best_features(example, weights) for example in learned_from])
        answer, bias = learn_answer_weights(best, np.array([bool(example.gold.any()) for example in learned_from]))
        for at, example in enumerate(examples):
            if fold[example.question] != number:
                continue
            key, first = f"{example.question} {at}", int(np.argmax(example.features @ weights))
            odds = float(best_features(example, weights) @ answer) + bias
            told = 1 / (1 + np.exp(-odds)) >= ANSWERED_FROM
            found["answer or none"][key] = float(told == bool(example.gold.any()))
            if example.states.any():
                found["states the fact"][key] = float(example.states[first])
            if example.gold.any():
                found["right document"][key] = float(example.gold[first])
    return found


def _routing_without(data: TrainingSet, left_out: frozenset[str]) -> TrainingSet:
    domain = [number for number, name in enumerate(DOMAIN_FEATURES) if name in left_out]
    scope = [number for number, name in enumerate(SCOPE_FEATURES) if name in left_out]
    return replace(data, domain=_without(data.domain, domain), scope=_without(data.scope, scope))


def _without(features: Floats, columns: Sequence[int]) -> Floats:
    left = features.copy()
    left[..., list(columns)] = 0.0
    return left


def _paired(found: Outcomes, whole: Outcomes) -> Paired:
    return Paired.of([found[key] for key in whole], list(whole.values()))
