import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.routing import DatasetError, RoutingExample, RoutingPrediction, load_examples, score


def example(number: int, *domains: str, kind: str | None = None) -> RoutingExample:
    return RoutingExample(id=str(number), question="?", domains=frozenset(domains), kind=kind)


def said(number: int, *domains: str, kind: str = "consult") -> RoutingPrediction:
    return RoutingPrediction(str(number), domains, kind)


def test_each_figure_counts_what_it_says() -> None:
    examples = [
        example(1, "tax"),
        example(2, "tax"),
        example(3, "law", "tax"),
        example(4, kind="chitchat"),
        example(5, kind="out_of_scope"),
        example(6, "law"),
    ]
    predictions = [
        said(1, "tax"),
        said(2, "law", "tax"),
        said(3, "law"),
        said(4, kind="chitchat"),
        said(5, kind="chitchat"),
        said(6, kind="out_of_scope"),
    ]
    scores = score(examples, predictions)
    assert scores.exact == 0.5
    assert scores.single_exact == 0.3333
    assert scores.single_lenient == 0.6667
    assert scores.multi_exact == 0.0
    assert scores.multi_set_f1 == 0.6667
    assert scores.rejection_precision == 0.6667
    assert scores.rejection_recall == 1.0
    assert scores.in_scope_rejected == 0.25
    assert scores.kind_accuracy == 0.5
    assert scores.domains["tax"].precision == 1.0
    assert scores.domains["tax"].recall == 0.6667
    assert scores.domains["law"].f1 == 0.5


_SETS = st.frozensets(st.sampled_from(["tax", "law", "labor"]))


@given(st.lists(st.tuples(_SETS, _SETS), min_size=1, max_size=12))
def test_figures_are_shares_and_perfect_for_the_labels_themselves(
    pairs: list[tuple[frozenset[str], frozenset[str]]],
) -> None:
    examples = [RoutingExample(id="x", question="?", domains=gold) for gold, _ in pairs]
    mixed = score(examples, [RoutingPrediction("x", tuple(found), "consult") for _, found in pairs])
    perfect = score(examples, [RoutingPrediction("x", tuple(gold), "consult") for gold, _ in pairs])
    shares = mixed.model_dump(exclude={"questions", "domains", "kind_accuracy"})
    assert all(0.0 <= share <= 1.0 for share in shares.values())
    assert mixed.single_exact <= mixed.single_lenient
    assert perfect.exact == 1.0
    assert perfect.in_scope_rejected == 0.0


def test_a_dataset_is_read_with_or_without_labels(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    lines = [{"id": "a", "question": "가", "origin": "x"}, {"id": "b", "question": "나", "domains": []}]
    file.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    assert [found.domains for found in load_examples(file)] == [None, frozenset()]


@pytest.mark.parametrize(("content", "says"), [('{"id": "a"}', ":1:"), ("", "no questions"), ("{}\nnot json", ":1:")])
def test_a_wrong_dataset_is_refused_with_its_line(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(DatasetError, match=says):
        load_examples(file)


def test_unlabelled_questions_have_no_score() -> None:
    with pytest.raises(DatasetError, match="labelled"):
        score([RoutingExample(id="a", question="?")], [said(1)])
