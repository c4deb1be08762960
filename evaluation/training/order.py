"""The order in which everything is learned: each step with its command, what it needs and what it writes.

docs/learned.md says why it is this order: what comes later reads features that what comes earlier makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chains.extractive.sentence_model import ANSWER_WEIGHTS
from utils.conclusions.verdict_model import VERDICT_WEIGHTS
from utils.grounding.answer_judge import ANSWER_JUDGE
from utils.korean.word_rarity import RARITY_FILE
from utils.routing.calibration import CALIBRATION
from vectorstores.embedders.static_encoder import ENCODER_DIR
from vectorstores.embedders.unit_encoder import UNIT_ENCODER_DIR
from vectorstores.ranking.case_citations import CASE_CITATIONS_FILE
from vectorstores.ranking.case_words import CASE_WORDS_FILE
from vectorstores.ranking.combiner import ORDER_WEIGHTS
from vectorstores.units.aspects import ASPECTS_FILE
from vectorstores.units.model import UNIT_WEIGHTS

STARTER, STATUTES = "starter", "statutes"


@dataclass(frozen=True, slots=True)
class Step:
    """``words`` follow ``python -m``. Each of ``needs`` has to be there before the step runs; ``makes`` is there after it."""

    name: str
    words: tuple[str, ...]
    needs: tuple[Path, ...]
    makes: tuple[Path, ...]

    def missing(self) -> list[Path]:
        """Return what the step needs and is not there."""
        return [path for path in self.needs if not path.exists()]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of learning that are not part of the project; ``routing_questions`` are labelled with their domains.

    ``folder`` holds the two indexes of the training; ``excluded`` are question files that nothing may be learned from.
    """

    statutes: Path
    decisions: Path
    folder: Path
    excluded: Sequence[Path] = ()
    routing_questions: Path | None = None

    @property
    def starter(self) -> Path:
        """Return the data directory with the starter base alone."""
        return self.folder / STARTER

    @property
    def whole(self) -> Path:
        """Return the data directory with the starter base and the statutes."""
        return self.folder / STATUTES


def index_of(data_dir: Path) -> Path:
    """Return the file that is there when a data directory holds an index."""
    return data_dir / "index" / "current.json"


def training_steps(inputs: Inputs) -> list[Step]:
    """Return every step in its order; routing is left out where there are no questions to calibrate it on."""
    starter, whole = inputs.starter, inputs.whole
    corpus = (inputs.statutes, inputs.decisions)
    texts: list[str | Path] = ["--statutes", inputs.statutes, "--headnotes", inputs.decisions, "--data-dir", whole]
    texts += ["--exclude", *inputs.excluded] if inputs.excluded else []
    indexes = index_of(starter), index_of(whole)
    encoder = ENCODER_DIR / "origin.json"
    units = UNIT_ENCODER_DIR / "origin.json"
    cases = CASE_CITATIONS_FILE, CASE_WORDS_FILE
    ingest = ("vectorstores", "ingest")
    statutes = (*ingest, inputs.statutes, "--collection", "law_common", "--data-dir", whole)
    steps = [
        _step("train-encoder", ("evaluation", "train-encoder", *texts), corpus, (encoder,)),
        _step("count-cases", ("evaluation", "count-cases", *texts), corpus, cases),
        _learner("train-phrasings", (), (encoder,), (units,)),
        _step("index-starter", (*ingest, "--data-dir", starter), (encoder, units, *cases), indexes[:1]),
        _step("index-starter-again", (*ingest, "--data-dir", whole), (encoder, units, *cases), indexes[1:]),
        _step("index-statutes", statutes, (inputs.statutes, indexes[1]), indexes[1:]),
        _learner("train-ranking", ("--data-dir", whole), indexes[1:], (ORDER_WEIGHTS.path,)),
        _learner(
            "train-answers",
            ("--data-dir", starter, whole),
            (*indexes, ORDER_WEIGHTS.path),
            (ANSWER_WEIGHTS.path, RARITY_FILE),
        ),
        _learner(
            "train-units",
            ("--data-dir", starter),
            (indexes[0], ORDER_WEIGHTS.path),
            (UNIT_WEIGHTS.path, ASPECTS_FILE),
        ),
        _learner("train-verdicts", (), (), (VERDICT_WEIGHTS.path,)),
        _learner(
            "train-evaluator",
            ("--data-dir", starter),
            (indexes[0], ANSWER_WEIGHTS.path, RARITY_FILE, UNIT_WEIGHTS.path, ASPECTS_FILE, VERDICT_WEIGHTS.path),
            (ANSWER_JUDGE.path,),
        ),
    ]
    questions = inputs.routing_questions
    if questions is not None:
        steps.append(_learner("calibrate-routing", ("--dataset", questions), (encoder, questions), (CALIBRATION.path,)))
    return steps


def _learner(name: str, options: Sequence[str | Path], needs: Sequence[Path], makes: Sequence[Path]) -> Step:
    return _step(name, ("evaluation", name, *options), needs, makes)


def _step(name: str, words: Sequence[str | Path], needs: Sequence[Path], makes: Sequence[Path]) -> Step:
    return Step(name, tuple(map(str, words)), tuple(needs), tuple(makes))
