"""Wire types of ``/api/chat``: the request, the answer and its parts."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    StringConstraints,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from schemas.notice_state import MOST_LISTED, DebugInfo, KeptSearch, NoticeRef
from schemas.values import JsonNumber

Scalar = str | int | float | bool
ShortText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
# At least one character that can be seen: what sanitising removes, and blanks, are none.
VISIBLE = (
    r"[^\s\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff" + "\U000e0000-\U000e0fff]"
)
_VISIBLE = re.compile(VISIBLE)


def readable(text: str) -> str:
    """Return ``text`` as it is; raises for one of which nothing can be seen."""
    if not _VISIBLE.search(text):
        raise PydanticCustomError("nothing_visible", "nothing visible")
    return text


Message = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2000),
    AfterValidator(readable),
    Field(json_schema_extra={"pattern": VISIBLE}),
]
ImageAddress = Annotated[
    str, StringConstraints(pattern=r"^(https?://|data:image/)[\x21-\x7e]+$", max_length=14_000_000)
]
SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,128}$")]

MOST_MESSAGES = 20
"""Messages of a conversation that a question reads."""
LONGEST_MESSAGE = 8000

ReplyKind = Literal["consult", "chitchat", "out_of_scope", "unintelligible", "notice"]
"""The kinds of a reply; a fixed reply of any other kind of rejection counts as small talk."""


class Strict(BaseModel):
    """A request type: unknown fields are refused by name."""

    model_config = ConfigDict(extra="forbid")


class Turn(Strict):
    """A message of the conversation so far."""

    role: Literal["user", "assistant"]
    content: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_MESSAGE)]


class CompanyProfile(Strict):
    """Facts about the asker's company; they shape retrieval and the answer."""

    company_name: ShortText | None = None
    business_number: Annotated[str, StringConstraints(pattern=r"^[0-9]{3}-?[0-9]{2}-?[0-9]{5}$")] | None = None
    industry_code: ShortText | None = None
    industry_name: ShortText | None = None
    employee_count: Annotated[int, Field(ge=0, le=1_000_000), JsonNumber] | None = None
    years_in_business: Annotated[float, Field(ge=0, le=300), JsonNumber] | None = None
    region: ShortText | None = None
    annual_revenue: Annotated[int, Field(ge=0, le=10**15), JsonNumber] | None = Field(
        None, description="Korean won a year"
    )


class UserContext(Strict):
    """Who asks."""

    user_id: ShortText | None = None
    user_type: Literal["prospective", "startup_ceo", "sme_owner"] | None = None
    company: CompanyProfile | None = None


class SessionState(Strict):
    """State of a conversation about notices: sent back by clients that keep no ``session_id``."""

    chat_history: list[Turn] = Field(default_factory=list, max_length=MOST_MESSAGES, description="The last ten turns.")
    prev_anncs: list[NoticeRef] = Field(
        default_factory=list, max_length=MOST_LISTED, description="The last list, in its order."
    )
    selected_annc: NoticeRef | None = Field(None, description="The notice that questions are about.")
    search: KeptSearch | None = Field(None, description="The conditions of the last list.")


class ChatRequest(Strict):
    """A question with what is known of the asker and the conversation."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"message": "부가가치세는 언제까지 신고해야 하나요?"}]},
    )

    message: Message = Field(description="The question, 1 to 2,000 characters.")
    history: list[Turn] = Field(default_factory=list, max_length=MOST_MESSAGES)
    user_context: UserContext | None = None
    session_id: SessionId | None = Field(
        None,
        description="Keeps the conversation under this id: the next question with it reads the ones before. "
        "With `history` given as well, that is read and kept instead.",
    )
    session_state: SessionState | None = Field(
        None, description="The `session_state` of the answer before, from a client that keeps no `session_id`."
    )
    image: ImageAddress | None = Field(
        None,
        description="A picture that the question is about, as an http(s) address or as data: for assistants that take one.",
    )
    debug: StrictBool = Field(False, description="Send `debug_info`, where the ability for notices read the question.")


class SourceItem(BaseModel):
    """A numbered source; ``index`` is the n of ``[n]``."""

    index: int = Field(ge=1)
    title: str
    content: str
    source: str
    url: str = ""
    effective_date: str | None = None
    metadata: dict[str, Scalar] = Field(default_factory=dict)


class ActionType(StrEnum):
    """Kinds of next steps."""

    DOCUMENT_GENERATION = "document_generation"
    FUNDING_SEARCH = "funding_search"
    LEGAL_CONSULTATION = "legal_consultation"
    TAX_CALENDAR = "tax_calendar"


ActionParams = dict[str, Scalar | dict[str, Scalar]]
"""The params of an action: of a document its ``type`` and the ``fields`` that the question tells."""


class ActionItem(BaseModel):
    """A next step offered to the user."""

    type: ActionType
    label: str
    description: str
    params: ActionParams = Field(default_factory=dict)


class ActionRequest(Strict):
    """An action to execute, as an answer offered it; ``params`` may be filled in further."""

    type: ActionType
    params: dict[str, JsonValue] = Field(default_factory=dict)


class Component(StrEnum):
    """Parts of the service that can be unavailable or substituted."""

    LLM = "llm"
    INDEX = "index"
    VECTOR = "vector"
    BM25 = "bm25"
    RERANK = "rerank"
    REDIS = "redis"
    DOMAIN_DB = "domain_db"
    SESSIONS = "sessions"
    NOTICES = "notices"
    WEB = "web"
    IMAGE = "image"
    WEIGHTS = "weights"  # learned for another tokenizer, embedder or reranker, or not readable


class Degradation(BaseModel):
    """Something was unavailable or substituted while this answer was made."""

    model_config = ConfigDict(frozen=True)

    component: Component
    reason: str


class Verdict(StrEnum):
    """Outcome of checking one sentence against its sources."""

    SUPPORTED = "supported"  # all its claims stand in cited sources, or it claims nothing
    UNSUPPORTED = "unsupported"  # a source that it cites does not exist, does not hold its claims, or says the opposite
    UNCITED = "uncited"  # it states something and cites nothing
    USER_STATED = "user_stated"  # it has figures that the user said and its sources do not hold


class SentenceVerdict(BaseModel):
    """``start`` and ``end`` are character offsets into the answer."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"start": 0, "end": 32, "verdict": "supported", "sources": [1]},
                {"start": 33, "end": 70, "verdict": "user_stated", "sources": [1], "user_stated_claims": ["3명"]},
                {"start": 71, "end": 96, "verdict": "unsupported", "sources": [2], "unsupported_claims": ["99일"]},
            ]
        }
    )

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    verdict: Verdict
    sources: list[int] = Field(default_factory=list)
    unsupported_claims: list[str] = Field(
        default_factory=list,
        description="Figures, articles, addresses and denials that no cited source holds; such a sentence does not stay.",
    )
    user_stated_claims: list[str] = Field(
        default_factory=list,
        description="Figures that the user said and no cited source holds; taken up as a condition they may stay.",
    )


class Grounding(BaseModel):
    """The deterministic check of the whole answer."""

    passed: bool
    sentences: list[SentenceVerdict] = Field(default_factory=list)


class Evaluation(BaseModel):
    """Five criteria of 0 to 20 each and the grounding check."""

    scores: dict[str, float] = Field(default_factory=dict)
    total_score: float = Field(ge=0, le=100)
    passed: bool
    feedback: str = ""
    grounding: Grounding


class NearestDocument(BaseModel):
    """The document that comes nearest to a thing asked; ``section`` names the part of it, where it has parts.

    ``likelihood`` in [0, 1] is that it answers, for a document of answer units, else its relevance.
    """

    id: str
    title: str
    section: str = ""
    likelihood: float = Field(ge=0, le=1)


class AskOutcome(BaseModel):
    """A thing that the question asks. ``answered``: the answer tells it, as far as the rules can judge."""

    text: str
    answered: bool
    nearest: NearestDocument | None = None


class SubQuestion(BaseModel):
    """A question that was looked up in a domain; ``variants`` are other wordings of it that a model gave."""

    domain: str
    question: str
    variants: list[str] = Field(default_factory=list)


TraceValue = Scalar | list[SubQuestion] | list[str]


class TokenUsage(BaseModel):
    """Tokens of all model calls of this answer; zero without a model, and of an answer from the cache."""

    input_tokens: int = 0
    cached_input_tokens: int = Field(0, description="Input tokens among them that the model server had cached.")
    output_tokens: int = 0
    model_calls: int = 0
    estimated: bool = Field(False, description="A call reported no usage: its tokens are estimated.")


class AnswerMeta(BaseModel):
    """Everything of an answer but its text: the ``done`` event of a stream."""

    domain: str | None = Field(description="The leading domain; null when the question was turned away.")
    domains: list[str]
    kind: ReplyKind
    sources: list[SourceItem] = Field(
        default_factory=list, description="What the answer cites, under the numbers in its text; none of a refusal."
    )
    actions: list[ActionItem] = Field(default_factory=list)
    asks: list[AskOutcome] = Field(
        default_factory=list, description="What the question asks, each with whether it is answered; none of a refusal."
    )
    evaluation: Evaluation | None = None
    session_id: str | None = None
    session_state: SessionState | None = Field(
        None, description="State of a conversation about notices; null where there is none."
    )
    debug_info: DebugInfo | None = None
    retry_count: int = 0
    timing_metrics: dict[str, float] = Field(default_factory=dict, description="Milliseconds by stage.")
    trace: dict[str, TraceValue] = Field(
        default_factory=dict,
        description="What each step of the search did; `prompt_version` of all prompts to models; `sub_questions` by domain, "
        "and `asks`, the things asked as they were read.",
    )
    token_usage: TokenUsage = Field(default_factory=TokenUsage)
    cached: bool = False
    degraded: list[Degradation] = Field(default_factory=list)
    model: str
    request_id: str


class ChatResponse(AnswerMeta):
    """The whole answer. ``read`` are all documents that it was written from, cited or not; evaluations look at them, they are not sent."""

    content: str
    read: SkipJsonSchema[list[SourceItem]] = Field(default_factory=list, exclude=True)
