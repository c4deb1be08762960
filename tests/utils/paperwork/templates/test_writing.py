"""Texts of templates: particles that fit, conditions, and a sandbox that gives nothing away."""

from __future__ import annotations

import pytest
from jinja2 import TemplateError
from jinja2.exceptions import SecurityError

from utils.paperwork.templates.values import BLANK, Blank
from utils.paperwork.templates.writing import filled, holds, with_particle


@pytest.mark.parametrize(
    ("value", "pair", "said"),
    [
        ("온기카페", "을/를", "온기카페를"),
        ("푸른목재상", "을/를", "푸른목재상을"),
        ("서울", "으로/로", "서울로"),
        ("부산", "으로/로", "부산으로"),
        ("주식회사 다온랩", "과/와", "주식회사 다온랩과"),
        ("팀 3", "은/는", "팀 3은(는)"),
        (BLANK, "이/가", f"{BLANK}이(가)"),
        ("Bizi", "으로/로", "Bizi(으)로"),
    ],
)
def test_particles_fit_the_word(value: str, pair: str, said: str) -> None:
    assert with_particle(value, pair) == said


def test_blanks_are_false_unlike_everything_and_printed() -> None:
    values = {"wage": Blank("______원"), "kind": Blank()}
    assert filled("{{ wage }}", values) == "______원"
    assert not holds("wage > 0 or wage < 10 or kind == 'minor'", values)
    assert holds("not wage", values)


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ self.__init__.__globals__ }}",
        "{% for i in range(10 ** 9) %}x{% endfor %}",
        "{{ lipsum() }}",
        "{% include 'settings.py' %}",
        "{{ unknown }}",
    ],
)
def test_templates_reach_nothing_but_their_values(text: str) -> None:
    with pytest.raises((SecurityError, TemplateError, TypeError)):
        filled(text, {})
