"""Answers of the service and whether they are right, by what the question files say of a right one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from agents.engine import Engine
from agents.state import RouterState
from evaluation.measures.asks import JudgedAsks
from evaluation.measures.owner_questions import OwnerQuestion, load_owner_questions
from evaluation.questions import EvaluationQuestion, load_questions
from evaluation.training.documents import ANSWER_FILE, DATASETS
from schemas.chat import ChatRequest, ChatResponse
from utils.documents import Hit
from utils.grounding.answer_sentences import cited_numbers, split_sentences

JUDGED_FILES = (
    DATASETS / "owner_questions_dev.jsonl",
    DATASETS / "acceptance.jsonl",
    ANSWER_FILE,
    *sorted(DATASETS.glob("starter_*.jsonl")),
)


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question of a file, and the last state of its run."""

    file: str
    question: EvaluationQuestion
    state: RouterState


def graded_questions(path: Path, *, held_out: bool = False) -> list[EvaluationQuestion]:
    """The questions of a file, those of owners with what they ask; of the answer questions one of their halves."""
    if path.stem.startswith("owner_questions"):
        return list(load_owner_questions(path))
    return [each for each in load_questions(path) if path.name != ANSWER_FILE.name or each.is_held_out is held_out]


async def answered(engine: Engine, file: str, questions: Sequence[EvaluationQuestion]) -> list[AnsweredQuestion]:
    """Answer questions; those that routing turns away are left out."""
    found = []
    for question in tqdm(questions, unit="q", desc=file):
        history = list(question.history) if isinstance(question, OwnerQuestion) else []
        request = ChatRequest(message=question.question, history=history)
        state = await engine.executor.last_state(request, engine.executor.context(question.id))
        if state["domains"]:
            found.append(AnsweredQuestion(file, question, state))
    return found


def grade(question: EvaluationQuestion, content: str, documents: Sequence[Hit]) -> bool | None:
    """Return True for a right answer, False for a wrong one, None where the file cannot tell.

    An owner's question: everything that has an answer is answered, nothing misleads, and where nothing answers, that is said. Others:
    the first source is of a document that answers, and a key fact is stated; without key facts the source alone tells, without
    documents all the key facts.
    """
    if isinstance(question, OwnerQuestion):
        return _grade_of_asks(_judged(question, content))
    cited = next((numbers for each in split_sentences(content) if (numbers := cited_numbers(each.text))), ())
    first = documents[cited[0] - 1].chunk.doc_id if cited else None
    if question.gold:
        return first in question.gold and (not question.key_facts or question.states_fact(content))
    if not question.key_facts:
        return first is None
    plain = content.replace(" ", "")
    stated = [any(choice.replace(" ", "") in plain for choice in fact.split("|")) for fact in question.key_facts]
    return all(stated) if all(stated) or not any(stated) else None


def grades_of_asks(question: EvaluationQuestion, content: str, asks: int, whole: bool | None) -> list[bool | None]:
    """The grade of each of the ``asks`` that the service reads in a question, None where its file asks other things.

    ``whole`` is that of the answer, which a single ask shares.
    """
    if asks == 1:
        return [whole]
    if not isinstance(question, OwnerQuestion) or len(question.asks) != asks:
        return [None] * asks
    judged = _judged(question, content)
    return [judged.answers(ask) if ask.answerable else judged.admits(ask) for ask in question.asks]


def _judged(question: OwnerQuestion, content: str) -> JudgedAsks:
    """An answer by its text alone; what is graded here does not look at the rest."""
    response = ChatResponse(
        content=content, domain=None, domains=[], kind="consult", model="", request_id="", session_id=None
    )
    return JudgedAsks(question, response)


def _grade_of_asks(judged: JudgedAsks) -> bool:
    answerable = [ask for ask in judged.question.asks if ask.answerable]
    if not answerable:
        return any(map(judged.admits, judged.question.asks))
    return not judged.misleads and all(map(judged.answers, answerable))
