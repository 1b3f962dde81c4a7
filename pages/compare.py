"""Compare: policies side by side on the same jobs with the same luck, live.

The sidebar makes an experiment, the pool answers at once and then better, and everything on the
right is drawn from the latest snapshot. Nothing is computed here.
"""

from __future__ import annotations

import streamlit as st

from pages.shared import controls, view
from pages.shared.controls import PAGE
from pages.shared.drawers import drawer
from pages.shared.links import key, open_link, write_link
from pages.shared.runs import read_workload
from sim.experiment import Experiment
from sim.fields import BadInput
from sim.live import Wish, fitted
from sim.presets import with_trace
from sim.traces.csv_jobs import template

#: Copies remembered of the first replication, and clusters small enough to show them.
LOG, SMALL = 4000, 40

messages = open_link(PAGE, controls.entries)

with st.sidebar:
    start = controls.OFFERED[controls.value("preset")]
    st.selectbox(
        "Start from", list(controls.OFFERED), key=key(PAGE, "preset"), on_change=controls.choose_preset,
        format_func=lambda name: controls.OFFERED[name].title, help="Sets every control below.",
    )  # fmt: skip
    chosen = controls.choose_policies()
    baseline_place = st.container()
    controls.field("load")
    if tail := controls.tail_field(controls.value("straggle")):
        controls.field(tail)
    if controls.value("phases") > 1:
        controls.field("transfer")
    controls.field("slots")
    epsilon_place = st.container()
    observed = controls.value("observe")
    if box := drawer(PAGE, "sees", "What a rule sees", ":material/visibility:"):
        with box:
            observed = controls.observe()
    if box := drawer(PAGE, "shape", "Jobs and luck", ":material/casino:"):
        with box:
            for name in controls.shape():
                controls.field(name)
    if box := drawer(PAGE, "places", "Phases, machines and data", ":material/account_tree:"):
        with box:
            for name in controls.places():
                controls.field(name)
    if box := drawer(PAGE, "rules", "Parameters of the policies", ":material/tune:"):
        with box:
            controls.tune(chosen)
    with epsilon_place:
        policies = controls.with_epsilon(chosen)
    with baseline_place:
        baseline = controls.choose_baseline(policies)
    with st.expander("Your own jobs", icon=":material/upload_file:"):
        upload = st.file_uploader(
            "SWIM rows or a CSV of jobs", type=["csv", "tsv", "txt"], key=key(PAGE, "file"),
            help="CSV: job_id, submit, tasks and, if you have it, size. It stays in this session.",
        )  # fmt: skip
        st.download_button("CSV template", template(), "jobs.csv", "text/csv", on_click="ignore")
    if box := drawer(PAGE, "precision", "Precision and seed", ":material/straighten:"):
        with box:
            controls.precision()

for message in messages:
    st.warning(message, icon=":material/link_off:")
st.header(start.question, anchor=False)

try:
    trace = read_workload(upload.getvalue(), upload.name) if upload else None
    base = with_trace(start.scenario, trace) if trace else start.scenario
    kept = {name: getattr(base, name) for name in ("arrivals", "tasks", "size", "jobs")} if trace else {}
    scenario = controls.scenario_from(base, observed, kept)
    experiment, cut = fitted(Experiment(scenario, tuple(policies), trace, baseline))
except BadInput as error:
    st.error(str(error), icon=":material/error:")
    st.stop()

entries = controls.entries_of(start)
values = {entry.name: controls.value(entry.name) for entry in entries}
write_link(PAGE, entries, values | {"observe": observed, "policies": chosen, "baseline": baseline})
for note in (cut, *(trace.notes if trace else ())):
    if note:
        st.info(note, icon=":material/info:")

log = LOG if scenario.slots <= SMALL else 0
view.show(Wish(experiment, precision=controls.value("precision"), replications=20, log=log), start.name)
