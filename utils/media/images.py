"""Pictures that come with a question. Their kind is told by their first bytes, whatever the sender calls them."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

_DATA = re.compile(r"data:image/[a-z0-9.+-]{1,40}((?:;[a-z0-9=-]{1,40}){0,4}),", re.IGNORECASE)
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)

NO_PICTURE = "PNG, JPEG, WebP, GIF 이미지만 받습니다."
TOO_LARGE = "이미지가 너무 큽니다. {most}MB까지 받습니다."
NOT_READABLE = "이미지를 읽을 수 없습니다. data:image/png;base64,… 모양이어야 합니다."


class ImageRefused(ValueError):
    """A picture that is none, or too large; the message says so in Korean."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture and its media type."""

    data: bytes
    media_type: str

    @property
    def address(self) -> str:
        """The picture as a data address of the type that it is."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.data).decode()}"


def picture_of(data: bytes, most: int) -> Picture:
    """Return ``data`` of at most ``most`` bytes as a picture. Raises `ImageRefused`."""
    if len(data) > most:
        raise ImageRefused(TOO_LARGE.format(most=_megabytes(most)))
    for signature, media_type in _SIGNATURES:
        if data.startswith(signature):
            return Picture(data, media_type)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Picture(data, "image/webp")
    raise ImageRefused(NO_PICTURE)


def picture_in(address: str, most: int) -> Picture:
    """Return the picture in a ``data:`` address, of at most ``most`` bytes; milliseconds for a large one. Raises `ImageRefused`."""
    head = _DATA.match(address)
    if head is None or not head[1].lower().endswith(";base64"):
        raise ImageRefused(NOT_READABLE)
    body = address[head.end() :]
    if len(body) // 4 * 3 > most + 2:
        raise ImageRefused(TOO_LARGE.format(most=_megabytes(most)))
    try:
        data = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ImageRefused(NOT_READABLE) from error
    return picture_of(data, most)


def _megabytes(size: int) -> str:
    return f"{size / 1_048_576:.3g}"
