"""Recordings of questions. Their format is told by their first bytes, and their length by what stands in them."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

from tinytag import TinyTag, TinyTagException

NO_RECORDING = "음성 파일이 아니거나 지원하지 않는 형식입니다. MP3, M4A(MP4), WAV, OGG, FLAC, WebM을 받습니다."
TOO_LARGE = "음성 파일이 너무 큽니다. {most:.3g}MB까지 받습니다."
TOO_LONG = "음성이 너무 깁니다. {most:g}초까지 받습니다."
EMPTY = "빈 음성 파일입니다."

_MPEG_SYNC = (b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xfa", b"\xff\xe3")
_SIGNATURES = (
    (b"ID3", "mp3", "audio/mpeg"),
    (b"fLaC", "flac", "audio/flac"),
    (b"OggS", "ogg", "audio/ogg"),
    (b"\x1a\x45\xdf\xa3", "webm", "audio/webm"),
)


class RecordingRefused(ValueError):
    """A recording that is none, or too large or long; the message says so in Korean."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording with the ending of its format, which the transcribing server goes by, and its media type."""

    data: bytes
    extension: str
    media_type: str

    @property
    def file_name(self) -> str:
        """A name that tells nothing but the format."""
        return f"recording.{self.extension}"


def recording_of(data: bytes, most_bytes: int, most_seconds: float) -> Recording:
    """Return ``data`` as a recording; blocking, milliseconds. WebM does not tell its length.

    Raises:
        RecordingRefused: it is none of the formats, or more than it may be.
    """
    if not data:
        raise RecordingRefused(EMPTY)
    if len(data) > most_bytes:
        raise RecordingRefused(TOO_LARGE.format(most=most_bytes / 1_048_576))
    recording = _recognized(data)
    if recording.extension == "webm":
        return recording
    try:
        told = TinyTag.get(f"recording.{recording.extension}", BytesIO(data), tags=False).duration
    except TinyTagException as error:
        raise RecordingRefused(NO_RECORDING) from error
    if not told:
        raise RecordingRefused(NO_RECORDING)
    if told > most_seconds:
        raise RecordingRefused(TOO_LONG.format(most=most_seconds))
    return recording


def _recognized(data: bytes) -> Recording:
    for signature, extension, media_type in _SIGNATURES:
        if data.startswith(signature):
            return Recording(data, extension, media_type)
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return Recording(data, "wav", "audio/wav")
    if data[4:8] == b"ftyp":
        return Recording(data, "m4a", "audio/mp4")
    if data.startswith(_MPEG_SYNC):
        return Recording(data, "mp3", "audio/mpeg")
    raise RecordingRefused(NO_RECORDING)
