"""docs/runbook.md has a section for everything that may be named to an operator, and only commands that there are."""

from __future__ import annotations

import argparse
import re
import shlex
from typing import Any, cast

import pytest
import yaml

from agents.engine import Engine
from agents.question_log.chat_log import ChatLog
from agents.question_log.log import QuestionLog
from agents.sessions.store import SessionStore
from agents.upkeep.__main__ import _parser as upkeep_parser
from evaluation.catalogue import COMMANDS
from health_probes import HealthProbes
from main import create_app
from schemas.chat import Component
from tests.support.routes import operations
from tests.test_deployment_files import COMPOSE, KEYS, compose
from tests.test_docs import DOCS
from utils.config.settings import PROJECT_ROOT, Settings
from utils.resilience.redis_link import RedisLink
from vectorstores.cli import build_parser as index_parser

RUNBOOK = (PROJECT_ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")
OPERATED = [PROJECT_ROOT / "docs" / name for name in ("runbook.md", "backup.md")]
SECTIONS = {name for heading in re.findall(r"^## (.+)$", RUNBOOK, re.MULTILINE) for name in heading.split(", ")}
PARSERS = {"vectorstores": index_parser, "agents.upkeep": upkeep_parser}
FOREIGN = frozenset({"cat", "df", "du", "kill", "mariadb", "mariadb-dump", "openssl", "pg_dump", "pg_restore"})
"""Programs that are no part of the project."""
_SUBCOMMANDS = frozenset({"cp", "exec", "kill", "logs", "ps", "restart", "run", "stop", "up"})


def _alerts() -> set[str]:
    files = (PROJECT_ROOT / "deploy" / "prometheus").glob("alerts.yml")
    groups = [group for file in files for group in yaml.safe_load(file.read_text(encoding="utf-8"))["groups"]]
    return {rule["alert"] for group in groups for rule in group["rules"]}


def _capabilities() -> set[str]:
    """Every part that ``/health`` may name."""
    searcher = type("Searcher", (), {"remote_providers": {"embedding": None, "rerank": None}})
    engine: Any = type("Live", (), {})
    engine.live = type("Live", (), {"searcher": searcher})
    engine.settings = Settings()
    probes = HealthProbes(
        cast("Engine", engine),
        cast("RedisLink", type("Any", (), {})),
        cast("QuestionLog", type("Any", (), {"health": None})),
        cast("SessionStore", type("Any", (), {"health": None})),
        cast("ChatLog", type("Any", (), {"health": None})),
    )
    return {probe.name for probe in probes.all()} | {"secrets"}


def test_every_degraded_part_and_every_alert_has_its_section() -> None:
    assert len(_alerts()) > 12
    assert sorted((set(Component) | _alerts() | _capabilities()) - SECTIONS) == []


def test_no_section_is_about_something_that_went() -> None:
    assert sorted(SECTIONS - (set(Component) | _alerts() | _capabilities())) == []


def test_sections_lead_to_sections() -> None:
    links = set(re.findall(r"\]\(#([\w-]+)\)", RUNBOOK))
    assert links <= SECTIONS


def _commands() -> list[str]:
    blocks = [
        block
        for doc in OPERATED
        for block in re.findall(r"```bash\n(.*?)```", doc.read_text(encoding="utf-8"), re.DOTALL)
    ]
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    spans = [span for doc in OPERATED for span in re.findall(r"`(python -m [^`…]+)`", doc.read_text(encoding="utf-8"))]
    return sorted({line for line in [*lines, *spans] if line and not line.startswith("#")})


def _words(command: str) -> list[str]:
    lexer = shlex.shlex(command.replace("<", "").replace(">", " "), posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, "#"
    return list(lexer)


def _check_python(words: list[str]) -> None:
    assert words[0] == "-m", words
    module, *arguments = words[1:]
    if module == "evaluation":
        assert arguments[0] in {command.name for command in COMMANDS}
        return
    if not arguments:
        return
    try:
        PARSERS[module]().parse_args(arguments)
    except (SystemExit, argparse.ArgumentError):
        pytest.fail(f"python -m {module} {' '.join(arguments)}")


def _check_compose(words: list[str]) -> None:
    services = compose(API_KEYS=KEYS)["services"]
    profiles = {profile for service in services.values() for profile in service.get("profiles", ())}
    while words[0] == "--profile":
        assert words[1] in profiles
        words = words[2:]
    subcommand, *rest = words
    assert subcommand in _SUBCOMMANDS
    if subcommand == "cp":
        assert rest[0].partition(":")[0] in services
        return
    named = [position for position, word in enumerate(rest) if word in services]
    assert named or subcommand == "ps", rest
    inside = rest[named[0] + 1 :] if named else []
    if inside:
        _check(inside)


def _check_curl(words: list[str]) -> None:
    app = create_app(Settings())
    paths = {path for method, path in operations(app) if method == "GET"}
    addresses = [word.removeprefix("$SERVICE") for word in words if word.startswith("$SERVICE")]
    assert len(addresses) == 1
    assert addresses[0] in paths


def _check(words: list[str]) -> None:
    match words:
        case ["python", "-c", program]:
            compile(program, "runbook", "exec")
        case ["python", *rest]:
            _check_python(rest)
        case ["docker", "compose", *rest]:
            _check_compose(rest)
        case ["curl", *rest]:
            _check_curl(rest)
        case ["sh", "-c", program]:
            for name in re.findall(r"/run/secrets/(\w+)", program):
                assert f"  {name}:\n    file:" in COMPOSE
        case [name, *_]:
            assert name in FOREIGN


@pytest.mark.parametrize("command", _commands())
def test_every_command_is_one(command: str) -> None:
    _check(_words(command))


def test_both_documents_are_among_those_whose_names_are_checked() -> None:
    assert set(OPERATED) <= set(DOCS)
