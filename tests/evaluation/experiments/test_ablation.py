"""The table of what each part of the search gains."""

from __future__ import annotations

from evaluation.experiments.ablation import PARTS, AblationRow, ablation_table, markdown, perturbed_rows
from evaluation.measures.judged_candidates import ExampleCollector
from evaluation.measures.paired import Paired
from evaluation.measures.perturbation import PERTURBATIONS
from evaluation.questions import EvaluationQuestion
from evaluation.training.ranking import NOT_LEARNED
from vectorstores.ranking.combiner import LinearCombiner
from vectorstores.ranking.features import QUESTION_FEATURES, column_numbers
from vectorstores.ranking.passages import PASSAGE_FEATURES
from vectorstores.search.hybrid import HybridSearcher

FIGURES = {"any@1": 0.5, "any@5": 0.75, "any@10": 1.0, "any@20": 1.0, "recall@10": 0.9, "mrr": 0.625, "questions": 4.0}


def test_parts_name_known_features_and_leave_none_of_the_question_out() -> None:
    named = {name for names in PARTS.values() for name in names}
    assert len(column_numbers(sorted(named))) == len(named)
    assert set(QUESTION_FEATURES) - named == {"lexical", "lexical_mass", "lexical_in_group"} - named
    assert set(PASSAGE_FEATURES) - named - NOT_LEARNED == {"guide", "deleted"}


def test_the_table_as_markdown() -> None:
    rows = [
        AblationRow("plain", {"법령": FIGURES, "안내": {**FIGURES, "mrr": 0.1}}),
        AblationRow("shipped", {"법령": {**FIGURES, "any@1": 0.6666}, "안내": FIGURES}, {"법령": Paired(2, 1)}),
    ]
    text = markdown(rows, "questions.jsonl", 1276)
    assert "`questions.jsonl`" in text
    assert "1276" in text
    statutes = text.partition("## 법령\n")[2].partition("## 안내\n")[0].strip().splitlines()
    assert statutes == [
        "| configuration | any@1 | any@5 | any@10 | any@20 | recall@10 | mrr | paired |",
        "|---|---|---|---|---|---|---|---|",
        "| plain | 0.500 | 0.750 | 1.000 | 1.000 | 0.900 | 0.625 |  |",
        "| shipped | 0.667 | 0.750 | 1.000 | 1.000 | 0.900 | 0.625 | +2 −1, p 1.00 |",
    ]
    assert text.count("| plain |") == 2


def test_every_step_is_scored_by_origin(
    shops: HybridSearcher, collector: ExampleCollector, shop_questions: list[EvaluationQuestion]
) -> None:
    examples = collector.collect(shop_questions)
    unanswerable = EvaluationQuestion(id="x", question="달에는 누가 사나요?", gold=("달법|제1조",), origin="기타")
    rows = ablation_table(shops, examples, examples, [*shop_questions, unanswerable], LinearCombiner.load())
    assert len(rows) == 6 + len(PARTS) + 1  # the last one: with what is not learned
    assert len({row.name for row in rows}) == len(rows)
    by_name = {row.name: row.figures for row in rows}
    assert all(figures["가게"]["questions"] == figures["기타"]["questions"] == 3 for figures in by_name.values())
    assert [bool(row.paired) for row in rows] == [False] * 5 + [True] * (len(rows) - 5)
    assert all(pair.better + pair.worse <= 3 for row in rows for pair in row.paired.values())
    learned = by_name["+ learned order of the candidates"]
    assert learned["가게"]["any@5"] == 1.0
    assert learned["기타"]["any@10"] <= round(2 / 3, 4), "a question whose answer is not in the index counts as missed"
    assert all(row.figures["가게"]["any@5"] > 0.5 for row in rows)


def test_questions_typed_wrongly_are_scored_as_typed_and_put_right(
    shops: HybridSearcher, collector: ExampleCollector, shop_questions: list[EvaluationQuestion]
) -> None:
    rows = perturbed_rows(shops, collector.collect, shop_questions, LinearCombiner.load())
    assert [row.name.rpartition(", ")[0] for row in rows[::2]] == [f"as shipped, {kind}" for kind in PERTURBATIONS]
    figures = {row.name: row.figures["가게"] for row in rows}
    assert figures["as shipped, parties, put right"]["mrr"] >= figures["as shipped, parties, as typed"]["mrr"] > 0
