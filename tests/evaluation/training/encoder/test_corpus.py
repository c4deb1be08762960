"""The texts that training reads: decisions with the articles they cite, and statutes, as lists of term rows."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from kiwipiepy import Kiwi

from evaluation.__main__ import main as evaluate
from evaluation.training.encoder.corpus import Corpus, TextReader, build_corpus
from evaluation.training.encoder.headnotes import CitationReader
from evaluation.training.encoder.kiwi_vectors import extract
from vectorstores.build.analysis_cache import AnalysisCache
from vectorstores.build.progress import NoProgress
from vectorstores.ranking.case_citations import CaseCitations
from vectorstores.ranking.case_words import CaseWords
from vectorstores.tokenizer import KiwiTokenizer

STATUTE = """---
제목: 근로기준법
법령구분: 법률
공포일자: 2024-01-01
시행일자: 2024-01-01
---
# 근로기준법

##### 제23조 (해고 등의 제한)

① 사용자는 근로자에게 정당한 이유 없이 해고를 하지 못한다.

##### 제24조 (경영상 이유에 의한 해고의 제한)

① 긴박한 경영상의 필요가 있어야 한다.

##### 제25조

삭제 <2020. 1. 1.>
"""
DECISIONS = [
    {
        "issues": "[1] 징계해고의 정당성 [2] 정리해고의 요건",
        "holding": "[1][2] 해고에는 정당한 이유가 있어야 한다.",
        "cited": "[1] 근로기준법 제23조 / [2] 구 근로기준법(2007. 4. 11. 개정되기 전의 것) 제31조(현행 제24조 참조), 제30조",
    },
    {"issues": "아는 질문", "holding": "", "cited": "근로기준법 제23조"},
    {"issues": None, "holding": "임금", "cited": None},
]


def written(folder: Path) -> tuple[Path, Path]:
    """The statute and the headnotes as files."""
    statute, headnotes = folder / "kr" / "근로기준법" / "법률.md", folder / "headnotes.jsonl.gz"
    statute.parent.mkdir(parents=True)
    statute.write_text(STATUTE, encoding="utf-8")
    headnotes.write_bytes(gzip.compress("\n".join(json.dumps(decision) for decision in DECISIONS).encode()))
    return folder / "kr", headnotes


@pytest.fixture(scope="module")
def corpus(tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    statutes, headnotes = written(folder)
    texts = TextReader(AnalysisCache(folder / "analysis.sqlite"), tokenizer, NoProgress())
    return build_corpus(statutes, headnotes, ["해고", "정당", "이유", "경영", "제한"], {"아는질문"}, texts)


def terms(corpus: Corpus, rows: np.ndarray) -> list[str]:
    return [corpus.terms[row] for row in rows.tolist()]


def test_articles_in_force_become_rows(corpus: Corpus) -> None:
    assert len(corpus.articles) == 2  # the deleted one is left out
    assert terms(corpus, corpus.headings[0]) == ["해고", "제한"]
    assert terms(corpus, corpus.articles[0]) == ["해고", "제한", "정당", "이유", "해고"]


def test_each_point_belongs_to_the_articles_that_it_cites(corpus: Corpus) -> None:
    found = {(terms(corpus, corpus.parts[part])[0], article) for part, article, _ in corpus.citations.tolist()}

    assert found == {("해고", 0), ("해고", 1)}
    assert corpus.citations[:, 2].tolist() == [0] * 4  # issue and holding of two points; the known question is left out
    assert [(issue + 1, decision) for issue, _, decision in corpus.rulings.tolist()] == [
        (holding, decision) for _, holding, decision in corpus.rulings.tolist()
    ]


def test_citations_count_as_they_are_numbered_today() -> None:
    citations = CitationReader(["민법|제750조", "민법|제756조", "국가배상법|제2조", "국가배상법시행령|제2조"])

    assert citations.labels("민법 제750조, 제756조 제1항") == ("민법|제750조", "민법|제756조")
    assert citations.labels("구 국가배상법(2000. 1. 1. 개정되기 전의 것) 제1조의2(현행\n제2조 참조)") == (
        "국가배상법|제2조",
    )
    assert citations.labels("국가배상법 제2조, 같은 법 시행령 제2조, 폐지된법 제2조") == (
        "국가배상법|제2조",
        "국가배상법시행령|제2조",
    )


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_recovered_vectors_have_kiwis_own_similarities(tokenizer: KiwiTokenizer) -> None:
    kiwi: Kiwi = tokenizer.kiwi
    vectors = extract(kiwi, NoProgress())
    matrix = vectors.matrix.astype(np.float32)

    np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 1.0, atol=5e-3)
    for word, other in (("해고", "면직"), ("회사", "학교"), ("세금", "바나나")):
        recovered = matrix[vectors.rows[word]] @ matrix[vectors.rows[other]]
        assert recovered == pytest.approx(kiwi.morpheme_similarity((word, "NNG"), (other, "NNG")), abs=5e-3)


def test_decisions_are_counted_by_a_command(tmp_path: Path) -> None:
    statutes, headnotes = written(tmp_path)
    asked = tmp_path / "asked.jsonl"
    asked.write_text('{"question": "아는 질문"}\n', encoding="utf-8")
    places = ["--statutes", statutes, "--headnotes", headnotes, "--exclude", asked]
    assert (
        evaluate(
            ["count-cases", *map(str, places), "--out", str(tmp_path / "out"), "--data-dir", str(tmp_path / "var")]
        )
        == 0
    )

    counts = CaseCitations.load(tmp_path / "out" / "case_citations.tsv")
    assert counts.statutes == {"근로기준법": 1}, "an excluded question is not counted"
    assert counts.articles == {"근로기준법|제23조": 1, "근로기준법|제24조": 1}
    words = CaseWords.load(tmp_path / "out" / "case_words.npz")
    assert {words.terms[word] for word in words.words[words.articles == 0].tolist()} == {"징계", "해고", "정당성"}
