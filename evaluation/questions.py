"""Question files: JSON lines with an id and a question, and whatever else a command scores against."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class EvaluationQuestion(BaseModel):
    """One line. ``gold``: ids that answer it. ``key_facts``: what a right answer contains, alternatives joined by ``|``."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    gold: tuple[str, ...] = ()
    key_facts: tuple[str, ...] = ()
    origin: str = ""
    domain: str = ""


def load_questions(path: Path) -> list[EvaluationQuestion]:
    """Read a file.

    Raises:
        ValueError: a line is not a question; the message names the line. Or two lines have one id.
    """
    questions: list[EvaluationQuestion] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            questions.append(EvaluationQuestion.model_validate(json.loads(line)))
        except (json.JSONDecodeError, ValidationError) as error:
            raise ValueError(f"{path}:{number}: {error}") from error
    if len({one.id for one in questions}) != len(questions):
        raise ValueError(f"{path}: ids are not distinct")
    return questions
