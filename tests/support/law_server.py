"""A server that answers as the open API of the National Law Information Center does, and breaks as it does."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request, Response

from tests.support.local_server import LocalServer

KEY = "operator-key"
HTML = "<!DOCTYPE html><html><body>서비스 점검 중입니다</body></html>"
REFUSAL = {
    "result": "사용자 정보 검증에 실패하였습니다.",
    "msg": "정확한 서버장비의 IP주소 및 도메인주소를 등록해 주세요.",
}


def article(number: int, text: str, title: str = "", branch: int = 0, **more: Any) -> dict[str, Any]:
    """A 조문단위 as the API writes it: the heading again before the text."""
    name = f"제{number}조" + (f"의{branch}" if branch else "")
    head = f"{name}({title})" if title else name
    unit: dict[str, Any] = {"조문번호": str(number), "조문여부": "조문", "조문내용": f"{head} {text}".strip(), **more}
    return unit | ({"조문제목": title} if title else {}) | ({"조문가지번호": str(branch)} if branch else {})


@dataclass
class Law:
    """A statute of the server."""

    serial: str
    law_id: str
    title: str
    kind: str = "법률"
    promulgated: str = "20260317"
    effective: str = "20260401"
    articles: list[dict[str, Any]] = field(default_factory=lambda: [article(1, "이 법은 목적이 있다.", "목적")])

    def entry(self) -> dict[str, Any]:
        return {
            "법령일련번호": self.serial,
            "법령ID": self.law_id,
            "법령명한글": self.title,
            "법령구분명": self.kind,
            "공포일자": self.promulgated,
            "시행일자": self.effective,
            "현행연혁코드": "현행",
        }

    def text(self) -> dict[str, Any]:
        head = {
            "법령ID": self.law_id,
            "법령명_한글": self.title,
            "법종구분": {"법종구분코드": "A0002", "content": self.kind},
            "소관부처": {"소관부처코드": "1492000", "content": "고용노동부"},
            "공포일자": self.promulgated,
            "공포번호": "21472",
            "시행일자": self.effective,
        }
        supplement = {
            "부칙단위": [
                {"부칙공포일자": "20200101", "부칙내용": [["부칙 <제1호,2020.1.1>", "공포한 날부터 시행한다."]]}
            ]
        }
        return {"법령": {"기본정보": head, "조문": {"조문단위": self.articles}, "부칙": supplement}}


class LawServer:
    """``broken`` maps what is asked for (``page 2``, ``MST 11``) to the answers to give instead, used up one by one."""

    def __init__(self, laws: list[Law], page_size: int = 2) -> None:
        self.laws = laws
        self.page_size = page_size
        self.broken: dict[str, list[Response | dict[str, Any] | str]] = {}
        self.asked: Counter[str] = Counter()
        app = FastAPI()
        app.get("/DRF/lawSearch.do")(self._search)
        app.get("/DRF/lawService.do")(self._service)
        self.server = LocalServer(app)

    @property
    def url(self) -> str:
        return f"{self.server.url}/DRF"

    def always(self, name: str, answer: Response | dict[str, Any] | str) -> None:
        self.broken[name] = [answer] * 50

    async def _search(self, request: Request) -> Response:
        page = int(request.query_params["page"])
        first = (page - 1) * self.page_size
        entries = [law.entry() for law in self.laws[first : first + self.page_size]]
        found: dict[str, Any] = {"target": "law", "totalCnt": str(len(self.laws)), "page": str(page)}
        # one statute is no list, and of none there is no field
        found |= {"law": entries[0] if len(entries) == 1 else entries} if entries else {}
        return await self._answer(request, f"page {page}", {"LawSearch": found})

    async def _service(self, request: Request) -> Response:
        serial = request.query_params["MST"]
        return await self._answer(
            request, f"MST {serial}", next(law for law in self.laws if law.serial == serial).text()
        )

    async def _answer(self, request: Request, name: str, value: dict[str, Any]) -> Response:
        self.asked[name] += 1
        wanted = (request.query_params["OC"], request.query_params["target"], request.query_params["type"])
        answer: Response | dict[str, Any] | str = value if wanted == (KEY, "law", "JSON") else REFUSAL
        if self.broken.get(name):
            answer = self.broken[name].pop(0)
        if answer == "hang":
            await self.server.pause(None)
        if isinstance(answer, Response):
            return answer
        return Response(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))
