"""Hours of the day as they are written."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from utils.config.provider_settings import Hours
from utils.config.settings import Settings


@pytest.mark.parametrize(
    ("text", "among", "not_among"),
    [("9-19", {9, 18}, {8, 19}), ("22-6", {22, 23, 0, 5}, {6, 21}), ("0-24", {0, 23}, set())],
)
def test_hours_of_a_day(text: str, among: set[int], not_among: set[int]) -> None:
    hours = Hours.read(text)
    assert all(hours.hold(hour) for hour in among)
    assert not any(hours.hold(hour) for hour in not_among)


@pytest.mark.parametrize("text", ["9", "9-25", "24-3", "9-9", "nine-ten", "9-19-20", "-1-5"])
def test_what_names_no_hours_stops_the_start(text: str) -> None:
    with pytest.raises(ValidationError, match="9-19"):
        Settings(runpod_keep_warm_hours=text)
