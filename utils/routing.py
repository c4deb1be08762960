"""All that routing is made of for one state of the domain data; when the data change, another is built in its place."""

from __future__ import annotations

from dataclasses import dataclass

from utils.domain_classifier import DomainClassifier
from utils.domain_pack import PackSet
from utils.protocols import Analyzer, Embedder
from utils.question_decomposer import QuestionDecomposer
from utils.routing_calibration import RoutingCalibration


@dataclass(frozen=True, slots=True)
class Routing:
    """The domain data with the classifier and the decomposer built from them."""

    packs: PackSet
    classifier: DomainClassifier
    decomposer: QuestionDecomposer


def build_routing(
    packs: PackSet, analyzer: Analyzer, embedder: Embedder, calibration: RoutingCalibration, *, rejects: bool
) -> Routing:
    """About half a second: the representative questions are analysed and embedded."""
    classifier = DomainClassifier(analyzer, embedder, packs, calibration, rejects=rejects)
    return Routing(packs, classifier, QuestionDecomposer(classifier.reader, packs.keys()))
