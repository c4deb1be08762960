"""The whole text of an article, from chunks that overlap."""

from __future__ import annotations

from agents.serving.articles import whole_text
from utils.documents import Chunk


def chunk(*sentences: str) -> Chunk:
    text, spans = "", []
    for sentence in sentences:
        spans.append((len(text), len(text) + len(sentence)))
        text += sentence + "\n"
    return Chunk("1", "1", "law_db", "law", "law", "법 제1조", text, "법령", sentences=tuple(spans))


def test_what_two_neighbours_hold_is_told_once() -> None:
    parts = [chunk("① 하나.", "② 둘."), chunk("② 둘.", "③ 셋."), chunk("③ 셋.", "④ 넷.")]
    assert whole_text(parts) == "① 하나.\n② 둘.\n③ 셋.\n④ 넷."


def test_a_sentence_that_comes_again_later_stays() -> None:
    assert whole_text([chunk("가.", "나."), chunk("다.", "가.")]) == "가.\n나.\n다.\n가."
