"""A domain that the calibration was not fitted with gets its own questions and takes none of the others'."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator

import pytest

from evaluation.measures.routing import load_examples, predict, score
from tests.evaluation.test_routing_baseline import DATASET
from tests.support.fifth_domain import KEY, PACK, QUESTIONS
from tests.support.packs import shipped_packs
from utils.config.settings import PROJECT_ROOT
from utils.domain_classifier import DomainClassifier
from utils.routing.calibration import RoutingCalibration
from utils.routing.domain_pack import DomainPack, PackSet
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

FIVE = PackSet(
    domains=(*shipped_packs().domains, DomainPack.model_validate(tomllib.loads(PACK))),
    rejections=shipped_packs().rejections,
)


@pytest.fixture(scope="module")
def five(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> DomainClassifier:
    return DomainClassifier(tokenizer, embedder, FIVE, RoutingCalibration.load())


def starter_questions() -> Iterator[tuple[str, str]]:
    """(question, its domain) of the questions that test the starter knowledge."""
    for pack in shipped_packs().domains:
        file = PROJECT_ROOT / "evaluation" / "datasets" / f"starter_{pack.key}.jsonl"
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["question"], pack.key


def test_it_was_not_fitted() -> None:
    assert KEY not in RoutingCalibration.load().domain_bias


@pytest.mark.parametrize("question", QUESTIONS)
def test_its_questions_are_its_own(five: DomainClassifier, question: str) -> None:
    assert five.classify(question).domains == (KEY,)


def test_it_takes_no_question_of_another(five: DomainClassifier) -> None:
    questions = list(starter_questions())
    taken = [question for question, _ in questions if KEY in five.classify(question).domains]
    about_farming = [question for question, _ in questions if "농업인" in question]
    assert taken == about_farming


@pytest.mark.corpus
def test_the_development_questions_go_where_they_did(
    five: DomainClassifier, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder
) -> None:
    if not DATASET.exists():
        pytest.skip("the development questions are not beside the project")
    examples = load_examples(DATASET)
    four = DomainClassifier(tokenizer, embedder, shipped_packs(), RoutingCalibration.load())
    before, after = (predict(classifier.classify, examples) for classifier in (four, five))
    assert not [example.id for example in after if KEY in example.domains]
    changed = [was.id for was, now in zip(before, after, strict=True) if set(was.domains) != set(now.domains)]
    assert len(changed) <= 0.01 * len(examples), changed
    assert score(examples, after).in_scope_rejected == score(examples, before).in_scope_rejected


def test_biases_of_domains_that_are_gone_are_not_read(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> None:
    left = tuple(pack.model_copy(update={"neighbours": ()}) for pack in FIVE.domains if pack.key in ("hr_labor", KEY))
    packs = PackSet(domains=left, rejections=FIVE.rejections)
    classifier = DomainClassifier(tokenizer, embedder, packs, RoutingCalibration.load())
    assert classifier.classify("퇴직금은 언제까지 지급해야 하나요?").domains == ("hr_labor",)
    assert classifier.classify(QUESTIONS[0]).domains == (KEY,)
