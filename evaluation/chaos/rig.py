"""A service with real servers around it, for breaking them: Chroma, Redis, and databases of its own in MySQL and PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, Connection, NullPool, create_engine, make_url, text
from sqlalchemy.exc import SQLAlchemyError

from evaluation.bench.service import HOST, RunningService
from evaluation.chaos.dependencies import BehindProxy, Dependency, chroma_process, redis_process, stub_process
from utils.config.settings import Settings, load_settings
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.build.staging import Source

_CONNECT_SECONDS = 3
_OF_THE_INDEX = ("CHROMA_HOST", "CHROMA_PORT", "EMBEDDING_PROVIDER", "RUNPOD_EMBEDDING_ENDPOINT", "RUNPOD_API_KEY")
_CALL_SECONDS = "1"  # of the stubs, which answer within milliseconds
_NOTICE_SECONDS = 12.0  # the domain tables are looked at every five seconds, and a look that hangs takes some more


@dataclass(frozen=True, slots=True)
class RigOptions:
    """Addresses of the two SQL servers; None leaves one out. ``sources`` are what the index is built from."""

    mysql: str | None
    postgresql: str | None
    sources: Sequence[Source]


@dataclass(frozen=True, slots=True)
class Rig:
    """The running service, what can be broken, and what is left out and why."""

    service: RunningService
    dependencies: tuple[Dependency, ...]
    left_out: tuple[str, ...]


@contextmanager
def running_rig(folder: Path, options: RigOptions) -> Iterator[Rig]:
    """Start everything, build the index into the Chroma server, and take it all away again.

    Embeddings, their order and the text of answers come from stubs, so that those servers can be broken as well.

    Raises:
        OSError: a program is missing, or does not start.
        vectorstores.errors.KnowledgeIndexError: the index cannot be built.
    """
    with ExitStack() as stack:
        chroma = stack.enter_context(chroma_process(folder / "chroma"))
        redis = stack.enter_context(redis_process())
        embedding = stack.enter_context(stub_process("embedding provider", "vector"))
        rerank = stack.enter_context(stub_process("rerank provider", "rerank"))
        model = stack.enter_context(stub_process("model", "llm"))
        environment = {
            "CHROMA_HOST": HOST,
            "CHROMA_PORT": str(chroma.port),
            "REDIS_URL": f"redis://{HOST}:{redis.port}/0",
            "ENABLE_RESPONSE_CACHE": "true",
            "LOG_DIR": str(folder / "logs"),
            "EMBEDDING_PROVIDER": "runpod",
            "RUNPOD_EMBEDDING_ENDPOINT": f"http://{HOST}:{embedding.port}/embed",
            "RUNPOD_API_KEY": "stub",
            "RERANK_PROVIDER": "http",
            "RERANK_URL": f"http://{HOST}:{rerank.port}/rerank",
            "PROVIDER_TIMEOUT": _CALL_SECONDS,
            "LLM_PROVIDER": "openai",
            "OPENAI_BASE_URL": f"http://{HOST}:{model.port}/v1",
            "OPENAI_API_KEY": "stub",
            "LLM_TIMEOUT": _CALL_SECONDS,
        }
        dependencies: list[Dependency] = [chroma, redis, embedding, rerank, model]
        left_out = []
        for name, address, component, setting in (
            ("MySQL/MariaDB (domain tables)", options.mysql, "domain_db", "DATABASE_URL"),
            ("PostgreSQL (conversations)", options.postgresql, "sessions", "SESSION_URL"),
        ):
            try:
                database = stack.enter_context(_own_database(address)) if address else None
            except SQLAlchemyError as error:
                left_out.append(f"{name}: {type(error).__name__}")
                continue
            if database is None:
                left_out.append(f"{name}: no address given")
                continue
            notice = _NOTICE_SECONDS if component == "domain_db" else 0.0
            behind = BehindProxy(name, component, (database.host or HOST, database.port or 0), notice)
            dependencies.append(stack.enter_context(behind))
            proxied = database.set(host=HOST, port=behind.port).render_as_string(hide_password=False)
            environment[setting] = proxied.replace("postgresql+psycopg://", "postgresql://")
        _build(folder / "var", environment, options.sources)
        service = stack.enter_context(RunningService(folder / "var", folder / "service.log", environment))
        yield Rig(service, tuple(dependencies), tuple(left_out))


def _build(data_dir: Path, environment: dict[str, str], sources: Sequence[Source]) -> None:
    wanted = {name: environment[name] for name in _OF_THE_INDEX}
    # a build may take its time: what a call may take is for questions
    settings: Settings = load_settings({**wanted, "DATA_DIR": str(data_dir), "PROVIDER_TIMEOUT": "30"})
    result = Ingest(settings, build_providers(settings)).run(sources)
    if result.problems:
        raise OSError(f"the index cannot be built: {result.problems[0]}")


@contextmanager
def _own_database(address: str) -> Iterator[URL]:
    """A new database on the server at ``address``, dropped at the end. Raises SQLAlchemyError."""
    server, name = make_url(address), f"bizi_chaos_{os.getpid()}"
    with _administering(server) as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    try:
        yield server.set(database=name)
    finally:
        forced = " WITH (FORCE)" if server.get_backend_name() == "postgresql" else ""
        with _administering(server) as connection:
            connection.execute(text(f"DROP DATABASE {name}{forced}"))


@contextmanager
def _administering(server: URL) -> Iterator[Connection]:
    engine = create_engine(
        server, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": _CONNECT_SECONDS}
    )
    with engine.connect() as connection:
        yield connection
