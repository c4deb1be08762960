"""The state that the answers of an assistant depend on, for the cache."""

from __future__ import annotations

from collections.abc import Callable

from agents.engine import Engine
from utils.observability.version import service_version
from utils.prompts.version import prompt_version
from utils.resilience.response_cache import AnswerBasis, configuration_digest


def answer_basis(engine: Engine) -> Callable[[], AnswerBasis]:
    """Return a function that reads, for each question, the state that answers depend on: index and domain data change."""
    service, configuration, prompts = service_version(), configuration_digest(engine.settings), prompt_version()

    def basis() -> AnswerBasis:
        return AnswerBasis(
            assistant=engine.assistant.name,
            service=service,
            configuration=configuration,
            model=engine.parts.chain.model.name,
            prompts=prompts,
            index=engine.live.searcher.index.state,
            domains=engine.routing.version,
            day=engine.executor.today().isoformat(),
            notices=engine.notices.version,
        )

    return basis
