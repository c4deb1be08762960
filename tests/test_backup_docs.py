"""The commands of docs/backup.md for SQL servers do what they say, on servers of the tests' own."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import NullPool, Update, column, create_engine, make_url, table, text

from tests.support.own_server import program
from tests.support.sql_servers import MariaDBServer, PostgreSQLServer, SQLServer
from utils.config.settings import PROJECT_ROOT
from utils.routing.domain_store import SHIPPED_DOMAINS, DomainStore

pytestmark = [pytest.mark.services, pytest.mark.slow]

DOCUMENT = (PROJECT_ROOT / "docs" / "backup.md").read_text(encoding="utf-8")
NAME = "이름을 바꾼 분야"


def _labelled(label: str) -> Update:
    packs = table("bizi_domain_pack", column("key"), column("label"))
    return packs.update().where(packs.c.key == "hr_labor").values(label=label)


def _commands(server: str) -> tuple[str, str]:
    """The commands of a block: backup and restore."""
    block = re.search(rf"```bash\n# {server}[^\n]*\n(.+?)```", DOCUMENT, re.DOTALL)
    assert block is not None
    backup, restore = block[1].strip().splitlines()
    return backup, restore


def _run(command: str, server: SQLServer, file: Path) -> None:
    url = make_url(server.url)
    names = {
        "BACKUP_FILE": str(file),
        "PG_URL": server.url,
        "DB_HOST": "127.0.0.1",
        "DB_PORT": str(server.port),
        "DB_USER": url.username or "",
        "DB_NAME": url.database or "",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command], env=os.environ | names, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("kind", "name"), [(PostgreSQLServer, "PostgreSQL"), (MariaDBServer, "MySQL and MariaDB")], ids=["pg", "mariadb"]
)
def test_a_server_is_dumped_and_comes_back(kind: Callable[[], SQLServer], name: str, tmp_path: Path) -> None:
    backup, restore = _commands(name)
    for command in (backup, restore):
        program(command.split()[0])
    with kind() as server:
        driver = "postgresql+psycopg" if name == "PostgreSQL" else "mysql+pymysql"
        engine = create_engine(make_url(server.url).set(drivername=driver), poolclass=NullPool)
        store = DomainStore(server.url, SHIPPED_DOMAINS)
        store.load()
        with engine.begin() as connection:
            connection.execute(_labelled(NAME))
        _run(backup, server, tmp_path / "dump")
        with engine.begin() as connection:
            connection.execute(text("DELETE FROM bizi_domain_entry"))
            connection.execute(_labelled("x"))
        _run(restore, server, tmp_path / "dump")
        data = DomainStore(server.url, SHIPPED_DOMAINS).load()
        assert (data.origin, data.reason) == ("database", None)
        labels = {pack.key: pack.label for pack in data.packs.domains}
        assert labels["hr_labor"] == NAME
        store.close()
        engine.dispose()
