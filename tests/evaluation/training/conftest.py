"""Fixtures that make examples of the starter knowledge base."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.training.judge_examples import ExampleMaker
from utils.config.settings import Settings


@pytest.fixture(scope="session")
def example_maker(starter_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExampleMaker]:
    data_dir: Path = tmp_path_factory.mktemp("examples") / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)  # an embedded store has one owner
    maker = ExampleMaker(data_dir)
    yield maker
    asyncio.run(maker.engine.aclose())
