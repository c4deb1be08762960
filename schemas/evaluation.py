"""Wire types of ``/api/evaluate``: an answer with the texts it was written from, and how good it is."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StringConstraints

from schemas.chat import VISIBLE, Degradation, Evaluation, Message, ShortText, Strict, TokenUsage, readable
from schemas.values import Day

MOST_CONTEXTS = 20
LONGEST_TEXT = 8000


def _context(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


LongText = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TEXT),
    AfterValidator(readable),
    Field(json_schema_extra={"pattern": VISIBLE}),
]


class GivenContext(Strict):
    """A text that the answer cites by its place: the first one is ``[1]``."""

    text: LongText
    title: ShortText = ""
    source: ShortText = ""
    effective_date: Day | None = None


class EvaluationRequest(Strict):
    """A question with an answer to it, and the contexts that the answer was written from."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "question": "부가가치세는 언제까지 신고해야 하나요?",
                    "answer": "부가가치세는 과세기간이 끝난 후 25일 이내에 신고합니다. [1]",
                    "contexts": ["사업자는 각 과세기간이 끝난 후 25일 이내에 부가가치세를 신고하여야 한다."],
                }
            ]
        },
    )

    question: Message = Field(description="1 to 2,000 characters.")
    answer: LongText = Field(description="1 to 8,000 characters, with the numbers of contexts as `[n]`.")
    contexts: list[
        Annotated[GivenContext, BeforeValidator(_context, json_schema_input_type=GivenContext | LongText)]
    ] = Field(
        default_factory=list,
        max_length=MOST_CONTEXTS,
        description="Texts, or texts with their title and source, in the order of their numbers.",
    )
    reference: LongText | None = Field(None, description="A right answer, by which RAGAS measures recall.")
    use_model: StrictBool = Field(True, description="False: the rules alone, whether or not a model is configured.")
    ragas: StrictBool = Field(False, description="Also the RAGAS metrics: some ten calls of the model.")


class RagasResult(BaseModel):
    """The RAGAS metrics, each in [0, 1]. Null: the model did not score it, or there is nothing that it could be measured by."""

    faithfulness: float | None = None
    answer_relevancy: float | None = None
    context_precision: float | None = None
    context_recall: float | None = None


class EvaluationResponse(Evaluation):
    """The evaluation. ``rules`` is what the rules alone say; without a model it is the same."""

    answer: str = Field(description="The answer as it was read: the places of sentences are in it.")
    judged_by: str = Field(description="The model that scored it, or `rules`.")
    rules: Evaluation
    ragas: RagasResult | None = None
    degraded: list[Degradation] = Field(default_factory=list)
    token_usage: TokenUsage = Field(default_factory=TokenUsage)
    timing_metrics: dict[str, float] = Field(default_factory=dict, description="Milliseconds by part.")
    request_id: str
