"""The errors of the service: one catalogue, one exception, rendered as ``application/problem+json`` (RFC 9457), below ``/v1`` as OpenAI does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from starlette.responses import Response
from starlette.types import Scope

from schemas.completions.errors import OpenAIError
from schemas.problems import ErrorCode, FieldProblem, Problem
from utils.http.route_path import route_path
from utils.observability.request_context import current_request_id
from utils.sanitizing.sanitize import printable

PROBLEM_MEDIA_TYPE = "application/problem+json"
OPENAI_PREFIX = "/v1"
_MAX_FIELD_PROBLEMS = 20
_MAX_INSTANCE = 300
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """The HTTP status of a problem code, and its title and detail in Korean."""

    status: int
    title: str
    detail: str


CATALOGUE: Mapping[ErrorCode, ProblemKind] = MappingProxyType(
    {
        ErrorCode.MALFORMED_REQUEST: ProblemKind(
            400, "잘못된 요청", "요청을 읽을 수 없습니다. UTF-8로 된 올바른 JSON인지 확인해 주세요."
        ),
        ErrorCode.UNAUTHORIZED: ProblemKind(
            401, "인증 필요", "X-API-Key 헤더나 Authorization: Bearer에 올바른 API 키를 넣어 주세요."
        ),
        ErrorCode.FORBIDDEN: ProblemKind(403, "권한 없음", "이 API 키로는 할 수 없는 작업입니다."),
        ErrorCode.NOT_FOUND: ProblemKind(404, "찾을 수 없음", "요청하신 주소나 자료가 없습니다."),
        ErrorCode.METHOD_NOT_ALLOWED: ProblemKind(
            405, "허용되지 않는 메서드", "이 주소에서 쓸 수 없는 HTTP 메서드입니다."
        ),
        ErrorCode.REQUEST_TIMEOUT: ProblemKind(
            408, "요청 시간 초과", "요청이 제한 시간 안에 다 도착하지 않았습니다. 다시 보내 주세요."
        ),
        ErrorCode.CONFLICT: ProblemKind(409, "충돌", "지금 상태에서는 요청을 처리할 수 없습니다."),
        ErrorCode.PRECONDITION_FAILED: ProblemKind(
            412, "그사이에 바뀜", "읽은 뒤에 다른 사람이 바꾸었습니다. 다시 읽고 고쳐 주세요."
        ),
        ErrorCode.PAYLOAD_TOO_LARGE: ProblemKind(413, "요청이 너무 큼", "요청 본문이 허용된 크기를 넘었습니다."),
        ErrorCode.UNSUPPORTED_MEDIA_TYPE: ProblemKind(
            415, "지원하지 않는 형식", "Content-Type은 application/json이어야 합니다."
        ),
        ErrorCode.MISDIRECTED_REQUEST: ProblemKind(
            421, "잘못 찾아온 요청", "이 호스트 이름으로는 서비스하지 않습니다. localhost나 127.0.0.1로 접속해 주세요."
        ),
        ErrorCode.VALIDATION_FAILED: ProblemKind(
            422, "입력값 오류", "입력값이 올바르지 않습니다. errors 항목을 확인해 주세요."
        ),
        ErrorCode.PRECONDITION_REQUIRED: ProblemKind(
            428, "조건 필요", "읽을 때 받은 ETag를 If-Match 헤더에 넣어 주세요."
        ),
        # before the other 429, which stands for the status
        ErrorCode.BUDGET_EXCEEDED: ProblemKind(
            429,
            "예산 초과",
            "이 클라이언트에 정해진 모델 사용 예산을 다 썼습니다. 예산이 새로 시작되면 다시 시도해 주세요.",
        ),
        ErrorCode.RATE_LIMITED: ProblemKind(429, "요청이 너무 많음", "잠시 후 다시 시도해 주세요."),
        ErrorCode.TOO_MANY_AT_ONCE: ProblemKind(
            429, "동시 요청이 너무 많음", "앞의 요청이 끝난 뒤에 다시 시도해 주세요."
        ),
        ErrorCode.HEAD_TOO_LARGE: ProblemKind(
            431, "요청 머리글이 너무 큼", "주소와 헤더를 합친 크기나 헤더의 수가 허용된 범위를 넘었습니다."
        ),
        ErrorCode.INTERNAL_ERROR: ProblemKind(
            500, "서버 오류", "예상하지 못한 오류가 발생했습니다. request_id와 함께 문의해 주세요."
        ),
        ErrorCode.BAD_GATEWAY: ProblemKind(502, "외부 서비스 오류", "연결된 서비스가 올바르게 응답하지 않았습니다."),
        ErrorCode.SERVICE_UNAVAILABLE: ProblemKind(
            503, "서비스 이용 불가", "지금은 답변할 수 없습니다. 잠시 후 다시 시도해 주세요."
        ),
        ErrorCode.TIMEOUT: ProblemKind(
            504, "시간 초과", "제한 시간 안에 답변을 마치지 못했습니다. 다시 시도해 주세요."
        ),
    }
)

_BY_STATUS: Mapping[int, ErrorCode] = MappingProxyType({kind.status: code for code, kind in CATALOGUE.items()})


def code_for_status(status: int) -> ErrorCode:
    """The code of an HTTP status; one without a code of its own counts as its class (4xx, 5xx)."""
    fallback = ErrorCode.MALFORMED_REQUEST if status < 500 else ErrorCode.INTERNAL_ERROR
    return _BY_STATUS.get(status, fallback)


class ProblemError(Exception):
    """A refusal or failure with its code; ``detail`` replaces the catalogue's sentence and is shown to people."""

    def __init__(
        self,
        code: ErrorCode,
        detail: str | None = None,
        *,
        errors: Sequence[FieldProblem] = (),
        headers: Mapping[str, str] = _NO_HEADERS,
    ) -> None:
        super().__init__(code.value)
        self.code = code
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = headers

    @property
    def status(self) -> int:
        return CATALOGUE[self.code].status

    def document(self, scope: Scope) -> Problem:
        """The problem document of this error for the request of ``scope``."""
        kind = CATALOGUE[self.code]
        return Problem(
            title=kind.title,
            status=kind.status,
            detail=self.detail or kind.detail,
            instance=printable(scope["path"], _MAX_INSTANCE),
            code=self.code,
            request_id=current_request_id(),
            errors=list(self.errors[:_MAX_FIELD_PROBLEMS]),
        )

    def response(self, scope: Scope) -> Response:
        """The HTTP answer to the request of ``scope``."""
        problem = self.document(scope)
        as_openai = route_path(scope).startswith(f"{OPENAI_PREFIX}/")
        return Response(
            (OpenAIError.of(problem) if as_openai else problem).model_dump_json(),
            status_code=self.status,
            media_type="application/json" if as_openai else PROBLEM_MEDIA_TYPE,
            headers={**self.headers, "Cache-Control": "no-store"},
        )


def retry_after(seconds: float) -> dict[str, str]:
    """The ``Retry-After`` header, in whole seconds and at least one."""
    return {"Retry-After": str(max(1, round(seconds)))}
