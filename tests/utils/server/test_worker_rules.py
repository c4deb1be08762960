"""Several processes are refused where they would not share what has to be one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from utils.config.settings import Settings, SettingsError
from utils.server import worker_rules
from utils.server.worker_rules import check_workers, network_file_system

_MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:44 / /srv/share rw,relatime shared:2 - nfs4 10.0.0.2:/export rw,vers=4.2
41 40 8:2 / /srv/share/local\\040disk rw - xfs /dev/sdb1 rw
42 22 0:45 / /mnt/kim/remote rw - fuse.sshfs kim@example.com:/ rw
"""
_SHARED = {"workers": 2, "chroma_host": "127.0.0.1", "redis_url": "redis://127.0.0.1:6379/0"}


def settings_of(tmp_path: Path, **changes: Any) -> Settings:
    return Settings(**{"data_dir": tmp_path, **_SHARED, **changes})


def test_one_process_may_do_anything(tmp_path: Path) -> None:
    assert check_workers(settings_of(tmp_path, workers=1, chroma_host=None, redis_url=None)) == []


def test_what_is_shared_is_accepted(tmp_path: Path) -> None:
    assert check_workers(settings_of(tmp_path, rate_limit_per_minute=60)) == []
    milvus = {"chroma_host": None, "vector_backend": "milvus", "milvus_uri": "http://127.0.0.1:19530"}
    assert check_workers(settings_of(tmp_path, **milvus)) == []


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"chroma_host": None}, "CHROMA_HOST: "),
        ({"redis_url": None, "rate_limit_per_minute": 60}, "REDIS_URL: "),
        ({"redis_url": None, "api_keys": "web=key-0123456789abcdef:chat"}, "REDIS_URL: "),
    ],
)
def test_what_is_not_shared_is_refused_with_the_remedy(tmp_path: Path, changes: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match="WORKERS=1") as refused:
        check_workers(settings_of(tmp_path, **changes))
    assert str(refused.value).startswith(named)


def test_a_cache_of_each_process_is_told(tmp_path: Path) -> None:
    (remark,) = check_workers(settings_of(tmp_path, redis_url=None))
    assert "REDIS_URL" in remark


def test_sqlite_on_a_file_system_of_the_network_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_rules, "_mounts", lambda: f"{_MOUNTS}50 22 0:9 / {tmp_path} rw - nfs4 10.0.0.2:/x rw\n")
    with pytest.raises(SettingsError, match="SESSION_URL") as refused:
        check_workers(settings_of(tmp_path, database_url="postgresql+psycopg://u@127.0.0.1/x"))
    assert "nfs4" in str(refused.value)
    assert "DATABASE_URL" not in str(refused.value)
    elsewhere = {
        "session_url": "postgresql://u@127.0.0.1/x",
        "database_url": "postgresql+psycopg://u@127.0.0.1/x",
        "enable_question_log": False,
        "enable_usage": False,
    }
    assert check_workers(settings_of(tmp_path, **elsewhere)) == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/data", None),
        ("/srv/share/var", "nfs4"),
        ("/srv/share/local disk/var", None),
        ("/mnt/kim/remote/var", "fuse.sshfs"),
        ("/srv/shared", None),
    ],
)
def test_the_file_system_of_a_path_is_that_of_the_deepest_mount(path: str, kind: str | None) -> None:
    assert network_file_system(Path(path), _MOUNTS) == kind
