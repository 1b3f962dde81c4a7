"""Names, times and counts of a history in words, and lists of the files that hold one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import pandas as pd
import streamlit as st

from pages.logs.question import Log
from pages.shared.words.foreign import literal
from sim.advice.diagnosis.costs import Counts
from sim.logs.foreign import SACCT, TASK_STREAM
from sim.logs.formats import title_of_format
from sim.logs.formats.table import template
from sim.logs.history import History
from sim.telling.words import clipped, counted, listed, spell

FORMATS = f"""
| format | how to get it |
|---|---|
| Spark 1.x to 4.x | `spark.eventLog.enabled true`, in any packing; the History Server offers a zip |
| MapReduce | `.jhist` of the JobHistory server, as JSON; or the job trace of Rumen |
| Slurm | `{SACCT}`, any delimiter, or `sacct --json` |
| PBS, Grid Engine, LSF | the files of `accounting`; `lsb.acct` |
| Workflows | the trace of Nextflow; JSON in WfFormat |
| Public traces | Alibaba 2018, Google 2011 |
| Ray | `ray list tasks --detail --format json --limit 10000`, or YAML |
| Flink | the archived job of the HistoryServer, or answers of the REST API |
| Tez | the zip of the Tez UI, or entities of the timeline server |
| Kubernetes | `kubectl get jobs,pods -o json`, before pods are removed; a completion index makes a task |
| Dask | the web page of `performance_report`, or `{TASK_STREAM}` |
| lines of durations | arrival, n, mean, n durations (`.tr`) |
| anything else | a CSV or Parquet file: see the template |
"""
LARGER = (
    "**Larger than the upload limit?** `python -m sim trace FILE... --out history.parquet` makes a compact "
    "file of some MB, which has the same diagnosis. Files are read in memory, are not logged, and are gone "
    "with your session."
)


def show_help() -> None:
    """Draw what is accepted, and the template, in a popover."""
    with st.popover("Which files?", icon=":material/help:", width="stretch"):
        st.markdown(FORMATS)
        st.download_button(
            "CSV template",
            template(),
            "history_template.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            help="Small and valid: a record of each kind, to fill with your own.",
        )
        st.markdown(LARGER)


def column_format(values: Iterable[float], decimals: int) -> str:
    """Return how the numbers of a column are written: two digits more where all are below 1.

    Examples
    --------
    >>> column_format([0.02, 0.16], 2), column_format([3.5, 1200.0], 1), column_format([0.0, float("nan")], 2)
    ('%,.4f', '%,.1f', '%,.2f')
    """
    most = max((abs(value) for value in values if value == value), default=0.0)
    return f"%,.{decimals + 2 * (0 < most < 1)}f"


#: Rows of a table that are shown; files have all.
MOST = 1_000


def numbers(table: pd.DataFrame, decimals: int) -> dict[str, Any]:
    """Return how the numbers of a table are written."""
    return {
        name: st.column_config.NumberColumn(format=column_format(table[name], decimals))
        for name in table.select_dtypes("float").columns
    }


def show_table(title: str, table: pd.DataFrame, decimals: int, below_a_header: bool = False) -> None:
    """Draw the first rows of a table below its title; nothing where it has none."""
    if table.empty:
        return
    (st.subheader if below_a_header else st.header)(title, anchor=False)
    columns = numbers(table, decimals)
    st.dataframe(table.head(MOST), hide_index=True, column_config=columns, placeholder="–", alt=title)
    if len(table) > MOST:
        st.caption(f"{MOST:,} of {len(table):,} rows; the file has all.")


def titled(table: pd.DataFrame, columns: str, titles: str) -> pd.DataFrame:
    """Return columns of a table under other titles, which are divided by commas.

    Examples
    --------
    >>> titled(pd.DataFrame({"lost": [1.5], "job": ["a"]}), "job lost", "job, lost (s)").to_dict("list")
    {'job': ['a'], 'lost (s)': [1.5]}
    """
    return table[columns.split()].set_axis(titles.split(", "), axis=1)


#: Notes of a log shown at first sight.
FIRST_NOTES = 4
#: Where the number of slots comes from.
FROM = {"log": "as the log tells", "copies": "the most copies that ran together: the log names no slots"}


class Read(Protocol):
    """What was made of a log."""

    @property
    def history(self) -> History:
        """What it recorded."""

    @property
    def counts(self) -> Counts:
        """How much of what."""


def whose(log: Log) -> str:
    """Say that a log is a sample, before the summary of its contents; empty for a real history."""
    return "**A sample** · " if log.kind == "sample" else ""


def show_source(log: Log, found: Read) -> None:
    """Draw in a line what was read, and more of it as its help."""
    more = "\n\n".join(filter(None, (log.about, what_was_read(found))))
    st.caption(f"{whose(log)}{briefly_read(found)}", help=more)


def briefly_read(found: Read) -> str:
    """Say in a line how much the log holds."""
    counts, history = found.counts, found.history
    files = f"{literal(clipped(history.files[0]))} · " if len(history.files) == 1 else ""
    return (
        f"{title_of_format(history.format)} · {files}{counted(counts.jobs, 'job')}, "
        f"{counted(counts.tasks, 'task')} · {counted(counts.hosts, 'host')}, at most "
        f"{counted(counts.slots, 'slot')} · {spell(history.span)}"
    )


def what_was_read(found: Read) -> str:
    """Say how much of what the log holds, and where that is from."""
    counts, history = found.counts, found.history
    fates = [
        f"{number:,} {fate}"
        for fate, number in (
            ("finished", counts.finished),
            ("killed", counts.killed),
            ("failed", counts.failed),
            ("unfinished", counts.unfinished),
        )
        if number
    ]
    files = listed([literal(clipped(name)) for name in history.files[:3]])
    more = f" and {len(history.files) - 3:,} more" if len(history.files) > 3 else ""
    copies = f"{counted(counts.copies, 'copy', 'copies')} ({', '.join(fates)})" if fates else "no copies"
    return (
        f"{title_of_format(history.format)} · {files}{more} · {counted(counts.jobs, 'job')}, "
        f"{counted(counts.stages, 'stage')}, {counted(counts.tasks, 'task')}, {copies}, of which "
        f"{counts.speculative:,} speculative · {counted(counts.hosts, 'host')}, at most "
        f"{counted(counts.slots, 'slot')} ({FROM[history.slots_from]}) · {spell(history.span)} from first to "
        "last"
    )


def odd(found: Read) -> tuple[str, list[str]]:
    """Return the notes of the log in Markdown: those shown at first sight, and the others."""
    notes = [literal(clipped(note, 300)) for note in found.history.notes]
    if not notes:
        return "", []
    shown = "\n".join(f"- {note}" for note in notes[:FIRST_NOTES])
    return f"**What was odd, or left out**\n\n{shown}", notes[FIRST_NOTES:]
