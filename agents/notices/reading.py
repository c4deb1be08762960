"""A turn about notices: what it is read by, and what it is read as."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from schemas.chat import SessionState, Turn
from utils.domain_classifier import DomainClassificationResult
from vectorstores.notices.criteria import Criteria
from vectorstores.notices.library import Shelf

Classify = Callable[[str], DomainClassificationResult]
"""Routes a question to the domains of the assistant that it is put to."""


@dataclass(frozen=True, slots=True)
class Focus:
    """The notices that an assistant talks about: kinds of them, all where ``packs`` is empty.

    ``leads``: they are what it is for, so that a list needs no word for notices.
    """

    packs: tuple[str, ...] = ()
    leads: bool = False


EVERYTHING = Focus()


@dataclass(frozen=True, slots=True)
class Reading:
    """A turn as the ability for notices takes it; ``intent`` is a `NoticeIntent` or the name of an intent of the pack.

    ``indexes`` into the list before, ``question`` about a notice, ``criteria`` of a search with its ``page`` and order; ``ask_back`` names what is
    missing where it is a clarification.
    """

    intent: str
    pack: str
    indexes: tuple[int, ...] = ()
    question: str = ""
    criteria: Criteria | None = None
    page: int = 1
    sort: str = "fit"
    unknown_place: str = ""
    ask_back: str = ""


@dataclass(frozen=True, slots=True)
class NoticeTurn:
    """A message with all that it is read by. ``squeezed``: without blanks and marks at its end; ``key``: its pack."""

    message: str
    squeezed: str
    history: Sequence[Turn]
    state: SessionState
    key: str
    today: date
    classify: Classify
    focus: Focus
    shelf: Shelf
