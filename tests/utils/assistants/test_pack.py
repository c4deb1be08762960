"""Packs of assistants: what is read from them, and what is refused by the file's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from utils.assistants.pack import AssistantDataError, assistant_named, load_assistants
from utils.config.settings import Settings

HEAD = 'label = "시험"\ndescription = "시험 비서"\n'


def packs_in(folder: Path, **texts: str) -> Path:
    for name, text in {"bizi": f'name = "bizi"\n{HEAD}', **texts}.items():
        (folder / name).mkdir()
        (folder / name / "assistant.toml").write_text(text, encoding="utf-8")
    return folder


def test_an_assistant_has_an_index_domains_and_settings_of_its_own(tmp_path: Path) -> None:
    root = packs_in(tmp_path, docs=f'name = "docs"\n{HEAD}[settings]\nretrieval_k = 9\n')
    service = Settings(data_dir=tmp_path / "var")
    pack = load_assistants(root)["docs"]
    own = pack.settings_in(service)
    assert (own.retrieval_k, service.retrieval_k) == (9, 4)
    assert own.data_dir == tmp_path / "var" / "assistants" / "docs"
    assert own.domain_dir == root / "docs" / "domains"
    assert assistant_named("bizi", root).settings_in(service) is service


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f'name = "other"\n{HEAD}', "other"),
        (f'name = "docs"\n{HEAD}[settings]\nopenai_api_key = "k"\n', "openai_api_key"),
        (f'name = "docs"\n{HEAD}[settings]\nretrieval_k = 0\n', "RETRIEVAL_K"),
        (f'name = "docs"\n{HEAD}colour = "red"\n', "colour"),
        ("name = ", "docs"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(tmp_path: Path, text: str, told: str) -> None:
    root = packs_in(tmp_path, docs=text)
    with pytest.raises(AssistantDataError, match=told):
        load_assistants(root)["docs"].settings_in(Settings())


def test_an_assistant_that_there_is_not_is_named_with_those_that_there_are() -> None:
    with pytest.raises(AssistantDataError, match=r"weather.*bizi"):
        assistant_named("weather", None)
