"""The questions to learn from, with the documents found: the choosing half of the answer questions, and the starter questions."""

from __future__ import annotations

from collections.abc import Sequence

from tqdm import tqdm

from agents.assembly import build_agents, build_retrieval
from agents.engine import Engine
from agents.retrieval.inquiry import RetrievalInquiry
from evaluation.measures.retrieval import ranked_id
from evaluation.questions import EvaluationQuestion, load_questions
from utils.config.settings import PROJECT_ROOT
from utils.documents import Hit
from utils.question_decomposer import SubQuery

DATASETS = PROJECT_ROOT / "evaluation" / "datasets"
ANSWER_FILE = DATASETS / "answer_sentences.jsonl"
_STARTER = "starter_"


def training_questions() -> list[EvaluationQuestion]:
    """The choosing half of the answer questions, and the starter questions with their domains."""
    questions = [question for question in load_questions(ANSWER_FILE) if not question.is_held_out]
    for file in sorted(DATASETS.glob(f"{_STARTER}*.jsonl")):
        domain = file.stem.removeprefix(_STARTER)
        questions += [question.model_copy(update={"domain": domain}) for question in load_questions(file)]
    return questions


async def found_documents(
    engine: Engine, questions: Sequence[EvaluationQuestion]
) -> list[tuple[EvaluationQuestion, tuple[Hit, ...]]]:
    """Each question with the documents of its domain, and again without those that answer it."""
    retrieval = build_retrieval(engine.parts, build_agents(engine.parts))
    found: list[tuple[EvaluationQuestion, tuple[Hit, ...]]] = []
    for asked in tqdm(questions, unit="q", desc="documents"):
        question = engine.parts.chain.correct_spelling(asked.question).text
        inquiry = RetrievalInquiry(question, (SubQuery(asked.domain, question),))
        hits = (await retrieval.retrieve(inquiry)).searched
        others = tuple(hit for hit in hits if ranked_id(hit) not in asked.gold)
        found.append((asked, hits))
        if others and len(others) < len(hits):
            found.append((asked, others))
    return found
