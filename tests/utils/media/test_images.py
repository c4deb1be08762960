"""Pictures by their content."""

from __future__ import annotations

import pytest

from tests.support.media import GIF, JPEG, PNG, WEBP, data_address
from utils.media.images import ImageRefused, picture_in, picture_of


@pytest.mark.parametrize(
    ("data", "media_type"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (WEBP, "image/webp"), (GIF, "image/gif")]
)
def test_a_picture_is_of_the_type_that_its_bytes_say(data: bytes, media_type: str) -> None:
    picture = picture_in(data_address(data, "image/bmp"), 1000)
    assert (picture.media_type, picture.data) == (media_type, data)
    assert picture.address == data_address(data, media_type)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (data_address(b"<svg onload='alert(1)'/>", "image/svg+xml"), "PNG, JPEG"),
        (data_address(b"%PDF-1.7"), "PNG, JPEG"),
        (data_address(b""), "PNG, JPEG"),
        (data_address(PNG + bytes(2000)), "너무 큽니다"),
        ("data:image/png;base64,@@@@", "읽을 수 없습니다"),
        ("data:image/png," + "A" * 8, "읽을 수 없습니다"),
        ("data:text/html;base64,AAAA", "읽을 수 없습니다"),
    ],
)
def test_anything_else_is_refused_in_korean(address: str, told: str) -> None:
    with pytest.raises(ImageRefused, match=told):
        picture_in(address, 1000)


def test_the_limit_is_that_of_the_picture_and_not_of_its_text() -> None:
    assert picture_in(data_address(PNG), len(PNG)).data == PNG
    with pytest.raises(ImageRefused):
        picture_of(PNG, len(PNG) - 1)
