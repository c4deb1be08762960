"""Every ``ENABLE_…`` setting, flipped: what a user, an operator or a model server sees of it."""

from __future__ import annotations

import asyncio
import importlib.util
import shutil
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.abilities.images import ImagesAbility
from agents.assembly import build_router
from agents.engine import Engine, build_engine
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from agents.serving.chat_runner import ChatExecutor
from agents.serving.knowledge import KnowledgeBrowser
from chains.models.openai import build_openai_model
from chains.rag_chain import RAGChain
from main import create_app
from routes.dependencies import Services
from routes.page.assets import Assets
from routes.page.docs import DOCS_PATHS
from schemas.chat import ChatRequest, ChatResponse
from schemas.vectordb import SearchResultItem, SearchResults, VectorSearchRequest
from services import ragas_log, services_of
from tests.contract.wire import Frame, parse_frames
from tests.support.local_server import LocalServer
from tests.support.routes import operations
from tests.support.scripted_openai import Reply, ScriptedOpenAI
from utils.config.settings import Settings
from utils.middleware.error_boundary import StartupError
from utils.observability.telemetry import Telemetry
from vectorstores.tokenizer import KiwiTokenizer

VAT = "부가가치세는 언제까지 신고해야 하나요?"
CAFE = "카페를 열려고 해요. 사업자등록은 어떻게 하고 처음에 세금은 뭘 챙겨야 하나요?"
DISMISSAL = "직원을 내보내려면 법적으로 어떤 절차를 밟아야 하고 퇴직금은 어떻게 계산하나요?"
BLACK_HOLE = "블랙홀은 어떻게 생기나요?"

UNDERSTOOD = {
    "kind": "consult",
    "domains": ["law_common"],
    "question": VAT,
    "sub_queries": [{"domain": "law_common", "query": VAT}],
    "variants": [],
}
SCORES = dict.fromkeys(("retrieval_quality", "accuracy", "completeness", "relevance", "citation"), 18)
WRONG = "부가가치세 확정신고는 과세기간이 끝난 후 99일 이내에 합니다. [1]"
SCRIPT: dict[str, Reply] = {
    "understanding": UNDERSTOOD,
    "generation": WRONG,
    "evaluation": SCORES,
    "alternatives": {"rephrased": "부가가치세 신고 기한", "hypothetical_answer": "25일 이내에 신고합니다."},
}


@dataclass(frozen=True)
class Bench:
    """An engine whose router is rebuilt for each set of flags, and the service around it."""

    engine: Engine
    client: httpx.Client

    def ask(self, message: str, **changes: Any) -> ChatResponse:
        """The answer with some settings changed."""
        settings = self.engine.settings.model_copy(update=changes)
        router = build_router(replace(self.engine.parts, settings=settings, chain=self.chain(settings)))
        return asyncio.run(ChatExecutor(settings, lambda: router).answer(ChatRequest(message=message), "flags"))

    def chain(self, settings: Settings) -> RAGChain:
        return RAGChain(settings, self.engine.live, self.engine.parts.chain.model, self.engine.pool)

    def ask_model(self, server: ScriptedOpenAI, **changes: Any) -> ChatResponse:
        """The answer of a model that follows `SCRIPT`."""
        return self.ask_model_at_once(server, (VAT,), **changes)[0]

    def ask_model_at_once(self, server: ScriptedOpenAI, questions: Sequence[str], **changes: Any) -> list[ChatResponse]:
        """The answers of a model that follows `SCRIPT`, to questions asked at the same time."""
        server.reset(SCRIPT)
        changes = {"openai_base_url": server.base_url} | changes
        settings = self.engine.settings.model_copy(update=changes)

        async def answer() -> list[ChatResponse]:
            model = build_openai_model(settings)
            chain = RAGChain(settings, self.engine.live, model, self.engine.pool)
            router = build_router(replace(self.engine.parts, settings=settings, chain=chain))
            try:
                executor = ChatExecutor(settings, lambda: router)
                return await asyncio.gather(
                    *(executor.answer(ChatRequest(message=question), "flags") for question in questions)
                )
            finally:
                await model.aclose()

        return asyncio.run(answer())

    def search(self, query: str, **changes: Any) -> SearchResults:
        """Search as ``/api/vectordb/search`` does, with some settings changed."""
        settings, parts = self.engine.settings.model_copy(update=changes), self.engine.parts
        planner = SearchPlanner(settings, MultiQueryExpander(parts.glossary, parts.analyzer, 3))
        request = VectorSearchRequest(query=query, collection="finance_tax", k=10)
        return asyncio.run(
            KnowledgeBrowser(self.chain(settings), planner, lambda: parts.routing().packs).search(request)
        )

    def post(self, message: str, address: str) -> httpx.Response:
        """Over HTTP, from an address of the test's own."""
        return self.client.post("/api/chat", json={"message": message}, headers={"X-Forwarded-For": address})


@contextmanager
def _bench(settings: Settings, tokenizer: KiwiTokenizer, folder: Path, **flags: bool) -> Iterator[Bench]:
    # an embedded store has one owner, so each engine gets a copy
    shutil.copytree(settings.data_dir, folder, symlinks=True)
    changes: dict[str, Any] = {"log_dir": folder / "logs"}
    changes |= {
        "data_dir": folder,
        "rate_limit_burst": 5,
        "rate_limit_per_minute": 1,
        "trusted_proxies": ("127.0.0.1",),
    }
    engine = build_engine(settings.model_copy(update=changes | flags), tokenizer=tokenizer)

    @asynccontextmanager
    async def factory(_: Settings, _telemetry: Telemetry) -> AsyncIterator[Services]:
        async with services_of(engine) as services:
            yield services

    with (
        LocalServer(create_app(engine.settings, factory), lifespan="on") as server,
        httpx.Client(base_url=server.url, timeout=30) as client,
    ):
        yield Bench(engine, client)


@pytest.fixture(scope="module")
def on(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench]:
    """A service as it comes."""
    folder = tmp_path_factory.mktemp("on") / "var"
    with _bench(
        starter_settings,
        tokenizer,
        folder,
        enable_response_cache=True,
        enable_rate_limit=True,
        enable_question_log=True,
        enable_chat_log=True,
        enable_sessions=True,
    ) as bench:
        yield bench


@pytest.fixture(scope="module")
def off(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench]:
    """A service without what stands around the graph, and without the learned order; none of them touches another."""
    folder = tmp_path_factory.mktemp("off") / "var"
    names = (
        "response_cache",
        "rate_limit",
        "domain_rejection",
        "learned_ranking",
        "question_log",
        "chat_log",
        "sessions",
        "usage",
        "calculations",
        "english_reading",
    )
    flags = {f"enable_{name}": False for name in names}
    with _bench(starter_settings, tokenizer, folder, **flags) as bench:
        yield bench


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI({}) as server:
        yield server


def test_enable_hybrid_search(on: Bench) -> None:
    def sides(results: SearchResults) -> set[str]:
        return {side for result in results.results for side in result.found_by}

    assert {"bm25", "vector"} <= sides(on.search(VAT))
    assert "bm25" not in sides(on.search(VAT, enable_hybrid_search=False))


def test_enable_spelling(on: Bench) -> None:
    typed = "부가가치세는 어제까지 신ㄱ고해야 하나요?"
    put_right = on.ask(typed)
    assert "신ㄱ고해야 → 신고해야" in str(put_right.trace["spelling"])
    assert put_right.domains == ["finance_tax"]
    assert "spelling" not in on.ask(typed, enable_spelling=False).trace
    assert "spelling" not in on.ask(VAT).trace
    meant = _ids([on.search("부가가치세는 언제까지 신고해야 하나요?").results])
    assert _ids([on.search(typed.replace("어제", "언제")).results]) == meant
    assert _ids([on.search(typed.replace("어제", "언제"), enable_spelling=False).results]) != meant


def test_enable_reranking(on: Bench) -> None:
    """The embedded reranker has no weight in the order (decision 0006); what it thinks of a passage is its relevance."""
    assert all(item.relevance > 0 for item in on.search(VAT).results)
    assert all(item.relevance == 0 for item in on.search(VAT, enable_reranking=False).results)


def test_enable_learned_ranking(on: Bench, off: Bench) -> None:
    questions = (VAT, "간이과세자가 되는 매출 기준", "폐업하면 세금은 어떻게 정리하나요?", "직원 월급에서 떼는 세금")
    learned = [on.search(question).results for question in questions]
    fused = [off.search(question).results for question in questions]
    assert _ids(learned) != _ids(fused), "another order"


def test_enable_fixed_doc_limit(on: Bench) -> None:
    assert on.ask(CAFE).trace["k"] == 5
    assert on.ask(CAFE, enable_fixed_doc_limit=False).trace["k"] == 4


def test_enable_cross_domain_rerank(on: Bench) -> None:
    reranked, all_found = (
        int(str(on.ask(CAFE, enable_cross_domain_rerank=is_on).trace["documents"])) for is_on in (True, False)
    )
    assert 7 <= reranked < all_found, "seven, and the documents of units that answer"


def test_enable_llm_evaluation(on: Bench, server: ScriptedOpenAI) -> None:
    by_model = on.ask_model(server, enable_post_eval_retry=False)
    assert server.count("evaluation") == 1
    assert by_model.evaluation.scores["relevance"] == 18
    by_rule = on.ask_model(server, enable_post_eval_retry=False, enable_llm_evaluation=False)
    assert server.count("evaluation") == 0
    assert by_rule.evaluation.scores["relevance"] != 18


def test_enable_domain_rejection(on: Bench, off: Bench) -> None:
    turned_away = on.post(BLACK_HOLE, "203.0.113.1").json()
    assert (turned_away["kind"], turned_away["domains"]) == ("out_of_scope", [])
    tried = off.post(BLACK_HOLE, "203.0.113.1").json()
    assert tried["kind"] == "consult"
    assert tried["trace"]["method"] == "fallback"
    assert len(tried["domains"]) == 1


def test_enable_legal_supplement(on: Bench) -> None:
    assert on.ask(DISMISSAL).trace["supplement"] != 0
    assert on.ask(DISMISSAL, enable_legal_supplement=False).trace["supplement"] == 0


def test_what_is_next_to_nothing_to_do_with_the_question_is_no_supplement(on: Bench) -> None:
    """The starter base holds guides of the law, but none on dismissals."""
    assert on.ask(DISMISSAL, legal_supplement_min_relevance=0.0).trace["supplement"] == 4
    assert on.ask(DISMISSAL).trace["supplement"] in range(4)
    assert on.ask(DISMISSAL, legal_supplement_min_relevance=1.0).trace["supplement"] == 0


def test_enable_post_eval_retry(on: Bench, server: ScriptedOpenAI) -> None:
    assert on.ask_model(server).retry_count == 1
    assert server.count("generation") == 3
    assert on.ask_model(server, enable_post_eval_retry=False).retry_count == 0
    assert server.count("generation") == 1


def test_enable_graduated_retry(on: Bench) -> None:
    never_enough = {"retrieval_min_docs": 50}
    assert str(on.ask(VAT, **never_enough).trace["finance_tax.retry"]).startswith("L1:fail → L2:fail → L3(")
    assert "finance_tax.retry" not in on.ask(VAT, **never_enough, enable_graduated_retry=False).trace


def test_enable_adaptive_search(on: Bench) -> None:
    assert on.ask(VAT).trace["finance_tax.mode"] == "BM25_HEAVY"
    assert on.ask(VAT, enable_adaptive_search=False).trace["finance_tax.mode"] == "HYBRID"


def test_enable_action_aware_generation(on: Bench) -> None:
    assert [action.type for action in on.ask(VAT).actions] == ["tax_calendar"]
    assert on.ask(VAT, enable_action_aware_generation=False).actions == []


def test_enable_response_cache(on: Bench, off: Bench) -> None:
    assert [on.post(VAT, "203.0.113.2").json()["cached"] for _ in range(2)] == [False, True]
    assert [off.post(VAT, "203.0.113.2").json()["cached"] for _ in range(2)] == [False, False]


def test_a_replayed_stream_has_the_events_of_the_first(on: Bench) -> None:
    def stream() -> list[Frame]:
        headers = {"X-Forwarded-For": "203.0.113.4"}
        return parse_frames(on.client.post("/api/chat/stream", json={"message": CAFE}, headers=headers).text)

    def others(frames: list[Frame]) -> list[Any]:
        return [frame.data for frame in frames if frame.event not in ("token", "source", "done")]

    def told(frames: list[Frame]) -> list[Any]:
        return [frame.data.source for frame in frames if frame.event == "source"]

    first, again = stream(), stream()
    texts = [
        "".join(frame.data.content for frame in frames if frame.event == "token").strip() for frames in (first, again)
    ]
    assert texts[0] == texts[1]
    assert others(first) == others(again)
    assert [first[-1].data.cached, again[-1].data.cached] == [False, True]
    assert first[-1].data.sources == again[-1].data.sources == told(again), "by now it is known what is cited"
    assert {source.index for source in told(again)} < {source.index for source in told(first)}


def test_enable_understanding_cache(on: Bench, server: ScriptedOpenAI) -> None:
    one_round = {"enable_post_eval_retry": False}
    answers = on.ask_model_at_once(server, (VAT,) * 3, **one_round, enable_understanding_cache=True)
    assert [answer.domains for answer in answers] == [["law_common"]] * 3
    assert (server.count("understanding"), server.count("generation")) == (1, 3)
    on.ask_model_at_once(server, (VAT,) * 3, **one_round, enable_understanding_cache=False)
    assert server.count("understanding") == 3


def test_enable_rate_limit(on: Bench, off: Bench) -> None:
    assert [on.post("ㅋㅌㅊㅍ", "203.0.113.3").status_code for _ in range(6)] == [200] * 5 + [429]
    assert [off.post("ㅋㅌㅊㅍ", "203.0.113.3").status_code for _ in range(6)] == [200] * 6


def test_enable_ragas_evaluation(on: Bench, server: ScriptedOpenAI) -> None:
    """The log itself is tested in tests/evaluation/test_ragas_evaluator.py, where the extra is installed."""
    changes = {"enable_ragas_evaluation": True, "openai_base_url": server.base_url}
    wanted = replace(on.engine, settings=on.engine.settings.model_copy(update=changes))

    async def is_watching(engine: Engine) -> bool:
        async with ragas_log(engine) as observer:
            return observer is not None

    assert not asyncio.run(is_watching(on.engine))
    if importlib.util.find_spec("ragas"):
        assert asyncio.run(is_watching(wanted))
    else:
        with pytest.raises(StartupError, match=r"ENABLE_RAGAS_EVALUATION.*\[eval\]"):
            asyncio.run(is_watching(wanted))


def test_enable_question_log(on: Bench, off: Bench) -> None:
    for bench, status in ((on, 200), (off, 404)):
        request_id = bench.post(VAT, "10.0.0.77").json()["request_id"]
        given = {"request_id": request_id, "helpful": True}
        response = bench.client.post("/api/feedback", json=given, headers={"X-Forwarded-For": "10.0.0.77"})
        assert response.status_code == status, response.text
        assert (bench.engine.settings.data_dir / "questions").is_dir() is (status == 200)


def test_enable_chat_log(on: Bench, off: Bench) -> None:
    for bench, is_kept in ((on, True), (off, False)):
        bench.post(VAT, "10.0.0.79")
        file = bench.engine.settings.log_dir / "chat.log"
        until = time.monotonic() + 10
        while is_kept and not file.exists() and time.monotonic() < until:
            time.sleep(0.02)
        assert file.exists() is is_kept


def test_enable_model_masking(on: Bench, server: ScriptedOpenAI) -> None:
    question = "제 번호는 010-1234-5678입니다. 부가가치세는 언제까지 신고해야 하나요?"
    for masks in (True, False):
        on.ask_model_at_once(server, (question,), enable_model_masking=masks)
        assert server.calls
        assert any("1234-5678" in call.prompt for call in server.calls) is not masks


def test_enable_sessions(on: Bench, off: Bench) -> None:
    body, headers = {"message": "ㅋㅌㅊㅍ", "session_id": "flags"}, {"X-Forwarded-For": "10.0.0.78"}
    for bench, status in ((on, 200), (off, 404)):
        assert bench.client.post("/api/chat", json=body, headers=headers).status_code == 200
        assert bench.client.get("/api/sessions/flags", headers=headers).status_code == status
        assert (bench.engine.settings.data_dir / "sessions").is_dir() is (status == 200)


def test_enable_usage(on: Bench, off: Bench) -> None:
    for bench, status in ((on, 200), (off, 404)):
        assert bench.client.get("/api/usage", headers={"X-Forwarded-For": "10.0.0.80"}).status_code == status
        assert (bench.engine.settings.data_dir / "usage").is_dir() is (status == 200)


def test_enable_llm_domain_classification(on: Bench, server: ScriptedOpenAI) -> None:
    by_model = on.ask_model(server)
    assert (by_model.domains, by_model.trace["method"]) == (["law_common"], "llm")
    by_rule = on.ask_model(server, enable_llm_domain_classification=False)
    assert by_rule.domains == ["finance_tax"]
    assert by_rule.trace["method"] != "llm"


def _ids(found: list[list[SearchResultItem]]) -> list[list[str]]:
    return [[result.id for result in results] for results in found]


def test_every_flag_has_its_test() -> None:
    flags = [name for name in Settings.model_fields if name.startswith("enable_")]
    assert flags
    assert [name for name in flags if f"test_{name}" not in globals()] == []


def test_enable_image_fetch(on: Bench) -> None:
    asked = ChatRequest(message=VAT, image="https://example.com/a.png")
    tools = replace(on.engine.router().abilities[0].tools, parameters={})

    def ability(*, fetches: bool) -> ImagesAbility:
        return ImagesAbility(replace(tools, settings=tools.settings.model_copy(update={"enable_image_fetch": fetches})))

    ability(fetches=True).check(asked)
    with pytest.raises(ValueError, match="주소는 받지 않습니다"):
        ability(fetches=False).check(asked)


def test_enable_calculations(on: Bench, off: Bench) -> None:
    question = "시급 11,000원, 주 5일 하루 5시간 일하는 알바 주휴수당이 얼마예요?"
    assert "55,000원" in on.post(question, "203.0.113.20").json()["content"]
    assert "55,000원" not in off.post(question, "203.0.113.20").json()["content"]


def test_enable_english_reading(on: Bench, off: Bench) -> None:
    question = "When do I have to pay severance?"
    assert "14일" in on.post(question, "203.0.113.21").json()["content"]
    assert "14일" not in off.post(question, "203.0.113.21").json()["content"]


def test_enable_page() -> None:
    shown, closed = create_app(Settings()), create_app(Settings(enable_page=False))
    served = {path for _, path in operations(shown)} - {path for _, path in operations(closed)}
    assert served == set(Assets.load().paths) >= {"/", "/ops"}


def test_enable_docs() -> None:
    shown, closed = create_app(Settings()), create_app(Settings(enable_docs=False))
    assert {path for _, path in operations(shown)} - {path for _, path in operations(closed)} == {
        "/openapi.json",
        *DOCS_PATHS,
    }
