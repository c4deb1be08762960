"""The conditions of the last list as a conversation keeps them, and what the next turn changes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from schemas.chat import SessionState
from schemas.funding.notices import NoticeStatus
from schemas.notice_state import KeptSearch
from vectorstores.notices.criteria import Criteria
from vectorstores.notices.library import Shelf
from vectorstores.notices.pack import NoticePack
from vectorstores.notices.regions import NATIONWIDE

_LONGEST_WORD = 60
_MOST_WORDS = 20


def kept_search(criteria: Criteria, page: int, sort: str) -> KeptSearch:
    """Return the conditions for the next turn, within their limits."""

    def some(words: Sequence[str]) -> list[str]:
        return [word[:_LONGEST_WORD] for word in words[:_MOST_WORDS]]

    return KeptSearch(
        pack=criteria.pack,
        regions=some([*([NATIONWIDE] if criteria.nationwide else []), *criteria.regions]),
        cities=some(criteria.cities),
        fields=some(criteria.fields),
        targets=some(criteria.targets),
        statuses=[status.value for status in criteria.statuses],
        keywords=some(criteria.keywords),
        agency=criteria.agency[:_LONGEST_WORD],
        stage=criteria.stage[:_LONGEST_WORD],
        year=criteria.year,
        ends_from=criteria.ends_from,
        ends_to=criteria.ends_to,
        open_on=criteria.open_on,
        amount_min=criteria.amount_min,
        page=page,
        sort="deadline" if sort == "deadline" else "fit",
    )


def criteria_of(state: SessionState) -> Criteria:
    """Return the conditions of the last list."""
    kept = state.search
    assert kept is not None, "there is a last list"
    return Criteria(
        pack=kept.pack,
        keywords=tuple(kept.keywords),
        regions=tuple(name for name in kept.regions if name != NATIONWIDE),
        cities=tuple(kept.cities),
        nationwide=NATIONWIDE in kept.regions,
        fields=tuple(kept.fields),
        targets=tuple(kept.targets),
        stage=kept.stage,
        statuses=tuple(status for status in NoticeStatus if status.value in kept.statuses),
        agency=kept.agency,
        year=kept.year,
        ends_from=kept.ends_from,
        ends_to=kept.ends_to,
        open_on=kept.open_on,
        amount_min=kept.amount_min,
    )


def narrowed(before: Criteria, given: Criteria, pack: NoticePack) -> Criteria:
    """Return the conditions of before with those that were given in their place; of fields, those of the same filter."""
    changes: dict[str, object] = {}
    if given.regions or given.nationwide:
        changes |= {"regions": given.regions, "cities": given.cities, "nationwide": given.nationwide}
    if given.fields:
        filters = {pack.filter_of(name) for name in given.fields}
        stay = tuple(name for name in before.fields if pack.filter_of(name) not in filters)
        changes["fields"] = (*stay, *given.fields)
    for name in ("targets", "stage", "statuses", "agency", "amount_min"):
        if value := getattr(given, name):
            changes[name] = value
    times = ("year", "ends_from", "ends_to", "open_on")
    if any(getattr(given, name) is not None for name in times):
        changes |= {name: getattr(given, name) for name in times}
    return replace(before, **changes)  # type: ignore[arg-type]


def of_packs(state: SessionState, shelf: Shelf) -> SessionState:
    """Return the state without what is of packs that there are not: a client may send anything, and packs may go."""
    listed = [ref for ref in state.prev_anncs if ref.pack in shelf.catalogues]
    selected, search = state.selected_annc, state.search
    return SessionState(
        prev_anncs=listed,
        selected_annc=selected if selected is not None and selected.pack in shelf.catalogues else None,
        search=search if search is not None and search.pack in shelf.catalogues else None,
    )
