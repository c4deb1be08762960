"""``/api/calculate``: the calculators, each a route with the schema of its own input."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date

from fastapi import APIRouter, Depends

from routes.dependencies import RequireScope, TodayDep, require_json
from routes.openapi import problem_responses
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


def _endpoint(calculator: Calculator) -> Callable[..., Awaitable[Calculation]]:
    """The route of a calculator, its body being declared as that calculator's input."""

    async def calculate(inputs: CalculatorInput, today: date) -> Calculation:
        try:
            return calculator.calculate(inputs, today)
        except CalculationRefused as refused:
            problem = FieldProblem(path=refused.field, message=refused.message)
            raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[problem]) from refused

    calculate.__name__ = calculator.key
    calculate.__doc__ = None
    calculate.__annotations__ = {"inputs": calculator.inputs, "today": TodayDep, "return": Calculation}
    return calculate


for _calculator in CALCULATORS.values():
    router.add_api_route(
        f"/{_calculator.key}",
        _endpoint(_calculator),
        methods=["POST"],
        summary=_summary(_calculator),
        dependencies=[Depends(require_json)],
        responses=problem_responses(body=True),
    )
