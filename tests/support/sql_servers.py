"""PostgreSQL and MariaDB servers of a test's own, empty, in a temporary folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from abc import abstractmethod
from pathlib import Path
from types import TracebackType

import psycopg
from sqlalchemy import NullPool, create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from tests.support.own_server import OwnServer, program


class SQLServer(OwnServer):
    """``url`` names its database ``test``. A context manager, which makes the folder and removes it."""

    url: str

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(tempfile.mkdtemp(prefix="bizi-sql-"))  # not under pytest's, which only its owner may enter
        if os.geteuid() == 0 and self.user:
            shutil.chown(self._folder, self.user)

    @abstractmethod
    def _set_up(self) -> list[str]:
        """The command that fills the folder."""

    def start(self) -> None:
        if not (self._folder / "data").exists():
            user = self.user if os.geteuid() == 0 else None
            subprocess.run(self._set_up(), check=True, capture_output=True, user=user, cwd=self._folder)
        super().start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        shutil.rmtree(self._folder)


class PostgreSQLServer(SQLServer):
    user = "postgres"

    def __init__(self) -> None:
        self._initdb, self._postgres = program("initdb"), program("postgres")
        super().__init__()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def _set_up(self) -> list[str]:
        return [self._initdb, "-D", str(self._folder / "data"), "-A", "trust", "-U", "postgres", "--no-sync"]

    def _command(self) -> list[str]:
        own = ("listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off")
        options = [part for option in own for part in ("-c", option)]
        return [self._postgres, "-D", str(self._folder / "data"), "-p", str(self.port), *options]

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.Error:
            return False
        return True


class MariaDBServer(SQLServer):
    user = "mysql"

    def __init__(self) -> None:
        self._install, self._mariadbd = program("mariadb-install-db"), program("mariadbd")
        super().__init__()
        self.url = f"mysql://root@127.0.0.1:{self.port}/test"

    def _set_up(self) -> list[str]:
        return [
            *(self._install, "--no-defaults", f"--datadir={self._folder / 'data'}"),
            *("--auth-root-authentication-method=normal", "--skip-name-resolve"),
        ]

    def _command(self) -> list[str]:
        return [
            *(self._mariadbd, "--no-defaults", f"--datadir={self._folder / 'data'}", f"--port={self.port}"),
            *("--bind-address=127.0.0.1", f"--socket={self._folder / 'socket'}", "--innodb-flush-method=nosync"),
        ]

    def _answers(self) -> bool:
        limits = {"connect_timeout": 2, "read_timeout": 2}
        engine = create_engine(f"mysql+pymysql://root@127.0.0.1:{self.port}/", poolclass=NullPool, connect_args=limits)
        try:
            with engine.begin() as connection:
                connection.execute(text("CREATE DATABASE IF NOT EXISTS test"))
        except SQLAlchemyError:
            return False
        return True
