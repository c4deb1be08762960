"""Starting the service: the packages that it leaves alone."""

from __future__ import annotations

import subprocess
import sys

from utils.config.settings import PROJECT_ROOT, Settings

_UNUSED = (
    "chromadb",
    "docx",
    "openai",
    "pypdf",
    "redis",
    "sqlalchemy.dialects.postgresql",
    "throttled",
    "torch",
)
"""Packages that the shipped configuration does not use, or not before somebody asks for what they do."""

_START = f"""
import asyncio, sys
from pathlib import Path
from main import create_app
from schemas.chat import ChatRequest
import services
assert "holidays" not in sys.modules  # read beside the first questions
from utils.config.settings import Settings

async def start(data_dir):
    app = create_app(Settings(data_dir=data_dir, enable_question_log=False, enable_chat_log=False))
    async with app.router.lifespan_context(app) as state:
        answer = await state["services"].chat.answer(ChatRequest(message="부가가치세는 언제까지 신고하나요?"), "start", "start")
        assert answer.sources
    print(*(name for name in {_UNUSED!r} if name in sys.modules))

asyncio.run(start(Path(sys.argv[1])))
"""


def test_a_start_and_its_first_answer_import_nothing_unused(starter_settings: Settings) -> None:
    program = [sys.executable, "-c", _START, str(starter_settings.data_dir)]
    done = subprocess.run(program, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
