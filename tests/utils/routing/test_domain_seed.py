"""The tables follow the files, pack by pack, and tables of before are taken over."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import OperationalError

from tests.support.fifth_domain import KEY, write_fifth_domain
from tests.support.routing import DOMAINS_DIR, LABOR, LAW, STARTUP, TAX
from utils.routing.domain_pack import load_pack_files
from utils.routing.domain_rows import DomainRows
from utils.routing.domain_store import DomainData, DomainStore
from utils.routing.domain_tables import DomainTables

SHIPPED = load_pack_files(DOMAINS_DIR)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DOMAINS_DIR, tmp_path / "domains"))


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/domains.db"


@pytest.fixture
def store(url: str, folder: Path) -> Iterator[DomainStore]:
    store = DomainStore(url, folder)
    yield store
    store.close()


def labelled(folder: Path, key: str, label: str) -> None:
    """Have the file of a domain give it another label."""
    file = folder / f"{key}.toml"
    lines = file.read_text(encoding="utf-8").splitlines()
    changed = [f'label = "{label}"' if line.startswith("label =") else line for line in lines]
    file.write_text("\n".join(changed) + "\n", encoding="utf-8")


def labels(data: DomainData) -> dict[str, str]:
    return {pack.key: pack.label for pack in data.packs.domains}


def test_a_file_that_comes_changes_and_goes_is_followed(store: DomainStore, folder: Path) -> None:
    before = store.load()
    path = write_fifth_domain(folder)
    added = store.refresh(before)
    assert (added.origin, added.reason) == ("database", None)
    assert added.packs.keys() == (*SHIPPED.keys(), KEY)
    assert store.refresh(added) is added
    labelled(folder, KEY, "농사")
    changed = store.refresh(added)
    assert labels(changed)[KEY] == "농사"
    path.unlink()
    assert store.refresh(changed).packs == before.packs


def test_what_an_operator_edited_stays_and_the_rest_still_follows(store: DomainStore, folder: Path) -> None:
    data = store.load()
    store.save(data.packs.get(TAX).model_copy(update={"label": "세금"}))
    labelled(folder, TAX, "파일의 이름")
    labelled(folder, LABOR, "노무")
    write_fifth_domain(folder)
    data = store.refresh(data)
    assert labels(data)[TAX] == "세금"
    assert labels(data)[LABOR] == "노무"
    assert KEY in labels(data)


def test_a_domain_that_an_operator_removed_does_not_come_back(store: DomainStore, folder: Path) -> None:
    write_fifth_domain(folder)
    data = store.load()
    assert store.delete(KEY)
    labelled(folder, KEY, "농사")
    assert KEY not in labels(store.refresh(data))
    assert KEY not in labels(store.load())


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ('neighbours = ["law_common"]|neighbours = ["nowhere"]', "nowhere"),
        ("farming_db|hr_labor_db", "hr_labor_db"),
        ('key = "farming"|key = "Farming!"', "farming.toml"),
    ],
)
def test_a_bad_file_leaves_the_last_good_data_in_force(
    store: DomainStore, folder: Path, caplog: pytest.LogCaptureFixture, wrong: str, says: str
) -> None:
    path = write_fifth_domain(folder)
    good = store.load()
    right, _, wrong = wrong.partition("|")
    path.write_text(path.read_text(encoding="utf-8").replace(right, wrong), encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        bad = store.refresh(good)
    assert bad.packs == good.packs
    assert bad.degradation is not None
    assert says in caplog.text
    assert store.refresh(bad) is bad
    store.save(good.packs.get(TAX).model_copy(update={"label": "세금"}))
    assert labels(store.refresh(bad))[TAX] == "세금", "edits of the tables still act"
    write_fifth_domain(folder)
    mended = store.refresh(bad)
    assert (mended.reason, labels(mended)[TAX], KEY in labels(mended)) == (None, "세금", True)


def test_a_file_that_does_not_go_with_edited_rows_is_left_out(store: DomainStore, folder: Path) -> None:
    data = store.load()
    store.save(data.packs.get(TAX).model_copy(update={"collection": "farming_db"}))
    write_fifth_domain(folder)
    after = store.refresh(data)
    assert after.packs.get(TAX).collection == "farming_db"
    assert KEY not in labels(after)
    assert after.degradation is not None


def test_a_start_with_bad_files_takes_what_the_tables_hold(store: DomainStore, url: str, folder: Path) -> None:
    good = store.load()
    (folder / f"{TAX}.toml").write_text("key = ", encoding="utf-8")
    again = DomainStore(url, folder)
    data = again.load()
    assert data.packs == good.packs
    assert data.degradation is not None
    again.close()


@pytest.fixture
def earlier(url: str, store: DomainStore) -> Engine:
    """Tables as the service before made and filled them: without the later columns and what is told in them."""
    store.load()
    engine = create_engine(url)
    tables = DomainTables("bizi_domain_")
    with engine.begin() as connection:
        for column in ("agent_label", "is_law", "prompt"):
            connection.execute(text(f"ALTER TABLE bizi_domain_pack DROP COLUMN {column}"))
        connection.execute(text("UPDATE bizi_domain_pack SET description = '' WHERE role = 'rejection'"))
        for table in ("action", "origin"):
            connection.execute(text(f"DROP TABLE bizi_domain_{table}"))
        fields = ("alias", "chunking", "case_folder", "case_kind", "search_hint")
        connection.execute(text(f"DELETE FROM bizi_domain_entry WHERE field IN {fields}"))
        connection.execute(
            text("CREATE TABLE bizi_domain_seed (id INTEGER PRIMARY KEY, files_digest TEXT, version TEXT)")
        )
    with engine.begin() as connection:
        _register(connection)
        version = DomainRows(connection, tables).earlier_version()
        connection.execute(text("INSERT INTO bizi_domain_seed VALUES (1, 'x', :version)"), {"version": version})
    return engine


def _register(connection: Connection) -> None:
    import zlib

    driver = connection.connection.driver_connection
    assert driver is not None
    driver.create_function("crc32", 1, lambda value: zlib.crc32(value.encode()))


def test_unedited_tables_of_before_become_what_the_files_say(
    earlier: Engine, url: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = DomainStore(url, folder)
    data = store.load()
    assert (data.origin, data.reason, data.packs) == ("database", None, SHIPPED)
    assert "agent_label, is_law, prompt" in caplog.text
    assert store.load() == data
    store.close()


def test_edited_tables_of_before_keep_their_edits_and_get_the_rest(
    earlier: Engine, url: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with earlier.begin() as connection:
        connection.execute(text("UPDATE bizi_domain_pack SET label = '세금' WHERE key = 'finance_tax'"))
        connection.execute(
            text("DELETE FROM bizi_domain_entry WHERE pack_key = 'finance_tax' AND value = 'startup_funding'")
        )
        connection.execute(text("DELETE FROM bizi_domain_pack WHERE key = 'startup_funding'"))
        connection.execute(text("DELETE FROM bizi_domain_entry WHERE pack_key = 'startup_funding'"))
    store = DomainStore(url, folder)
    data = store.load()
    assert data.reason is None
    assert labels(data)[TAX] == "세금"
    assert STARTUP not in labels(data), "what an operator removed stays removed"
    tax, law = data.packs.get(TAX), data.packs.get(LAW)
    assert (tax.prompt, tax.case_folders) == (SHIPPED.get(TAX).prompt, ("tax",))
    assert law == SHIPPED.get(LAW)
    assert "그대로 두고" in caplog.text
    with earlier.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM bizi_domain_seed")).scalar() == 0, (
            "older ones leave it alone"
        )
    labelled(folder, LAW, "법")
    assert labels(store.refresh(data))[LAW] == "법"
    store.close()


def test_an_account_that_may_not_add_columns_is_told_the_statements(
    earlier: Engine, url: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = DomainStore(url, folder)

    @event.listens_for(store._database._engine, "before_cursor_execute")
    def refuse(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("ALTER"):
            raise OperationalError(statement, {}, Exception("permission denied"))

    data = store.load()
    assert (data.origin, data.packs) == ("files", SHIPPED)
    assert "ALTER TABLE bizi_domain_pack ADD COLUMN prompt TEXT" in caplog.text
    assert data.reason is not None
    assert "열이 모자라" in data.reason
    assert "prompt" not in {column["name"] for column in inspect(earlier).get_columns("bizi_domain_pack")}
    store.close()
