"""A model's text is cleaned as it arrives, wherever it is split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.sanitizing.output_text import OutputCleaner
from utils.sanitizing.sanitize import clean_text

# Korean, white space, and the beginnings, middles and ends of what is taken out
_PARTS = st.sampled_from(
    [
        "신고",
        "한다. ",
        "[1]",
        "\n",
        "\r\n",
        " ",
        "\x1b",
        "\x1b[",
        "31",
        "m",
        "\x1b]8;;",
        "\x07",
        "\x9b",
        "\u202e",
        "\u200b",
        "\x00",
        "가",
        "각",
    ]
)


def cleaned(*pieces: str) -> str:
    cleaner = OutputCleaner()
    return "".join([*map(cleaner.feed, pieces), cleaner.flush()])


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("  답입니다. [1]\n\n", "답입니다. [1]"),
        ("\x1b[1;31m붉은\x1b[0m 글", "붉은 글"),
        ("\x1b]8;;https://evil.example\x1b\\누르세요\x1b]8;;\x07", "누르세요"),
        ("\x1b]0;제목\x07본문", "본문"),
        ("\x9b31m글", "글"),
        ("신고\x1bc 납부", "신고 납부"),
        ("줄\r\n줄\u2028줄", "줄\n줄\n줄"),
        ("\u202e일52\u202c", "일52"),
        ("\u1100\u1161\u11a8", "각"),
        ("그대로 **굵게** `코드` | 표 |", "그대로 **굵게** `코드` | 표 |"),
    ],
)
def test_what_is_shown(written: str, shown: str) -> None:
    assert cleaned(written) == shown
    assert cleaned(*written) == shown  # character by character


@given(st.lists(_PARTS, max_size=20), st.data())
def test_where_it_is_split_changes_nothing(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    whole = cleaned(text)
    assert cleaned(*pieces) == whole
    assert whole == whole.strip()
    assert clean_text(whole) == whole


@given(st.text())
def test_any_text_comes_out_clean(text: str) -> None:
    assert clean_text(cleaned(*text)) == cleaned(*text)
