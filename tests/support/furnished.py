"""All that a service in use has beside the starter base: an article of law, notices, and an assistant that sees and hears."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support import api_pages, notice_files
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from vectorstores.build.ingest import BuildProviders, Ingest
from vectorstores.build.staging import Source
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer

STATUTE = "부가가치세법"
ARTICLE = "사업자는 각 과세기간이 끝난 후 25일 이내에 확정신고를 하여야 한다."


def furnished(
    starter: Settings, folder: Path, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, **more: object
) -> Settings:
    """Return the settings of a service with a copy of the starter index in ``folder``, and with all that is named above."""
    shutil.copytree(starter.data_dir, folder / "var", symlinks=True)
    own = {
        "data_dir": folder / "var",
        "log_dir": folder / "logs",
        "enable_sessions": True,
        "enable_question_log": True,
    }
    settings = starter.model_copy(update=own | more)
    (folder / "statutes").mkdir()
    file = write_statute(folder / "statutes", STATUTE, {"제49조 (확정신고와 납부)": ARTICLE})
    engines = BuildProviders(tokenizer.id, embedder.id, lambda: (tokenizer, embedder))
    result = Ingest(settings, engines).run([Source(file, loader_for(file), str(file), "law_common_db")])
    assert not result.problems
    notice_files.fill(settings, tokenizer)
    api_pages.build_index(settings, folder, tokenizer, embedder)
    return settings
