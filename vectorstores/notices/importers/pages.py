"""Pages of JSON from a public API: bounded in time, tried again, and not believed before they are looked at.

Such APIs answer with status 200 whatever happens: with a page in HTML while they are repaired, with XML where the key is not registered or the
quota used up, and with half a document when they are overloaded.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson

from utils.http.retry_after import parse_retry_after
from utils.resilience.deadline import Deadline
from utils.sanitizing.sanitize import printable
from vectorstores.notices.errors import NoticeSourceError, NoticeSourceRefused

_TRIES = 3
_PAUSE = 1.0
_LONGEST_PAUSE = 60.0
_MAX_ANSWER = 32 * 1024 * 1024
_MAX_MESSAGE = 120
_OK = 200
_AUTH_MESSAGE = re.compile(rb"<(?:returnAuthMsg|errMsg)>([^<]{1,120})<")
_REFUSALS = ("SERVICE_KEY", "LIMITED_NUMBER", "ACCESS_DENIED", "DEADLINE_HAS_EXPIRED", "UNREGISTERED_IP")


class JsonPages:
    """Asks one API. ``name`` is what people call it; no message carries the key, which stands in the address."""

    def __init__(self, name: str, url: str, timeout: float, *, pause: Callable[[float], None] = time.sleep) -> None:
        """Raises `NoticeSourceError` for an address that is none."""
        if urlsplit(url).scheme not in ("http", "https"):
            raise NoticeSourceError(f"{name}: http(s) 주소가 아닙니다: {printable(url, _MAX_MESSAGE)}")
        self.name = name
        self._url = url
        self._timeout = timeout
        self._pause = pause
        self._client = httpx.Client(headers={"Accept": "application/json"}, follow_redirects=False)

    def close(self) -> None:
        self._client.close()

    def get(self, query: Mapping[str, str], whole: Deadline) -> dict[str, Any]:
        """Return one page, tried three times. ``whole`` bounds all pages together.

        Raises:
            NoticeSourceRefused: the key or the quota; it is not tried again.
            NoticeSourceError: it did not come, or is no JSON object.
        """
        error = NoticeSourceError(f"{self.name}: 응답이 없습니다")
        for number in range(_TRIES):
            if number:
                self._pause(min(_PAUSE * 2 ** (number - 1), max(whole.remaining(), 0.0)))
            if whole.remaining() <= 0:
                raise NoticeSourceError(f"{self.name}: 정해진 시간 안에 다 받지 못했습니다")
            try:
                return self._get_once(query, whole)
            except NoticeSourceRefused:
                raise
            except NoticeSourceError as told:
                error = told
        raise error

    def _get_once(self, query: Mapping[str, str], whole: Deadline) -> dict[str, Any]:
        limit = min(self._timeout, whole.remaining())
        deadline = Deadline.after(limit)
        body = bytearray()
        try:
            with self._client.stream("GET", self._url, params=dict(query), timeout=limit) as response:
                self._check(response)
                for part in response.iter_bytes():  # the client's timeout is for each part, ours for all
                    deadline.check()
                    body += part
                    if len(body) > _MAX_ANSWER:
                        raise NoticeSourceError(f"{self.name}: 응답이 너무 큽니다")
        except (httpx.TimeoutException, TimeoutError):
            raise NoticeSourceError(f"{self.name}: {limit:g}초 안에 응답하지 않았습니다") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NoticeSourceError(f"{self.name}: 통신할 수 없습니다 ({type(error).__name__})") from None
        return self._read(bytes(body))

    def _check(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == _OK:
            return
        if status in (401, 403):
            raise NoticeSourceRefused(f"{self.name}: HTTP {status}. API 키를 확인하십시오")
        if status == 429:
            seconds = parse_retry_after(response.headers.get("retry-after"))
            if seconds is None or seconds > _LONGEST_PAUSE:
                raise NoticeSourceRefused(f"{self.name}: HTTP 429. 요청 한도를 넘었습니다")
            self._pause(seconds)
        raise NoticeSourceError(f"{self.name}: HTTP {status}")

    def _read(self, body: bytes) -> dict[str, Any]:
        try:
            answer = orjson.loads(body)
        except orjson.JSONDecodeError:
            raise self._told_in_xml(body) from None
        if not isinstance(answer, dict):
            raise NoticeSourceError(f"{self.name}: 응답이 알려진 모양이 아닙니다")
        return answer

    def _told_in_xml(self, body: bytes) -> NoticeSourceError:
        messages = [match.decode("utf-8", "replace") for match in _AUTH_MESSAGE.findall(body[:10_000])]
        refusal = next((text for text in messages if any(word in text for word in _REFUSALS)), None)
        if refusal is not None:
            return NoticeSourceRefused(f"{self.name}: 거절되었습니다: {printable(refusal, _MAX_MESSAGE)}")
        return NoticeSourceError(f"{self.name}: JSON이 아닌 응답을 받았습니다")
