"""The sidebar of the formulas: the same letters in the same order on every tab, idle with a reason."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.formulas.tab import LETTERS, Tab
from pages.frame.carry_over import CHOICES
from pages.frame.menu import MENU, entry_of
from tests.pages.visits import turn_to, visit

pytestmark = pytest.mark.usefixtures("short_runs")
TABS = [entry.name for entry in MENU["Formulas"]]
LETTER_OF = {label: name for name, letter in LETTERS.items() for label in letter.labels}


def tab(name: str) -> Tab[Any]:
    found: Tab[Any] = import_module(f"{entry_of(name).package}.layout").TAB
    return found


def letters(app: AppTest) -> list[Any]:
    """Return the sliders of letters, from above."""
    return [one for one in app.sidebar.slider if one.label in LETTER_OF]


@pytest.mark.parametrize("name", TABS)
def test_every_letter_is_in_its_place_moves_something_or_says_why_not(name: str) -> None:
    drawn = letters(visit(name))
    assert [LETTER_OF[one.label] for one in drawn] == [*LETTERS]
    for one in drawn:
        why = tab(name).idle.get(LETTER_OF[one.label], "")
        assert one.disabled == bool(why)
        assert one.help.startswith(why)


def test_what_several_tabs_have_is_carried_between_them() -> None:
    for letter in LETTERS.values():
        means = letter.labels[0]  # where a letter means two things, the other one stays where it is
        alike = {name for name in TABS for one in tab(name).panel.controls.values() if one.label == means}
        assert set(CHOICES[letter.carried]) & set(TABS) == alike


def test_an_idle_letter_shows_what_was_chosen_elsewhere_even_beyond_its_own_ends() -> None:
    app = visit("detection", load="1.7", copies="4")
    app.query_params.clear()
    shown = {LETTER_OF[one.label]: one.value for one in letters(turn_to(app, "threshold").run())}
    assert (shown["ρ₀"], shown["c"]) == (1.7, 4)
    assert shown["β"] == 1.5  # a default does not travel


def test_a_link_that_shows_few_controls_shows_no_idle_ones() -> None:
    assert [one.label for one in visit("threshold", show="beta").sidebar.slider] == [
        "Tail index β of task times"
    ]
