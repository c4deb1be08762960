"""Texts that nobody thought of, for as long as ``FUZZ_SECONDS`` says (for each reader; five by default).

FUZZ_SECONDS=600 python -m pytest tests/attack/test_fuzz_text.py -m slow -s
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from itertools import count, pairwise

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.support.injection_texts import HONEST, HOSTILE
from tests.support.text_functions import FUNCTIONS
from tests.support.text_pumps import PIECES, cpu_seconds
from utils.figures.figures import find_figures
from utils.grounding.answer_sentences import SentenceStream, cited_numbers, split_sentences
from utils.sanitizing.prompt_blocks import BLOCKS
from utils.sanitizing.sanitize import INJECTION_MARK, sanitize_question

SECONDS = float(os.environ.get("FUZZ_SECONDS", "5"))
LIMIT = 0.05  # seconds of CPU for one text
LONGEST = 8_000

_ANY = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
_PIECE = st.sampled_from([*PIECES, *HONEST, *HOSTILE]) | _ANY
_RUN = st.builds(lambda piece, times: piece * times, _PIECE, st.integers(1, 2_000) | st.integers(1, 6))
TEXTS = st.lists(_RUN | _PIECE, max_size=12).map(lambda pieces: "".join(pieces)[:LONGEST])

pytestmark = [pytest.mark.slow, pytest.mark.timeout(SECONDS + 120), pytest.mark.finding("C1", "M12")]


def test_sanitiser() -> None:
    def check(text: str) -> None:
        clean = sanitize_question(text)
        clean.encode("utf-8")
        assert len(clean) <= len(text) * len(INJECTION_MARK) + 1
        assert not any(f"</{name}>" in clean.lower() for name in BLOCKS)

    _fuzz("sanitiser", check)


def test_figure_reader() -> None:
    def check(text: str) -> None:
        found = find_figures(text)
        assert all(citation.start < citation.end <= len(text) and citation.canonical for citation in found)
        assert all(citation.end <= other.start for citation, other in pairwise(found))

    _fuzz("figure reader", check)


def test_sentence_stream() -> None:
    def check(text: str) -> None:
        stream, streamed = SentenceStream(), []
        at, step = 0, 1 + len(text) % 7
        while at < len(text):
            size = 1 + (at * step) % 11
            streamed += stream.feed(text[at : at + size])
            at += size
        assert [*streamed, *stream.flush()] == split_sentences(text)

    _fuzz("sentence stream", check, limit=4 * LIMIT)  # of some thousand calls together


def test_answer_splitter() -> None:
    def check(text: str) -> None:
        end = 0
        for sentence in split_sentences(text):
            assert end <= sentence.start < sentence.end
            assert text[sentence.start : sentence.end] == sentence.text
            assert not text[end : sentence.start].strip()
            end = sentence.end
        assert not text[end:].strip()
        assert len(cited_numbers(text)) <= 1_000

    _fuzz("answer splitter", check)


@pytest.mark.parametrize(
    "name", ["utils.law.article_numbers.find_articles", "a sentence against its source", "a model's text, cleaned"]
)
def test_other_readers(name: str) -> None:
    read, size = FUNCTIONS[name]
    _fuzz(name, lambda text: read(text[:size]))


def _fuzz(name: str, check: Callable[[str], object], limit: float = LIMIT) -> None:
    """Run ``check`` on new texts until the time is up; each within the ``limit``, none raising."""
    worst, executions = 0.0, 0

    def once(text: str) -> None:
        nonlocal worst, executions
        executions += 1
        seconds = cpu_seconds(lambda: check(text), enough=limit)
        worst = max(worst, seconds)
        assert seconds <= limit, f"{seconds:.3f} s"

    deadline = time.monotonic() + SECONDS
    for number in count(int(time.time())):
        if time.monotonic() > deadline:
            break
        unhurried = settings(max_examples=200, database=None, suppress_health_check=list(HealthCheck))
        seed(number)(unhurried(given(TEXTS)(once)))()
    print(f"\n{name}: {executions:,} texts, worst {worst * 1000:.1f} ms of CPU")
    assert executions
