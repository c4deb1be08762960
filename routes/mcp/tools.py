"""The tools. Each calls a route of the service, and what the route refuses is an error of the tool.

Imported when it is needed: the SDK takes half a second, and comes with an extra.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote

import httpx
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import BlobResourceContents, CallToolResult, EmbeddedResource, TextContent, ToolAnnotations
from pydantic import BaseModel, Field, JsonValue

from agents.serving.answer_text import source_list
from routes.mcp.caller import RouteCaller, RouteRefused
from schemas.assistants import AssistantList
from schemas.calculations import Calculation, CalculatorList
from schemas.chat import ChatResponse, Degradation, ReplyKind, SourceItem, Turn
from schemas.funding.notices import FundingSearchResults
from schemas.knowledge.articles import ArticleResults
from schemas.paperwork import PaperCheck, PaperType, PaperTypeList
from schemas.tax_calendar import TaxCalendar, TaxpayerKind
from schemas.vectordb import SearchResults
from utils.calculators.registry import CALCULATORS
from utils.observability.version import service_version

CallerOf = Callable[[Context[Any, Any]], RouteCaller]
Call = Context[Any, Any]
CalculatorName = Literal[*CALCULATORS]  # type: ignore[valid-type]

_INSTRUCTIONS = (
    "Bizi RAG answers questions of Korean founders and small companies from documents: starting a business and support programmes, taxes, "
    "labour, law. `ask` gives a checked, cited answer in Korean; quote it with its [n] and its sources. Use the other tools for figures, "
    "statutes, deadlines, notices and documents rather than your own memory. Ask in Korean where you can."
)
_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)


class ToldAnswer(BaseModel):
    """An answer with the sources that it cites as [n]."""

    content: str
    kind: ReplyKind
    sources: list[SourceItem]
    degraded: list[Degradation]
    session_id: str | None
    request_id: str


class CalculatorNames(BaseModel):
    """The calculators by name, and the input of the one that was named."""

    calculators: dict[str, str]
    input_schema: dict[str, JsonValue] | None = None


class PaperTypeNames(BaseModel):
    """The types of documents by name, and the one that was named with the schema of its fields."""

    types: dict[str, str]
    named: PaperType | None = None


def build_tools(caller_of: CallerOf) -> MCPServer[Any]:
    """The server with its tools; ``caller_of`` gives what calls the routes for a call of a tool."""
    server: MCPServer[Any] = MCPServer(
        "bizi-rag", title="Bizi RAG", version=service_version(), instructions=_INSTRUCTIONS
    )
    for add in (_add_answers, _add_knowledge, _add_sums, _add_notices, _add_documents):
        add(server, caller_of)
    return server


async def _called(
    caller: RouteCaller, method: str, path: str, query: dict[str, Any] | None = None, body: dict[str, Any] | None = None
) -> httpx.Response:
    try:
        return await caller.call(method, path, query, body)
    except RouteRefused as refused:
        raise ToolError(str(refused)) from refused


def _add_answers(server: MCPServer[Any], caller_of: CallerOf) -> None:
    @server.tool(title="질문하기", annotations=_READS)
    async def ask(
        question: Annotated[str, Field(description="The question, in Korean or English, up to 2,000 characters.")],
        ctx: Call,
        assistant: Annotated[str, Field(description="Name of an assistant of `list_assistants`.")] = "bizi",
        history: Annotated[list[Turn] | None, Field(description="The conversation so far.")] = None,
        session_id: Annotated[str | None, Field(description="Has the service keep the conversation.")] = None,
        company: Annotated[
            dict[str, JsonValue] | None,
            Field(
                description="Facts about the asker's company: employee_count, region, industry_name, years_in_business, annual_revenue."
            ),
        ] = None,
    ) -> Annotated[CallToolResult, ToldAnswer]:
        """Answer a question from the documents, every fact with the number [n] of its source; says so where they do not tell."""
        body = {
            "message": question,
            "history": [turn.model_dump() for turn in history] if history else None,
            "session_id": session_id,
            "user_context": {"company": company} if company else None,
        }
        path = f"/api/assistants/{quote(assistant, safe='')}/chat"
        answer = ChatResponse.model_validate_json((await _called(caller_of(ctx), "POST", path, body=body)).content)
        told = ToldAnswer(**{name: getattr(answer, name) for name in ToldAnswer.model_fields})
        text = answer.content + source_list(answer.sources)
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=told.model_dump(mode="json")
        )

    @server.tool(title="비서 목록", annotations=_READS)
    async def list_assistants(ctx: Call) -> AssistantList:
        """List the assistants, what each knows, and whether it answers."""
        return AssistantList.model_validate_json((await _called(caller_of(ctx), "GET", "/api/assistants")).content)


def _add_knowledge(server: MCPServer[Any], caller_of: CallerOf) -> None:
    @server.tool(title="문서 검색", annotations=_READS)
    async def search(
        query: Annotated[str, Field(description="Words or a question.")],
        ctx: Call,
        collection: Annotated[
            str | None, Field(description="One collection, such as finance_tax or hr_labor; all else.")
        ] = None,
        k: Annotated[int, Field(ge=1, le=50, description="Passages to return.")] = 5,
    ) -> SearchResults:
        """Find passages of the knowledge base, the best first, without an answer."""
        body = {"query": query, "collection": collection, "k": k}
        return SearchResults.model_validate_json(
            (await _called(caller_of(ctx), "POST", "/api/vectordb/search", body=body)).content
        )

    @server.tool(title="법 조문 찾기", annotations=_READS)
    async def find_articles(
        reference: Annotated[
            str, Field(description="Law and article as people cite them: 근로기준법 제26조, 부가세법 49조.")
        ],
        ctx: Call,
    ) -> ArticleResults:
        """Give the text of statute articles by their citation, and say which the knowledge base does not have."""
        response = await _called(caller_of(ctx), "GET", "/api/articles", {"reference": reference})
        return ArticleResults.model_validate_json(response.content)


def _add_sums(server: MCPServer[Any], caller_of: CallerOf) -> None:
    @server.tool(title="계산기 목록", annotations=_READS)
    async def list_calculators(
        ctx: Call, name: Annotated[str | None, Field(description="Also give the input of this one.")] = None
    ) -> CalculatorNames:
        """List the calculators (weekly holiday pay, severance, insurance, taxes, rent, …); with a name the JSON Schema of its input."""
        found = CalculatorList.model_validate_json((await _called(caller_of(ctx), "GET", "/api/calculate")).content)
        schemas = {calculator.name: calculator.input_schema for calculator in found.calculators}
        if name is not None and name not in schemas:
            raise ToolError(f"‘{name}’ 계산기는 없습니다.")
        labels = {calculator.name: calculator.label for calculator in found.calculators}
        return CalculatorNames(calculators=labels, input_schema=schemas[name] if name else None)

    @server.tool(title="계산하기", annotations=_READS)
    async def calculate(
        name: Annotated[CalculatorName, Field(description="A calculator.")],
        inputs: Annotated[
            dict[str, JsonValue], Field(description="Its input, as `list_calculators` with its name tells.")
        ],
        ctx: Call,
    ) -> Calculation:
        """Compute with the rates in force: result, formula, steps and the articles they come from."""
        response = await _called(caller_of(ctx), "POST", f"/api/calculate/{name}", body=inputs)
        return Calculation.model_validate_json(response.content)

    @server.tool(title="세금 일정", annotations=_READS)
    async def tax_deadlines(
        ctx: Call,
        kinds: Annotated[list[TaxpayerKind] | None, Field(description="Kinds of business; all if left out.")] = None,
        since: Annotated[str | None, Field(description="First day, YYYY-MM-DD; today if left out.")] = None,
        months: Annotated[int, Field(ge=1, le=24)] = 3,
    ) -> TaxCalendar:
        """List the deadlines of taxes and social insurance, moved off weekends and holidays, with their articles."""
        query = {"kind": [kind.value for kind in kinds] if kinds else None, "from": since, "months": months}
        return TaxCalendar.model_validate_json(
            (await _called(caller_of(ctx), "GET", "/api/tax-calendar", query)).content
        )


def _add_notices(server: MCPServer[Any], caller_of: CallerOf) -> None:
    @server.tool(title="지원사업 공고 찾기", annotations=_READS)
    async def search_notices(
        ctx: Call,
        keyword: Annotated[str, Field(description="Words of the title, summary or target.")] = "",
        region: Annotated[str | None, Field(description="서울, 경기, …")] = None,
        field: Annotated[str | None, Field(description="Field of support: 창업, 금융, 기술, 인력, 수출, …")] = None,
        status: Annotated[
            list[str] | None, Field(description="접수중, 접수예정, 상시, 마감; those open if left out.")
        ] = None,
        pack: Annotated[str, Field(description="Kind of notices: support or housing.")] = "support",
        company: Annotated[
            dict[str, JsonValue] | None, Field(description="Facts about the company, to tell why a notice fits.")
        ] = None,
        size: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> FundingSearchResults:
        """Find notices of support programmes by their conditions, each with why it fits and what could not be checked."""
        body = {
            "keyword": keyword,
            "region": region,
            "field": field,
            "status": status,
            "pack": pack,
            "company": company,
            "size": size,
        }
        response = await _called(caller_of(ctx), "POST", "/api/funding/search", body=body)
        return FundingSearchResults.model_validate_json(response.content)


def _add_documents(server: MCPServer[Any], caller_of: CallerOf) -> None:
    @server.tool(title="문서의 종류", annotations=_READS)
    async def list_document_types(
        ctx: Call,
        type: Annotated[str | None, Field(description="Also give the fields of this one.")] = None,  # noqa: A002
    ) -> PaperTypeNames:
        """List the types of documents (employment contract, wage statement, work rules, …); with a type the schema of its fields."""
        response = await _called(caller_of(ctx), "GET", "/api/documents/types")
        found = PaperTypeList.model_validate_json(response.content).types
        named = next((paper for paper in found if paper.type == type), None)
        if type is not None and named is None:
            raise ToolError(f"‘{type}’ 문서는 없습니다.")
        return PaperTypeNames(types={paper.type: paper.label for paper in found}, named=named)

    @server.tool(title="문서 확인", annotations=_READS)
    async def check_document(
        type: Annotated[str, Field(description="A type of `list_document_types`.")],  # noqa: A002
        fields: Annotated[dict[str, JsonValue], Field(description="Its fields, by the schema of the type.")],
        ctx: Call,
    ) -> PaperCheck:
        """Check the fields of a document against the law without writing it: what is missing, what needs attention."""
        body = {"type": type, "fields": fields, "dry_run": True}
        response = await _called(caller_of(ctx), "POST", "/api/documents/generate", body=body)
        return PaperCheck.model_validate_json(response.content)

    @server.tool(title="문서 만들기", annotations=_READS)
    async def write_document(
        type: Annotated[str, Field(description="A type of `list_document_types`.")],  # noqa: A002
        fields: Annotated[dict[str, JsonValue], Field(description="Its fields; what is left out stays blank.")],
        ctx: Call,
        format: Annotated[Literal["docx", "pdf", "hwpx"], Field(description="Form of the file.")] = "docx",  # noqa: A002
    ) -> CallToolResult:
        """Write a document as a file; what breaks the law is refused with the field and the article."""
        body = {"type": type, "fields": fields, "format": format}
        response = await _called(caller_of(ctx), "POST", "/api/documents/generate", body=body)
        name = _file_name(response)
        blob = BlobResourceContents(
            uri=f"document://bizi-rag/{quote(name)}",
            mime_type=response.headers["content-type"],
            blob=base64.b64encode(response.content).decode(),
        )
        warnings, missing = response.headers["x-document-warnings"], response.headers["x-document-missing"]
        text = f"{name}: 확인할 것 {warnings}가지, 비어 있는 법정 기재사항 {missing}가지 (check_document로 봅니다)."
        return CallToolResult(
            content=[TextContent(type="text", text=text), EmbeddedResource(type="resource", resource=blob)]
        )


def _file_name(response: httpx.Response) -> str:
    """The name of a file, as ``filename*`` has it (RFC 6266)."""
    _, _, encoded = response.headers["content-disposition"].partition("filename*=UTF-8''")
    return unquote(encoded)
