"""Known files that cannot be read: what each is, what it lacks or which tool reads it, what to give instead.

They are looked for before the formats that are read, so each is recognised by what no such format has.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

#: First bytes of a file by which it is recognised.
HEAD = 2**16
SACCT = "sacct -P -o JobID,State,Submit,Eligible,Start,End,ElapsedRaw,NodeList"
_TABLE = "a CSV with the columns job_id,task_id,start_s,end_s and, where they are known, stage_id,host,status"
#: A web page that is read.
DASK = b"<title>Dask Performance Report</title>"
_STATE = re.compile(rb"(COMPLETED|FAILED|TIMEOUT|CANCELLED|RUNNING|NODE_FAIL|OUT_OF_ME|PREEMPTED)")
_TIME = rb"(\d\d/\d\d/\d\d(\d\d)?|\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d"


@dataclass(frozen=True)
class Foreign:
    """A kind of file that is refused with what to do.

    Parameters
    ----------
    title : str
        What it is.
    recognises : callable
        Says of the first unpacked bytes of a file whether it is one.
    lacks : str
        Why it is not read: what is missing in it, or where its times stand.
    give : str
        What to give in its place, and how to get it.
    """

    title: str
    recognises: Callable[[bytes], bool]
    lacks: str
    give: str

    @property
    def refusal(self) -> str:
        """What is said of such a file."""
        return f"this is {self.title}; {self.lacks}; give {self.give}"


def _begins(pattern: bytes) -> Callable[[bytes], bool]:
    """Return whether a file begins with a pattern, after white space."""
    compiled = re.compile(rb"\s*" + pattern, re.IGNORECASE)
    return lambda head: compiled.match(head) is not None


def _holds(*texts: bytes) -> Callable[[bytes], bool]:
    """Return whether JSON at the beginning of a file holds all of some texts."""
    return lambda head: head.lstrip()[:1] in (b"{", b"[") and all(text in head for text in texts)


def _cells(head: bytes, delimiter: bytes | None) -> list[bytes]:
    """Return the cells of the first line that is no comment."""
    lines = (line for line in head.split(b"\n") if line.strip() and not line.startswith((b";", b"#")))
    return [cell.strip() for cell in next(lines, b"").split(delimiter)]


def _columns(*names: bytes) -> Callable[[bytes], bool]:
    """Return whether the first line names these columns."""
    return lambda head: set(names) <= set(re.split(rb"[,;\t|]", head.split(b"\n", 1)[0].strip().lower()))


def _aligned(head: bytes) -> bool:
    lines = head.split(b"\n")
    ruled = len(lines) > 1 and re.fullmatch(rb"(-+ +)*-+\s*", lines[1]) is not None
    return ruled and re.match(rb"\s*(JobID|JobIDRaw)\b", lines[0]) is not None


def _without_header(head: bytes) -> bool:
    cells = _cells(head, b"|")
    job = re.fullmatch(rb"\d+([_+](\d+|\[.*\]))?(\.\w+)?", cells[0])
    return len(cells) >= 3 and job is not None and any(_STATE.match(cell) for cell in cells[1:])


def _workload_format(head: bytes) -> bool:
    cells = _cells(head, None)
    number = re.compile(rb"-?\d+(\.\d+)?")
    return len(cells) == 18 and all(number.fullmatch(cell) for cell in cells) and b"-1" in cells


def _google_2011(head: bytes) -> bool:
    cells = _cells(head, b",")
    return (
        len(cells) == 13
        and all(cells[place].isdigit() for place in (0, 2, 3, 5))
        and cells[5] in b"0 1 2 3 4 5 6 7 8".split()
    )


def _alibaba_2018(head: bytes) -> bool:
    cells = _cells(head, b",")
    states = (b"Terminated", b"Running", b"Failed", b"Waiting", b"Interrupted", b"Ready", b"Cancelled")
    return len(cells) in (9, 14) and any(cell in states for cell in cells[4:6])


FOREIGN = (
    Foreign(
        "the output of sacct without -P",
        _aligned,
        "its columns are cut to a width",
        SACCT,
    ),
    Foreign(
        "the output of sacct without a header",
        _without_header,
        "its columns have no names",
        f"{SACCT}; leave --noheader out",
    ),
    Foreign(
        "the output of sacct --json",
        _holds(b'"meta"', b'"plugin"', b"openapi"),
        "its JSON differs between versions of Slurm",
        SACCT,
    ),
    Foreign(
        "ray timeline",
        _holds(b'"ph"', b'"cat"', b'"ts"', b"task:"),
        "it lacks the states and submit times of tasks",
        "ray list tasks --detail --format json --limit 10000",
    ),
    Foreign(
        "the table of ray list tasks",
        _begins(rb"=+ List: .* =+\s+Stats:"),
        "it lacks the times of tasks",
        "ray list tasks --detail --format json --limit 10000",
    ),
    Foreign(
        "ray list tasks of Ray 2.0 to 2.2",
        _holds(b'"task_id"', b'"scheduling_state"'),
        "it has no times of tasks",
        "ray list tasks --detail --format json --limit 10000 of a later Ray",
    ),
    Foreign(
        "a job history of Hadoop 1",
        _begins(rb"(Meta VERSION=|Job JOBID=)"),
        "its lines are read by Rumen, which writes JSON",
        "job-trace.json of hadoop org.apache.hadoop.tools.rumen.TraceBuilder file:///job-trace.json "
        "file:///topology.json file:///FOLDER",
    ),
    Foreign(
        "the configuration of a MapReduce job",
        _begins(rb"(<\?xml[^>]*>\s*)?<configuration>"),
        "it has settings and no times",
        "the file .jhist beside it",
    ),
    Foreign(
        "a log of messages of Spark or Hadoop",
        _begins(_TIME + rb"(,\d+)? +(INFO|WARN|ERROR|DEBUG) "),
        "it has no times of tasks that can be relied on",
        "the event log that Spark writes with spark.eventLog.enabled true, or the .jhist of MapReduce",
    ),
    Foreign(
        "an answer of Spark's REST API",
        _holds(b'"stageId"', b'"numTasks"'),
        "it has sums over the tasks of a stage",
        "the event log: the History Server offers it as a zip under /api/v1/applications/<id>/logs",
    ),
    Foreign(
        "a trace in the Standard Workload Format",
        lambda head: _begins(rb";\s*\w[\w ]*:")(head) or _workload_format(head),
        "a job of it has one run time for all its processors, so that no task can be told from others",
        f"{SACCT} of job arrays, or, for a workload only, a CSV with the columns job_id,submit,tasks",
    ),
    Foreign(
        "accounting of PBS",
        _begins(rb"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Z];"),
        "its records E have start=, end= and exec_host=, the index of an array in the job's identifier",
        _TABLE,
    ),
    Foreign(
        "what kubectl prints for people, or YAML",
        lambda head: _begins(rb"(---\s+)?apiVersion:")(head) or _begins(rb"NAME {2,}\S.* {2,}AGE\s")(head),
        "it is read as JSON only",
        "kubectl get jobs,pods -o json",
    ),
    Foreign(
        "task_instance of Airflow",
        _columns(b"task_id", b"dag_id", b"start_date"),
        "start_date and end_date are times of day, and run_id is the job",
        _TABLE,
    ),
    Foreign(
        "a trace of Nextflow",
        _columns(b"task_id", b"hash", b"native_id"),
        "its times are in submit, start and complete",
        f"{_TABLE}; nextflow log has raw times with trace.raw = true",
    ),
    Foreign(
        "task_events of the Google cluster of 2011",
        _google_2011,
        "a task has a row for each event: 1 is its start, 4 its end, in microseconds",
        _TABLE,
    ),
    Foreign(
        "batch_instance or batch_task of the Alibaba cluster of 2018",
        _alibaba_2018,
        "it has no header; start and end of an instance are its sixth and seventh column",
        _TABLE,
    ),
    Foreign(
        "a workflow in WfFormat",
        _holds(b'"schemaVersion"', b'"workflow"'),
        "its tasks have their times under workflow.execution",
        _TABLE,
    ),
    Foreign(
        "a web page",
        lambda head: _begins(rb"<(!doctype html|html)")(head) and DASK not in head,
        "it was written for people",
        "the file of the log itself: the page was saved in its place",
    ),
)


def refusal_of(head: bytes) -> str:
    """Return what is said of a file that begins so, if it is known and not read; empty if not.

    Examples
    --------
    >>> refusal_of(b"<!doctype html>").partition(";")[0], refusal_of(b"job_id,submit,tasks")
    ('this is a web page', '')
    """
    return next((one.refusal for one in FOREIGN if one.recognises(head)), "")
