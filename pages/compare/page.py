"""Compare: policies side by side on the same jobs with the same luck, live.

The controls make an experiment, the pool answers at once and then better, and everything on the
right is drawn from the latest snapshot. Nothing is computed here. The sidebar is drawn as soon as there
is nothing better to do: a class sees its answers before a hundred sidebars are sent again.
"""

from __future__ import annotations

from functools import cache, partial

import streamlit as st

from pages.compare import controls, layout
from pages.compare.controls import PANEL
from pages.compare.sidebar import draw
from pages.shared.app.uploads import read_files
from pages.shared.controls import file_in_link
from pages.shared.words.foreign import literal, show_error, show_info
from sim.engines.registry import with_trace
from sim.logs import read_upload
from sim.model.fields import BadInput
from sim.model.workload import about_trace
from sim.running.animation import LOG, MOST_SLOTS
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.live import RunRequest, fitted
from sim.telling.words import counted

values = PANEL.begin()

start = controls.OFFERED[values["preset"]]
chosen, complaints = controls.CHOICE.picked(values["policies"])
policies = controls.with_epsilon(chosen.values(), values["epsilon"])
baseline = controls.baseline(policies, values["baseline"])
unit = start.scenario.time_unit
draw_sidebar = cache(partial(draw, chosen, complaints, policies, unit))  # drawn once, at the first call

heading = st.container(key="asked").title(start.question, anchor=False)
try:
    files = file_in_link.given(controls.PAGE, controls.FILE, values[file_in_link.NAME])
    trace = read_files(read_upload, files, draw_sidebar) if files else None
    base, kept = start.scenario, {}
    if trace:
        jobs = counted(trace.arrival.size, "recorded job")
        heading.title(f"How do your {jobs} fare under each of these policies?", anchor=False)
        base = with_trace(base, trace)
        kept = {name: getattr(base, name) for name in ("arrivals", "tasks", "size", "jobs")}
    scenario = controls.scenario_from(base, values, kept)
    experiment, cut = fitted(Experiment(scenario, tuple(policies), trace, baseline))
except BadInput as error:
    show_error(str(error))
    if values[file_in_link.NAME]:
        PANEL.write(values)  # the file may come later: what is set until then stays
        if not controls.has_file():
            file_in_link.offer_without(controls.PAGE)
    draw_sidebar()
    st.stop()

texts = [policy.text for policy in chosen.values()]
written = {
    "policies": texts,
    "baseline": experiment.texts[baseline],
    file_in_link.NAME: file_in_link.text_of(files),
}
PANEL.write(values | written)
for note in (cut, *(trace.notes if trace else ())):
    if note:
        show_info(note)
if trace:
    told = ". ".join(about_trace(trace, experiment.scenario)) + "."
    if experiment.scenario.keeps_times:
        st.caption(literal(told))
    else:
        st.info(literal(told), icon=":material/timelapse:")

log = LOG if scenario.slots <= MOST_SLOTS else 0
request = RunRequest(experiment, Effort(replications=20, precision=values["precision"]), log=log)
layout.show(request, start, values["statistic"], draw_sidebar)
