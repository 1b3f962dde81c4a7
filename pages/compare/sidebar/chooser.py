"""The policies that are compared: the chosen ones, and a menu of sharing rules × speculation rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.compare.controls import MOST_POLICIES, PAGE, PANEL, value
from pages.frame.limits import limits
from pages.shared.controls.links import key
from pages.shared.words.foreign import show_error
from sim.slots.policy import SlotPolicy, sharing_rules, speculation_rules
from sim.slots.rule import SlotRule

#: Keys of the menu's two choices.
TURN, COPIED = f"{PAGE}:turn", f"{PAGE}:copied"


def choose_policies(complaints: Sequence[str]) -> None:
    """Draw the chosen policies, what is wrong with some, and the menu to add another."""
    PANEL.draw("policies")
    for complaint in complaints:
        show_error(complaint)
    if not limits(PAGE).leaves("policies"):
        return
    menu = st.popover(
        "Add a policy", icon=":material/add:", width="stretch", key=f"{PAGE}:add", on_change="rerun"
    )
    if menu.open:
        with menu:
            _menu()


def _menu() -> None:
    """Draw all rules with what they do and where they are from, and the button that adds a pair of them."""
    left, right = st.columns(2)
    with left:
        sharing = _rules("Whose turn it is", TURN, sharing_rules())
    with right:
        speculation = _rules("Who is copied", COPIED, speculation_rules())
    policy = SlotPolicy.of(sharing, speculation)
    chosen = value("policies")
    full = len(chosen) >= MOST_POLICIES
    why = "No more can be told apart: remove one first." if full else (
        "This policy is compared already." if policy.text in chosen else None
    )  # fmt: skip
    st.button(
        f"Add {policy.name}", width="stretch", disabled=why is not None, help=why,
        key=f"{PAGE}:add it", on_click=_add, args=(policy.text,),
    )  # fmt: skip


def _rules(label: str, name: str, rules: Mapping[str, SlotRule]) -> str:
    """Draw a choice of rules, each with its summary and its source; return the key of the chosen one."""
    captions = [
        f"{rule.summary[0].upper()}{rule.summary[1:]}. {rule.reference}".rstrip() for rule in rules.values()
    ]
    chosen: str = st.radio(
        label, list(rules), format_func=lambda one: rules[one].title, captions=captions, key=name
    )
    return chosen


def _add(code: str) -> None:
    """Add a policy to those that are compared."""
    st.session_state[key(PAGE, "policies")] = [*value("policies"), code]
