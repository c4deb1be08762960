"""The open API of the National Law Information Center (국가법령정보센터, open.law.go.kr): list of statutes and their texts as JSON.

``lawSearch.do?target=law`` lists them by page, ``lawService.do?target=law&MST=…`` gives one. Errors come with status 200, too:
as ``{"result": …, "msg": …}`` where the key or the address of the caller is not registered, as a page in HTML under load.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
from pydantic import SecretStr

from utils.http.retry_after import parse_retry_after
from utils.resilience.deadline import Deadline
from utils.sanitizing.sanitize import printable
from vectorstores.errors import (
    IngestError,
    StatuteAnswerMalformed,
    StatuteListIncomplete,
    StatuteQuotaReached,
    StatuteSourceRefused,
    StatuteSourceUnavailable,
)
from vectorstores.statute_book.law_markdown import day_of, folder_and_file, law_markdown, listed, text_of
from vectorstores.statute_book.sources import Edition, HeldTree, Offer

_PAGE = 100  # statutes; the API gives no more at once
_MAX_PAGES = 200
_TRIES = 4
_PAUSE = 1.0  # seconds before the second try, doubled for each further one
_LONGEST_PAUSE = 60.0  # seconds that a Retry-After may ask for
_MAX_ANSWER = 64 * 1024 * 1024
_MAX_MESSAGE = 200


class OpenApiSource:
    """The statutes that the API lists as current. Every request takes ``timeout`` seconds at most and is tried four times."""

    def __init__(
        self, key: SecretStr, url: str, timeout: float, *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        """Raises `IngestError` for an address that is none."""
        if urlsplit(url).scheme not in ("http", "https"):
            raise IngestError(f"LAW_API_URL이 http(s) 주소가 아닙니다: {printable(url, _MAX_MESSAGE)}")
        self._url = url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._pause = pause
        self._client = httpx.Client(headers={"Accept": "application/json"})

    def close(self) -> None:
        self._client.close()

    def offers(self, held: HeldTree) -> Iterator[Offer]:
        """Yield what the list names, once all of it has come. Raises `StatuteSourceError`."""
        for entry in self._list():
            serial, law_id, title = (text_of(entry.get(name)) for name in ("법령일련번호", "법령ID", "법령명한글"))
            promulgated, effective = day_of(entry.get("공포일자")), day_of(entry.get("시행일자"))
            if not (serial.isdecimal() and law_id and title) or promulgated is None:
                raise StatuteAnswerMalformed("법령 목록의 항목에 일련번호, ID, 이름이나 공포일자가 없습니다")
            kind = text_of(entry.get("법령구분명")) or "법령"
            path = held.place(*folder_and_file(title, kind), kind, law_id)
            yield Offer(path, Edition(law_id, serial, promulgated, effective or date.max), self._reader(serial))

    def _reader(self, serial: str) -> Callable[[], bytes]:
        return lambda: law_markdown(self._ask("lawService.do", {"MST": serial}), serial).encode()

    def _list(self) -> list[dict[str, Any]]:
        """Return all entries of the list, each once. Raises `StatuteListIncomplete` where fewer come than it counts."""
        found: dict[str, dict[str, Any]] = {}
        for page in range(1, _MAX_PAGES + 1):
            answer = self._ask("lawSearch.do", {"display": str(_PAGE), "page": str(page), "sort": "lasc"})
            search = answer.get("LawSearch")
            count = text_of(search.get("totalCnt")) if isinstance(search, dict) else ""
            if not isinstance(search, dict) or not count.isdecimal():
                raise StatuteAnswerMalformed("법령 목록이 알려진 모양이 아닙니다 (LawSearch, totalCnt)")
            entries = [entry for entry in listed(search.get("law")) if isinstance(entry, dict) and entry]
            found |= {text_of(entry.get("법령일련번호")): entry for entry in entries}
            if len(found) >= int(count):
                return list(found.values())
            if not entries:
                raise StatuteListIncomplete(
                    f"법령 목록의 {page}쪽이 비어 있습니다 ({int(count):,}건 가운데 {len(found):,}건)"
                )
        raise StatuteListIncomplete(f"법령 목록이 {_MAX_PAGES}쪽을 넘습니다")

    def _ask(self, service: str, parameters: dict[str, str]) -> dict[str, Any]:
        """Return one answer, tried again while the service is overloaded, answers in HTML or not at all."""
        error: Exception = StatuteSourceUnavailable("법령정보센터가 답하지 않았습니다")
        for number in range(_TRIES):
            if number:
                self._pause(_PAUSE * 2 ** (number - 1))
            try:
                return self._ask_once(service, parameters)
            except (StatuteSourceUnavailable, StatuteAnswerMalformed) as told:
                error = told
            except _AskedToWait as told:
                error = StatuteQuotaReached(str(told))
                if told.seconds > _LONGEST_PAUSE:
                    break
                self._pause(told.seconds)
        raise error

    def _ask_once(self, service: str, parameters: dict[str, str]) -> dict[str, Any]:
        """Raises `StatuteSourceError`, none of which names the address: the key stands in it."""
        query = {"OC": self._key.get_secret_value(), "target": "law", "type": "JSON", **parameters}
        deadline = Deadline.after(self._timeout)
        body = bytearray()
        try:
            with self._client.stream("GET", f"{self._url}/{service}", params=query, timeout=self._timeout) as response:
                _check_status(response)
                for part in response.iter_bytes():  # the client's timeout is for each part, ours for all
                    deadline.check()
                    body += part
                    if len(body) > _MAX_ANSWER:
                        raise StatuteAnswerMalformed(f"법령정보센터의 답이 너무 큽니다 (한도 {_MAX_ANSWER:,}바이트)")
        except (httpx.TimeoutException, TimeoutError):
            raise StatuteSourceUnavailable(f"법령정보센터가 {self._timeout:g}초 안에 답하지 않았습니다") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise StatuteSourceUnavailable(f"법령정보센터와 통신할 수 없습니다 ({type(error).__name__})") from None
        return _answer(bytes(body))


class _AskedToWait(Exception):
    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


def _check_status(response: httpx.Response) -> None:
    status = response.status_code
    message = f"법령정보센터가 HTTP {status}로 답했습니다"
    seconds = parse_retry_after(response.headers.get("retry-after"))
    if status == 429 or (status == 503 and seconds is not None):
        raise _AskedToWait(f"{message} (요청 한도)", _PAUSE if seconds is None else seconds)
    if status in (401, 403):
        raise StatuteSourceRefused(f"{message}. LAW_API_KEY와 등록한 서버 주소를 확인하십시오")
    if status != 200:
        raise StatuteSourceUnavailable(message)


def _answer(body: bytes) -> dict[str, Any]:
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise StatuteAnswerMalformed("법령정보센터가 JSON이 아닌 답을 보냈습니다") from None
    if not isinstance(answer, dict):
        raise StatuteAnswerMalformed("법령정보센터의 답이 알려진 모양이 아닙니다")
    if "result" in answer and "msg" in answer:
        told = printable(f"{text_of(answer['result'])} {text_of(answer['msg'])}", _MAX_MESSAGE)
        raise StatuteSourceRefused(
            f"법령정보센터가 거절했습니다: {told} (LAW_API_KEY와 등록한 서버 주소를 확인하십시오)"
        )
    return answer
