"""The sidebar of the formulas: the letters that several tabs have, in one order, then what only one has.

A letter that the open tab does not use is drawn all the same, with the value chosen elsewhere and the reason.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from pages.formulas.letters import LETTERS, Letter
from pages.formulas.tab import Tab
from pages.frame.carry_over import KEY
from pages.frame.limits import limits
from pages.shared.controls.control import Range
from pages.shared.controls.links import key
from pages.shared.controls.panel import Panel


def draw_sidebar(tab: Tab[Any]) -> dict[str, Any]:
    """Draw the sidebar of a tab, put its values into the address, and return them."""
    panel = tab.panel
    panel.begin()
    with st.sidebar:
        if panel.starts:
            panel.draw_start()
        for name, letter in LETTERS.items():
            _draw(panel, letter, tab.idle.get(name, ""))
        for place, (name, (label, icon, controls)) in enumerate(tab.drawers.items()):
            if place == 0:
                st.session_state.setdefault(f"{panel.page}:open:{name}", True)
            panel.draw_folded(name, label, icon, controls)
    values = panel.values()  # a table is read as it is drawn
    panel.write(values)
    return values


def _draw(panel: Panel, letter: Letter, why: str) -> None:
    """Draw a letter as the tab has it, or idle."""
    own = next((one for one in panel.controls.values() if one.label in letter.labels), None)
    if own is not None:
        panel.draw(own.name)
    elif limits(panel.page).shown is None:
        control, held = letter.idle, st.session_state.get(KEY, {})
        values, value = control.values, held.get(letter.carried, control.default)
        assert isinstance(values, Range)
        wide = replace(values, low=min(values.low, value), high=max(values.high, value))
        st.session_state[key("formulas", control.name)] = value
        replace(control, values=wide).widget("formulas", idle=why)
