"""A conversation's state that a client hands in is handed out again, and has to be taken again as it then is."""

from __future__ import annotations

import pytest

from routes.sanitized_chat import sanitized_chat
from schemas.chat import ChatRequest, SessionState

COMPOSED_AS_THREE = "\ufb2c"


@pytest.mark.parametrize("word", ["\u200b", "\x85\u200b", COMPOSED_AS_THREE * 60, "창업\u200b"])
def test_a_cleaned_state_is_one_that_the_schema_allows(word: str) -> None:
    state = {
        "prev_anncs": [{"pack": "funding", "id": "1", "title": word}],
        "selected_annc": {"pack": "funding", "id": "1", "title": COMPOSED_AS_THREE * 300},
        "search": {"pack": "funding", "fields": [word, "수출"], "agency": word},
    }
    request = ChatRequest.model_validate({"message": "부산 지원사업 찾아줘", "session_state": state})
    cleaned = sanitized_chat(request).session_state
    assert cleaned is not None
    taken = SessionState.model_validate(cleaned.model_dump(mode="json"))
    assert taken.search is not None
    assert taken.search.fields[-1] == "수출"


def test_words_of_which_nothing_is_left_are_no_condition() -> None:
    state = {"search": {"pack": "funding", "fields": ["\u200b", "수\u200b출"]}}
    cleaned = sanitized_chat(ChatRequest.model_validate({"message": "지원사업", "session_state": state})).session_state
    assert cleaned is not None
    assert cleaned.search is not None
    assert cleaned.search.fields == ["수출"]
