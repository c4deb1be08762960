"""Recordings by their content."""

from __future__ import annotations

import pytest

from tests.support.media import PNG, spoken
from utils.media.recordings import RecordingRefused, recording_of


def test_a_recording_is_taken_by_its_content_and_length() -> None:
    recording = recording_of(spoken(2), 100_000, 2)
    assert (recording.file_name, recording.media_type) == ("recording.wav", "audio/wav")
    assert recording_of(b"\x1a\x45\xdf\xa3" + bytes(100), 1000, 1).extension == "webm"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (spoken(3), "너무 깁니다. 2초"),
        (spoken(1) + bytes(100_000), "너무 큽니다"),
        (PNG, "지원하지 않는 형식"),
        (b"RIFF\0\0\0\0WAVE", "지원하지 않는 형식"),
        (b"ID3" + b"\xff" * 60, "지원하지 않는 형식"),
        (b"fLaC" + bytes(60), "지원하지 않는 형식"),
        (b"OggS" + b"\1" * 60, "지원하지 않는 형식"),
        (b"\0\0\0\x18ftypM4A " + bytes(60), "지원하지 않는 형식"),
        (b"", "빈 음성"),
    ],
)
def test_anything_else_is_refused_in_korean(data: bytes, told: str) -> None:
    with pytest.raises(RecordingRefused, match=told):
        recording_of(data, 50_000, 2)
