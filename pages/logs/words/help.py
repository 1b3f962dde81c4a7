"""Which files the Diagnose page reads, how to get them, and a template for all others."""

from __future__ import annotations

import streamlit as st

from sim.traces.formats.table import template

FORMATS = """
| format | how to get it |
|---|---|
| Spark 1.x to 4.x | `spark.eventLog.enabled true`, in any packing; the History Server offers a zip |
| MapReduce | `.jhist` of the JobHistory server, as JSON; or the job trace of Rumen |
| Slurm | `sacct -P -o JobID,State,Submit,Start,End,ElapsedRaw,NodeList`, any delimiter, or `sacct --json` |
| PBS, Grid Engine, LSF | the files of `accounting`; `lsb.acct` |
| Workflows | the trace of Nextflow; JSON in WfFormat |
| Public traces | Alibaba 2018, Google 2011 |
| Ray | `ray list tasks --detail --format json`, or YAML |
| Flink | the archived job of the HistoryServer, or answers of the REST API |
| Tez | the zip of the Tez UI, or entities of the timeline server |
| Kubernetes | `kubectl get jobs,pods -o json`, before pods are removed; a completion index makes a task |
| Dask | the web page of `performance_report`, or `json.dumps(client.get_task_stream(), default=repr)` |
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
            "CSV template", template(), "history_template.csv", "text/csv", icon=":material/download:",
            on_click="ignore", help="Small and valid: a record of each kind, to fill with your own.",
        )  # fmt: skip
        st.markdown(LARGER)
