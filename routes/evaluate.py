"""``/api/evaluate``: how good a given answer is."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from routes.dependencies import RequireScope, ServicesDep, disconnected, require_capacity, require_json
from routes.openapi import problem_responses
from schemas.evaluation import EvaluationRequest, EvaluationResponse, GivenContext
from schemas.problems import ErrorCode, FieldProblem
from utils.documents import on_one_line
from utils.http.access import AccessScope
from utils.http.problems import ProblemError
from utils.middleware.metrics import CLIENT_LEFT
from utils.middleware.rate_limit import check_allowed
from utils.observability.request_context import current_client, current_request_id
from utils.resilience.cancellation import run_while
from utils.sanitizing.sanitize import clean_text, sanitize_question

_SYLLABLES_A_TOKEN = (
    1000  # beyond the one of every request: nothing is searched, so that a text costs less than a question
)
_UNREADABLE = "읽을 수 있는 글자가 없습니다."
_OFF = "이 서비스는 답변을 평가하지 않습니다."

router = APIRouter(
    prefix="/api/evaluate",
    tags=["evaluate"],
    dependencies=[Depends(RequireScope(AccessScope.CHAT)), Depends(require_json), Depends(require_capacity)],
)


def cleaned(given: EvaluationRequest) -> EvaluationRequest:
    """Return the request with the texts as the pipeline reads them: the question as one of chats, the others as documents.

    Not a coroutine, so that FastAPI calls it in a thread. Raises `ProblemError` where nothing readable is left of a text.
    """
    question, answer = sanitize_question(given.question), clean_text(given.answer).strip()
    contexts = [_cleaned_context(context) for context in given.contexts]
    empty = [name for name, text in (("question", question), ("answer", answer)) if not text]
    empty += [f"contexts.{number}.text" for number, context in enumerate(contexts) if not context.text]
    if empty:
        errors = [FieldProblem(path=path, message=_UNREADABLE) for path in empty]
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=errors)
    reference = None if given.reference is None else clean_text(given.reference).strip() or None
    texts = {"question": question, "answer": answer, "contexts": contexts, "reference": reference}
    return given.model_copy(update=texts)


def _cleaned_context(context: GivenContext) -> GivenContext:
    texts = {"title": on_one_line(context.title), "source": on_one_line(context.source)}
    return context.model_copy(update={**texts, "text": clean_text(context.text).strip()})


async def charged(given: Annotated[EvaluationRequest, Depends(cleaned)], services: ServicesDep) -> EvaluationRequest:
    """Return the request, once its length is paid for. Raises `ProblemError` (429)."""
    if services.rate_limiter is not None:
        size = len(given.answer) + sum(len(context.text) for context in given.contexts)
        check_allowed(await services.rate_limiter.take_more(current_client(), size // _SYLLABLES_A_TOKEN))
    return given


@router.post(
    "",
    summary="주어진 답변을 평가한다",
    response_model=EvaluationResponse,
    responses=problem_responses(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.TIMEOUT, body=True),
)
async def evaluate(
    request: Request, given: Annotated[EvaluationRequest, Depends(charged)], services: ServicesDep
) -> Response:
    """Scores by the rules, and by the model where one is configured; each sentence of the answer is held against its contexts."""
    if services.evaluation is None:
        raise ProblemError(ErrorCode.NOT_FOUND, _OFF)
    evaluation = await run_while(disconnected(request), services.evaluation.evaluate(given, current_request_id()))
    if evaluation is None:
        return Response(status_code=CLIENT_LEFT)
    return Response(evaluation.model_dump_json(), media_type="application/json")
