"""Small statutes in the official Markdown form, in words of our own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write_statute(folder: Path, title: str, articles: Mapping[str, str]) -> Path:
    """A file of one statute; ``articles`` maps a heading (``제1조 (목적)``) to its text."""
    body = "\n\n".join(f"##### {heading}\n\n{text}" for heading, text in articles.items())
    file = folder / f"{title.replace(' ', '')}.md"
    file.write_text(
        f"---\n제목: {title}\n법령MST: 1\n법령구분: 법률\n공포일자: 2020-01-01\n시행일자: 2020-07-01\n"
        f"출처: https://www.law.go.kr/법령/{title.replace(' ', '')}\n---\n\n# {title}\n\n{body}\n",
        encoding="utf-8",
    )
    return file
