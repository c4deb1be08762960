"""The housing assistant on invented notices and a few questions and answers, for tests."""

from __future__ import annotations

from pathlib import Path

from tests.support.notice_files import fill
from tests.support.small_index import write_lines
from tests.support.two_document_service import ingest_for, small_settings
from utils.config.settings import Settings
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

NAME = "housing"
FAQ = {
    "행복주택에는 누가 들어갈 수 있나요?": "행복주택에는 대학생, 청년, 신혼부부, 고령자, 주거급여수급자가 들어갈 수 있습니다.",
    "영구임대주택은 얼마 동안 살 수 있나요?": "영구임대주택은 2년마다 계약을 갱신하며 최대 50년까지 살 수 있습니다.",
    "주거급여는 누가 받나요?": "주거급여는 소득인정액이 기준 중위소득의 48퍼센트 이하인 가구가 받습니다.",
    "무주택세대구성원은 누구인가요?": "무주택세대구성원은 세대주와 같은 주민등록표에 오른 사람 모두가 집이 없는 세대의 구성원입니다.",
    "전세임대는 무엇인가요?": "전세임대는 입주자가 고른 집을 공사가 전세로 계약해 다시 빌려주는 임대주택입니다.",
}


def housing_settings(folder: Path, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, **more: object) -> Settings:
    """Return the settings of a service of its own in ``folder``: sample notices, and the housing assistant with `FAQ`."""
    settings = small_settings(folder, tokenizer, embedder, enable_sessions=True, **more)
    fill(settings, tokenizer)
    pairs: list[dict[str, object]] = [
        {"id": f"faq-{number}", "question": question, "answer": answer}
        for number, (question, answer) in enumerate(FAQ.items(), start=1)
    ]
    lines = write_lines(folder / "faq.jsonl", *pairs)
    ingest_for(settings, NAME, lines, tokenizer, embedder, "public_housing")
    return settings
