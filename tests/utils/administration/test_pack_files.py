"""The domain data as files: out, edited, and in again."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.administration.domains import DomainFile
from tests.support.packs import shipped_packs
from tests.support.routing import DOMAINS_DIR, LABOR, TAX
from utils.administration.domain_changes import set_etag
from utils.administration.domain_checks import EditRefused
from utils.administration.pack_files import exported, files_below, imported

PACKS = shipped_packs()


def test_what_nobody_edited_is_the_shipped_file_byte_for_byte() -> None:
    files = {file.name: file.content for file in exported(PACKS, DOMAINS_DIR)}
    assert files == {file.name: file.content for file in files_below(DOMAINS_DIR)}
    assert len(files) == len(PACKS.all())


def test_every_pack_survives_being_written_anew(tmp_path: Path) -> None:
    files = exported(PACKS, tmp_path / "nothing ships")
    assert imported(files) == PACKS
    hard = PACKS.get(TAX).model_copy(
        update={
            "prompt": '첫 줄 """따옴표"""\n\n둘째 줄\\끝 \t탭\n',
            "label": "세무 \\ '따옴표' \"",
            "rules": (("a", "b", "c"),),
        }
    )
    packs = PACKS.model_copy(update={"domains": tuple(hard if p.key == TAX else p for p in PACKS.domains)})
    back = imported(exported(packs, DOMAINS_DIR))
    assert back.get(TAX) == hard
    assert set_etag(back) == set_etag(packs)


@pytest.mark.parametrize(
    ("name", "old", "new", "path", "said"),
    [
        ("hr_labor.toml", 'key = "hr_labor"', 'key = "hr_labour"', "hr_labor.toml:key", "파일 이름"),
        ("hr_labor.toml", '"law_common"', '"nowhere"', "hr_labor.toml:neighbours.0", "nowhere 분야가 없습니다."),
        ("hr_labor.toml", "rules = [", "rules = [ [", "hr_labor.toml:", "TOML 형식이 아닙니다"),
        ("hr_labor.toml", 'label = "', 'labell = "', "hr_labor.toml:label", "필수 항목"),
        ("hr_labor.toml", 'description = "', 'description = "\\u200b', "hr_labor.toml:description", "보이지 않는"),
        (
            "rejections/thanks.toml",
            'kind = "thanks"',
            'kind = "consult"',
            "rejections/thanks.toml:kind",
            "서비스가 쓰는",
        ),
    ],
)
def test_a_faulty_file_is_named_with_the_field(name: str, old: str, new: str, path: str, said: str) -> None:
    files = [
        file.model_copy(update={"content": file.content.replace(old, new, 1)}) if file.name == name else file
        for file in exported(PACKS, DOMAINS_DIR)
    ]
    with pytest.raises(EditRefused) as raised:
        imported(files)
    problems = {problem.path: problem.message for problem in raised.value.problems}
    assert said in problems[path], problems


def test_a_file_given_twice_is_refused() -> None:
    files = exported(PACKS, DOMAINS_DIR)
    with pytest.raises(EditRefused, match=f"{LABOR}.toml"):
        imported([*files, DomainFile(name=f"{LABOR}.toml", content=files[0].content)])
