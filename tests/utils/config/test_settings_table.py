"""Every setting is documented, and the generated files say what the code says."""

from __future__ import annotations

import pytest

from utils.config.settings import PROJECT_ROOT, Settings
from utils.config.settings_table import (
    COMPOSE_FILE,
    EXAMPLE_FILE,
    TABLE_FILE,
    compose_file,
    env_example,
    setting_groups,
    settings_table,
)


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_has_a_meaning(name: str) -> None:
    description = Settings.model_fields[name].description
    assert description, f"{name.upper()} has no description"
    assert description.endswith("."), f"the meaning of {name.upper()} is no sentence"


def test_every_setting_belongs_to_one_group() -> None:
    names = [name for group in setting_groups() for name in group.model_fields]
    assert sorted(names) == sorted(Settings.model_fields)


def test_the_table_is_not_stale() -> None:
    assert (PROJECT_ROOT / TABLE_FILE).read_text(encoding="utf-8") == settings_table(), "run `make settings-table`"


def test_the_example_is_not_stale() -> None:
    assert (PROJECT_ROOT / EXAMPLE_FILE).read_text(encoding="utf-8") == env_example(), "run `make settings-table`"


def test_the_compose_file_is_not_stale() -> None:
    text = (PROJECT_ROOT / COMPOSE_FILE).read_text(encoding="utf-8")
    assert text == compose_file(text), "run `make settings-table`"


def test_the_example_holds_the_defaults(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("env") / ".env"
    lines = [line.removeprefix("# ") for line in env_example().splitlines()]
    file.write_text("\n".join(line for line in lines if line.partition("=")[0].isupper()), encoding="utf-8")
    given = Settings(_env_file=file)
    default = Settings()
    assert given.model_dump(exclude={"data_dir", "log_dir"}) == default.model_dump(exclude={"data_dir", "log_dir"})
    assert (PROJECT_ROOT / given.data_dir) == default.data_dir


def test_the_settings_of_the_fusion_say_what_they_do_under_a_learned_order() -> None:
    """`tests/vectorstores/search/test_hybrid.py` shows that they do just that."""
    fields = Settings.model_fields
    assert "learned order" in (fields["vector_search_weight"].description or "")
    assert "learned order" in (fields["fusion"].description or "")
    assert "the reranker reads" in (fields["rerank_top_k"].description or "")
