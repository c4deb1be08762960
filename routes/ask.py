"""Asks the running service and prints the cited answer as it arrives: ``python -m routes.ask "질문"`` (`make ask`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

import httpx
from pydantic import TypeAdapter, ValidationError

from agents.serving.answer_text import REPLACED, source_line
from schemas.chat import ActionItem, Degradation, Verdict
from schemas.events import (
    ActionEvent,
    CheckEvent,
    DoneEvent,
    ErrorEvent,
    ReplaceEvent,
    StatusEvent,
    StreamEvent,
    TokenEvent,
)
from schemas.problems import Problem
from utils.config.settings import Settings, SettingsError, load_settings
from utils.documents import on_one_line
from utils.http.access import AccessScope
from utils.middleware.api_key import API_KEY_HEADER
from utils.sanitizing.sanitize import clean_text

_EVENT: TypeAdapter[StreamEvent] = TypeAdapter(StreamEvent)
_UNCERTAIN = {
    Verdict.UNSUPPORTED: "출처와 맞지 않는 문장",
    Verdict.UNCITED: "출처가 없는 문장",
    Verdict.USER_STATED: "질문에서 말씀하신 내용으로, 출처에는 없습니다",
}


class AnswerPrinter:
    """Prints a stream of events for people: the answer on ``out``, what the service is doing on ``progress``."""

    def __init__(self, out: TextIO, progress: TextIO) -> None:
        self._out = out
        self._progress = progress
        self._answer = ""
        self._checks: list[CheckEvent] = []
        self._actions: list[ActionItem] = []

    def show(self, events: Iterable[StreamEvent]) -> bool:
        """Print until the stream ends; True when the answer is complete."""
        for event in events:
            match event:
                case StatusEvent():
                    if not self._answer:  # once the answer runs, it is what shows the progress
                        _show(f"· {event.label}", self._progress)
                case TokenEvent():
                    self._write(event.content)
                case CheckEvent():
                    self._checks.append(event)
                case ActionEvent():
                    self._actions.append(event.action)
                case ReplaceEvent():
                    self._replace(event)
                case ErrorEvent():
                    print_problem(event.problem, self._progress)
                    return False
                case DoneEvent():
                    self._finish(event)
                    return True
        _show("연결이 끊겨 답변이 끝나지 않았습니다.", self._progress)
        return False

    def _write(self, text: str) -> None:
        if not self._answer:
            _show("", self._out)
        self._answer += text
        _show(text, self._out, end="")

    def _replace(self, event: ReplaceEvent) -> None:
        if self._answer:
            _show(f"\n\n— {REPLACED[event.reason]}", self._out)
        self._answer = ""
        self._checks.clear()
        self._write(event.content)

    def _finish(self, done: DoneEvent) -> None:
        _show("\n", self._out)
        self._section("출처", map(source_line, done.sources))
        self._section("확인이 필요한 문장", self._uncertain())
        self._section("다음 단계", (f"- {action.label}: {action.description}" for action in self._actions))
        self._section("알림", (degradation_line(degradation) for degradation in done.degraded))

    def _uncertain(self) -> Iterator[str]:
        for event in self._checks:
            if (reason := _UNCERTAIN.get(event.check.verdict)) is not None:
                yield f"- {self._answer[event.check.start : event.check.end].strip()} ({reason})"

    def _section(self, title: str, lines: Iterable[str]) -> None:
        texts = list(lines)
        if texts:
            _show(f"{title}\n" + "".join(f"  {on_one_line(text)}\n" for text in texts), self._out)


def _show(text: str, out: TextIO, end: str = "\n") -> None:
    """Print plain text: documents and models may hold what would steer the terminal."""
    print(clean_text(text), end=end, file=out, flush=True)


def degradation_line(degradation: Degradation) -> str:
    return f"- {degradation.component.value}: {degradation.reason}"


def print_problem(problem: Problem, out: TextIO) -> None:
    """Print a problem in the service's own words."""
    _show(f"{problem.title}: {problem.detail}", out)
    for field in problem.errors:
        _show(f"  {field.path}: {field.message}", out)


def stream_answer(client: httpx.Client, question: str, printer: AnswerPrinter, errors: TextIO) -> bool:
    """Ask and print. Raises httpx.HTTPError when the service cannot be reached or breaks off."""
    with client.stream("POST", "/api/chat/stream", json={"message": question}) as response:
        if response.status_code == httpx.codes.OK:
            return printer.show(_events(response.iter_lines()))
        body = response.read()
    try:
        print_problem(Problem.model_validate_json(body), errors)
    except ValidationError:
        _show(f"서비스가 {response.status_code}로 답했습니다.", errors)
    return False


def _events(lines: Iterable[str]) -> Iterator[StreamEvent]:
    """The ``data`` of each frame names its type, so the other fields are not needed."""
    for line in lines:
        if line.startswith("data:"):
            yield _EVENT.validate_json(line.removeprefix("data:"))


def connection(settings: Settings, url: str | None = None, key: str | None = None) -> dict[str, Any]:
    """Options of an HTTP client of the service these settings start, with a key of theirs that may chat unless one is given."""
    keys = (secret.get_secret_value().rpartition(":") for secret in settings.api_keys.values())
    key = key or next((given.split()[0] for given, _, scopes in keys if AccessScope.CHAT in scopes.split("|")), None)
    headers = {API_KEY_HEADER: key} if key else {}
    base = url or f"http://{settings.host}:{settings.port}{settings.root_path}"
    return {"base_url": base, "headers": headers, "timeout": settings.request_timeout + 5, "trust_env": False}


def service_client(settings: Settings, url: str | None = None) -> httpx.Client:
    """A client of the service these settings start, with a key of theirs that may chat."""
    return httpx.Client(**connection(settings, url))


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 answered, 1 not answered, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m routes.ask", description="실행 중인 서비스에 질문합니다.")
    parser.add_argument("question", help="질문 (1–2,000자)")
    parser.add_argument("--url", help="서비스 주소 (기본: HOST, PORT, ROOT_PATH 설정)")
    options = parser.parse_args(arguments)
    try:
        client = service_client(load_settings(), options.url)
        with client:
            printer = AnswerPrinter(sys.stdout, sys.stderr)
            return 0 if stream_answer(client, options.question, printer, sys.stderr) else 1
    except SettingsError as error:
        print(f"설정 오류: {error}", file=sys.stderr)
    except httpx.ConnectError:
        print(
            f"서비스가 {client.base_url}에 없습니다. 다른 터미널에서 `make serve`를 먼저 실행하세요.", file=sys.stderr
        )
    except httpx.HTTPError as error:
        print(f"서비스와의 연결이 끊겼습니다: {type(error).__name__}", file=sys.stderr)
    except ValidationError:
        print("서비스의 응답을 읽을 수 없습니다. 같은 버전의 서비스인지 확인하세요.", file=sys.stderr)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
