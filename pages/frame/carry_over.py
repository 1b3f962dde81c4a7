"""Choices carried over: what a visitor sets on one page is set on the next, where it means the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import streamlit as st

#: What is carried over, in words, and the control of each page that means it.
CHOICES: dict[str, dict[str, str]] = {
    "offered load": {
        "compare": "load",
        "map": "load",
        "cloning": "omega",
        "detection": "omega",
        "coding": "load",
        "coded": "omega",
        "decentralised": "load",
    },
    "tail index": {
        "compare": "straggle_tail",
        "map": "straggle_tail",
        "threshold": "beta",
        "allocation": "beta",
        "detection": "alpha",
        "coding": "straggle_tail",
        "coded": "tail",
        "decentralised": "tail",
        "rollouts": "beta",
    },
    "history": {"diagnose": "log", "whatif": "log"},
    "slots": {"compare": "slots", "map": "slots", "allocation": "S", "coded": "S"},
    "tasks": {"threshold": "TA", "cloning": "tasks", "coded": "k"},
    "copies": {"detection": "copies"},
    "unfairness": {"allocation": "epsilon"},
    "seed": {
        "compare": "seed",
        "map": "seed",
        "cloning": "seed",
        "detection": "seed",
        "coding": "seed",
        "decentralised": "seed",
    },
}
#: What goes along as a page shows it, chosen or not, since pages begin with different ones; and the control
#: that says of a visitor's own files, which are shown instead.
SHOWN, OWN = {"history"}, "file"
#: Where a session has what has been chosen, by what it means.
KEY = "carried over"
#: Page -> name of its control -> what it means.
_MEANS: dict[str, dict[str, str]] = {}
for _choice, _controls in CHOICES.items():
    for _page, _name in _controls.items():
        _MEANS.setdefault(_page, {})[_name] = _choice


def chosen(page: str, name: str, value: Any) -> None:
    """Note what a visitor has chosen on a page, if it means something elsewhere."""
    if choice := _MEANS.get(page, {}).get(name):
        st.session_state.setdefault(KEY, {})[choice] = value


def forget_shown() -> None:
    """Forget what goes along as a page shows it: a visitor's own files are shown instead."""
    for choice in SHOWN:
        st.session_state.get(KEY, {}).pop(choice, None)


def moved(page: str, values: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    """Note which values of a page differ from those before, and what goes along as it is shown."""
    for name, choice in _MEANS.get(page, {}).items():
        if name not in values:
            continue
        shown = choice in SHOWN and not values.get(OWN)
        if shown or (name in before and values[name] != before[name]):
            chosen(page, name, values[name])


def arriving(page: str) -> Iterator[tuple[str, str, Any]]:
    """Yield what has been chosen elsewhere: the name of this page's control, what it means, and the value."""
    held = st.session_state.get(KEY, {})
    for name, choice in _MEANS.get(page, {}).items():
        if choice in held:
            yield name, choice, held[choice]
