"""Fixtures of all tests: what is slow to load is loaded once, and nothing leaves this machine."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import hypothesis
import pytest

from tests.support.network_guard import no_requests_off_this_machine
from tests.support.packs import shipped_collections
from tests.support.starter_index import copy_starter_index
from utils.config.secret_files import SUFFIX
from utils.config.settings import PROJECT_ROOT, Settings
from utils.documents import KnowledgeDocument
from vectorstores.embedders.factory import build_kiwi_embedder
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.units import UnitLoader
from vectorstores.tokenizer import KiwiTokenizer

_TESTS = PROJECT_ROOT / "tests"
_SLOW_SECONDS = 240
_WHOLE_FOLDERS = ("attack", "contract", "e2e", "evaluation", "knowledge")
_WHOLE_FIXTURES = {"starter_settings", "starter_sources"}

# A busy machine is no failure; what may take only so long has a test that says so.
hypothesis.settings.register_profile("without a clock", deadline=None)
hypothesis.settings.load_profile("without a clock")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave unread what is not to run: importing it takes each process ten seconds."""
    folder = collection_path.parent == _TESTS and collection_path.name in _WHOLE_FOLDERS
    return True if folder and "not whole" in str(config.option.markexpr) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A slow test that hangs fails under its name, in its fixtures, too; one that takes longer has a marker of its own.

    ``whole`` is told by where a test stands or what it is given, so that few have to be marked by hand.
    """
    for item in items:
        is_whole = item.path.relative_to(_TESTS).parts[0] in _WHOLE_FOLDERS or not _WHOLE_FIXTURES.isdisjoint(
            getattr(item, "fixturenames", ())
        )
        if is_whole:
            item.add_marker(pytest.mark.whole)
        if item.get_closest_marker("slow") is not None:
            own = item.get_closest_marker("timeout")
            seconds = own.args[0] if own is not None else _SLOW_SECONDS
            item.add_marker(pytest.mark.timeout(seconds, func_only=False), append=False)


@pytest.fixture(scope="session", autouse=True)
def _own_settings() -> Iterator[None]:
    """The environment and the ``.env`` of whoever runs the tests change nothing here."""
    with pytest.MonkeyPatch.context() as patch:
        for name in Settings.model_fields:
            patch.delenv(name.upper(), raising=False)
            patch.delenv(f"{name.upper()}{SUFFIX}", raising=False)
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
def starter_sources() -> list[SourceDocument]:
    """The knowledge base that ships with the project: its documents with their answer units."""
    options, report = LoadOptions(datetime.now(UTC).date(), collections=shipped_collections()), LoadReport()
    sources = list(UnitLoader().load(PROJECT_ROOT / "data" / "knowledge", options, report))
    assert report.problems == []
    return sources


@pytest.fixture(scope="session")
def starter_documents(starter_sources: list[SourceDocument]) -> list[KnowledgeDocument]:
    """The documents of the knowledge base, as everything that knows no units reads them."""
    return [source.document for source in starter_sources]


@pytest.fixture(scope="session")
def starter_settings(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings whose data directory holds the index of the starter knowledge base. For reading only."""
    # tests ask often and ask again, and leave nothing in a folder that is for reading
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("starter"),
        enable_rate_limit=False,
        enable_response_cache=False,
        enable_understanding_cache=False,
        enable_question_log=False,
        enable_chat_log=False,
        enable_sessions=False,
        enable_docs=False,  # the schema takes a second to make at every start
    )
    cache: pytest.Cache | None = getattr(pytestconfig, "cache", None)  # none with -p no:cacheprovider
    copy_starter_index(settings, cache.mkdir("starter-index") if cache else tmp_path_factory.mktemp("built"))
    return settings
