"""``/api/calculate``: the calculators, each a route with the schema of its own input."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date

from fastapi import APIRouter, Depends, Response

from routes.dependencies import RequireScope, TodayDep, require_json
from routes.openapi import Responses, problem_responses
from schemas.calculations import Calculation, CalculatorInfo, CalculatorList
from schemas.problems import ErrorCode, FieldProblem
from utils.calculators.registry import CALCULATORS, Calculator
from utils.calculators.result import CalculationRefused, CalculatorInput
from utils.http.access import AccessScope
from utils.http.problems import ProblemError

PATH = "/api/calculate"
router = APIRouter(prefix=PATH, tags=["calculate"], dependencies=[Depends(RequireScope(AccessScope.CHAT))])


@router.get("", summary="계산기 목록", responses=problem_responses())
async def calculators() -> CalculatorList:
    """All calculators with the schemas of their inputs."""
    return CalculatorList(
        calculators=[
            CalculatorInfo(
                name=calculator.key,
                label=calculator.label,
                description=_summary(calculator),
                path=f"{PATH}/{calculator.key}",
                input_schema=calculator.inputs.model_json_schema(),
            )
            for calculator in CALCULATORS.values()
        ]
    )


def _summary(calculator: Calculator) -> str:
    return f"{calculator.label} 계산"


def _endpoint(calculator: Calculator) -> Callable[..., Awaitable[Response]]:
    """The route of a calculator, its body being declared as that calculator's input."""

    async def calculate(inputs: CalculatorInput, today: date) -> Response:
        try:
            found = calculator.calculate(inputs, today)
        except CalculationRefused as refused:
            problem = FieldProblem(path=refused.field, message=refused.message)
            raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[problem]) from refused
        return Response(found.model_dump_json(), media_type="application/json")

    calculate.__name__ = calculator.key
    calculate.__doc__ = None
    calculate.__annotations__ = {"inputs": calculator.inputs, "today": TodayDep, "return": Response}
    return calculate


# FastAPI describes the model of a response anew for each route, which would double the time of the OpenAPI document.
_ANSWER: Responses = {
    200: {
        "description": "계산 결과",
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{Calculation.__name__}"}}},
    }
}

for _number, _calculator in enumerate(CALCULATORS.values()):
    router.add_api_route(
        f"/{_calculator.key}",
        _endpoint(_calculator),
        methods=["POST"],
        summary=_summary(_calculator),
        dependencies=[Depends(require_json)],
        response_model=None if _number else Calculation,
        responses=problem_responses(body=True) | (_ANSWER if _number else {}),
    )
