"""The documentation: what its pages tell to type does what they say, and the site has every page.

A block marked ``bash`` is run as it stands against a service of its own, page by page; what cannot be run so is marked ``console``.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml

from utils.config.settings import PROJECT_ROOT, Settings

DOCS = PROJECT_ROOT / "docs"
PAGES = sorted([*DOCS.glob("quick-start*.md"), *(DOCS / "guides").glob("*.md")])
_BLOCK = re.compile(r"^```bash\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ ", re.MULTILINE)
_DOCUMENTED_PORT = "127.0.0.1:8001"
_MADE = {"index.md", "manual.md", "decisions/index.md", "ablation.md", "ablation_features.md"}
"""Pages that are made, and the one that is found without a name."""


def test_every_page_is_found_in_the_site() -> None:
    written = yaml.safe_load((PROJECT_ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    named = set(_pages_of(written))
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    in_one_language = {page for page in pages if not page.endswith(".en.md") and not page.startswith("decisions/0")}
    moved = {f"reference/{name}.md" for name in ("settings", "python")}
    made = {"reference/http.md", "reference/commands.md"}
    assert named == (in_one_language - {"settings.md", "python.md"}) | moved | made | _MADE


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.en.md")), ids=lambda page: page.stem)
def test_an_english_page_has_the_headings_of_the_korean_one_or_fewer(page: Path) -> None:
    korean = page.with_name(page.name.replace(".en.md", ".md"))
    assert korean.is_file()
    assert _headings(page) <= _headings(korean)


def _headings(page: Path) -> int:
    return len(_HEADING.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))))


def _pages_of(nav: object) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for part in nav.values():
            yield from _pages_of(part)
    elif isinstance(nav, list):
        for part in nav:
            yield from _pages_of(part)


@pytest.fixture(scope="module")
def service(starter_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of one who types: that of a service as ``make serve`` starts it, over a copy of the starter index."""
    data_dir = tmp_path_factory.mktemp("documented") / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "DATA_DIR": str(data_dir),
        "LOG_DIR": str(data_dir / "logs"),
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "LLM_PROVIDER": "extractive",
        "PYTHONPATH": str(PROJECT_ROOT),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "KEY": "",
    }
    process = subprocess.Popen([sys.executable, "main.py"], cwd=PROJECT_ROOT, env=environment)
    try:
        until = time.monotonic() + 90
        while not _is_ready(port):
            assert process.poll() is None, "the service has ended"
            assert time.monotonic() < until, "the service did not start"
            time.sleep(0.2)
        yield environment
    finally:
        process.terminate()
        process.wait(60)


def _is_ready(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health/ready", timeout=2).is_success
    except httpx.TransportError:
        return False


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.timeout(240)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_what_a_page_tells_to_type_works(page: Path, service: dict[str, str], tmp_path: Path) -> None:
    blocks = _BLOCK.findall(page.read_text(encoding="utf-8"))
    (tmp_path / "evaluation").symlink_to(PROJECT_ROOT / "evaluation")
    typed = "\n".join(blocks).replace(_DOCUMENTED_PORT, f"127.0.0.1:{service['PORT']}")
    script = f'make() {{ command make -C "{PROJECT_ROOT}" "$@"; }}\n{typed}'
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env=service,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
