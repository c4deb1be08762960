"""Refusals and failures of the service as exceptions."""

from __future__ import annotations

from typing import TypeVar

import httpx

from bizi_client.generated.models import Problem

T = TypeVar("T")


class ProblemError(Exception):
    """A refusal or a failure, in the words of the service: ``problem`` is its problem document."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.title}: {problem.detail}")
        self.problem = problem


def answered(result: T | Problem | None) -> T:
    """Return what a function of `bizi_client.generated.api` gave.

    Raises:
        ProblemError: it gave a problem document.
    """
    if isinstance(result, Problem):
        raise ProblemError(result)
    assert result is not None, "a status that no document tells of has raised before"
    return result


def problem_of(response: httpx.Response) -> ProblemError:
    """Return the problem that a response holds, once it is read.

    Raises:
        httpx.HTTPStatusError: it holds none, since something before the service has answered.
    """
    if response.headers.get("content-type", "").startswith("application/problem+json"):
        return ProblemError(Problem.from_dict(response.json()))
    response.raise_for_status()
    raise httpx.HTTPStatusError(f"no answer but {response.status_code}", request=response.request, response=response)
