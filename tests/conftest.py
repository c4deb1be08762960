"""Fixtures of all tests: what is slow to load is loaded once, and nothing leaves this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.network_guard import no_requests_off_this_machine
from utils.config.settings import PROJECT_ROOT, Settings
from utils.knowledge import KnowledgeDocument
from vectorstores.embedders.factory import build_kiwi_embedder
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer


@pytest.fixture(scope="session", autouse=True)
def _own_settings() -> Iterator[None]:
    """The environment and the ``.env`` of whoever runs the tests change nothing here."""
    with pytest.MonkeyPatch.context() as patch:
        for name in Settings.model_fields:
            patch.delenv(name.upper(), raising=False)
        patch.setitem(Settings.model_config, "env_file", None)
        yield


@pytest.fixture(autouse=True)
def _nothing_leaves_this_machine() -> Iterator[None]:
    with no_requests_off_this_machine() as refused:
        yield
    assert not refused, f"requests off this machine: {refused}"


@pytest.fixture(scope="session")
def tokenizer() -> KiwiTokenizer:
    return KiwiTokenizer()


@pytest.fixture(scope="session")
def embedder(tokenizer: KiwiTokenizer) -> KiwiEmbedder:
    return build_kiwi_embedder(tokenizer)


@pytest.fixture(scope="session")
def starter_documents() -> list[KnowledgeDocument]:
    """The knowledge base that ships with the project."""
    return [
        KnowledgeDocument.model_validate_json(line)
        for file in sorted((PROJECT_ROOT / "data" / "knowledge").rglob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


@pytest.fixture(scope="session")
def starter_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings whose data directory holds the index of the starter knowledge base. For reading only."""
    # not at the top: most tests need no index, and its libraries take seconds to import
    from vectorstores.cli import starter_source
    from vectorstores.engines import build_engines
    from vectorstores.ingest import Ingest

    # tests ask often and ask again
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("starter"), enable_rate_limit=False, enable_response_cache=False
    )
    result = Ingest(settings, build_engines(settings)).run([starter_source()])
    assert not result.problems
    return settings
