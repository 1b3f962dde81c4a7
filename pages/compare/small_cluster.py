"""The small-cluster view: who ran where, one policy at a time, stepping through time."""

from __future__ import annotations

import streamlit as st

from pages.compare.gantt_chart import gantt, gantt_alt, timeline, window, window_note
from pages.shared.app.runs import shelf
from pages.shared.charts.theme import is_dark
from sim.live import RunRequest, Snapshot


def show_slots(request: RunRequest, snapshot: Snapshot) -> None:
    """Draw the copies of the first replication under a policy that is chosen."""
    comparison = snapshot.comparison
    samples = {
        name: result.samples[0] for name, result in comparison.policies.items() if result.samples[0].log.size
    }
    if not samples:
        return
    st.subheader("Who ran where", anchor=False)
    policy = st.segmented_control(
        "Policy", list(samples), default=next(iter(samples)), required=True, key="compare:policy"
    )
    line = shelf().get(
        (request.key, policy, "copies"),
        lambda: timeline(policy, samples[policy], comparison.scenario, request.experiment.workload(0)),
    )
    seen = window(line)
    end = round(seen.end, 2)
    label, step = f"Time ({comparison.scenario.time_unit})", round(max(end / 100, 0.01), 2)
    at = st.slider(
        label, 0.0, end, end, step, key="compare:at",
        help="Step back to see what was known at a moment. Arrow keys move it one step.",
    )  # fmt: skip
    dark = is_dark()
    moment = None if at >= end else at
    figure = shelf().get((request.key, policy, dark, moment, "gantt"), lambda: gantt(line, dark, at=moment))
    st.plotly_chart(figure, key="compare:copies", alt=gantt_alt(line, at=moment))
    st.caption(window_note(line))
