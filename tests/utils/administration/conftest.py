"""The domain tables and the audit log in each kind of database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, inspect, text

from tests.support.routing import DOMAINS_DIR
from tests.support.services import require_service
from utils.administration.audit import AuditTrail
from utils.administration.domain_changes import DomainChanges
from utils.routing.database import Database
from utils.routing.domain_store import DomainStore


@dataclass(frozen=True)
class Tables:
    """A filled database; ``changes`` and ``more_changes`` are those of two processes."""

    url: str
    prefix: str
    store: DomainStore
    trail: AuditTrail
    changes: DomainChanges
    more_changes: DomainChanges


def opened(url: str, prefix: str) -> tuple[DomainStore, AuditTrail]:
    return DomainStore(url, DOMAINS_DIR, table_prefix=prefix, timeout_seconds=2.0), AuditTrail(
        Database(url, 2.0), f"{prefix}audit"
    )


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("mysql", marks=pytest.mark.services),
        pytest.param("postgresql", marks=pytest.mark.services),
    ]
)
def tables(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tables]:
    url = f"sqlite:///{tmp_path}/domains.sqlite" if request.param == "sqlite" else require_service(request.param)
    prefix = f"t{uuid4().hex[:8]}_"
    both = [opened(url, prefix) for _ in range(2)]
    both[0][0].load()
    (store, trail), (other, other_trail) = both
    yield Tables(url, prefix, store, trail, DomainChanges(store, trail), DomainChanges(other, other_trail))
    for each_store, each_trail in both:
        each_store.close()
        each_trail.close()
    engine = create_engine(url)
    with engine.begin() as connection:
        for table in inspect(connection).get_table_names():
            if table.startswith(prefix):
                connection.execute(text(f"DROP TABLE {table}"))
    engine.dispose()
