"""The check of templates tells a lawyer what an edit has broken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from utils.paperwork.templates.__main__ import main
from utils.paperwork.templates.checker import template_problems
from utils.paperwork.templates.template import TEMPLATES_DIR

Edit = Callable[[str], str]


def replaced(old: str, new: str) -> Edit:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return edit


def problems(folder: Path, name: str, edit: Edit) -> list[str]:
    text = (TEMPLATES_DIR / f"{name}.toml").read_text(encoding="utf-8")
    (folder / f"{name}.toml").write_text(edit(text), encoding="utf-8")
    return template_problems(folder)


def test_shipped_templates_are_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert template_problems() == []
    assert main(["check"]) == 0
    assert "고칠 곳 0개" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "edit", "told"),
    [
        ("nda", replaced("{{ information }}", "{{ informatio }}"), "'informatio'이라는 칸이 없습니다"),
        ("nda", replaced("{{ information }}", "{{ information"), "글을(를) 읽을 수 없습니다"),
        (
            "nda",
            replaced('when = "non_compete_months and', 'when = "non_compete_months andd'),
            "조건을(를) 읽을 수 없습니다",
        ),
        ("nda", replaced('when = "non_compete_months and', 'when = "non_compete_weeks and'), "'non_compete_weeks'"),
        ("nda", replaced('key = "nda"', 'key = "naa"'), "파일"),
        ("nda", replaced('type = "text"', 'type = "texte"'), "type"),
        ("nda", replaced('label = "계약 체결일"', 'labe = "계약 체결일"'), "labe"),
        ("founders_agreement", replaced("{{ row.role }}", "{{ row.rule }}"), "목록에 'rule'이라는 칸이 없습니다"),
        ("founders_agreement", replaced('each = "founders"', 'each = "founder"'), "'founder'"),
        ("dismissal_notice", replaced("{{ reasons }}", ""), "근로기준법 제27조제1항이(가) 정한 '해고 사유'(reasons)"),
        (
            "employment_contract",
            replaced("{{ weekly_holiday }}", "일요일"),
            "근로기준법 제17조제1항제3호이(가) 정한 '휴일'",
        ),
        (
            "employment_contract",
            replaced("when = \"kind == 'part_time'\"\n[blocks.table]", "when = \"kind == 'minor'\"\n[blocks.table]"),
            "(part_time)",
        ),
        ("employment_contract", replaced("1일 7시간, 1주 35시간", "법이 정한 시간"), "근로기준법 제69조"),
        ("wage_statement", replaced('each = "deductions"', 'each = "earnings"'), "제27조의2제6호"),
        ("work_rules", replaced("{{ harassment_officer|josa('이/가') }}", "대표가"), "제93조제11호"),
        ("work_rules", replaced('when = "extra_rules"', 'when = "headcount > 5 and ("'), "조건을(를) 읽을 수 없습니다"),
    ],
)
def test_what_an_edit_breaks_is_told_with_its_place(tmp_path: Path, name: str, edit: Edit, told: str) -> None:
    found = problems(tmp_path, name, edit)
    expected = "key" if told == "파일" else told
    assert any(expected in problem and problem.startswith(f"{name}.toml") for problem in found), found


def test_the_command_fails_with_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "nda.toml").write_text("key = ", encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 1
    assert "nda.toml" in capsys.readouterr().out
    assert template_problems(tmp_path / "empty") != []
