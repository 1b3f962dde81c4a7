"""The layout: what is known above, then the answer, cards, two charts, the rules, and all running tasks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import streamlit as st

from pages.shared.app.turns import show_answer
from pages.shared.app.uploads import read_files
from pages.shared.charts.on_page import show_headlines, side_by_side
from pages.shared.controls import file_in_link
from pages.shared.controls.control import drawer
from pages.shared.controls.links import remember
from pages.shared.words.foreign import literal, show_warning
from pages.shared.words.tables import (
    SHARE,
    Equation,
    Latex,
    Source,
    downloads,
    json_text,
    show_formulas,
)
from pages.wait import charts
from pages.wait.controls import FILE, MORE, OPTIONS, PAGE, PANEL, SIBLINGS, Typed, texts_of
from pages.wait.question import Answer
from pages.wait.words import SOURCES, below_charts, cards, csv, rule_table, shell_line, task_table
from sim.advice.waiting.answer import OWN, PRICES, SURE, WORTH
from sim.advice.waiting.driver import owners, stages_of
from sim.advice.waiting.report import MOST
from sim.advice.waiting.running import one_of, running_in
from sim.advice.waiting.siblings import Siblings
from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.telling.words import clipped, counted, in_percent
from theory.remaining_time import remaining_tail

FORMULAS = (
    "Of a task with duration $X$ and age $a$, $R$ remains; $X'$ is the duration of a new copy, $s$ its "
    "start-up time:",
    Latex(
        r"P(R > t) = \frac{P(X > a + t)}{P(X > a)}, \qquad \text{copy: } M = \min(R, s + X'), \qquad "
        r"\text{restart: } s + X'"
    ),
    "Waiting takes the slot-time $R$, a copy $2M$, a restart $s + X'$. The advice is the way with the least "
    f"mean of time + $c$ × slot-time, $c$ = {PRICES['idle']:g} if slots are idle and {PRICES['queue']:g} if "
    f"tasks wait for them. A copy or restart has to save {in_percent(WORTH)} on average, and under laws of a "
    f"probability of {in_percent(SURE['idle'])} ({in_percent(SURE['queue'])} if tasks wait).",
    f"With a probability of {in_percent(OWN[False])} ({in_percent(OWN[True])} where sizes are known) a late "
    "task is slow by itself, and a copy of it is as slow.",
    "The law of $X$ is that of the tasks done up to a threshold. Above it laws are drawn with their "
    "posterior probability: generalised Pareto and lognormal, with and without tasks of another kind, which "
    "take far longer. Running tasks count as longer than their ages.",
    Equation(remaining_tail),
    "**SDA** copies if the rest exceeds σ*, from which a copy saves slot-time: $2\\,E[\\min(r, X')] = r$. It "
    "knows the rest; here the mean one counts. **Mantri** copies if $P(R > 2X') > 0.25$. **Spark** copies "
    "above a multiple of the median of the tasks done.",
    Source("Xu & Lau, equation (28); Coles, *Statistical Modeling of Extreme Values*, chapter 4."),
)


def draw_input(values: dict[str, Any]) -> None:
    """Draw the fields for the times; of a log they are in it."""
    if has_file():
        return
    done, running, example = st.columns([5, 3, 3])
    for column, control in zip((done, running), SIBLINGS, strict=True):
        with column:
            values[control.name] = PANEL.draw(control.name)
    with example:
        PANEL.draw_start()


#: What the driver said when it was asked last, of this session.
ASKED = f"{PAGE}:asked"


def ask_driver() -> None:
    """Put what the driver of this server's owner tells into the fields: the stage with the oldest task."""
    server = owners()
    if server is None:
        return
    try:
        stage = stages_of(server)[0]
    except BadInput as error:
        st.session_state[ASKED] = literal(str(error))
        return
    for name, text in texts_of(stage).items():
        remember(PAGE, name, text)
    count = counted(len(stage.ages), "task")
    st.session_state[ASKED] = (
        f"At {datetime.now(UTC):%H:%M:%S} UTC: {count} running in {clipped(stage.name)}."
    )


def draw_sidebar(values: dict[str, Any]) -> None:
    """Draw what is asked besides, where a log can be given instead, and what else may be known."""
    with st.sidebar:
        values |= PANEL.draw_all(OPTIONS)
        with st.expander("A log instead", icon=":material/upload_file:", key=f"{PAGE}:log"):
            st.file_uploader(
                "A log written while tasks run",
                key=FILE,
                on_change=file_in_link.forget_removed,
                args=(PAGE, FILE),
                help="Any format that Diagnose reads. It stays in this session.",
            )
            if has_file():
                file_in_link.warn_of_loss()
        if owners() is not None and not has_file():
            st.button(
                "Ask the Spark driver now",
                icon=":material/sensors:",
                on_click=ask_driver,
                width="stretch",
                help="Of the application that this server's owner names. It replaces what is in the fields.",
            )
            if asked := st.session_state.get(ASKED):
                st.caption(asked)
        if not has_file():
            values |= PANEL.draw_folded("more", "Sizes and hosts, if known", "straighten", MORE)
        if box := drawer(PAGE, "sources", "How to get the times", ":material/help:"):
            box.markdown(SOURCES)


def has_file() -> bool:
    """Whether a log was given."""
    return bool(st.session_state.get(FILE))


def stage_of(files: list[Upload], values: dict[str, Any]) -> Siblings:
    """Return the stage of a log that is chosen; raises `BadInput` if none has a running task."""
    stages = read_files(running_in, files)
    one_of(stages, "")
    if values["stage"] > len(stages):
        there = counted(len(stages), "stage with running tasks", "stages with running tasks")
        show_warning(f"stage: {values['stage']} is not accepted; this log has {there}. The first is shown.")
    names = [f"{clipped(one.name)} ({counted(len(one.ages), 'task')} running)" for one in stages]
    place = PANEL.draw("stage", offered=names)
    values["stage"] = place if place <= len(stages) else 1  # a link may fix another one
    st.caption("Ages are counted up to the last time in the log.")
    found: Siblings = stages[values["stage"] - 1]
    return found


def draw_answer(seen: Answer, values: dict[str, Any]) -> None:
    """Draw the answer and all below it."""
    show_answer(literal(seen.said))
    show_headlines(cards(seen))
    if seen.enough:
        side_by_side(seen, done=charts.DONE, rest=charts.REST)
        st.caption(literal(below_charts(seen)))
        st.header("When would other rules copy it?", anchor=False)
        st.table(rule_table(seen), border="horizontal")
    else:
        st.markdown(f"**How to get more durations**\n{SOURCES}")
    st.header("All running tasks", anchor=False)
    st.dataframe(task_table(seen), hide_index=True, alt="The running tasks, a row each")
    if seen.left_out:
        st.caption(
            f"Looked at are the {len(seen.tasks)} oldest; {seen.left_out:,} younger ones are left out."
        )
    if len(seen.tasks) > MOST:
        st.caption(f"{MOST} of {len(seen.tasks):,} tasks, those with the longest rest; the files have all.")
    if box := drawer(PAGE, "shell", "The same in the shell", ":material/terminal:"):
        line = shell_line(values, seen.siblings.name if has_file() else "")
        box.code(line, language="bash", wrap_lines=True)
    show_formulas(PAGE, FORMULAS, "How it is computed")
    downloads(
        ("Tasks (CSV)", f"{PAGE}.csv", lambda: csv(seen)),
        ("Everything (JSON)", f"{PAGE}.json", lambda: json_text(seen.report)),
    )
    st.caption(SHARE)
    if any(
        isinstance(one.values, Typed) and one.values.is_too_long(values[name])
        for name, one in PANEL.controls.items()
    ):
        st.caption("One list is too long for a link: the address leaves it out.")
