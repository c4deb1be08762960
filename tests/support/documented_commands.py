"""The shell commands of the README and of ``docs/``: each is typed by a test, or it is said here why not and what stands in for it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from utils.config.settings import PROJECT_ROOT

PAGES = [PROJECT_ROOT / "README.md", *sorted((PROJECT_ROOT / "docs").rglob("*.md"))]
SHELL = frozenset({"bash", "console"})
OTHER_LANGUAGES = frozenset({"ini", "json", "markdown", "python", "text", "toml", "typescript"})
_PROMPT = "$ "
_HEREDOC = re.compile(r"<<'(\w+)'")
_SECTION = re.compile(r"#{2,3} (.+)")


@dataclass(frozen=True, slots=True)
class Command:
    """A command as a page has it, without the prompt."""

    page: str
    section: str
    line: int
    text: str

    @property
    def name(self) -> str:
        """The page and the command in one line, without its remark."""
        return f"{self.page}: {' '.join(' '.join(shlex.split(self.text, comments=True)).split())}"


@dataclass(frozen=True, slots=True)
class Untyped:
    """Commands that are not typed: ``pattern`` is all of their `Command.name`."""

    pattern: str
    reason: str
    instead: str = ""
    """The test that does the same, as ``file::function``, where there is one."""


_ANY = r"[\w./-]+: "
UNTYPED = (
    Untyped(_ANY + r"make test", "it is these tests"),
    Untyped(
        _ANY + r"make install-neural( .*)?",
        "it gets PyTorch, a gigabyte, from the registry",
        "tests/evaluation/test_neural_path.py::test_the_documented_commands",
    ),
    Untyped(
        r"docs/milvus\.md: .*",
        "it wants the extra of Milvus and a port of its own",
        "tests/vectorstores/backends/test_vectors.py::test_a_whole_index_is_built_and_searched",
    ),
    Untyped(
        r"docs/workers\.md: .* make serve WORKERS=2",
        "it wants a Chroma server and Redis on their own ports",
        "tests/e2e/test_several_workers.py::test_a_client_has_one_budget",
    ),
    Untyped(
        r"docs/neural\.md: (export|python|DATA_DIR=var-neural) .*",
        "the models weigh gigabytes; the test has tiny ones",
        "tests/evaluation/test_neural_path.py::test_the_documented_commands",
    ),
    Untyped(
        r"docs/neural\.md: LLM_PROVIDER=local .*",
        "it wants a chat model on the disk",
        "tests/chains/models/test_local.py::test_a_text_that_comes_to_its_end_is_an_answer_and_accounted_for",
    ),
    Untyped(
        _ANY + r".*docker compose (?!exec rag python -m).*",
        "it wants a Docker daemon",
        "tests/test_runbook.py::test_every_command_is_one",
    ),
    Untyped(
        _ANY + r"kubectl apply .*",
        "it wants a cluster; make lint-deploy holds the files to the schema",
    ),
    Untyped(_ANY + r"make (sbom|lint-deploy)", "it gets tools from the registry"),
    Untyped(
        r"docs/backup\.md: (pg_dump|pg_restore|mariadb|mariadb-dump) .*",
        "it wants a server of its own",
        "tests/test_backup_docs.py::test_a_server_is_dumped_and_comes_back",
    ),
    Untyped(
        _ANY + r"python -m vectorstores notices refresh",
        "it wants keys of the sources",
        "tests/vectorstores/notices/importers/test_refresh.py::test_all_pages_are_taken_in_as_they_stand",
    ),
    Untyped(
        _ANY + r"LAW_API_KEY=… python -m vectorstores fetch-statutes",
        "it wants a key of the source",
        "tests/vectorstores/statute_book/test_fetch.py::test_the_command_fetches_from_the_api_and_takes_out_what_is_repealed",
    ),
    Untyped(
        _ANY + r"python -m vectorstores check data/knowledge 우리지식 --statutes 법령",
        "it wants the articles of all statutes that the base cites",
        "tests/vectorstores/test_unit_check.py::test_cited_articles_are_looked_up_in_a_statute_tree",
    ),
    Untyped(
        _ANY + r"curl .*/jobs/<id>/cancel",
        "a job of a few lines is done before it can be cancelled",
        "tests/contract/test_management.py::test_jobs_are_listed_in_bounds_and_cancelled",
    ),
    Untyped(
        r"docs/assistants/google-api\.md: curl .* \"image\": .*",
        "it wants a model that sees",
        "tests/e2e/test_google_api.py::test_a_picture_is_described_first_and_its_description_joins_every_later_step",
    ),
    Untyped(
        r"docs/assistants/google-api\.md: curl .*/transcribe .*",
        "it wants a model that hears",
        "tests/e2e/test_google_api.py::test_a_recording_becomes_a_question",
    ),
    Untyped(
        _ANY + r"python -m evaluation ragas .*",
        "it wants a model and an extra",
        "tests/evaluation/test_ragas_evaluator.py::test_the_metrics_are_computed_from_what_the_model_says",
    ),
    Untyped(
        _ANY + r"python -m evaluation encoder",
        "it wants the statutes and questions of development",
        "tests/evaluation/experiments/test_encoder.py::test_the_starter_questions_find_their_documents_as_before",
    ),
    Untyped(
        _ANY + r"python -m evaluation corrupt-answers .*",
        "it answers hundreds of questions",
        "tests/evaluation/training/test_judge_examples.py::test_most_of_what_was_spoilt_fails_and_what_is_right_does_not",
    ),
    Untyped(
        _ANY + r"python -m evaluation ablation .*",
        "it searches hundreds of questions in many ways",
        "tests/evaluation/experiments/test_ablation.py::test_every_step_is_scored_by_origin",
    ),
    Untyped(
        _ANY + r"make train .*",
        "it learns for hours; its --dry-run, which prints the commands, is typed",
        "tests/evaluation/commands/training/test_train.py::test_the_commands_come_in_their_order",
    ),
    Untyped(
        _ANY + r"make bench",
        "it measures for an hour",
        "tests/evaluation/commands/test_bench.py::test_the_starter_index_is_measured",
    ),
    Untyped(
        r"docs/programs\.md: (make clients|(pip|npm) install \S+)",
        "it gets generators from the registry",
        "tests/e2e/test_clients.py::test_the_client_for_python",
    ),
    Untyped(
        r"docs/programs\.md: (make studio|curl .*:2024/.*)",
        "LangGraph's server comes from the registry into an environment of its own",
        "tests/e2e/test_studio.py::test_a_question_is_answered_with_its_sources",
    ),
    Untyped(
        r"docs/assistants/tutorial\.md: .*",
        "the page is typed by a test of its own, which writes its files and holds the answers to what it says",
        "tests/e2e/test_tutorial.py::test_a_request_of_the_page_is_answered_as_it_says",
    ),
)


def untyped(command: Command) -> Untyped | None:
    """Why a command is not typed; None where it is."""
    return next((left_out for left_out in UNTYPED if re.fullmatch(left_out.pattern, command.name)), None)


def commands_of(page: Path) -> list[Command]:
    """The commands of the fenced shell blocks of a page, in their order."""
    return list(_commands(page.relative_to(PROJECT_ROOT).as_posix(), page.read_text(encoding="utf-8").splitlines()))


def fence_languages(page: Path) -> list[str]:
    """The languages of all fenced blocks of a page; an empty one where a block has none."""
    fences = [line.strip() for line in page.read_text(encoding="utf-8").splitlines() if line.strip().startswith("```")]
    return [fence.removeprefix("```") for fence in fences[::2]]


def _commands(page: str, lines: list[str]) -> Iterator[Command]:
    section, language, begun, text = "", None, 0, ""
    for number, line in enumerate(lines, start=1):
        if line.startswith("```"):
            assert not text, f"{page}:{begun}: a command without an end"
            language = line.removeprefix("```") if language is None else None
        elif language is None:
            section = heading[1] if (heading := _SECTION.fullmatch(line)) else section
        elif language in SHELL:
            begun = begun if text else number
            text += line.removeprefix(_PROMPT) + "\n"
            if _is_whole(text):
                if shlex.split(text, comments=True):
                    yield Command(page, section, begun, text.strip())
                text = ""


def _is_whole(text: str) -> bool:
    if text.endswith("\\\n"):
        return False
    if (heredoc := _HEREDOC.search(text)) is not None:
        return text.endswith(f"\n{heredoc[1]}\n")
    try:
        shlex.split(text, comments=True)
    except ValueError:  # a quotation goes on in the next line
        return False
    return True
