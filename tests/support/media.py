"""Small pictures and recordings, as bytes."""

from __future__ import annotations

import base64
import io
import wave

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(32)
WEBP = b"RIFF\x1a\x00\x00\x00WEBPVP8 " + bytes(32)
GIF = b"GIF89a" + bytes(32)


def data_address(data: bytes, media_type: str = "image/png") -> str:
    """The bytes as a ``data:`` address that calls them ``media_type``."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def spoken(seconds: float = 1.0) -> bytes:
    """A WAV file of silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8000)
        writer.writeframes(bytes(round(16_000 * seconds)))
    return file.getvalue()
