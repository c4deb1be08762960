"""Messages to somebody else's model without the numbers, addresses and keys of people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage

from utils.observability.pseudonyms import Pseudonyms
from utils.prompts.common import PLACEHOLDER_RULE


def masked_messages(messages: Sequence[BaseMessage], names: Pseudonyms) -> list[BaseMessage]:
    """The messages with the placeholders of ``names``, and with the rule to keep these where there are any.

    System messages are the service's own words and stay. It takes a millisecond for a thousand characters with many numbers.
    """
    sent = [
        message
        if isinstance(message, SystemMessage)
        else message.model_copy(update={"content": _masked(message.content, names)})
        for message in messages
    ]
    if not names:
        return list(messages)
    return [
        SystemMessage(f"{message.text}\n\n{PLACEHOLDER_RULE}") if isinstance(message, SystemMessage) else message
        for message in sent
    ]


def _masked(content: str | list[str | dict[str, Any]], names: Pseudonyms) -> str | list[str | dict[str, Any]]:
    """The texts of a message masked; a picture beside them stays."""
    if isinstance(content, str):
        return names.masked(content)
    return [
        block | {"text": names.masked(block["text"])} if isinstance(block, dict) and "text" in block else block
        for block in content
    ]
