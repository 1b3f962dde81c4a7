"""Details below the charts: which copy ran where, tables, files, settings, how it is worked out."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.logs.diagnose import words
from pages.logs.diagnose.answer import Diagnosed
from pages.logs.diagnose.charts.gantt import about_gantt, gantt_alt, gantt_chart
from pages.logs.diagnose.formulas import FORMULAS
from pages.logs.words import show_table
from pages.shared.charts.on_page import show_figure
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.controls.panel import drawer
from pages.shared.live.drawing import Screen
from pages.shared.words.downloads import charts_page, downloads, json_text
from pages.shared.words.formulas import show_formulas
from sim.advice.diagnosis import Diagnosis
from sim.advice.diagnosis.charts import gantt, title_of
from sim.advice.diagnosis.report import as_json
from sim.logs.compact import as_parquet
from sim.logs.tabled import as_csv
from sim.telling.words import spell

#: Jobs, and stages, that can be chosen: those that lost most.
CHOICES = 200
KINDS = {"stage": "A stage", "job": "A job"}


def show_details(seen: Diagnosed, shown: Screen, dark: bool) -> None:
    """Draw everything that is not needed at first sight."""
    found = seen.found
    show_slots(seen, dark)
    for title, make in (("Stages, the worst first", words.stages), ("Jobs, the worst first", words.jobs)):
        show_table(title, seen.once(title, partial(make, found)), 2, below_a_header=True)
    downloads(
        ("Jobs (CSV)", "jobs.csv", lambda: as_csv(words.jobs(found))),
        ("Stages (CSV)", "stages.csv", lambda: as_csv(words.stages(found))),
        ("Hosts (CSV)", "hosts.csv", lambda: as_csv(words.hosts(found))),
        ("Pairs (CSV)", "pairs.csv", lambda: as_csv(words.pairs(found))),
        ("Everything (JSON)", "diagnosis.json", lambda: json_text(as_json(found))),
        ("History (Parquet)", "history.parquet", lambda: as_parquet(found.history)),
        ("Charts (HTML)", "diagnosis.html", lambda: charts_page(shown.figures)),
    )
    if box := drawer(
        "diagnose", "settings", "Settings the log names, and the shell line", ":material/terminal:"
    ):
        box.code(
            "python -m sim trace FILE... --json - --html report.html --out history.parquet", language="bash"
        )
        if found.history.settings:
            box.dataframe(words.settings(found), hide_index=True)
        else:
            box.markdown("This log names no settings of scheduling or speculation.")
    show_formulas("diagnose", FORMULAS, "How the numbers are made")


def show_slots(seen: Diagnosed, dark: bool) -> None:
    """Draw the copies of a stage or job that is chosen from those that lost most."""
    found = seen.found
    offered = seen.once("choices", partial(choices, found))
    kinds = [kind for kind in KINDS if offered[kind]]
    if not kinds:
        return
    st.subheader("Which copy ran where", anchor=False)
    left, right = st.columns([1, 3], vertical_alignment="bottom")
    kind = left.segmented_control(
        "Show",
        kinds,
        default=kinds[0],
        format_func=KINDS.__getitem__,
        required=True,
        key=f"diagnose:kind:{'-'.join(kinds)}",
    )
    row = right.selectbox(
        f"{KINDS[kind]}, those that lost most first",
        list(offered[kind]),
        format_func=lambda one: offered[kind].get(one, "?"),
        key=f"diagnose:{kind}:{hash(seen.log.key)}",
    )
    bars = seen.once(("bars", kind, row), lambda: gantt(found.history, **{kind: row}))
    if bars.empty:
        st.info("No copy of it has both its times.", icon=":material/info:")
        return
    stages = found.history.stages["stage"].to_pylist()
    title = offered[kind][row]
    figure = seen.once(("gantt", kind, row, dark), lambda: SerializedFigure(gantt_chart(bars, stages, dark)))
    show_figure("diagnose:gantt", figure, gantt_alt(bars, title))
    st.caption(about_gantt(bars))


def choices(found: Diagnosis) -> dict[str, dict[int, str]]:
    """Return the stages and jobs that can be chosen: the row of each in its table, and its title."""
    worst, lost = found.lost.stages.head(CHOICES), found.lost.jobs.head(CHOICES)
    of_jobs = set(found.history.stages["job"].to_pylist())
    stages = {
        int(row): f"{title_of('stage', stage, name, 60)}: {tasks:,} tasks, lost {spell(seconds)}"
        for row, stage, name, tasks, seconds in worst[["stage", "name", "tasks", "lost"]].itertuples()
    }
    jobs = {
        int(row): f"{title_of('job', job, name, 60)}: lost {spell(seconds)}"
        for row, job, name, seconds in lost[["job", "name", "lost"]].itertuples()
        if row in of_jobs
    }
    return {"stage": stages, "job": jobs}
