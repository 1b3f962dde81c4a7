"""The layout of the tab Before and after: which runs are which, the answer, cards, charts, what to notice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.logs.beforeafter import words
from pages.logs.beforeafter.charts import ACCOUNT, JOBS, UNEQUAL
from pages.logs.beforeafter.controls import PAGE, PANEL
from pages.logs.beforeafter.question import Request, Step, follow, read, runs_of, sample
from pages.logs.beforeafter.words import cards, notices, sentence
from pages.logs.controls import SECOND, groups_of, own_logs
from pages.logs.question import Log
from pages.logs.words import show_table, whose
from pages.shared.app.turns import body_and_foot
from pages.shared.charts.on_page import Chart, is_dark
from pages.shared.controls import file_in_link
from pages.shared.controls.control import drawer
from pages.shared.live.cards import Drawing, Layout, Screen
from pages.shared.words.foreign import literal
from pages.shared.words.tables import Latex, charts_page, downloads, json_text, show_formulas
from sim.advice.several import charts
from sim.advice.several.change import FALSE_ALARM, FEWEST
from sim.advice.several.report import after_json, repeated_json
from sim.logs.tabled import as_csv
from sim.telling.words import clipped, counted, in_percent

# How the numbers of the page are computed, and what they assume.

FORMULAS = (
    "**Luck, machine and work.** Of task $i$ of stage $s$ in run $r$ on host $h$,",
    Latex(r"\log t_{sir} = a_{sr} + w_{si} + m_{rh} + \varepsilon_{sir},"),
    "fitted by least squares; no law of luck is assumed. A part is its variance within stages, without "
    "what the error of the fit adds to it. Intervals are of a jackknife over blocks of tasks that were "
    "launched one after the other.",
    "**Slow in every run.** Where tasks are alike, one is among the $q$ slowest of $n$ in each of $R$ "
    "runs with probability $(q/n)^R$; of all tasks those are named that the rule of Benjamini and "
    "Hochberg (1995) lets pass.",
    "**Change.** If nothing but a factor lies between the runs, before and after could be swapped in any "
    "block of jobs once it is divided out. The interval holds the factors for which what is seen is not "
    "rare among all swaps. Jobs that ran at the same time are a block; in a closed loop of few drivers, "
    "jobs in a row are. Where that leaves fewer than "
    f"{FEWEST} blocks, or few jobs decide the figure, the interval is how far reruns differ, as What-if "
    "plays them. It is too narrow where luck has a tail that these runs do not show.",
    "**Where the time went.** The account of *Diagnose*, per job, over the jobs that are in all runs: the "
    "changes of its states add up to the change of their mean time. A cause is said to have changed only "
    "where its 95 % intervals in the two runs do not overlap.",
    "**More runs.** With $z$ the logarithm of after over before for a pair of runs, and $t$ Student's "
    "statistic of $n$ pairs, a change is told when the mean of",
    Latex(
        r"\frac1{\sqrt{1 + n g}} \left(\frac{1 + t^2 / (n - 1)}{1 + t^2 / ((1 + n g)(n - 1))}\right)^{n / 2}"
    ),
    f"over $g = 1, 10, 100$ reaches {1 / FALSE_ALARM:.0f}: then the chance of a false alarm, over all "
    f"looks, is at most {in_percent(FALSE_ALARM)}.",
    "**Promised.** What-if plays the run before again under the setting that the log after records; the "
    "band holds 90 % of the replications, each with luck and a model of its own.",
)


# Details below the charts: tables, files, the shell line, how it is worked out.

_LINES = """python -m sim after BEFORE AFTER --json -
python -m sim repeated RUN RUN... --json -
python -m sim gate BEFORE AFTER --fail-if 'p95 > +10%' --junit gate.xml"""


def show_details(shown: Step, screen: Screen) -> None:
    """Draw everything that is not needed at first sight."""
    both = shown.both
    change, slow = words.changes(both.change), words.slow(both.repeated)
    show_table("What changed", change, 1)
    show_table("Tasks that are slow in every run", slow, 1)
    both_json = {
        "after": after_json(both.change),
        "repeated": repeated_json(both.repeated) if both.repeated else None,
    }
    downloads(
        ("Changes (CSV)", "changes.csv", lambda: as_csv(change)),
        ("Slow tasks (CSV)", "slow_tasks.csv", lambda: as_csv(slow)),
        ("Everything (JSON)", "before_and_after.json", lambda: json_text(both_json)),
        ("Charts (HTML)", "before_and_after.html", lambda: charts_page(screen.figures)),
    )
    if box := drawer(
        "beforeafter", "settings", "Settings that differ, and the shell lines", ":material/terminal:"
    ):
        box.code(_LINES, language="bash")
        if both.change.settings:
            box.dataframe(words.settings(both.change), hide_index=True)
        else:
            box.markdown("The logs name no setting that differs.")
    show_formulas("beforeafter", FORMULAS, "How the numbers are made")


def show(values: dict[str, Any]) -> None:
    """Show what changed between the runs that are looked at; raises `BadInput`."""
    logs = own_logs(values[file_in_link.NAME] or values[SECOND])
    columns = iter(st.columns([5, 3, 3], vertical_alignment="bottom")) if logs else iter(())
    sides = _sides(logs, values, next(columns)) if len(logs) > 1 else (logs, [])
    if len(logs) == 1 and file_in_link.same(file_in_link.text_of(logs[0].files()), values[SECOND]):
        sides = [], logs
    for name, side in zip((file_in_link.NAME, SECOND), sides, strict=True):
        files = [file for log in side for file in log.files()]
        if files or not file_in_link.is_of_link(PAGE, values[name], name):  # else a link still needs it
            values[name] = file_in_link.note(PAGE, files, values[name], name)
    if logs and not all(sides):
        PANEL.write(values)
        _ = [log.history for log in logs]  # what cannot be read is said before another one is asked for
        missing = "before" if sides[1] else "after"
        told = f"Drop the log of the run {missing}, too: two runs are compared."
        told = "Choose some of the runs as those after the change, and not all." if len(logs) > 1 else told
        st.info(literal(told), icon=":material/upload_file:")
        return
    if any(len(side) > 1 for side in sides):
        with next(columns):
            values["apart"] = PANEL.draw("apart")
    early, late = (runs_of(side, values["apart"]) if logs else [] for side in sides)
    asked = Request(early, late) if logs else sample(values["runs"])
    both = read(asked)
    if logs:  # of a sample nothing is to be left out
        with next(columns):
            groups = sorted({*groups_of(both.before), *groups_of(both.after)})
            values["leave_out"] = PANEL.draw("leave_out", offered=groups)
        if values["leave_out"]:
            both = read(asked := replace(asked, leave_out=values["leave_out"]))
    PANEL.write(values)
    layout, dark = Layout(), is_dark()
    body, foot = body_and_foot()
    first = asked.before[0]
    jobs_told = counted(len(both.change.found.jobs.names), "job")
    by_name = ", matched by their names: the logs should be runs of one application" if logs else ""
    st.caption(f"{whose(first)}{jobs_told} in all runs{by_name}", help=first.about or None)
    drawn: tuple[Step, Screen] | None = None
    try:
        for shown in follow(asked, both, foot):
            drawn = shown, screen(shown, dark)
            with body:
                layout.show(drawn[1])
    finally:
        if drawn is not None:
            show_details(*drawn)


def _sides(
    logs: Sequence[Log], values: Mapping[str, Any], column: DeltaGenerator
) -> tuple[list[Log], list[Log]]:
    """Draw which runs are those after the change; return those before, and these."""
    texts = {log.name: file_in_link.text_of(log.files()) for log in logs}
    listed, second = [*texts], values[SECOND]
    linked = file_in_link.is_of_link(PAGE, second, SECOND)
    late = [name for name, text in texts.items() if linked and file_in_link.same(text, second)]
    chosen = column.multiselect(
        "Runs after the change",
        listed,
        default=late or listed[len(logs) // 2 :],
        format_func=lambda one: clipped(one, 60),
        key=f"{PAGE}:after:{hash(tuple(texts.items()))}",
        help="The others are those before it. At first the later ones, by the times in them.",
    )
    return [log for log in logs if log.name not in chosen], [log for log in logs if log.name in chosen]


def screen(shown: Step, dark: bool) -> Screen:
    """Return what is shown of two runs."""
    return Screen(cards(shown), drawings(shown, dark), notices(shown), sentence(shown))


def drawings(shown: Step, dark: bool) -> list[Drawing]:
    """Draw the charts of these runs; charts without data are left out."""
    change, repeated = shown.both.change, shown.both.repeated
    listed: list[tuple[Chart[Any], Any, bool]] = [
        (Chart.of(charts), change, bool(change.found.change)),
        (ACCOUNT, change.sides, change.sides.jobs > 0),
        (JOBS, change.found, bool(change.found.change)),
        (UNEQUAL, repeated, repeated is not None),
    ]
    return [Drawing.made(chart, part, dark) for chart, part, told in listed if told]
