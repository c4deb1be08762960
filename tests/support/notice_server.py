"""A server that answers as the APIs of 기업마당 and K-Startup do, and breaks as they do."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from fastapi import FastAPI, Request, Response

from tests.support.local_server import LocalServer

KEY = "operator+key=="
HTML = "<!DOCTYPE html><html><body>시스템 점검 중입니다</body></html>"
QUOTA = (
    "<OpenAPI_ServiceResponse><cmmMsgHeader><errMsg>SERVICE ERROR</errMsg>"
    "<returnAuthMsg>LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_ERROR</returnAuthMsg>"
    "<returnReasonCode>22</returnReasonCode></cmmMsgHeader></OpenAPI_ServiceResponse>"
)


def bizinfo_item(number: int, **more: Any) -> dict[str, Any]:
    return {
        "pblancId": f"PBLN_{number:015d}",
        "pblancNm": f"[서울] 2026년 {number}호 창업 지원사업 공고",
        "pblancUrl": f"/sii/siia/selectSIIA200Detail.do?pblancId=PBLN_{number:015d}",
        "jrsdInsttNm": "서울특별시",
        "excInsttNm": "서울창업원",
        "reqstBeginEndDe": "20261101 ~ 20261215",
        "pldirSportRealmLclasCodeNm": "창업",
        "trgetNm": "창업벤처",
        "bsnsSumryCn": "<p>창업 기업을 <b>지원</b>합니다.</p><p>☞ 창업 3년 이내 기업</p>",
        "hashtags": "2026,창업,서울",
        "creatPnttm": "2026-11-01 10:00:00",
        "reqstMthPapersCn": "온라인 접수",
        "refrncNm": "서울창업원 02-000-0000",
        **more,
    }


def kstartup_item(number: int, **more: Any) -> dict[str, Any]:
    return {
        "pbanc_sn": number,
        "biz_pbanc_nm": f"2026년 {number}호 예비창업 모집",
        "pbanc_ctnt": "예비창업자를 돕습니다.",
        "supt_biz_clsfc": "사업화",
        "pbanc_rcpt_bgng_dt": "20261110",
        "pbanc_rcpt_end_dt": "20261210",
        "aply_trgt": "일반인",
        "aply_trgt_ctnt": "예비창업자",
        "supt_regin": "전국",
        "biz_enyy": "예비창업자,1년미만,2년미만,3년미만",
        "pbanc_ntrp_nm": "창업진흥원",
        "sprv_inst": "공공기관",
        "detl_pg_url": f"www.k-startup.go.kr/web/contents/bizpbanc-ongoing.do?pbancSn={number}",
        "rcrt_prgs_yn": "Y",
        **more,
    }


class NoticeServer:
    """``broken`` maps ``bizinfo 2`` (source and page) to the answers to give instead, used up one by one."""

    def __init__(self, bizinfo: list[dict[str, Any]], kstartup: list[dict[str, Any]]) -> None:
        self.items = {"bizinfo": bizinfo, "kstartup": kstartup}
        self.broken: dict[str, list[Response | str | object]] = {}
        self.asked: Counter[str] = Counter()
        app = FastAPI()
        app.get("/bizinfo")(self._bizinfo)
        app.get("/kstartup")(self._kstartup)
        self.server = LocalServer(app)

    def always(self, name: str, answer: Response | str | object) -> None:
        self.broken[name] = [answer] * 20

    async def _bizinfo(self, request: Request) -> Response:
        query = request.query_params
        if query["crtfcKey"] != KEY:
            return Response(json.dumps({"reqErr": "등록되지 않은 인증키입니다."}))
        page, size = int(query["pageIndex"]), int(query["pageUnit"])
        rows = self.items["bizinfo"][(page - 1) * size : page * size]
        return await self._answer(f"bizinfo {page}", {"jsonArray": rows})

    async def _kstartup(self, request: Request) -> Response:
        query = request.query_params
        if query["serviceKey"] != KEY:
            return Response(json.dumps({"code": -401, "msg": "유효하지 않은 인증키 입니다."}))
        page, size = int(query["page"]), int(query["perPage"])
        every = self.items["kstartup"]
        rows = every[(page - 1) * size : page * size]
        told = {"currentCount": len(rows), "data": rows, "page": page, "perPage": size, "totalCount": len(every)}
        return await self._answer(f"kstartup {page}", told)

    async def _answer(self, name: str, value: dict[str, Any]) -> Response:
        self.asked[name] += 1
        answer: Any = json.dumps(value, ensure_ascii=False)
        if self.broken.get(name):
            answer = self.broken[name].pop(0)
        if answer == "hang":
            await self.server.pause(None)
        if isinstance(answer, Response):
            return answer
        return Response(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))
