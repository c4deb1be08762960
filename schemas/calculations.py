"""Wire types of ``/api/calculate``: a sum with the figures it was made of, and the calculators there are."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class CalculatedValue(BaseModel):
    """A value of a calculation."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(description="값의 이름(영문 키).")
    label: str = Field(description="값의 이름.")
    amount: int | float = Field(description="값. 금액은 원 단위의 정수입니다.")
    unit: str = Field(description="단위: 원, 일, 명, %, 시간 등.")


class Calculation(BaseModel):
    """A computed conclusion: a source of its own, with formula, the asker's figures, the articles and the day they hold for."""

    model_config = ConfigDict(frozen=True)

    calculator: str = Field(description="계산기의 키.")
    label: str = Field(description="계산기의 이름.")
    values: list[CalculatedValue] = Field(description="계산한 값. 첫째가 물은 값입니다.")
    formula: str = Field(description="계산식.")
    steps: list[str] = Field(description="입력한 숫자를 넣은 계산 과정.")
    laws: list[str] = Field(description="근거 조문.")
    notices: list[str] = Field(description="법령이 아닌 근거(고시 등). 최신 고시를 확인해야 합니다.")
    on: date = Field(description="요율과 기준이 적용되는 날.")
    assumptions: list[str] = Field(description="계산에 전제한 것과 빠진 것.")
    conclusion: str = Field(description="그것만으로 뜻이 통하는 결론 한 문장.")


class CalculatorInfo(BaseModel):
    """A calculator and the JSON schema of its input."""

    name: str
    label: str
    description: str
    path: str = Field(description="POST할 경로.")
    input_schema: dict[str, Any] = Field(description="입력의 JSON 스키마.")


class CalculatorList(BaseModel):
    """All calculators."""

    calculators: list[CalculatorInfo]
