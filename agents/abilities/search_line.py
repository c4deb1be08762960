"""Rewrites what is searched for into one line in the words of the documents."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field

from agents.abilities.base import Ability, AbilityTools
from agents.state import RouterState, RunContext
from utils.figures.figures import find_figures
from utils.korean.everyday_words import EverydayWords
from utils.korean.question_words import subject_terms

_PAIRS = {
    particle: pair
    for pair in (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"), ("으로", "로"), ("이랑", "랑"))
    for particle in pair
}
_FIRST_SYLLABLE, _SYLLABLES_OF_A_VOWEL, _RIEUL = ord("가"), 28, 8
_SHORTEST = 5
_FEWEST_TERMS = 2
_LABEL = re.compile(
    r"^\s*(?:[-*•>#]+\s*|\d{1,2}[.)]\s+|(?:(?:수정|변환|재작성|최종)(?:된|한)?\s?)?(?:검색\s?(?:질의|질문|어|문|문장)|질문|질의|답변?|쿼리|search\s?query|query|question)\s*[:：]\s*)+",
    re.IGNORECASE,
)
_QUOTES = "\"'`“”‘’「」『』《》"
_BOUND = re.compile(r"\s?(?:이하|이상|초과|미만|이내|까지|부터|넘)")
_PARTICLES = r"(?:\s?때|\s?시|에서는|에서도|에서|에는|에도|에|으로|로|을|를|이|가|은|는|의|도)?(?=\s|$|[,.?!])"


class _Parameters(BaseModel):
    """``vocabulary`` is a file of the pack: everyday words and those of the documents. ``background`` are words that say nothing
    of the subject, as every question to the assistant is about them.
    """

    model_config = ConfigDict(extra="forbid")

    vocabulary: str = Field("vocabulary.toml", pattern=r"^[\w-]+\.toml$")
    background: tuple[str, ...] = ()


class SearchLineAbility(Ability):
    """The question that is searched for, in one line; what is answered stays the question as it was understood."""

    name: ClassVar[str] = "search_line"

    def __init__(self, tools: AbilityTools) -> None:
        """Raises ``ValueError`` for parameters or a vocabulary that cannot be used."""
        super().__init__(tools)
        parameters = tools.parameters_as(_Parameters)
        formal = _vocabulary(tools.folder / parameters.vocabulary)
        self._words, self._terms = EverydayWords(formal, {}), frozenset(formal.values())
        self._background = [re.compile(rf"(?<![가-힣]){re.escape(word)}{_PARTICLES}") for word in parameters.background]

    async def after_decompose(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Put the line in place of each sub-question; the question itself is searched for beside it."""
        lines = await self.tools.chain.in_pool(self._lines, state)
        return {
            "sub_queries": tuple(
                replace(part, query=line, variants=tuple(dict.fromkeys((*part.variants, part.query))))
                for part, line in zip(state["sub_queries"], lines, strict=True)
            ),
            "trace": {"search_line": lines[0]} if lines else {},
        }

    def _lines(self, state: RouterState) -> list[str]:
        return [self.line(part.query, state["query"]) for part in state["sub_queries"]]

    def line(self, wording: str, question: str) -> str:
        """Return the search line for a ``wording`` of the ``question``, by a model or by rule."""
        line = one_line(wording, question)
        analyzer = self.tools.analyzer
        if self._words.may_occur(line):
            line = with_particles(self._words.replaced(line, analyzer.morphemes, repeat=True), self._terms)
        return without_background(line, self._background, lambda text: len(subject_terms(analyzer.terms(text))))


def one_line(wording: str, question: str) -> str:
    """Return ``wording`` as a search line: its first line without labels and quotes, with every figure of the question and the
    bound behind it (5,500만원 이하). The question itself where less than five characters are left.
    """
    lines = (_LABEL.sub("", line.strip().strip(_QUOTES)).strip().strip(_QUOTES) for line in wording.splitlines())
    line = " ".join(next(filter(None, lines), "").split())
    if len(line) < _SHORTEST:
        return " ".join(question.split())
    said = {figure.canonical for figure in find_figures(line)}
    lost: dict[str, None] = {}
    for figure in find_figures(question):
        bound = _BOUND.match(question, figure.end)
        if figure.canonical not in said:
            lost[question[figure.start : bound.end() if bound else figure.end]] = None
    return " ".join((line, *lost))


def with_particles(line: str, terms: Iterable[str]) -> str:
    """Return ``line`` with the particle behind each of the ``terms`` that its last syllable takes: 급여은 becomes 급여는."""
    for term in terms:
        if term in line:
            line = re.sub(
                rf"(?<={re.escape(term)})(?:{'|'.join(_PAIRS)})(?![가-힣])", partial(_agreeing, term[-1]), line
            )
    return line


def _agreeing(before: str, found: re.Match[str]) -> str:
    final = (ord(before) - _FIRST_SYLLABLE) % _SYLLABLES_OF_A_VOWEL if before >= "가" else 0
    after_consonant, after_vowel = _PAIRS[found[0]]
    is_consonant = bool(final) and not (found[0] in ("으로", "로") and final == _RIEUL)
    return after_consonant if is_consonant else after_vowel


def without_background(line: str, background: list[re.Pattern[str]], terms_of: Callable[[str], int]) -> str:
    """Return ``line`` without the words in the ``background``, where at least two terms are left to search for."""
    shorter = line
    for word in background:
        shorter = word.sub(" ", shorter)
    shorter = " ".join(shorter.split())
    return shorter if terms_of(shorter) >= _FEWEST_TERMS else line


def _vocabulary(path: Path) -> Mapping[str, str]:
    """Read the table ``formal`` of a vocabulary. Raises ``ValueError`` naming the file where it is none."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))["formal"]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError) as error:
        raise ValueError(f"{path.name}: {error}") from error
    if not all(isinstance(term, str) and word and term for word, term in table.items()):
        raise ValueError(f"{path.name}: formal: each word needs its term")
    return dict(table)
