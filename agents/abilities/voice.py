"""Voice: a recording is written down, and what was said is then asked like any question."""

from __future__ import annotations

from typing import ClassVar

from agents.abilities.base import Ability, AbilityTools
from chains.models.errors import ModelUnavailable
from chains.models.usage import ModelFailureReason, ModelPurpose, UsageMeter
from schemas.assistants import Medium, Need
from schemas.problems import ErrorCode, FieldProblem
from utils.http.problems import ProblemError
from utils.media.recordings import RecordingRefused, recording_of
from utils.resilience.deadline import Deadline, within
from utils.sanitizing.sanitize import sanitize_question

_NO_MODEL = "음성을 글로 옮기는 모델이 없습니다. OPENAI_API_KEY나 OPENAI_BASE_URL을 설정하세요."
_NOTHING_SAID = "들리는 말이 없습니다."
_FAILED = "음성을 글로 옮기는 서버가 응답하지 못했습니다. 글로 물어보시거나 잠시 뒤 다시 시도해 주세요."
_CODES = {
    ModelFailureReason.BUDGET: ErrorCode.BUDGET_EXCEEDED,
    ModelFailureReason.TIMEOUT: ErrorCode.TIMEOUT,
    ModelFailureReason.DEADLINE: ErrorCode.TIMEOUT,
    ModelFailureReason.RATE_LIMITED: ErrorCode.SERVICE_UNAVAILABLE,
    ModelFailureReason.CIRCUIT_OPEN: ErrorCode.SERVICE_UNAVAILABLE,
}


class VoiceAbility(Ability):
    """Takes recordings in Korean, by the transcriptions of the model server."""

    name: ClassVar[str] = "voice"
    takes: ClassVar[frozenset[Medium]] = frozenset({Medium.VOICE})

    def __init__(self, tools: AbilityTools) -> None:
        """Raises ``ValueError`` for any parameter."""
        super().__init__(tools)
        if tools.parameters:
            raise ValueError(f"unknown parameters {sorted(tools.parameters)}")

    def needs(self) -> tuple[Need, ...]:
        is_met = self.tools.model.supports(ModelPurpose.VOICE)
        return (Need(name="voice_model", is_met=is_met, remedy="" if is_met else _NO_MODEL),)

    async def transcribed(self, data: bytes) -> str:
        """Return what is said in a recording, as a question may be.

        Raises:
            ProblemError: it is no recording, too long or without words, or the server gave nothing.
        """
        settings = self.tools.settings
        try:
            recording = await self.tools.chain.in_pool(
                recording_of, data, settings.max_audio_bytes, settings.max_audio_seconds
            )
        except RecordingRefused as error:
            raise _refused(str(error)) from error
        deadline = Deadline.after(within(settings.request_timeout).remaining())
        try:
            said = sanitize_question(await self.tools.model.transcribe(recording, deadline, UsageMeter()))
        except ModelUnavailable as error:
            code = _CODES.get(error.reason, ErrorCode.BAD_GATEWAY)
            raise ProblemError(code, None if code is ErrorCode.BUDGET_EXCEEDED else _FAILED) from error
        if not said:
            raise _refused(_NOTHING_SAID)
        return said


def _refused(message: str) -> ProblemError:
    return ProblemError(ErrorCode.VALIDATION_FAILED, errors=[FieldProblem(path="file", message=message)])
