"""Known files that cannot be read: what each is, what it lacks or which tool reads it, what to give instead.

They are looked for before the formats that are read, so each is recognised by what no such format has.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sim.model.fields import BadInput
from theory.quoting import shortened

# The boundary of the reader: any error of a parser becomes one line that names file and reason.

_LOG = logging.getLogger(__name__)


class Named(Protocol):
    """A file that is no path, such as an upload."""

    @property
    def name(self) -> str:
        """What it is called."""


@contextmanager
def refusing(sources: Sequence[str | Path | Named]) -> Iterator[None]:
    """Refuse files for any error in the block; want of memory goes on, as it may be no fault of the file.

    The log names the kind of error and the line of our code, and nothing of the file.

    Parameters
    ----------
    sources : sequence of str, Path or Named

    Raises
    ------
    BadInput

    Examples
    --------
    >>> with refusing(["jobs.csv"]):
    ...     float("three")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: jobs.csv: the file cannot be read (could not convert string to float...
    """
    try:
        yield
    except (BadInput, MemoryError):
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        _LOG.warning("a file is refused: %s in %s:%s", type(error).__name__, frame.filename, frame.lineno)
        names = shortened(", ".join(_name(source) for source in sources))
        raise BadInput(
            f"{names}: the file cannot be read ({reason(error)}); it may be damaged: give it again, "
            "or another one"
        ) from error


def reason(error: BaseException) -> str:
    r"""Return what an error says in its first line, or of what kind it is if it says nothing.

    Examples
    --------
    >>> reason(OverflowError("too large\nfor this")), reason(EOFError())
    ('too large', 'EOFError')
    """
    said = str(error).strip().partition("\n")[0]
    return shortened(said) if said else type(error).__name__


def _name(source: str | Path | Named) -> str:
    return Path(source).name if isinstance(source, (str, Path)) else source.name


#: First bytes of a file by which it is recognised.
HEAD = 2**16
SACCT = "sacct -P -o JobID,State,Submit,Eligible,Start,End,ElapsedRaw,NodeList"
#: How a task stream of Dask is saved with the number of threads.
TASK_STREAM = "json.dumps([*client.get_task_stream(), client.nthreads()], default=repr)"
_TABLE = "a CSV with the columns job_id,task_id,start_s,end_s and, where they are known, stage_id,host,status"
_CONVERTER = f"{_TABLE}: “Add a format” in the documents has ten lines that write it"
#: A web page that is read.
DASK = b"<title>Dask Performance Report</title>"
#: What a timeline of Ray has.
_RAY = re.compile(rb'"cat":\s*"task:')
_STATE = re.compile(rb"(COMPLETED|FAILED|TIMEOUT|CANCELLED|RUNNING|NODE_FAIL|OUT_OF_ME|PREEMPTED)")
_TIME = rb"(\d\d/\d\d/\d\d(\d\d)?|\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d"
_MESSAGE = re.compile(
    rb"^" + _TIME + rb"([.,]\d+)? +(INFO|WARN|ERROR|DEBUG) |"
    rb"(Starting|Finished) task \d+\.\d+ in stage \d+\.\d+ \(TID \d+",
    re.MULTILINE,
)


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


def _messages(head: bytes) -> bool:
    """Say whether these are messages of Spark, also as JSON and after other lines, or of Hadoop."""
    if _begins(rb"(\[\s*)?\{")(head):  # else an event log would be one, whose settings quote a message
        return _holds(b'"ts"', b'"level"', b'"msg"', b'"logger"')(head)
    return _MESSAGE.search(head) is not None


def _timeline(head: bytes) -> bool:
    """Say whether these are events of a timeline as Chrome shows them."""
    return _holds(b'"ph"', b'"ts"', b'"pid"')(head)


def _spans(head: bytes) -> bool:
    """Say whether these are spans of Jaeger, of OpenTelemetry or of Zipkin."""
    jaeger = _holds(b'"traceID"', b'"spanID"', b'"operationName"')
    others = _holds(b'"resourceSpans"'), _holds(b'"traceId"', b'"localEndpoint"')
    return any(one(head) for one in (jaeger, *others))


def _aligned(head: bytes) -> bool:
    lines = head.split(b"\n")
    ruled = len(lines) > 1 and re.fullmatch(rb"(-+ +)*-+\s*", lines[1]) is not None
    return ruled and re.match(rb"\s*(JobID|JobIDRaw)\b", lines[0]) is not None


def _without_header(head: bytes) -> bool:
    cells = max((_cells(head, delimiter) for delimiter in (b"|", None)), key=len)
    job = re.fullmatch(rb"\d+([_+](\d+|\[.*\]))?(\.\w+)?", cells[0]) if cells else None
    return len(cells) >= 3 and job is not None and any(_STATE.match(cell) for cell in cells[1:])


def _queue(head: bytes) -> bool:
    """Say whether the first line is that of squeue, or a job as scontrol shows it."""
    return {b"JOBID", b"PARTITION", b"ST"} <= set(_cells(head, None)) or _begins(rb"JobId=\d+ ")(head)


def _condor(head: bytes) -> bool:
    plain = re.match(rb"\s*\w+ = ", head) is not None and b"\nClusterId = " in head
    return plain or _holds(b'"ClusterId"', b'"ProcId"')(head)


def _azure_machines(head: bytes) -> bool:
    cells = _cells(head, b",")
    return len(cells) >= 11 and all(re.fullmatch(rb"[A-Za-z0-9+/]{60,}={0,2}", cell) for cell in cells[:3])


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
        "the output of squeue or scontrol",
        lambda head: _holds(b'"jobs"', b'"job_state"')(head) or _queue(head),
        "it has jobs that wait or run now, and no ends",
        SACCT,
    ),
    Foreign(
        "ray timeline",
        lambda head: _timeline(head) and _RAY.search(head) is not None,
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
        _messages,
        "its times are those of messages, and what tasks read is not in it",
        "the event log that Spark writes with spark.eventLog.enabled true, or the .jhist of MapReduce",
    ),
    Foreign(
        "the log or the events of a Dask scheduler",
        lambda head: (
            _holds(b'"add-worker"', b'"action"')(head)
            or (_holds(b'["INFO", "')(head) and b" - distributed." in head)
            or _begins(_TIME + rb",\d+ - distributed\.")(head)
        ),
        "it has workers that come and go, and no times of tasks",
        f"the web page that performance_report saves, or {TASK_STREAM}",
    ),
    Foreign(
        "an answer of Spark's REST API",
        _holds(b'"stageId"', b'"numTasks"'),
        "it has sums over the tasks of a stage",
        "the event log: the History Server offers it as a zip under /api/v1/applications/<id>/logs",
    ),
    Foreign(
        "what kubectl prints for people, or YAML",
        lambda head: _begins(rb"(---\s+)?apiVersion:")(head) or _begins(rb"NAME {2,}\S.* {2,}AGE\s")(head),
        "it is read as JSON only",
        "kubectl get jobs,pods -o json",
    ),
    Foreign(
        "task_instance of Airflow",
        lambda head: (
            _columns(b"task_id", b"dag_id", b"start_date")(head)
            or _holds(b'"task_id"', b'"dag_id"', b'"start_date"')(head)
        ),
        "start_date and end_date are times of day, and run_id is the job",
        _CONVERTER,
    ),
    Foreign(
        "a log or history of HTCondor",
        lambda head: _begins(rb"\d{3} \(\d+\.\d+\.\d+\) \d")(head) or _condor(head),
        "a run has JobCurrentStartDate, CompletionDate and LastRemoteHost in condor_history -json",
        _CONVERTER,
    ),
    Foreign(
        "a file of Snakemake",
        lambda head: (
            _begins(rb"s\th:m:s\tmax_rss")(head)
            or b"\nBuilding DAG of jobs" in b"\n" + head
            or _holds(b'"rule"', b'"starttime"', b'"endtime"')(head)
        ),
        "a benchmark has no starts and a log no ends; both stand in the files of .snakemake/metadata",
        _TABLE,
    ),
    Foreign(
        "a Chrome or PyTorch trace",
        lambda head: _timeline(head) and _RAY.search(head) is None,
        "it has what one process did, and no tasks; a step of a training is a stage, its ranks are the tasks",
        _TABLE,
    ),
    Foreign(
        "a trace of operations of a training",
        _columns(b"dp_rank", b"step", b"optype"),
        "its times begin at 0 in each step, and operations wait for others; a step is a stage, its ranks are "
        "the tasks",
        _TABLE,
    ),
    Foreign(
        "a trace of Jaeger, OpenTelemetry or Zipkin",
        _spans,
        "it has calls, and does not tell which of them are the tasks of a job",
        _CONVERTER,
    ),
    Foreign(
        "a workload or the jobs of Batsim",
        lambda head: (
            _columns(b"job_id", b"workload_name", b"starting_time", b"execution_time")(head)
            or _holds(b'"profiles"', b'"jobs"', b'"subtime"')(head)
        ),
        "a job has one run time for all of its resources",
        f"the workload in the Standard Workload Format, whose processors are taken as tasks, or {_TABLE}",
    ),
    Foreign(
        "a public trace of Azure",
        lambda head: (
            any(
                columns(head)
                for columns in (
                    _columns(b"hashapp", b"hashfunction"),
                    _columns(b"app", b"func", b"end_timestamp", b"duration"),
                    _columns(b"timestamp", b"contexttokens", b"generatedtokens"),
                )
            )
            or _azure_machines(head)
        ),
        "it has requests and machines, and no tasks of a job",
        _TABLE,
    ),
    Foreign(
        "the job log of Philly",
        _holds(b'"attempts"', b'"submitted_time"', b'"vc"'),
        "an attempt has start_time and end_time as local times, and its machines in detail",
        _TABLE,
    ),
    Foreign(
        "the output of qacct or qstat",
        _begins(rb"(={40,}\s+qname |job-ID +prior +name )"),
        "it was written for people",
        "the file that qacct reads: $SGE_ROOT/default/common/accounting",
    ),
    Foreign(
        "the output of bjobs, bhist or bacct, or lsb.events",
        _begins(
            rb'("JOB_(NEW|START|STATUS|MODIFY\d*)" |JOBID +USER +STAT|Job <\d+>|Accounting information|'
            rb"Summary of time)"
        ),
        "it does not have each run in a line",
        "the file that bacct reads: lsb.acct, in LSB_SHAREDIR/CLUSTER/logdir",
    ),
    Foreign(
        "a tar archive",
        lambda head: head[257:262] == b"ustar",
        "the files in it are not looked into",
        "the files, or a zip of them",
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

    For a Parquet file, of which the begin says nothing, give the names of its columns as a line of a CSV.

    Examples
    --------
    >>> refusal_of(b"<!doctype html>").partition(";")[0], refusal_of(b"job_id,submit,tasks")
    ('this is a web page', '')
    """
    return next((one.refusal for one in FOREIGN if one.recognises(head)), "")
