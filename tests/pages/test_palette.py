"""The colours of charts are those of the app's themes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sim.telling.palette import BAND, faded, palette
from tests.test_structure import contrast

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("dark", "theme"), [(False, "light"), (True, "dark")])
def test_policies_take_the_colours_of_the_theme_in_the_order_of_selection(dark: bool, theme: str) -> None:
    chosen = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"][theme]
    names = [f"policy {k}" for k in range(5)]
    assert list(palette(dark).of(names).values()) == chosen["chartCategoricalColors"][:5]
    assert (palette(dark).ink, palette(dark).paper) == (chosen["textColor"], chosen["backgroundColor"])


def test_a_policy_keeps_its_colour_when_one_is_added_after_it() -> None:
    assert palette(dark=False).of("ab")["a"] == palette(dark=False).of("abc")["a"]


def test_more_policies_than_colours_still_have_one_each() -> None:
    assert len(palette(dark=True).of(range(12))) == 12  # type: ignore[arg-type]


def test_bands_let_the_curves_through() -> None:
    assert 0.15 <= BAND <= 0.25
    assert faded("#102030", 0.5) == "rgba(16,32,48,0.5)"


@pytest.mark.parametrize("dark", [False, True])
def test_jobs_have_ten_colours_that_stand_out_and_that_no_policy_has(dark: bool) -> None:
    colors = palette(dark)
    assert len(set(colors.jobs)) == 10
    assert not set(colors.jobs) & set(colors.of("abcde").values())
    assert min(contrast(color, colors.paper) for color in colors.jobs) >= 3
