"""A service whose default assistant knows two documents: started in a moment, for tests of what is beside it."""

from __future__ import annotations

from pathlib import Path

from tests.support.small_index import record, write_lines
from utils.assistants.pack import DEFAULT_ASSISTANT, settings_of_assistant
from utils.config.settings import Settings
from vectorstores.build.domains import collections_in_force
from vectorstores.build.ingest import BuildProviders, Ingest
from vectorstores.build.staging import Source
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer

_DOCUMENTS = (
    record(
        "LEAVE", "상시 근로자가 5명 이상인 사업장은 1년간 80퍼센트 이상 출근한 근로자에게 15일의 유급휴가를 줍니다."
    ),
    record("VAT", "일반과세자는 부가가치세를 7월 25일과 다음 해 1월 25일까지 신고하고 냅니다.", "finance_tax"),
)


def small_settings(folder: Path, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, **more: object) -> Settings:
    """Return the settings of a service with its data in ``folder``, whose default assistant has an index."""
    quiet = dict.fromkeys(
        (
            "enable_rate_limit",
            "enable_response_cache",
            "enable_understanding_cache",
            "enable_question_log",
            "enable_chat_log",
        ),
        False,
    )
    settings = Settings.model_validate({"data_dir": folder / "var", **quiet, **more})
    lines = write_lines(folder / "documents.jsonl", *_DOCUMENTS)
    ingest_for(settings, DEFAULT_ASSISTANT, lines, tokenizer, embedder)
    return settings


def ingest_for(
    service: Settings,
    name: str,
    lines: Path,
    tokenizer: KiwiTokenizer,
    embedder: KiwiEmbedder,
    domain: str | None = None,
) -> None:
    """Build the index of an assistant from a file, as the command does, with what the test process has loaded."""
    own = settings_of_assistant(service, None, name)
    engines = BuildProviders(tokenizer.id, embedder.id, lambda: (tokenizer, embedder))
    of = collections_in_force(own).domain_named(domain) if name != DEFAULT_ASSISTANT else None
    Ingest(own, engines).run([Source(lines, loader_for(lines), str(lines), of)])
