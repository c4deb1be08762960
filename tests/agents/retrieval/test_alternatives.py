"""Where else an answer is looked for after a failed one."""

from __future__ import annotations

from datetime import date

from agents.retrieval.alternatives import AlternativeSearch
from agents.state import RouterState, RunContext, Understanding
from chains.models.language_model import LanguageModel
from utils.korean.glossary import Glossary
from utils.question_decomposer import SubQuery
from utils.resilience.deadline import Deadline
from vectorstores.tokenizer import KiwiTokenizer

DOMAINS = ("finance_tax", "hr_labor")
QUESTION = "알바 급여는 언제 주나요?"


async def searches(tokenizer: KiwiTokenizer, domains: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The domains that each alternative searches."""
    glossary = Glossary(formal={"알바": "단시간근로자"}, related={}, law_aliases={}, laws=frozenset())
    state: RouterState = {
        "understanding": Understanding(QUESTION),
        "domains": domains,
        "sub_queries": tuple(SubQuery(domain, QUESTION) for domain in domains),
    }
    run = RunContext("1", Deadline.after(10), date(2026, 1, 1), streaming=False)
    search = AlternativeSearch(LanguageModel("none", {}), glossary, tokenizer, DOMAINS)
    found, degraded = await search.alternatives(state, run)
    assert not degraded
    assert found[0].query == "단시간근로자 급여는 언제 주나요?"
    return [tuple(part.domain for part in alternative.sub_queries) for alternative in found]


async def test_the_question_goes_to_every_domain_after_its_own(tokenizer: KiwiTokenizer) -> None:
    assert await searches(tokenizer, ("finance_tax",)) == [("finance_tax",), DOMAINS]


async def test_there_is_nowhere_else_to_look_when_all_domains_were_searched(tokenizer: KiwiTokenizer) -> None:
    assert await searches(tokenizer, DOMAINS) == [DOMAINS]
