"""Query-independent features of passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from vectorstores.ranking.case_citations import CaseCitations
from vectorstores.ranking.citations import CitationGraph
from vectorstores.ranking.passages import PASSAGE_FEATURES, PassageTable, PassageTableWriter
from vectorstores.storage.ragged import RaggedIds

NOTHING_CITED = CaseCitations({}, {})
NO_TERMS = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class Article:
    """An article as a build gives it; ``label`` None: a guide with that id."""

    label: str | None
    texts: Sequence[str] = ("신고한다.",)
    kind: str = "법률"
    deleted: bool = False
    document: str = "D"


def table(folder: Path, *articles: Article, cases: CaseCitations = NOTHING_CITED, terms: int = 5) -> PassageTable:
    writer, graph = PassageTableWriter(cases), CitationGraph()
    for article in articles:
        writer.add(article.label or article.document, article.label, article.kind, article.deleted, len(article.texts))
        if article.label is not None:
            for text in article.texts:
                graph.add(article.label.split("|")[0], article.label, text, NO_TERMS, NO_TERMS)
    chunks = sum(len(article.texts) for article in articles)
    bodies = RaggedIds(np.tile(np.arange(terms, dtype=np.int32), chunks), np.arange(0, terms * chunks + 1, terms))
    groups = writer.finish(folder, bodies, graph)
    opened = PassageTable.open(folder)
    assert opened.groups.tolist() == groups.tolist()
    return opened


def flags(made: PassageTable, row: int) -> set[str]:
    names = ("guide", "decree", "rule", "other_norm", "deleted", "purpose", "definitions")
    return {name for name in names if made.features[row, PASSAGE_FEATURES.index(name)]}


def column(made: PassageTable, name: str) -> list[float]:
    values: list[float] = made.features[:, PASSAGE_FEATURES.index(name)].tolist()
    return values


@pytest.mark.parametrize(
    ("article", "expected"),
    [
        (Article("가게보호법|제3조"), set()),
        (Article("대한민국헌법|제3조", kind="헌법"), set()),
        (Article("가게보호법시행령|제3조", kind="대통령령"), {"decree"}),
        (Article("가게보호법시행규칙|제3조", kind="부령"), {"rule"}),
        (Article("가게규정|제3조", kind="대통령령"), {"other_norm"}),
        (Article("가게보호법|제1조"), {"purpose"}),
        (Article("가게보호법시행령|제2조", kind="대통령령"), {"decree", "definitions"}),
        (Article("가게보호법|제1조의2"), set()),
        (Article("가게보호법|제2조의2"), set()),
        (Article("가게보호법|제12조"), set()),
        (Article("가게보호법|제3조", deleted=True), {"deleted"}),
        (Article(None), {"guide"}),
    ],
)
def test_the_kind_of_a_passage(tmp_path: Path, article: Article, expected: set[str]) -> None:
    assert flags(table(tmp_path, article), 0) == expected


def test_groups_are_an_act_with_decree_and_rule_and_each_other_document(tmp_path: Path) -> None:
    made = table(
        tmp_path,
        Article("가게보호법|제1조", ("하나.", "둘.")),
        Article(None, ("앞.", "뒤."), document="가게보호법"),
        Article("가게보호법시행령|제1조", kind="대통령령"),
        Article("나라법|제1조"),
        Article("가게보호법시행규칙|제9조", kind="부령"),
        Article(None, document="D2"),
    )
    assert made.groups.tolist() == [0, 0, 1, 1, 0, 2, 0, 3]


def test_a_deleted_article_is_never_a_candidate_by_its_words(tmp_path: Path) -> None:
    citing = Article("가게보호법|제1조", ("제3조에 따른다.",))
    assert table(tmp_path, citing, Article("가게보호법|제3조", deleted=True)).boost()[1] == 0.0


def test_of_equal_words_the_more_general_norm_is_ahead(tmp_path: Path) -> None:
    names = ("가게보호법", "가게보호법시행령", "가게보호법시행규칙")
    act, decree, rule = table(tmp_path, *(Article(f"{name}|제3조") for name in names)).boost().tolist()
    assert act == 1.0 > decree > rule > 0.0


def test_the_more_an_article_is_cited_the_larger_its_boost(tmp_path: Path) -> None:
    citing = Article("나라법|제9조", ("「가게법」 제3조, 「가게법」 제4조와 「가게법」 제3조에 따른다.",))
    made = table(tmp_path, citing, *(Article(f"가게법|제{number}조") for number in (3, 4, 5)), Article("혼자법|제3조"))
    boost = made.boost().tolist()
    assert boost[1] > boost[2] > boost[3] > boost[4] == 1.0
    cited = column(made, "article_citations")
    assert cited[1] == pytest.approx(np.log1p(2) / 8, abs=1e-3)
    assert cited[2] == pytest.approx(np.log1p(1) / 8, abs=1e-3)
    assert cited[3] == 0.0
    assert len(set(column(made, "statute_citations")[1:4])) == 1


def test_court_decisions_count_likewise(tmp_path: Path) -> None:
    cases = CaseCitations({"가게법|제3조": 40}, {"가게법": 90})
    articles = (Article("가게법|제3조"), Article("가게법|제4조"), Article("나라법|제3조"))
    cited, same_statute, other = table(tmp_path, *articles, cases=cases).boost().tolist()
    assert cited > same_statute > other == 1.0


def test_length_and_variety_are_of_the_terms(tmp_path: Path) -> None:
    short = table(tmp_path, Article("가게법|제3조"), terms=3)
    long = table(tmp_path, Article("가게법|제3조"), terms=400)
    assert column(short, "length")[0] == pytest.approx(np.log1p(3) / 8, abs=1e-3)
    assert column(short, "variety")[0] == pytest.approx(3 / 60, abs=1e-3)
    assert column(long, "variety")[0] == 1.0


def test_an_empty_build_has_an_empty_table(tmp_path: Path) -> None:
    made = table(tmp_path)
    assert made.features.shape == (0, len(PASSAGE_FEATURES))
    assert made.boost().shape == made.groups.shape == (0,)


def test_the_shipped_court_statistics_tell_articles_from_statutes() -> None:
    cases = CaseCitations.load()
    assert all("|" in label for label in cases.articles)
    assert not any("|" in name or " " in name for name in cases.statutes)
    assert cases.statutes["근로기준법"] >= cases.articles["근로기준법|제23조"] > 0


def test_a_bad_line_of_the_statistics_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "cases.tsv"
    file.write_text("근로기준법\t많음\n", encoding="utf-8")
    with pytest.raises(ValueError):
        CaseCitations.load(file)
