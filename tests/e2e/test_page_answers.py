"""Two hundred pages with known facts: found, named right and answered from by the guide's assistant, over HTTP and in Python."""

from __future__ import annotations

import ast
import asyncio
import shutil
from collections.abc import Iterator
from hashlib import sha256

import pytest

from agents.engine import Engine, build_engine
from schemas.knowledge.pages import ChosenPage, ChunkResults, PageAnswer, PageAnswerRequest, PageQuery, WidenedQuery
from schemas.vectordb import PageSearchResults
from tests.support.pdf_files import make_pdf
from utils.assistants.pack import SHIPPED_ASSISTANTS, assistant_named
from utils.config.settings import PROJECT_ROOT, Settings
from utils.http.problems import ProblemError
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.build.staging import Source
from vectorstores.loaders.pdf import PdfLoader
from vectorstores.tokenizer import KiwiTokenizer

NAME = "yearend"
_SUBJECTS = "월세 안경 보청기 교복 등록금 기부금 청약 연금 보험료 신용카드 전통시장 도서 출산 혼인 장애인 경로 한부모 식대 차량 연구비".split()
_PLACES = "강원 경기 충북 충남 전북 전남 경북 경남 제주 인천".split()
CASES = tuple((place, subject) for place in _PLACES for subject in _SUBJECTS)
ASKED = CASES[3::5]


def page_of(case: tuple[str, str]) -> int:
    return CASES.index(case) + 1


def text_of(case: tuple[str, str]) -> str:
    place, subject = case
    number = page_of(case)
    return (
        f"{place} 지역 {subject} 지원 안내\n○ {place} 지역의 {subject} 한도는 연 {1_000 + number}만원으로 한다\n"
        f"○ 신청서는 담당 부서에 제출하고 처리 결과를 통지받는다\n○ 그 밖의 사항은 관계 규정에 따른다"
    )


def question_of(case: tuple[str, str]) -> str:
    return f"{case[0]} 지역 {case[1]} 한도는 얼마인가요?"


@pytest.fixture(scope="module")
def engine(tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("pages")
    packs = folder / "packs"
    for name in ("bizi", NAME):
        shutil.copytree(SHIPPED_ASSISTANTS / name, packs / name)
    (folder / "guide.pdf").write_bytes(make_pdf([text_of(case) for case in CASES]))
    (folder / "other.pdf").write_bytes(make_pdf([text_of(CASES[0]).replace("1001", "9999")]))
    service = Settings(data_dir=folder / "data", assistant_dir=packs)
    own = assistant_named(NAME, packs).settings_in(service)
    sources = [Source(folder / name, PdfLoader(), name, NAME) for name in ("guide.pdf", "other.pdf")]
    assert Ingest(own, build_providers(own)).run(sources).added == len(CASES) + 1
    engine = build_engine(service, tokenizer, assistant=NAME)
    yield engine
    asyncio.run(engine.aclose())


@pytest.fixture(scope="module")
def guide(engine: Engine) -> str:
    collection = next(iter(engine.live.searcher.index.collections.values()))
    chunks = collection.chunks(range(collection.size))
    return next(str(chunk.metadata["file_hash"]) for chunk in chunks if chunk.metadata["file_name"] == "guide.pdf")


def test_the_page_is_among_the_first_three_and_named_right(engine: Engine, guide: str) -> None:
    async def found(case: tuple[str, str]) -> tuple[list[int], int]:
        only = {"file_hash": guide}
        chunks = await engine.pages.search(PageQuery(query=question_of(case), top_k=3, filter_metadata=only))
        pages = await engine.pages.search_page(WidenedQuery(query=question_of(case), top_k=3, filter_metadata=only))
        assert pages.best_page is not None
        return [chunk.start_page for chunk in chunks.results], pages.best_page.page

    async def all_found() -> list[tuple[list[int], int]]:
        return [await found(case) for case in ASKED]

    outcomes = asyncio.run(all_found())
    hits = [page_of(case) in pages for case, (pages, _) in zip(ASKED, outcomes, strict=True)]
    named = [page_of(case) == best for case, (_, best) in zip(ASKED, outcomes, strict=True)]
    assert sum(hits) / len(hits) >= 0.95
    assert sum(named) / len(named) >= 0.95


def test_answers_come_from_the_chosen_pages_and_name_them(engine: Engine, guide: str) -> None:
    case = CASES[41]
    chosen = [ChosenPage(file_hash=guide, page=page_of(case)), ChosenPage(file_hash=guide, page=199)]
    request = PageAnswerRequest(query=question_of(case), pages=chosen)
    told = asyncio.run(engine.pages.answer(request))
    assert f"연 {1_000 + page_of(case)}만원으로 한다 [1]" in told.content
    assert [page.page for page in told.pages] == [42, 199]
    assert told.context.startswith("[문서 1] guide.pdf (페이지 42, 유사도: ")
    chunks = asyncio.run(engine.pages.answer(request.model_copy(update={"form": "chunks", "pages": []})))
    assert chunks.context.startswith("[문서 1: guide.pdf]\n")
    assert f"연 {1_000 + page_of(case)}만원으로 한다" in chunks.content


def test_one_file_by_its_hash(engine: Engine, guide: str) -> None:
    other = sha256(b"").hexdigest()
    query = PageQuery(query=question_of(CASES[0]), filter_metadata={"file_hash": other})
    assert asyncio.run(engine.pages.search(query)).results == []
    both = asyncio.run(engine.pages.search(PageQuery(query=question_of(CASES[0])))).results
    assert {chunk.file_name for chunk in both[:2]} == {"guide.pdf", "other.pdf"}


def test_the_lines_of_python_in_the_guide(engine: Engine, guide: str) -> None:
    """As they stand in docs/assistants/pages.md, but that the engine is there already."""
    page = (PROJECT_ROOT / "docs" / "assistants" / "pages.md").read_text(encoding="utf-8")
    lines = page.partition("```python\n")[2].partition("```")[0]
    code = compile(lines, "pages.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    names = {
        "build_engine": lambda settings, assistant: {NAME: engine}[assistant],
        "load_settings": lambda: None,
        "file_hash": guide,
        **{form.__name__: form for form in (PageQuery, WidenedQuery, PageAnswerRequest)},
    }
    asyncio.run(eval(code, names))
    found, pages, told = names["found"], names["pages"], names["told"]
    assert isinstance(found, ChunkResults)
    assert {chunk.file_name for chunk in found.results} == {"guide.pdf"}
    assert isinstance(pages, PageSearchResults)
    assert pages.best_page is not None
    assert isinstance(told, PageAnswer)
    assert told.context.startswith("[문서 1: ")


def test_another_embedding_model_than_that_of_the_index_is_refused(engine: Engine) -> None:
    with pytest.raises(ProblemError):
        asyncio.run(engine.pages.search(PageQuery(query="월세", embedding_model="other")))
    own = engine.live.searcher.embedder_id
    assert asyncio.run(engine.pages.search(PageQuery(query="월세", embedding_model=own))).results
