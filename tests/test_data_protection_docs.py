"""docs/data-protection.md names settings and articles that there are, and every place where something is kept has an age."""

from __future__ import annotations

import re
import tarfile

import pytest

from utils.config.settings import PROJECT_ROOT, Settings

DOCUMENT = (PROJECT_ROOT / "docs" / "data-protection.md").read_text(encoding="utf-8")
STATUTES = PROJECT_ROOT.parent / "shared" / "corpus" / "statutes-md.tar.gz"
AGES = ("question_log_days", "chat_log_retention_days", "session_max_age", "upload_retention_days", "cache_ttl")
_ARTICLE = re.compile(r"개인정보 보호법 (시행령 )?(제\d+조(?:의\d+)?)\(([^)]+)\)")


def test_every_age_is_told_with_its_default() -> None:
    table = DOCUMENT.partition("## What removes it")[0]
    assert [name for name in AGES if f"`{name.upper()}`" not in table] == []
    assert Settings.model_fields["question_log_days"].default == 90
    assert Settings.model_fields["chat_log_retention_days"].default == 30
    assert Settings.model_fields["session_max_age"].default == 86_400
    assert Settings.model_fields["cache_ttl"].default == 3_600
    assert Settings.model_fields["upload_retention_days"].default == 0


@pytest.mark.corpus
def test_articles_say_what_they_are_said_to() -> None:
    if not STATUTES.exists():
        pytest.skip("the statute corpus is not here")
    named = set(_ARTICLE.findall(DOCUMENT))
    assert len(named) > 12
    with tarfile.open(STATUTES) as tar:
        texts = {}
        for decree, file in (("", "법률.md"), ("시행령 ", "시행령.md")):
            member = tar.extractfile(f"kr/개인정보보호법/{file}")
            assert member is not None
            texts[decree] = member.read().decode()
    missing = {
        f"{decree}{article}" for decree, article, title in named if f"##### {article} ({title})" not in texts[decree]
    }
    assert not missing
    for article in ("제41조", "제43조"):
        text = texts["시행령 "].partition(f"##### {article} (")[2].partition("#####")[0]
        assert "10일" in text
