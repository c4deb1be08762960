"""An index of the assistant for Google APIs over a few pages written for tests, and questions with answers beside them."""

from __future__ import annotations

import json
from pathlib import Path

from utils.assistants.pack import settings_of_assistant
from utils.config.settings import Settings
from vectorstores.build.ingest import BuildProviders, Ingest
from vectorstores.build.staging import Source
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer

NAME = "google_api"
BACKUP = "firebase_firestore/backup-schedules.txt"
PAGES = {
    BACKUP: """Backup schedules keep copies of a database.
A backup schedule takes a copy once a day or once a week. Backups are kept for 14 weeks at most.
Call databases.backupSchedules.create to create a backup schedule. Restoring a backup writes it to a new database.""",
    "firebase_firestore/listen.txt": """문서의 변경사항을 실시간으로 수신하는 방법입니다.
리스너를 등록하면 문서가 바뀔 때마다 스냅샷을 받습니다. 리스너는 detach로 해제합니다.""",
    "gmail/labels.txt": """라벨을 만들고 관리하는 방법입니다.
labels.create 메서드로 라벨을 만듭니다. 라벨 이름은 225자를 넘을 수 없습니다. 라벨은 500개까지 만들 수 있습니다.""",
    "gmail/backup.txt": """메일함을 백업하는 방법입니다.
백업 파일은 mbox 형식입니다. 백업 일정은 관리 콘솔에서 정합니다.""",
    "drive/changes.txt": """드라이브의 변경사항을 추적하는 방법입니다.
changes.getStartPageToken으로 시작 페이지 토큰을 받고 changes.list로 변경 목록을 조회합니다.""",
}
QUESTION = {
    "id": "qa-1",
    "question": "라벨을 500개보다 많이 만들 수 있나요?",
    "answer": "아니요. 라벨은 사용자마다 500개가 한도입니다. 쓰지 않는 라벨을 labels.delete로 지워야 합니다.",
}


def write_pages(folder: Path) -> Path:
    """Write the pages as they are crawled, a folder a tag."""
    for name, text in PAGES.items():
        page = folder / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(
            f"Source URL: https://example.com/{name}\nTitle: {text.splitlines()[0]}\n{text}\n", encoding="utf-8"
        )
    return folder


def build_index(
    service: Settings, folder: Path, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, *, questions: bool = True
) -> Settings:
    """Ingest the pages, which name no collection, and where wanted the question; returns the assistant's settings."""
    settings = settings_of_assistant(service, None, NAME)
    pages = write_pages(folder / "pages")
    sources = [Source(pages, loader_for(pages), pages.as_posix(), None)]
    if questions:
        file = folder / "questions.jsonl"
        file.write_text(json.dumps(QUESTION, ensure_ascii=False) + "\n", encoding="utf-8")
        sources.append(Source(file, loader_for(file), file.as_posix(), "api_qa"))
    Ingest(settings, BuildProviders(tokenizer.id, embedder.id, lambda: (tokenizer, embedder))).run(sources)
    return settings
