"""Questions put right before they are searched for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.measures.perturbation import perturbed
from utils.config.settings import PROJECT_ROOT, Settings
from utils.korean.glossary import load_glossary
from utils.korean.question_words import subject_terms
from vectorstores.build.providers import open_store
from vectorstores.search.spelling import QuestionSpelling, index_spelling
from vectorstores.tokenizer import KiwiTokenizer

_STARTER = sorted((PROJECT_ROOT / "evaluation" / "datasets").glob("starter_*.jsonl"))


def _questions(files: list[Path]) -> list[str]:
    return [json.loads(line)["question"] for file in files for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def spelling(starter_settings: Settings, tokenizer: KiwiTokenizer) -> Iterator[QuestionSpelling]:
    index = open_store(starter_settings).open_current()
    yield index_spelling(index, tokenizer, load_glossary().words)
    index.close()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("언천징수를 해야 하나요?", "원천징수를 해야 하나요?"),
        ("세ㅔ액공제를 받으려면", "세액공제를 받으려면"),
        ("ㄱ간제 근로자", "기간제 근로자"),
        ("퇴 직금 중간정 산 요건", "퇴직금 중간정산 요건"),
        ("부까세 신고는 언제", "부가세 신고는 언제"),
        ("근로기준볍 23조", "근로기준법 23조"),
        ("상임볍 10조가 뭐야", "상임법 10조가 뭐야"),
        ("부가가치세볍제48조", "부가가치세법제48조"),
        ("부가가치새법 48조\n기한이 언제", "부가가치세법 48조\n기한이 언제"),
    ],
)
def test_what_was_meant(spelling: QuestionSpelling, typed: str, meant: str) -> None:
    read = spelling.respelled(typed)
    assert read.text == meant
    assert read.corrections
    assert all(f"{wrong} → {right}" in read.trace["spelling"] for wrong, right in read.corrections)
    assert spelling.respelled(meant).text == meant


def test_questions_without_errors_stay_as_they_are(spelling: QuestionSpelling) -> None:
    questions = _questions(_STARTER)
    assert len(questions) > 150
    assert [question for question in questions if spelling.respelled(question).corrections] == []


@pytest.mark.parametrize("kind", ["spacing", "typos"])
def test_most_lost_words_come_back(spelling: QuestionSpelling, tokenizer: KiwiTokenizer, kind: str) -> None:
    lost = still_lost = 0
    for question in _questions(_STARTER):
        typed = perturbed(question, kind)
        wanted = set(subject_terms(tokenizer.terms(question)))
        lost += len(wanted.difference(tokenizer.terms(typed)))
        still_lost += len(wanted.difference(tokenizer.terms(spelling.respelled(typed).text)))
    assert lost > 30
    assert still_lost < 0.65 * lost


@pytest.mark.parametrize("text", ["", " ", "ㅋㅌㅊㅍ", "ㅋㅋㅋㅋ", "asdf qwer", "?!", "ㅏ" * 2_000, "뷁쉙 " * 500])
def test_anything_may_be_typed(spelling: QuestionSpelling, text: str) -> None:
    assert spelling.respelled(text).text == text


def test_words_of_the_glossary_are_right(spelling: QuestionSpelling) -> None:
    assert spelling.is_known("퇴직금")
    assert not spelling.is_known("언천")
    assert not spelling.respelled("시용 기간이 뭐예요?").corrections  # and not the 사용 기간 that is heard more often


@pytest.mark.parametrize("asked", ["{} 제8조", "{}상 어떻게 되나요?", "{}이 뭐예요?"])
def test_names_of_statutes_are_right_however_short(spelling: QuestionSpelling, asked: str) -> None:
    glossary = load_glossary()
    questions = [asked.format(name) for name in (*glossary.laws, *glossary.law_aliases)]
    assert [question for question in questions if spelling.respelled(question).corrections] == []
