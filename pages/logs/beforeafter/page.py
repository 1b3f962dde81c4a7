"""Before and after: reads two logs of the same job and says what a change did, or what repeated runs tell."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.logs.beforeafter.answer import follow
from pages.logs.beforeafter.controls import AFTER, BEFORE, PAGE, PANEL
from pages.logs.beforeafter.details import show_details
from pages.logs.beforeafter.layout import screen
from pages.logs.beforeafter.question import own, read, sample
from pages.logs.controls import draw_files, files_key, has_files
from pages.logs.leaving_out import groups_of
from pages.logs.words import show_help, whose
from pages.shared.app.placeholders import body_and_foot
from pages.shared.charts.on_page import is_dark
from pages.shared.controls import file_in_link
from pages.shared.live.layout import Layout
from pages.shared.words.foreign import literal, show_error
from sim.fields import BadInput
from sim.telling.words import counted

values = PANEL.begin()
st.title("Did the change do what was promised?", anchor=False)
first, second, third, fourth = st.columns([4, 4, 3, 3])
with first:
    draw_files(PAGE, BEFORE)
with second:
    draw_files(PAGE, AFTER)
given = [place for place in (BEFORE, AFTER) if has_files(PAGE, place)]
with third:
    values["runs"] = PANEL.draw("runs", disabled=bool(given))
with fourth:
    show_help()

try:
    files = {
        place.in_link: file_in_link.given(PAGE, files_key(PAGE, place), values[place.in_link], place.in_link)
        for place in (BEFORE, AFTER)
    }
    values |= {name: file_in_link.text_of(listed) for name, listed in files.items()}
    here = [bool(listed) for listed in files.values()]
    if any(here) and not all(here):
        PANEL.write(values)
        missing = AFTER if here[0] else BEFORE
        st.info(literal(f"{missing.label}, too: two runs are compared."), icon=":material/upload_file:")
        st.stop()
    if any(len(listed) > 1 for listed in files.values()):
        with third:
            values["apart"] = PANEL.draw("apart")
    before, after = files.values()
    asked = own(before, after, values["apart"]) if all(here) else sample(values["runs"])
    both = read(asked)
    if all(here):  # of a sample nothing is to be left out
        with fourth:
            groups = sorted({*groups_of(both.before), *groups_of(both.after)})
            values["leave_out"] = PANEL.draw("leave_out", offered=groups)
        if values["leave_out"]:
            both = read(asked := replace(asked, leave_out=values["leave_out"]))
except BadInput as error:
    show_error(str(error))
    PANEL.write(values)
    gone = [one for one in (BEFORE, AFTER) if values[one.in_link] and not has_files(PAGE, one)]
    if gone:
        file_in_link.offer_without(PAGE, gone[0].in_link)
    st.stop()
PANEL.write(values)

layout, dark = Layout(), is_dark()
body, foot = body_and_foot()
st.caption(
    f"{whose(asked.before)}{counted(len(both.change.found.jobs.names), 'job')} in all runs",
    help=asked.before.about or None,
)
shown = drawn = None
try:
    for shown in follow(asked, both, foot):
        drawn = screen(shown, dark)
        with body:
            layout.show(drawn)
except BadInput as error:
    show_error(str(error))
if shown is not None and drawn is not None:
    show_details(shown, drawn)
