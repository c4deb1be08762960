"""Text from outside between the tags of a prompt: data that can neither close its block nor open another."""

from __future__ import annotations

import re

from utils.sanitizing.prompt_blocks import BLOCKS
from utils.sanitizing.sanitize import clean_text, neutralize_injection

MAX_FEEDBACK = 300
"""Characters of what is said of an answer; the model is asked for one sentence."""

# Full-width forms of ASCII are read like it; each is one character, so places stay the same.
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_TAG = re.compile(rf"<(?=\s*+/?+\s*+(?:{'|'.join(BLOCKS)})(?![A-Za-z]))", re.IGNORECASE)
_ESCAPED = "&lt;"


def as_data(text: str) -> str:
    """``text`` as it may stand in any block: plain, without a tag of ours and without orders to the model.

    Applied where a prompt is built, so that it also holds for what an older index or a model has written.
    """
    plain = clean_text(text)
    places = [match.start() for match in _TAG.finditer(plain.translate(_FULL_WIDTH))]
    for place in reversed(places):
        plain = plain[:place] + _ESCAPED + plain[place + 1 :]
    return neutralize_injection(plain)
