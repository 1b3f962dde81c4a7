"""Real systems: which ones ran when a history was recorded, what can be switched on, and its settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd

from sim.advice.whatif.check import POOR, check_model
from sim.advice.whatif.model import fit
from sim.advice.whatif.price import executor_slots, linger, version
from sim.advice.whatif.runs import FAIR, FIFO, Replay, read_policies, sharing_of
from sim.engines.slots.scenario import SlotPolicy, read_policy
from sim.logs.history import FINISHED, History
from sim.logs.leaving_out import named
from sim.model.fields import BadInput
from sim.model.policy import Parameter
from sim.telling.words import clipped, counted, in_percent
from theory.quoting import quoted

NONE = "fifo+none"
#: Share of the time of all stages that those of few tasks take at least, where a threshold for them is tried.
FEW_SHARE = 0.1
#: A setting in a file, by its suffix.
_LINES = {
    ".conf": "{name} {value}",
    ".yaml": "{name}: {value}",
    ".xml": "<property>\n  <name>{name}</name>\n  <value>{value}</value>\n</property>",
}


def pasted(settings: Mapping[str, str], file: str) -> str:
    """Write settings as their file has them.

    Examples
    --------
    >>> pasted({"spark.speculation": "true"}, "spark-defaults.conf"), pasted({"a.b": "1"}, "flink-conf.yaml")
    ('spark.speculation true', 'a.b: 1')
    >>> print(pasted({"tez.am.speculation.enabled": "true"}, "tez-site.xml"))
    <property>
      <name>tez.am.speculation.enabled</name>
      <value>true</value>
    </property>
    """
    suffix = PurePath(file).suffix
    spelled = escape if suffix == ".xml" else str
    return "\n".join(
        _LINES[suffix].format(name=spelled(name), value=spelled(value)) for name, value in settings.items()
    )


@dataclass(frozen=True)
class System:
    """A system whose operator can switch copies on.

    Parameters
    ----------
    key, title : str
        How the shell calls it, and people. Its rule has the same key, and knows the names of its settings.
    file : str
        Where they are written.
    switches : tuple of str
        Settings that switch copies on and off.
    milliseconds : str
        What follows a number of them.
    options : tuple of str
        Policies that can be set.
    unset : str, optional
        A parameter that is not set where it is at its default.
    sharing : tuple of str, optional
        Sharing rules of the slot engine that it has.
    mode : str, optional
        The setting that chooses among them by its name in capitals; empty where another system does.
    differs : tuple of str, optional
        In what its rule is played otherwise than it is.
    """

    key: str
    title: str
    file: str
    switches: tuple[str, ...]
    milliseconds: str
    options: tuple[str, ...]
    unset: str = ""
    sharing: tuple[str, ...] = (FIFO,)
    mode: str = ""
    differs: tuple[str, ...] = ()

    def has(self, policy: SlotPolicy) -> bool:
        """Say whether the system can do so.

        Examples
        --------
        >>> [SPARK.has(read_policy(text)) for text in ("fifo+none", "fair+spark", "fifo+mantri")]
        [True, True, False]
        """
        return policy.sharing.key in self.sharing and policy.speculation.key in (self.key, "none")

    def can_set(self, policy: SlotPolicy, now: SlotPolicy) -> bool:
        """Say whether its settings lead from today's policy to another.

        Examples
        --------
        >>> [one.can_set(read_policy("fair+none"), read_policy(NONE)) for one in (SPARK, HADOOP)]
        [True, False]
        """
        return self.has(policy) and (bool(self.mode) or policy.sharing == now.sharing)

    def settings(self, policy: SlotPolicy, now: SlotPolicy | None = None) -> dict[str, str]:
        """Turn a policy of the system into exact names and values; how slots are shared if it changes."""
        shared = {}
        if now is not None and policy.sharing != now.sharing:
            shared = {self.mode: policy.sharing.key.upper()}
        return shared | self._copies(policy)

    def _copies(self, policy: SlotPolicy) -> dict[str, str]:
        rule = policy.speculation
        if rule.key == "none":
            return dict.fromkeys(self.switches, "false")
        values = rule.as_dict
        given = [p for p in rule.declared if p.name != self.unset or values[p.name] != p.default]
        named = {p.setting: self._spelled(p, values[p.name]) for p in given}
        return dict.fromkeys(self.switches, "true") | named

    def _spelled(self, parameter: Parameter, value: float) -> str:
        if parameter.about.is_time:
            return f"{round(1000 * value)}{self.milliseconds}"
        return f"{value:.0f}" if parameter.whole else f"{value:g}"  # no system reads 1e+06 as a whole number


SPARK = System(
    "spark",
    "Apache Spark",
    "spark-defaults.conf",
    ("spark.speculation",),
    "ms",
    (
        "fifo+spark",
        "fifo+spark:multiplier=1.5,quantile=0.75",
        "fifo+spark:multiplier=1.5",
        "fifo+spark:multiplier=2,quantile=0.75",
        "fifo+spark:multiplier=2,quantile=0.5",
        "fifo+spark:multiplier=1.5,quantile=0.5",
        "fifo+spark:multiplier=1.2,quantile=0.5",
        "fifo+spark:multiplier=3,quantile=0.5",
        "fifo+spark:multiplier=5",
        "fifo+spark:multiplier=4,min_runtime=30",
    ),
    unset="threshold",
    sharing=(FIFO, FAIR),
    mode="spark.scheduler.mode",
    differs=(
        "a copy starts when it is decided on, in Spark some tens of milliseconds later",
        "checks are at multiples of the interval, in Spark from whenever its timer started",
    ),
)
HADOOP = System(
    "hadoop",
    "Hadoop MapReduce",
    "mapred-site.xml",
    ("mapreduce.map.speculative", "mapreduce.reduce.speculative"),
    "",
    ("fifo+hadoop", "fifo+hadoop:pause=5", "fifo+hadoop:pause=1", "fifo+hadoop:running_share=0.3,pause=1"),
    unset="report",
    sharing=(FIFO, FAIR),  # by the scheduler of YARN
    differs=(
        "the end of a task is known exactly from its first report on, where MapReduce estimates it",
        "killed containers take no time to go unless the log shows it",
    ),
)
TEZ = System(
    "tez",
    "Apache Tez",
    "tez-site.xml",
    ("tez.am.speculation.enabled",),
    "",
    ("fifo+tez", "fifo+tez:pause=5", "fifo+tez:pause=1", "fifo+tez:running_share=0.3,pause=1"),
    unset="single_timeout",
    sharing=(FIFO, FAIR),
    differs=("the end of a task is known exactly after a tenth of its mean time, where Tez estimates it",),
)
FLINK = System(
    "flink",
    "Apache Flink",
    "flink-conf.yaml",
    ("execution.batch.speculative.enabled",),
    "ms",
    (
        "fifo+flink",
        "fifo+flink:lower_bound=10",
        "fifo+flink:lower_bound=1",
        "fifo+flink:lower_bound=1,multiplier=2",
        "fifo+flink:lower_bound=1,ratio=0.5",
        "fifo+flink:lower_bound=1,block=0",
        "fifo+flink:lower_bound=1,block=0,copies=3",
    ),
    differs=(
        "attempts are compared by their time, where Flink compares time per byte if it knows the bytes of "
        "their inputs: tasks with much input are copied too often here",
        "a blocked machine gives its slots back at once when the block is over",
    ),
)
#: Rules of the papers, which none of them has.
PAPERS = ("fifo+late", "fifo+mantri", "fifo+sda", "fifo+dolly", "hopper+late")
SYSTEMS = {system.key: system for system in (SPARK, HADOOP, TEZ, FLINK)}
#: Which of them writes histories of a format.
WRITES = {"spark": "spark", "jhist": "hadoop", "rumen": "hadoop", "flink": "flink", "tez": "tez"}


def system_of(history: History, asked: str = "") -> System | None:
    """Return the system that is asked for, or that recorded a history; None if it has no speculation.

    Raises
    ------
    BadInput
        If there is no such system.
    """
    if asked and asked not in SYSTEMS:
        raise BadInput(f"system: {quoted(asked)} is not accepted; give one of {', '.join(SYSTEMS)}")
    return SYSTEMS.get(asked or WRITES.get(history.format, ""))


def differs(system: System | None, history: History) -> tuple[str, ...]:
    """Return in what copies are played otherwise than the system makes them, and how long losers live.

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.samples import spark
    >>> differs(SPARK, read_history(spark(speculation=False)))[-1][:58]
    'the slot of a copy that lost is taken to be free 60 ms aft'
    """
    return (*(system.differs if system else ()), linger(history)[1])


def today(history: History) -> str:
    """Return the policy under which a history was recorded.

    Spark names its settings in the log, and how it shares slots among jobs (`sim.advice.whatif.runs`). The
    others do not: copies in the history tell that they were on, and their settings are taken as they ship.
    """
    if history.format == "spark":
        return under(sharing_of(history).key, _spark_today(history.settings))
    copied = any(history.copies["speculative"].to_pylist())
    system = WRITES.get(history.format)
    return f"fifo+{system}" if copied and system else NONE


def switched_on(system: System, history: History) -> SlotPolicy:
    """Return today's policy with copies switched on.

    Spark's log may name settings of copies although they are off. What a log does not name is as it ships.

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.samples import spark
    >>> switched_on(SPARK, read_history(spark(speculation=False))).text
    'fifo+spark'
    """
    if (now := read_policy(today(history))).speculation.key == system.key:
        return now
    on = f"fifo+{system.key}"
    if system is SPARK and history.format == "spark":
        on = _spark_today({**history.settings, "spark.speculation": "true"})
    return read_policy(under(now.sharing.key, on))


def under(sharing: str, text: str) -> str:
    """Return a policy that shares slots by another rule.

    Examples
    --------
    >>> under("fair", "fifo+spark:multiplier=2")
    'fair+spark:multiplier=2'
    """
    return f"{sharing}+{text.partition('+')[2]}"


def options_of(system: System | None, history: History) -> tuple[str, ...]:
    """Return what is compared where no policies are given: copies, under the sharing that ran.

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.samples import spark
    >>> options_of(SPARK, read_history(spark(speculation=True)))[:2]
    ('fifo+none', 'fifo+spark')
    """
    options = system.options if system else ("fifo+spark", "fifo+late", "fifo+mantri")
    return _alike((NONE, *options, *(_thresholds(history) if system is SPARK else ())), history)


def _thresholds(history: History) -> tuple[str, ...]:
    """Return settings of Spark for stages of so few tasks that the quantile of its rule comes too late.

    In a stage with no more tasks than an executor has slots, ``spark.speculation.task.duration.threshold``
    (since Spark 3.0) marks a task before any has ended. It is one time for all stages: tried are twice the
    median of their tasks, and twice the time that one in ten exceeds.
    """
    stages, copies = history.frame("stages"), history.frame("copies")
    few = (stages["tasks"] <= executor_slots(history)).to_numpy()
    lasted = (stages["end"] - stages["submit"]).to_numpy(float)
    won = copies["fate"].eq(FINISHED) & few[copies["stage"]]
    if version(history.settings) < (3, 0) or not won.any():
        return ()
    if np.nansum(lasted[few]) < FEW_SHARE * np.nansum(lasted):
        return ()
    usual, slow = (2 * (copies["end"] - copies["launch"])[won]).quantile([0.5, 0.9])
    return tuple(
        f"fifo+spark:{rest}threshold={max(time, 0.1):.2g}"
        for rest, time in (("", usual), ("multiplier=1.5,quantile=0.75,", usual), ("", slow))
    )


def papers(history: History) -> tuple[str, ...]:
    """Return the rules of the papers, under the sharing that ran where they do not bring their own."""
    return _alike(PAPERS, history)


def _alike(texts: Iterable[str], history: History) -> tuple[str, ...]:
    sharing = today(history).partition("+")[0]
    return tuple(under(sharing, text) if text.startswith(FIFO) else text for text in texts)


def _spark_today(settings: Mapping[str, str]) -> str:
    """Read the settings of Spark; those that are left at their defaults are not in its log."""
    if settings.get("spark.speculation", "false").strip().lower() != "true":
        return NONE
    old = version(settings) < (4, 0)
    rule = read_policy("fifo+spark").speculation
    before = {"multiplier": 1.5, "quantile": 0.75} if old else {}
    values = {}
    for p in rule.declared:
        read = _seconds if p.about.is_time else _number
        values[p.name] = read(settings.get(p.setting), before.get(p.name, p.default))
    given = ",".join(f"{name}={value!r}" for name, value in values.items())
    try:
        return read_policy(f"fifo+spark:{given}").text
    except BadInput:  # values that Spark itself would not have run with
        return "fifo+spark"


def _number(text: str | None, default: float) -> float:
    try:
        return default if text is None else float(text)
    except ValueError:
        return default


_UNITS = {"": 1e-3, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def _seconds(text: str | None, default: float) -> float:
    """Read a time as Spark does; the default where it is none."""
    found = seconds_of(text or "")
    return default if found is None else found


def seconds_of(text: str) -> float | None:
    """Read a time as Spark and Flink do: a number with a unit, milliseconds without; None if it is none.

    Examples
    --------
    >>> [seconds_of(text) for text in ("250ms", "2 min", "500", "soon", "-1s")]
    [0.25, 120.0, 0.5, None, None]
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text.lower())
    if not found or found[2] not in _UNITS:
        return None
    return float(found[1]) * _UNITS[found[2]]


# Which jobs make a model poor: those without which it reproduces the rest, and what is advised then.
#
# A warm-up, one job of another kind, or the first job on cold slots may be all that a model of the others
# misses. So each is left out in turn, and the model is fitted and checked anew.

#: Groups of jobs that are tried, at most, and replications of each check and answer.
TRIED, REPLICATIONS = 4, 40
#: Answers that are offered, at most, and share of the job time that may be left out.
OFFERED, _MOST = 2, 0.5
#: The end of a name that tells runs apart: a number, or a date.
_RUN = re.compile(r"[\W\d_]+$")


@dataclass(frozen=True)
class Without:
    """What is advised without some of the jobs.

    Parameters
    ----------
    leave_out : str
        A part of their groups or names.
    jobs : int
        How many they are.
    share : float
        Of the job time.
    verdict : str
        Of the check without them: good or fair.
    advice : str
        What to do, in a sentence.
    """

    leave_out: str
    jobs: int
    share: float
    verdict: str
    advice: str

    @property
    def told(self) -> str:
        """Say what is left out, and what is advised.

        Examples
        --------
        >>> Without("warmup", 6, 0.03, "fair", "Leave the settings as they are").told
        'Without warmup (6 jobs, 3 % of the job time) the model is fair. Leave the settings as they are.'
        """
        left = f"{counted(self.jobs, 'job')}, {in_percent(self.share)} of the job time"
        return (
            f"Without {clipped(self.leave_out)} ({left}) the model is {self.verdict}. "
            f"{self.advice.rstrip('.')}."
        )


def candidates(jobs: pd.DataFrame) -> Iterator[tuple[str, np.ndarray]]:
    """Yield parts of names by which jobs may be left out, and which those are: the first to begin first.

    Parameters
    ----------
    jobs : DataFrame
        group, name, submit (s) and end (s) of each.

    Examples
    --------
    >>> jobs = pd.DataFrame({"group": "", "name": ["warm 1", "warm 2", "etl 1", "etl 2", "etl 3", "huge"]})
    >>> jobs = jobs.assign(submit=range(6), end=[1, 2, 9, 9, 9, 14])
    >>> [(text, int(held.sum())) for text, held in candidates(jobs)]
    [('warm', 2), ('huge', 1), ('warm 1', 1)]
    """
    times = (jobs["end"] - jobs["submit"]).fillna(0.0).clip(lower=0.0)
    label = jobs["group"].where(jobs["group"] != "", jobs["name"])
    kind = label.map(lambda text: _RUN.sub("", text))
    begun = jobs["submit"].groupby(kind).min().sort_values(kind="stable")
    listed = list(begun.index) if begun.size <= TRIED else []
    alone = [label[times.idxmax()], label[jobs["submit"].idxmin()]] if times.any() else []
    seen: set[bytes] = set()
    for text in [*listed, *alone]:
        held = named(jobs, text) if text else np.zeros(len(jobs), bool)
        if held.any() and times[held].sum() <= _MOST * times.sum() and held.tobytes() not in seen:
            seen.add(held.tobytes())
            yield text, held


def passing(history: History, text: str, seed: int) -> Replay | None:
    """Return the question without some jobs; None if nothing can be fitted, or its check is poor, too."""
    try:
        asked = Replay(fit(history, leave_out=text), leave_out=text, seed=seed)
    except BadInput:
        return None
    (policy,) = read_policies([today(history)], asked.scenario).values()
    found, _ = check_model(asked, policy, REPLICATIONS)
    return None if found.verdict == POOR else asked
