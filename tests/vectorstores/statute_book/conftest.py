"""Statutes on a server of this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.law_server import Law, LawServer, article


@pytest.fixture
def center() -> Iterator[LawServer]:
    """Five statutes on three pages."""
    server = LawServer(
        [
            Law("11", "001", "시험 보호법", articles=[article(1, "보호한다.", "목적"), article(2, "뜻이다.", "정의")]),
            Law("12", "002", "시험 보호법 시행령", "대통령령"),
            Law("13", "003", "시험 보호법 시행규칙", "고용노동부령"),
            Law("14", "004", "장부·전표 규정", "대통령령"),
            Law("15", "005", "시험법"),
        ]
    )
    with server.server:
        yield server
