"""Endings and words as they are typed in chats, written out: 써야댐? is 써야 되나요?, 무급임? is 무급인가요?, 되나여 is 되나요.

What follows must read the ending to know that something is asked, and what; Kiwi takes the typed forms for nouns.
"""

from __future__ import annotations

import re

_END = r"(?=[ \t]?[?？!~.,ㅠㅜㅋㅎ]|\s|$)"
_ASKED = r"(?=[ \t]?[?？])"
_WRITTEN_OUT = tuple(
    (re.compile(pattern), written)
    for pattern, written in (
        (rf"(?<=[야도])([ \t]?)(?:대여|댐|됨|되여|돼여|되염|되냐|대나여|대나요|대){_END}", r"\1되나요"),
        (rf"(?<=[나까죠에예세데구해줘가져려래되돼봐])여{_END}", "요"),
        (rf"(?<![책위해선전후부취방일담운노재사신초])(?<=[가-힣])임{_ASKED}", "인가요"),
        (rf"(?<=[가-힣 ])됨{_ASKED}", "되나요"),
        (rf"(?<=[가-힣 ])함{_ASKED}", "하나요"),
        (rf"(?<=[있없받같])음{_ASKED}", "나요"),
        (r"짤(?=[라리렸려])", "잘"),
        (r"짜르(?=[는면려고거기지게])", "자르"),
    )
)


def written_out(text: str) -> str:
    """Return ``text`` with its chat endings in full; anything else stays as it is."""
    for pattern, written in _WRITTEN_OUT:
        text = pattern.sub(written, text)
    return text
