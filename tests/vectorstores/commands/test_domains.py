"""``export-domains`` and ``import-domains`` on a database of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.packs import shipped_packs
from tests.support.routing import DOMAINS_DIR, LABOR
from utils.administration.audit import AuditTrail
from utils.administration.audit_records import AuditFilter
from utils.config.settings import Settings
from utils.routing.domain_store import packs_in_force
from vectorstores.cli import main


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "var"))
    return tmp_path / "var"


def test_out_edited_and_in_again(data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, settings = tmp_path / "out", Settings(data_dir=data_dir)
    assert main(["export-domains", str(folder)]) == 0
    names = [path.relative_to(folder) for path in folder.rglob("*.toml")]
    assert len(names) == len(shipped_packs().all())
    assert all((folder / name).read_bytes() == (DOMAINS_DIR / name).read_bytes() for name in names)
    assert main(["export-domains", str(folder)]) == 1, "nothing is overwritten"

    file = folder / f"{LABOR}.toml"
    text = file.read_text(encoding="utf-8").replace('label = "인사·노무"', 'label = "노무"')
    file.write_text(text, encoding="utf-8")
    capsys.readouterr()
    assert main(["import-domains", str(folder), "--dry-run"]) == 0
    assert capsys.readouterr().out == f"* 바뀜 {LABOR}\n"
    assert packs_in_force(settings) == shipped_packs()
    assert main(["import-domains", str(folder), "--new-collection"]) == 0
    assert packs_in_force(settings).get(LABOR).label == "노무"
    trail = AuditTrail.from_settings(settings)
    (entry,) = trail.page(AuditFilter(), 10).entries
    trail.close()
    assert (entry.client, entry.target, entry.details) == ("command", LABOR, {"label": ["인사·노무", "노무"]})


def test_a_faulty_folder_changes_nothing(data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, settings = tmp_path / "out", Settings(data_dir=data_dir)
    assert main(["export-domains", str(folder)]) == 0
    for path, old, new in (
        (folder / f"{LABOR}.toml", "hr_labor_db", "typo_db"),
        (folder / "finance_tax.toml", 'key = "finance_tax"', "key = 3"),
    ):
        path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
        assert main(["import-domains", str(folder)]) == 1
        told = capsys.readouterr().err
        assert path.name.removesuffix(".toml") in told
        assert "바뀐 것은 없습니다" in told
    assert packs_in_force(settings) == shipped_packs()
    (folder / "law_common.toml").write_bytes(b"\xff\xfe")
    assert main(["import-domains", str(folder)]) == 1
    assert "law_common.toml" in capsys.readouterr().err


def test_a_database_that_is_away_is_said(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data_dir.mkdir()
    (data_dir / "domains.db").mkdir()
    assert main(["export-domains", str(tmp_path / "out")]) == 1
    assert main(["import-domains", str(DOMAINS_DIR)]) == 1
    assert "오류" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
