"""Names of downloaded files, as a client over a real connection sees them."""

from __future__ import annotations

import unicodedata
from email.message import Message
from urllib.parse import unquote

import httpx
import pytest
from fastapi import FastAPI, Response

from tests.support.local_server import LocalServer
from utils.http.downloads import MAX_STEM_BYTES, attachment, safe_stem


def _saved_as(header: str) -> str:
    """The name that a browser takes: filename* before filename (RFC 6266, section 4.3)."""
    message = Message()
    message["Content-Disposition"] = header.replace("filename=", "plain=")
    name = message.get_filename()
    assert name is not None
    return name


@pytest.mark.parametrize("stem", ["표준근로계약서_홍길동", "contract", "비밀유지계약 (NDA) 100%, 'a'; b"])
def test_a_korean_name_survives_http(stem: str) -> None:
    app = FastAPI()

    @app.get("/")
    async def download() -> Response:
        return Response(b"x", headers={"Content-Disposition": attachment(stem, "pdf")})

    with LocalServer(app) as server, httpx.Client(trust_env=False) as client:
        header = client.get(server.url).headers["content-disposition"]
    assert _saved_as(header) == f"{safe_stem(stem)}.pdf"
    encoded = header.partition("filename*=UTF-8''")[2]
    assert unquote(encoded) == f"{safe_stem(stem)}.pdf"
    assert encoded.isascii()


def test_an_old_client_finds_a_name_in_ascii() -> None:
    assert 'filename="articles.hwpx"' in attachment("정관", "hwpx", plain="articles")
    assert 'filename="nda 2026.pdf"' in attachment("nda 2026", "pdf")


@pytest.mark.parametrize(
    ("wanted", "stem"),
    [
        ("../../etc/passwd", "etc_passwd"),
        ("C:\\계약서", "C_계약서"),
        ("계약\r\nSet-Cookie: a=b", "계약_Set-Cookie_ a=b"),
        ("계약서\u202efdp.exe", "계약서fdp.exe"),
        ("\ud800\x00", "document"),
        ("...", "document"),
        ("nul", "_nul"),
        ("COM1.계약", "_COM1.계약"),
        (unicodedata.normalize("NFD", "각서"), "각서"),
    ],
)
def test_a_name_never_leaves_its_folder_nor_its_header(wanted: str, stem: str) -> None:
    assert safe_stem(wanted) == stem
    assert not set('\r\n"\\') & set(attachment(wanted, "pdf").replace('filename="', "").replace('";', ""))


def test_a_long_name_is_cut_between_characters() -> None:
    stem = safe_stem("가나다" * 1000)
    assert len(stem.encode()) <= MAX_STEM_BYTES
    assert stem == ("가나다" * 1000)[: len(stem)]
