"""The layout of the tab Diagnose: the answer, cards, charts, what to notice, what was odd about the log."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import streamlit as st

from pages.logs.controls import ADVICE, draw_log
from pages.logs.diagnose.answer import Diagnosed, see
from pages.logs.diagnose.charts import causes, hosts, lost, pairs, slots, spread, tail
from pages.logs.diagnose.controls import PAGE, PANEL
from pages.logs.diagnose.details import show_details
from pages.logs.diagnose.words import after_the_answer, cards, notices
from pages.logs.words import odd, show_source
from pages.shared.app.placeholders import answer_place
from pages.shared.charts.on_page import is_dark
from pages.shared.controls.panel import drawer
from pages.shared.live.drawing import Drawing, Screen
from pages.shared.live.layout import Layout
from pages.shared.words.foreign import literal
from sim.advice.diagnosis import Diagnosis, charts
from sim.advice.diagnosis.causes import Causes

#: Links to places of What-if in its answer.
LINKS = re.compile(r"(?: ·)? \[[^\]]*\]\(#[^)]*\)")


def show(values: dict[str, Any]) -> None:
    """Show the log that is looked at; raises `BadInput`."""
    log, _ = draw_log(PAGE, values)
    seen, dark = see(log), is_dark()
    PANEL.write(values)
    answer_place().header("answer", literal(seen.found.answer), anchor=False)
    if more := after_the_answer(seen.found):
        st.markdown(more)
    advised, advice = st.session_state.get(ADVICE, ((), ""))
    if advised == log.key:  # nothing is played for it here
        st.markdown(f"What-if, as you have set it: {LINKS.sub('', advice)}")
    show_source(log, seen.found)
    shown = screen(seen, dark)
    Layout().show(shown)
    note, others = odd(seen.found)
    if note:
        with st.container(border=True):
            st.markdown(note)
            if others and (box := drawer(PAGE, "notes", f"{len(others):,} more", ":material/notes:")):
                box.markdown("\n".join(f"- {note}" for note in others))
    show_details(seen, shown, dark)


def screen(seen: Diagnosed, dark: bool) -> Screen:
    """Return what is shown of a log, made once."""
    found = seen.found
    return seen.once(("screen", dark), lambda: Screen(cards(found), drawings(found, dark), notices(found)))


def drawings(found: Diagnosis, dark: bool) -> list[Drawing]:
    """Draw the charts of this log; charts without data are left out."""
    parts: list[tuple[ModuleType, Any, bool]] = [
        (charts, found, len(found.account.states) > 0),
        (lost, found.lost, len(found.lost.jobs) > 0),
        (causes, Causes(found.causes, found.untold, found.anew), len(found.causes) > 0),
        (tail, found.luck, found.luck.x.size > 0),
        (spread, found.spread, found.spread.stages > 0),
        (hosts, found.shares, len(found.shares.hosts) > 0),
        (pairs, found.speculation, len(found.speculation.pairs) > 0),
        (slots, found.history, found.counts.copies > 0 and found.history.span > 0),
    ]
    return [Drawing.by(chart, part, dark) for chart, part, told in parts if told]
