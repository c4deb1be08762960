"""Answers from a guide: do they hold the figures that they should, and are they silent, and the web asked, where the guide says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from evaluation.measures.answers import JudgedAnswer
from evaluation.measures.owner_questions import plain


def guide_figures(answers: Sequence[JudgedAnswer]) -> dict[str, float]:
    """Shares in [0, 1] over the questions labelled with figures or with whether the guide answers; empty where none is.

    ``key_numbers`` is the mean share of a question's figures that its answer holds, ``all_key_numbers`` the share of questions with
    all of them; the same ``_in_guide`` without those of which the guide does not hold them all. ``admitted`` is the share of the
    unanswerable to which the answer says so, ``said_none`` that of the answerable. ``web_…`` are the shares for which the web was
    to be asked, where the assistant asks it.
    """
    figures: dict[str, float] = {}
    answerable = [answer for answer in answers if answer.question.answerable]
    silent = [answer for answer in answers if not answer.question.answerable]
    with_figures = [answer for answer in answerable if answer.question.key_numbers]
    held = [answer for answer in with_figures if answer.question.key_numbers_in_guide is not False]
    for ending, chosen in (("", with_figures), ("_in_guide", held)):
        if chosen:
            found = [_numbers_found(answer) for answer in chosen]
            figures[f"questions_with_numbers{ending}"] = float(len(chosen))
            figures[f"key_numbers{ending}"] = mean(found)
            figures[f"all_key_numbers{ending}"] = mean(share == 1.0 for share in found)
    if silent:
        figures |= {"unanswerable": float(len(silent)), "admitted": mean(not answer.answered for answer in silent)}
        if answerable:
            figures["said_none"] = mean(not answer.answered for answer in answerable)
    for name, chosen in (("answerable", answerable), ("unanswerable", silent)):
        asked = [bool(answer.response.trace["web"]) for answer in chosen if "web" in answer.response.trace]
        if asked:
            figures[f"web_{name}"] = mean(asked)
    return {name: round(value, 4) for name, value in figures.items()}


def _numbers_found(answer: JudgedAnswer) -> float:
    """The share of the key figures that the answer holds; 1천만원 and 1,000만원 are one figure."""
    content = plain(answer.response.content)
    return mean(plain(number) in content for number in answer.question.key_numbers)
