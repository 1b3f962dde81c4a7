"""Diagnose: reads a cluster's own log and shows what stragglers cost it and how much copies could save."""

from __future__ import annotations

import streamlit as st

from pages.frame.foot import show_link
from pages.logs.controls import chosen_log, draw_files, has_files
from pages.logs.diagnose.answer import see
from pages.logs.diagnose.controls import PAGE, PANEL
from pages.logs.diagnose.details import show_details
from pages.logs.diagnose.layout import screen
from pages.logs.diagnose.words import after_the_answer
from pages.logs.words import briefly_read, odd, show_help, what_was_read, whose
from pages.shared.app.placeholders import answer_place
from pages.shared.charts.on_page import is_dark
from pages.shared.controls import file_in_link
from pages.shared.controls.panel import drawer
from pages.shared.live.layout import Layout
from pages.shared.words.foreign import literal, show_error
from sim.fields import BadInput

values = PANEL.begin()
st.title("What do stragglers cost your cluster, and would second copies help?", anchor=False)
left, right, beside = st.columns([5, 4, 2])
with left:
    draw_files(PAGE)
with right:
    chosen = PANEL.draw("log", disabled=has_files(PAGE))
with beside:
    show_help()

try:
    log, files = chosen_log(PAGE, chosen, values[file_in_link.NAME])
    seen = see(log)
except BadInput as error:
    show_error(str(error))
    PANEL.write(values | {"log": chosen})
    if values[file_in_link.NAME] and not has_files(PAGE):
        file_in_link.offer_without(PAGE)
    st.stop()
PANEL.write({"log": chosen, file_in_link.NAME: file_in_link.text_of(files)})

answer_place().header("answer", literal(seen.found.answer), anchor=False)
if more := after_the_answer(seen.found):
    st.markdown(more)
about, onwards = st.columns([4, 1])
about.caption(
    f"{whose(seen.log)}{briefly_read(seen.found)}",
    help="\n\n".join(one for one in (seen.log.about, what_was_read(seen.found)) if one),
)
with onwards:
    show_link("whatif", "Which setting would help?", {} if has_files(PAGE) else {"log": chosen})
dark = is_dark()
shown = screen(seen, dark)
Layout().show(shown)
note, others = odd(seen.found)
if note:
    with st.container(border=True):
        st.markdown(note)
        if others and (box := drawer(PAGE, "notes", f"{len(others):,} more", ":material/notes:")):
            box.markdown("\n".join(f"- {note}" for note in others))
show_details(seen, shown, dark)
