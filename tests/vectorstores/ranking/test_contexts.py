"""The sentences that cite an article are searched like a text of the article."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.small_index import SmallKnowledge
from tests.support.small_searcher import LAW, open_searcher, request_for
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from vectorstores.index import CollectionIndex
from vectorstores.ranking.case_words import CaseWords
from vectorstores.ranking.citations import CitationGraph
from vectorstores.ranking.contexts import context_postings, context_settings
from vectorstores.storage.lexical import LEXICAL_SETTINGS, LexicalIndex, build_lexical_index
from vectorstores.storage.ragged import TermIds
from vectorstores.storage.vocabulary import Vocabulary, write_vocabulary

TERMS = ("예고", "해고", "임금", "신고")
NOTICE, DISMISSAL, WAGE, REPORT = range(4)
LAW_26, LAW_27 = "근로기준법|제26조", "근로기준법|제27조"
SAID = "제26조에 따른 해고의 예고"


def numbers(*values: int) -> TermIds:
    return np.asarray(values, dtype=np.int32)


def cases(*counted: tuple[str, str, float]) -> CaseWords:
    labels, terms = sorted({pair[0] for pair in counted}), sorted({pair[1] for pair in counted})
    rows = sorted((labels.index(label), terms.index(term), count) for label, term, count in counted)
    return CaseWords(
        labels,
        terms,
        numbers(*(row[0] for row in rows)),
        numbers(*(row[1] for row in rows)),
        np.asarray([row[2] for row in rows], dtype=np.float32),
    )


def scores(folder: Path, labels: list[str | None], graph: CitationGraph, words: CaseWords, *asked: str) -> list[float]:
    """Of each chunk, as an index of them answers."""
    folder.mkdir(exist_ok=True)
    mapping = write_vocabulary(folder, TERMS)
    vocabulary = Vocabulary.open(folder)
    postings = context_postings(labels, graph, mapping, words, vocabulary)
    build_lexical_index(folder / "bm25", postings, len(vocabulary), context_settings(LEXICAL_SETTINGS))
    index = LexicalIndex(folder / "bm25", len(labels), len(vocabulary))
    found: list[float] = index.scores(vocabulary.ids_of(asked)).tolist()
    return found


def citing(*terms: int) -> CitationGraph:
    """Says 제26조에 따른 … with these terms where 해고 and 예고 stand."""
    graph = CitationGraph()
    for number, term in enumerate(terms):
        graph.add("근로기준법", f"근로기준법|제{number + 90}조", SAID, numbers(term), numbers(SAID.index("해고")))
    return graph


def test_the_chunks_of_an_article_share_what_is_said_of_it(tmp_path: Path) -> None:
    found = scores(tmp_path, [LAW_27, LAW_26, LAW_26, None], citing(DISMISSAL), cases((LAW_27, "임금", 1.0)), "해고")
    assert found[1] == found[2] > 0
    assert found[0] == found[3] == 0.0


def test_courts_and_statutes_are_counted_together(tmp_path: Path) -> None:
    labels: list[str | None] = [LAW_26, LAW_27]
    once = scores(tmp_path / "a", labels, citing(DISMISSAL, WAGE), cases((LAW_27, "해고", 1.0)), "해고")
    more = scores(
        tmp_path / "b", labels, citing(DISMISSAL, WAGE), cases((LAW_26, "해고", 5.0), (LAW_27, "해고", 1.0)), "해고"
    )
    assert 0 < once[0] < more[0]


def test_articles_and_words_that_are_not_in_the_index_are_nothing(tmp_path: Path) -> None:
    words = cases(("민법|제750조", "해고", 3.0), (LAW_26, "손해", 3.0), (LAW_26, "임금", 1.0))
    assert scores(tmp_path, [LAW_26, None], CitationGraph(), words, *TERMS)[0] > 0
    assert scores(tmp_path / "b", [LAW_27], citing(DISMISSAL), words, *TERMS) == [0.0]


@pytest.mark.parametrize("labels", [[], [None, None]])
def test_a_collection_without_articles_has_no_contexts(tmp_path: Path, labels: list[str | None]) -> None:
    assert scores(tmp_path, labels, citing(DISMISSAL), cases((LAW_26, "해고", 1.0)), "해고") == [0.0] * len(labels)


def test_an_ingest_finds_an_article_by_what_another_calls_it(tmp_path: Path) -> None:
    (tmp_path / "kr").mkdir()
    write_statute(
        tmp_path / "kr", "가게 보호법", {"제3조 (휴업 신고)": "쉬는 것 을 알린다", "제4조 (폐업)": "닫는 것 을 알린다"}
    )
    write_statute(
        tmp_path / "kr", "가게 보호법 시행령", {"제2조 (절차)": "법 제3조에 따른 장기휴무 안내 는 서면 으로 한다"}
    )
    knowledge = SmallKnowledge(Settings(data_dir=tmp_path / "var"))
    knowledge.add(tmp_path / "kr")
    index = knowledge.store.open_current()
    collection: CollectionIndex = index.collections[LAW]

    called = list(collection.by_label("가게보호법|제3조"))
    assert np.flatnonzero(collection.ranking.context_scores(["장기휴무"], [1.0])).tolist() == called
    found = open_searcher(knowledge, index).found(LAW, request_for("장기휴무"))
    assert set(called) <= set(found.lexical[0]), "a candidate, though it does not have the word"
    index.close()


def test_the_shipped_words_of_courts_know_what_an_article_is_about() -> None:
    words = CaseWords.load()
    about = words.words[words.articles == words.labels.index(LAW_26)]
    assert {"해고", "예고"} <= {words.terms[word] for word in about.tolist()}
    assert not any(any(character.isdigit() for character in word) for word in words.terms)


def test_a_file_whose_parts_do_not_fit_is_an_error(tmp_path: Path) -> None:
    made = cases((LAW_26, "해고", 2.0), (LAW_27, "임금", 1.5))
    made.save(tmp_path / "words.npz")
    read = CaseWords.load(tmp_path / "words.npz")
    assert (list(read.labels), list(read.terms), read.counts.tolist()) == (
        [LAW_26, LAW_27],
        ["임금", "해고"],
        [2.0, 1.5],
    )

    CaseWords(made.labels, made.terms[:1], made.articles, made.words, made.counts).save(tmp_path / "words.npz")
    with pytest.raises(ValueError, match="do not fit"):
        CaseWords.load(tmp_path / "words.npz")
