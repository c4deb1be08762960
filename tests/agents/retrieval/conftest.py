"""The starter documents on labour law under their Korean terms, with hashed vectors: enough to plan real questions by."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.retrieval.multi_query import MultiQueryExpander
from tests.support.small_index import SmallKnowledge, write_lines
from tests.support.small_searcher import MorphemeAnalyzer, open_searcher
from utils.config.settings import Settings
from utils.documents import KnowledgeDocument
from utils.korean.glossary import load_glossary
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.tokenizer import KiwiTokenizer


@pytest.fixture(scope="session")
def labour(
    tokenizer: KiwiTokenizer, starter_documents: list[KnowledgeDocument], tmp_path_factory: pytest.TempPathFactory
) -> SmallKnowledge:
    folder = tmp_path_factory.mktemp("labour")
    knowledge = SmallKnowledge(Settings(data_dir=folder / "data"), MorphemeAnalyzer(tokenizer))
    lines = [document.model_dump_json() for document in starter_documents if document.domain == "hr_labor"]
    assert knowledge.add(write_lines(folder / "labour.jsonl", *lines)).problems == []
    return knowledge


@pytest.fixture(scope="session")
def searcher(labour: SmallKnowledge) -> Iterator[HybridSearcher]:
    index = labour.store.open_current()
    yield open_searcher(labour, index, aliases=load_glossary().law_aliases)
    index.close()


@pytest.fixture(scope="session")
def expander(tokenizer: KiwiTokenizer) -> MultiQueryExpander:
    return MultiQueryExpander(load_glossary(), tokenizer, count=3)
