"""Lines of the question log: answered questions and what their askers say of the answers, without personal data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from schemas.chat import AnswerMeta, AskOutcome, ChatRequest, Component, ReplyKind
from schemas.feedback import Feedback, FeedbackReason, FeedbackRequest
from utils.observability.personal_data import mask_personal_data
from utils.sanitizing.sanitize import clean_text

_DIGEST = 16  # hexadecimal digits


class _Line(BaseModel):
    """A line; ``client`` is the `client_digest` of the API client."""

    model_config = ConfigDict(frozen=True)

    time: AwareDatetime
    request_id: str
    client: str

    @property
    def key(self) -> tuple[str, str]:
        """Client and request: a client may send a request id that another one has used."""
        return self.client, self.request_id


class AnsweredQuestion(_Line):
    """A question with what became of it. ``cited``: ids of documents. ``refused``: the answer cites nothing.

    ``user`` is the `user_digest` of the asker; empty where the question named none.
    """

    kind: Literal["answer"] = "answer"
    user: str = ""
    question: str
    reply: ReplyKind
    domains: tuple[str, ...]
    asks: tuple[AskOutcome, ...]
    cited: tuple[str, ...]
    refused: bool
    degraded: tuple[Component, ...]
    model: str
    cached: bool

    @classmethod
    def of(cls, request: ChatRequest, answer: AnswerMeta, client: str) -> AnsweredQuestion:
        """The line of an answer to ``client``, who is given by name. It takes a millisecond for a long question."""
        cited = [str(source.metadata.get("id", "")).partition("#")[0] for source in answer.sources]
        return cls(
            time=now(),
            request_id=answer.request_id,
            client=client_digest(client),
            user=user_digest(client, (request.user_context.user_id if request.user_context else None) or ""),
            question=mask_personal_data(request.message),
            reply=answer.kind,
            domains=tuple(answer.domains),
            asks=tuple(ask.model_copy(update={"text": mask_personal_data(ask.text)}) for ask in answer.asks),
            cited=tuple(name for name in dict.fromkeys(cited) if name),
            refused=not answer.sources,
            degraded=tuple(dict.fromkeys(lack.component for lack in answer.degraded)),
            model=answer.model,
            cached=answer.cached,
        )


class GivenFeedback(_Line):
    """A verdict on an answer; the last one of a client on a request counts."""

    kind: Literal["feedback"] = "feedback"
    helpful: bool
    reason: FeedbackReason | None = None
    comment: str = ""

    @classmethod
    def of(cls, given: FeedbackRequest, client: str) -> GivenFeedback:
        """The line of a verdict of ``client``, who is given by name."""
        return cls(
            time=now(),
            request_id=given.request_id,
            client=client_digest(client),
            helpful=given.helpful,
            reason=given.reason,
            comment=mask_personal_data(clean_text(given.comment)),
        )

    def as_kept(self) -> Feedback:
        """The verdict as the one who gave it is told."""
        return Feedback(request_id=self.request_id, helpful=self.helpful, reason=self.reason, comment=self.comment)


LogLine = Annotated[AnsweredQuestion | GivenFeedback, Field(discriminator="kind")]
_LINE: TypeAdapter[AnsweredQuestion | GivenFeedback] = TypeAdapter(LogLine)


def parsed(lines: Iterable[bytes]) -> Iterator[AnsweredQuestion | GivenFeedback]:
    """The lines that are whole; a crash or a full disk may have cut one short."""
    for line in lines:
        try:
            yield _LINE.validate_json(line)
        except ValidationError:
            continue


def client_digest(name: str) -> str:
    """A name of an API client as it stands in the log."""
    return sha256(f"client:{name}".encode()).hexdigest()[:_DIGEST]


def user_digest(client: str, user_id: str) -> str:
    """A user of an API client, both given by name, as it stands in the log; empty for no user.

    It lets what is kept of a user be found when the user asks for it, and says nothing of who that is.
    """
    return sha256(f"user:{client}\0{user_id}".encode()).hexdigest() if user_id else ""


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
