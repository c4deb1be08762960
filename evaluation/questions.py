"""Question files: JSON lines with an id and a question, and whatever else a command scores against."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError


def _ids(value: object) -> object:
    return (str(value),) if isinstance(value, str | int) else value


class EvaluationQuestion(BaseModel):
    """A question of a dataset. ``gold``: ids of the documents that answer it. ``key_facts``: facts of a right answer, with ``|``
    between alternatives.

    A dataset may also give a single id, under a key that names its kind. ``also_ok``: ids that are as good as that one.
    ``key_numbers``: figures of a right answer; ``key_numbers_in_guide``: False where the documents do not hold them all.
    ``answerable``: False if the documents do not answer it; then saying so is the right answer.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    gold: Annotated[tuple[str, ...], BeforeValidator(_ids)] = Field(
        default=(), validation_alias=AliasChoices("gold", "gold_page", "gold_faq_id")
    )
    also_ok: tuple[str, ...] = ()
    key_numbers: tuple[str, ...] = ()
    key_numbers_in_guide: bool | None = None
    key_facts: tuple[str, ...] = ()
    origin: str = ""
    domain: str = ""
    answerable: bool = True

    @property
    def is_held_out(self) -> bool:
        """True if the question is in the half that figures are reported on; the other half is for choosing."""
        return sha256(self.id.encode()).digest()[0] % 2 == 1

    def states_fact(self, text: str) -> bool:
        """Return True if ``text`` states one of the key facts."""
        plain = text.replace(" ", "")
        return any(choice.replace(" ", "") in plain for fact in self.key_facts for choice in fact.split("|"))

    def as_gold(self, hits: Sequence[str]) -> tuple[str, ...]:
        """Ranked ids with those of ``also_ok`` put down as the gold one, each id once."""
        return tuple(dict.fromkeys(self.gold[0] if self.gold and hit in self.also_ok else hit for hit in hits))


Question = TypeVar("Question", bound=EvaluationQuestion)


def load_questions(path: Path) -> list[EvaluationQuestion]:
    """Read a file.

    Raises:
        ValueError: a line is not a question; the message names the line. Or two lines have one id.
    """
    return load_questions_as(EvaluationQuestion, path)


def load_questions_as(kind: type[Question], path: Path) -> list[Question]:
    """Read a file of questions of a ``kind`` that has fields of its own; for the errors see `load_questions`."""
    questions: list[Question] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            questions.append(kind.model_validate(json.loads(line)))
        except (json.JSONDecodeError, ValidationError) as error:
            raise ValueError(f"{path}:{number}: {error}") from error
    if len({question.id for question in questions}) != len(questions):
        raise ValueError(f"{path}: ids are not distinct")
    return questions
