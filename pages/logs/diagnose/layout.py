"""The layout of the tab Diagnose: the answer, cards, charts, what to notice, what was odd about the log."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from pages.logs.controls import ADVICE, draw_log
from pages.logs.diagnose import words
from pages.logs.diagnose.charts import (
    HOSTS,
    LOST,
    LOST_BY_CAUSE,
    PAIRS,
    SLOTS,
    SPREAD,
    TAIL,
    about_gantt,
    gantt_alt,
    gantt_chart,
)
from pages.logs.diagnose.controls import PAGE, PANEL
from pages.logs.diagnose.words import after_the_answer, cards, notices
from pages.logs.question import Log, read
from pages.logs.words import odd, show_source, show_table
from pages.shared.app.turns import answer_place, made_once
from pages.shared.charts.on_page import Chart, is_dark, show_figure
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.controls.control import drawer
from pages.shared.live.cards import Drawing, Layout, Screen
from pages.shared.words.foreign import literal
from pages.shared.words.tables import Latex, charts_page, downloads, json_text, show_formulas
from sim.advice.diagnosis import Diagnosis, charts, read_and_diagnose
from sim.advice.diagnosis.causes import Causes
from sim.advice.diagnosis.charts import gantt, title_of
from sim.advice.diagnosis.costs import FEWEST
from sim.advice.diagnosis.luck import FALSE_ALARM
from sim.advice.diagnosis.report import as_json
from sim.logs.compact import as_parquet
from sim.logs.tabled import as_csv
from sim.telling.words import spell

# The diagnosis of a log and what is made of it, computed once: for all visitors, or for one session.

Made = TypeVar("Made")
#: Where a session keeps what was made of its own log.
KEPT = "diagnose:kept"


@dataclass(frozen=True, eq=False)
class Diagnosed:
    """A log and what was found in it."""

    log: Log
    found: Diagnosis

    def once(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` makes of this log, made once: of a visitor's own log in that session only."""
        return _in_session(self.log, what, make) if self.log.kind == "own" else _for_all(self.log, what, make)


def see(log: Log) -> Diagnosed:
    """Read and diagnose a log in a process of its own; raises `BadInput` naming file, line and reason."""
    if log.kind != "own":
        st.session_state.pop(KEPT, None)  # the visitor's log is gone
    return Diagnosed(log, read(read_and_diagnose, log))


def _for_all(log: Log, what: Hashable, make: Callable[[], Made]) -> Made:
    return made_once(("diagnose", log.kind, *log.key, what), make)


def _in_session(log: Log, what: Hashable, make: Callable[[], Made]) -> Made:
    key, kept = st.session_state.get(KEPT, (None, {}))
    if key != log.key:  # what was made of the log before is dropped
        kept = {}
        st.session_state[KEPT] = (log.key, kept)
    if what not in kept:
        kept[what] = make()
    made: Made = kept[what]
    return made


# Details below the charts: which copy ran where, tables, files, settings, how it is worked out.

# How the numbers of the Diagnose page are computed, and what they assume.

FORMULAS = (
    "**Lost.** The history is replayed twice on its own slots, first come first served, stages after "
    "their parents: once with the recorded durations, once with every task at the median of its stage. "
    "What the second replay is faster is taken off the recorded time of each job.",
    f"**Ratio** of a copy: duration ÷ median of its stage, in stages with {FEWEST} finished tasks or "
    "more. Each job weighs 1, shared by its stages, and in each by its copies.",
    "**Shares.** Within a stage, the log duration of a copy is",
    Latex(r"\log t = \text{stage} + b \log(\text{bytes}) + \text{host} + \text{first wave} + \text{luck},"),
    "fitted by least squares; a copy that was killed counts as one that would have run longer (Buckley "
    "and James, 1979). Intervals are of a bootstrap over stages. A second copy draws luck anew and keeps "
    "the work; so the share of luck bounds what it can mend.",
    "**Time lost by cause.** The history is replayed without one cause at a time; what jobs save is what it "
    "cost. Luck, machine, executor and work are factors of the fit. A cold slot adds seconds, and a task "
    "away from its input takes longer by a factor: both are fitted within stages. Garbage collection and "
    "waiting for blocks are measured: what counts is their share beyond the median of their kind of stage. A "
    "task waits idly while slots are free for it and all that were launched before it. Intervals hold what "
    "the fit leaves open, and by how much a replay misses the log. Costs add up only roughly.",
    "**Tail.** Survival by Kaplan and Meier (1958), killed copies censored. Above $x_{\\min}$, with $D$ "
    "copies that ended by themselves and $c_i$ the ratio at which a killed one was,",
    Latex(r"\hat\alpha = \frac{D}{\sum_i \log(\min(x_i, c_i) / x_{\min})}"),
    "$x_{\\min}$ is where the law is nearest to the survival (Clauset, Shalizi and Newman, 2009); the "
    "interval is of a bootstrap that chooses $x_{\\min}$ anew. A tail is reported only if the law is "
    f"heavier than exponential by more than happens with probability {FALSE_ALARM:.0%} in simulated "
    "histories of the same stages.".replace("%", " %"),
)


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
    parts: list[tuple[Chart[Any], Any, bool]] = [
        (Chart.of(charts), found, len(found.account.states) > 0),
        (LOST, found.lost, len(found.lost.jobs) > 0),
        (LOST_BY_CAUSE, Causes(found.causes, found.untold, found.anew), len(found.causes) > 0),
        (TAIL, found.luck, found.luck.x.size > 0),
        (SPREAD, found.spread, found.spread.stages > 0),
        (HOSTS, found.shares, len(found.shares.hosts) > 0),
        (PAIRS, found.speculation, len(found.speculation.pairs) > 0),
        (SLOTS, found.history, found.counts.copies > 0 and found.history.span > 0),
    ]
    return [Drawing.made(chart, part, dark) for chart, part, told in parts if told]
