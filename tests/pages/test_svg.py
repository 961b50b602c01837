"""Figures: in the colours of the pages they stand on, with names that keep to their place."""

import re

from hypothesis import given
from hypothesis import strategies as st

from countersight.html import shortened, source

WIDE = {"M": 0.863, "模": 1.0, "w": 0.818, "a": 0.613, "E": 0.632}
"""Of an em, in DejaVu Sans."""


def test_figures_have_the_colours_of_pages_in_light_and_dark() -> None:
    colours = [
        [set(re.findall(r"#\w{6}", part)) for part in text.split("(prefers-color-scheme: dark)")]
        for text in (source("countersight.html", "page.css"), source("countersight.reports", "plot.svg"))
    ]
    for known, found in zip(*colours, strict=True):
        assert len(found) > 5
        assert found <= known


def test_a_name_is_shortened_in_its_middle_and_keeps_what_tells_it_from_others() -> None:
    assert shortened("visprog:reference;vision=scene", 32) == "visprog:reference;vision=scene"
    assert shortened("a" * 40 + "bcd", 11) == "aaaaa…bcd"
    assert shortened("counterfactual-flowers-made-for-a-long-title", 28) == "counterfactual-flowers-…-title"
    names = [f"endpoint-lab/Qwen2.5-VL-{size}-Instruct-AWQ-revision-2026-01" for size in ("72B", "7B", "3B")]
    short = [shortened(each, 28, names) for each in names]
    assert all(size in each for size, each in zip(("72B", "7B", "3B"), short, strict=True))
    assert all(each.startswith("endpoint") and each.endswith("01") for each in short)
    assert len(set(short)) == 3


@given(st.lists(st.text(alphabet="".join(WIDE), min_size=1, max_size=200), min_size=1), st.integers(8, 40))
def test_no_name_is_much_wider_than_its_place(names: list[str], most: int) -> None:
    for short in (shortened(name, most, names) for name in names):
        assert sum(WIDE.get(letter, 1.0) for letter in short) <= 0.7 * most
