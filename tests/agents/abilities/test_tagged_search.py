"""The assistant for Google APIs without a model: three kinds of questions, tags, two languages, texts and questions with answers."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.abilities.registry import build_abilities
from agents.abilities.talk import kind_of
from agents.engine import Engine, build_engine
from schemas.chat import ChatRequest, ChatResponse, Turn
from tests.support.api_pages import BACKUP, NAME, QUESTION, build_index
from utils.assistants.pack import SHIPPED_ASSISTANTS, AssistantDataError, assistant_named
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

KINDS = {"consult": "api", "chitchat": "basic", "out_of_scope": "none", "unintelligible": "none"}
ASKED = [
    Turn(role="user", content="Gmail 라벨은 몇 개까지 되나요?"),
    Turn(role="assistant", content="500개까지 됩니다."),
    Turn(role="user", content="이름은 몇 자까지인가요?"),
    Turn(role="assistant", content="225자까지입니다."),
]


@pytest.fixture(scope="module")
def engine(
    tmp_path_factory: pytest.TempPathFactory, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder
) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp(NAME)
    service = Settings(data_dir=folder / "var")
    build_index(service, folder, tokenizer, embedder)
    made = build_engine(service, tokenizer, assistant=NAME)
    yield made
    asyncio.run(made.aclose())


def ask(engine: Engine, message: str, history: list[Turn] | None = None) -> ChatResponse:
    return asyncio.run(engine.executor.answer(ChatRequest(message=message, history=history or []), "test"))


def ids(answer: ChatResponse) -> list[str]:
    return [str(source.metadata["id"]) for source in answer.sources]


@pytest.mark.parametrize("half", ["dev", "final"])
def test_kinds_are_told_apart_without_a_model(engine: Engine, half: str) -> None:
    file = PROJECT_ROOT / "evaluation" / "datasets" / f"google_api_kinds_{half}.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    reader = engine.routing.current.classifier.reader
    right = [KINDS[kind_of(row["question"], reader.read(row["question"]))] == row["kind"] for row in rows]
    assert len(rows) == 70
    assert sum(right) / len(right) >= 0.92


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("Firestore 백업 일정은 어떤 주기로 만들 수 있나요?", BACKUP),
        ("How do I create a label in Gmail?", "gmail/labels.txt"),
        ("드라이브에서 변경사항을 추적하려면?", "drive/changes.txt"),
    ],
)
def test_a_page_is_found_whatever_language_it_is_in(engine: Engine, question: str, page: str) -> None:
    answer = ask(engine, question)
    assert (answer.domain, ids(answer)) == ("api_docs", [page])


def test_a_named_product_is_searched_for_among_its_own_documents(engine: Engine) -> None:
    """Both products have a page on backups; the tag decides, as metadata, which is looked at."""
    assert "gmail/backup.txt" in ids(ask(engine, "Gmail 메일함 백업 일정은 어디에서 정하나요?"))
    assert not any(found.startswith("gmail/") for found in ids(ask(engine, "Firestore 백업 일정은 몇 주 보관하나요?")))


def test_questions_with_answers_are_searched_beside_the_texts(engine: Engine) -> None:
    answer = ask(engine, "labels.delete로 쓰지 않는 라벨을 지워야 하나요?")
    assert QUESTION["id"] in ids(answer)
    assert len(answer.asks) == 1, "both collections are searched for one question"


def test_what_was_asked_before_is_told_from_the_history(engine: Engine) -> None:
    answer = ask(engine, "이전에 뭐 물어봤죠?", ASKED)
    assert all(turn.content in answer.content for turn in ASKED if turn.role == "user")
    first = ask(engine, "처음에 물어본 게 뭐였죠?", ASKED)
    assert ASKED[0].content in first.content
    assert ASKED[2].content not in first.content
    assert "없습니다" in ask(engine, "이전에 뭐 물어봤죠?").content


def test_another_subject_is_named_and_what_can_be_asked_is_said(engine: Engine) -> None:
    answer = ask(engine, "친구랑 싸웠는데 당뇨병 치료는 어떻게 해?")
    assert answer.sources == []
    assert "당뇨병" in answer.content
    assert "Google API" in answer.content


def test_an_api_question_among_talk_is_answered_from_documents(engine: Engine) -> None:
    answer = ask(engine, "안녕하세요 오늘 너무 피곤하네요. Gmail 라벨은 몇 개까지 만들 수 있나요?")
    assert "gmail/labels.txt" in ids(answer)


@pytest.mark.parametrize(
    ("wrong", "right", "told"),
    [
        ('domain = "api_qa"\nk = 20', 'domain = "api_faq"\nk = 20', "api_faq"),
        ("glossary.toml", "missing.toml", "missing.toml"),
        ("history = 4", "memory = 4", "memory"),
    ],
)
def test_a_wrong_parameter_is_named(engine: Engine, tmp_path: Path, wrong: str, right: str, told: str) -> None:
    for name in (NAME, "bizi"):
        shutil.copytree(SHIPPED_ASSISTANTS / name, tmp_path / name)
    file = tmp_path / NAME / "assistant.toml"
    text = file.read_text(encoding="utf-8")
    assert wrong in text
    file.write_text(text.replace(wrong, right), encoding="utf-8")
    pack = assistant_named(NAME, tmp_path)
    tools = replace(engine.router().abilities[0].tools, folder=pack.folder)
    with pytest.raises(AssistantDataError, match=told):
        build_abilities(pack.abilities, tools)
