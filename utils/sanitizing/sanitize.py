"""Text from outside as plain text: no invisible or undecodable characters, no instructions to a model.

Questions and documents are data. What is removed here carries no meaning a reader could see; what is neutralised tries
to speak to the model instead of asking.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from utils.sanitizing.injection import addressed_spans

INJECTION_MARK = "[제외된 지시문]"
_MAX_COMBINING_RUN = 3
_CACHED = 1_024  # questions that are asked again, and the turns of a conversation that come with each of its questions

# C0 and C1 controls but tab and newline, surrogates, bidirectional overrides and isolates, zero-width and other
# invisible format characters, variation selectors, tags, non-characters.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e0fff]"
)
_LINE_ENDS = re.compile("\r\n?|\u2028|\u2029|\x0b|\x0c|\x85")


def clean_text(text: str) -> str:
    """``text`` in NFC without invisible characters; line ends become ``\\n``; over-long combining runs are cut.

    Never longer than ``text`` beyond what NFC composes; idempotent; always encodable as UTF-8.
    """
    if text.isascii() and text.isprintable():
        return text
    visible = _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text))
    return unicodedata.normalize("NFC", _cut_combining_runs(visible))


def neutralize_injection(text: str) -> str:
    """``text`` with phrasings that address the model replaced by a mark; everything else stays as it was.

    What is taken out may bring together what lay too far apart to be one phrasing, so the rest is looked through again.
    """
    while spans := addressed_spans(text):
        pieces: list[str] = []
        done = 0
        for start, end in spans:
            pieces += [text[done:start], INJECTION_MARK]
            done = end
        text = "".join([*pieces, text[done:]])
    return text


@lru_cache(_CACHED)
def sanitize_question(text: str) -> str:
    """Return a user's text as the pipeline reads it: clean, neutralised, trimmed; may be empty."""
    return neutralize_injection(clean_text(text)).strip()


def printable(text: str, limit: int) -> str:
    """``text`` on one line for a message or a log, cut to ``limit`` characters."""
    return clean_text(text[:limit]).replace("\n", " ")


def _cut_combining_runs(text: str) -> str:
    if not any(map(unicodedata.combining, text)):
        return text
    kept: list[str] = []
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= _MAX_COMBINING_RUN:
            kept.append(character)
    return "".join(kept)
