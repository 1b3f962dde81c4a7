"""Compare: policies side by side on the same jobs with the same luck, live.

The controls make an experiment, the pool answers at once and then better, and everything on the
right is drawn from the latest snapshot. Nothing is computed here. The sidebar is drawn as soon as there
is nothing better to do: a class sees its answers before a hundred sidebars are sent again.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.compare import controls, sidebar, view
from pages.compare.controls import PAGE
from pages.shared.app.runs import read_workload
from pages.shared.controls.links import open_link, values_of, write_link
from sim.experiment import Experiment
from sim.fields import BadInput
from sim.live import RunRequest, fitted
from sim.presets import with_trace

#: Copies remembered of the first replication, and clusters small enough to show them.
LOG, SMALL = 4000, 40

messages = open_link(PAGE, controls.entries)
values = values_of(PAGE)

start = controls.OFFERED[values["preset"]]
chosen, complaints = controls.picked(values["policies"])
policies = controls.with_epsilon(chosen, values["epsilon"])
baseline = controls.baseline(policies, values["baseline"])
draw_sidebar = partial(sidebar.draw, chosen, complaints, policies)

for message in messages:
    st.warning(message, icon=":material/link_off:")
st.header(start.question, anchor=False)

try:
    upload = controls.upload()
    trace = read_workload(upload.getvalue(), upload.name) if upload else None
    base = with_trace(start.scenario, trace) if trace else start.scenario
    kept = {name: getattr(base, name) for name in ("arrivals", "tasks", "size", "jobs")} if trace else {}
    scenario = controls.scenario_from(base, values, kept)
    experiment, cut = fitted(Experiment(scenario, tuple(policies), trace, baseline))
except BadInput as error:
    st.error(str(error), icon=":material/error:")
    draw_sidebar()
    st.stop()

entries = controls.entries_of(start)
values |= {"policies": [policy.text for policy in chosen], "baseline": experiment.texts[baseline]}
write_link(PAGE, entries, {entry.name: values[entry.name] for entry in entries})
for note in (cut, *(trace.notes if trace else ())):
    if note:
        st.info(note, icon=":material/info:")

log = LOG if scenario.slots <= SMALL else 0
request = RunRequest(experiment, precision=values["precision"], replications=20, log=log)
view.show(request, start.name, draw_sidebar)
