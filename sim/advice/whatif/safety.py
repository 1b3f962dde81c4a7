"""Whether a task may run twice, judged by what a log says about the writes of its stages.

A second copy of a task repeats what the task does. What it computes is thrown away; what it writes may be
there twice. A log shows commands, committers and sinks, never what a function does besides: no log proves
that copies are safe, and the best that is said is that nothing in it speaks against them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from sim.advice.whatif.model import Model
from sim.advice.whatif.price import version
from sim.advice.whatif.runs import Replay, ReplicationFigures, in_parts, tallies
from sim.advice.whatif.setting_effect import SettingEffect
from sim.engines.slots.scenario import SlotPolicy
from sim.logs.formats.spark_files import ALGORITHM, UNTOLD
from sim.logs.history import History
from sim.running.parallel import HERE, Player
from sim.telling.words import counted, in_percent
from theory.quoting import shortened

SAFE, ASK, NEVER = "nothing against it", "ask", "do not"
LEVELS = (SAFE, ASK, NEVER)
#: Stages that are named.
_NAMED = 3
#: What commits files by default; another class may write to its place at once.
_COMMITTERS = (
    "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol",
    "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol",
    "org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter",
    "org.apache.parquet.hadoop.ParquetOutputCommitter",
)
_COMMITTER_SETTINGS = (
    "spark.sql.sources.commitProtocolClass",
    "spark.sql.sources.outputCommitterClass",
    "spark.sql.parquet.output.committer.class",
)
_FACTORY = "spark.hadoop.mapreduce.outputcommitter.factory."
#: Factories whose committers let one attempt of a task commit.
_FACTORIES = ("FileOutputCommitterFactory", "S3ACommitterFactory", "ManifestCommitterFactory")
_SHUFFLES = ("sort", "tungsten-sort", "org.apache.spark.shuffle.sort.SortShuffleManager")
#: The first release of Spark that commits by algorithm 1 on any Hadoop.
_FIRST_OF_ONE = (3, 1)


@dataclass(frozen=True)
class Writer:
    """With what stages write, and what a second copy of their tasks may do.

    Parameters
    ----------
    title : str
        With what, after the verb.
    level : str
        One of `LEVELS`.
    reason : str
        A sentence.
    reference : str
        Where it is said in public; empty where nothing speaks against it, or the file tells nothing.
    verb : str, optional
        What the stages do.
    """

    title: str
    level: str
    reason: str
    reference: str = ""
    verb: str = "write"

    def does(self, many: bool) -> str:
        """Return what one does, or many do.

        Examples
        --------
        >>> WRITERS["foreach"].does(many=False), WRITERS["jdbc"].does(many=True)
        ('calls foreach', 'write to a database by JDBC')
        """
        alone = "" if many or " " in self.verb else "s"
        return f"{self.verb}{alone} {self.title}"


_SPARK = "https://github.com/apache/spark"
_DIRECT = Writer(
    "files through a committer of its own",
    ASK,
    "A committer that writes to the final place at once can lose or double files when two attempts write.",
    f"{_SPARK}/pull/8317",
)
_ONE = Writer("files", SAFE, "The committer of Hadoop, algorithm 1, lets one attempt of a task commit.")
_TWO = Writer(
    "files by algorithm 2 of the committer",
    ASK,
    "Algorithm 2 puts a task's files into the final place before the job ends: an attempt that dies while it "
    "commits leaves some of them there.",
    f"{_SPARK}/pull/29895",
)
_UNKNOWN_ALGORITHM = Writer(
    "files by an algorithm that the log does not name",
    ASK,
    "Before Spark 3.1 the algorithm of the committer depends on the release of Hadoop, and algorithm 2 may "
    "leave files of an attempt that dies.",
    f"{_SPARK}/pull/29895",
)
_SHUFFLE = Writer(
    "its shuffles in a remote service",
    ASK,
    "Not every remote shuffle service supports two attempts of a task; ask the makers of this one.",
    "https://github.com/uber/RemoteShuffleService/issues/27",
    verb="keep",
)
_UNTOLD = Writer(
    "what this compact file does not tell",
    ASK,
    "Compact files of earlier releases do not keep what stages write: give the log itself.",
    verb="may write",
)
#: Key, as `sim.logs.formats.spark_files` has it -> writer. Files are looked at more closely.
WRITERS: dict[str, Writer] = {
    "delta": Writer(
        "a Delta table", SAFE, "Only files of attempts that have committed are in the table's log."
    ),
    "iceberg": Writer(
        "an Iceberg table", SAFE, "Only files of attempts that have committed are in its snapshot."
    ),
    "hudi": Writer(
        "a Hudi table",
        NEVER,
        "Two attempts write to the same file slices: broken files and duplicate records; recent releases "
        "refuse to write with speculation on.",
        "https://github.com/apache/hudi/pull/18045",
    ),
    "jdbc": Writer(
        "to a database by JDBC",
        NEVER,
        "Each attempt inserts and commits its own rows, so that rows may be there twice.",
        f"{_SPARK}/blob/master/sql/core/src/main/scala/org/apache/spark/sql/execution/datasources/jdbc/"
        "JdbcUtils.scala",
    ),
    "elasticsearch": Writer(
        "to Elasticsearch",
        NEVER,
        "Its makers ask for speculation to be off: documents without an id of their own are there twice.",
        "https://www.elastic.co/guide/en/elasticsearch/hadoop/current/configuration-runtime.html",
    ),
    "foreach": Writer(
        "foreach",
        NEVER,
        "Whatever its function does outside Spark, a second copy of a task does again.",
        "https://secfree.github.io/blog/2018/11/25/spark-speculation-may-break-data-consistency.html",
        verb="call",
    ),
    "kafka": Writer(
        "to Kafka",
        ASK,
        "Records are written at least once: a second copy of a task writes its records again.",
        "https://spark.apache.org/docs/latest/structured-streaming-kafka-integration.html",
    ),
    "mongodb": Writer(
        "to MongoDB",
        ASK,
        "Whether two attempts may write side by side depends on the connector and on ids of the documents.",
        "https://github.com/mongodb/mongo-spark/pull/57",
    ),
    "other": Writer(
        "with something this program does not know",
        ASK,
        "Ask its makers whether two attempts of a task may write side by side; before a mended release of "
        "Spark, copies that are refused at a commit count as failures.",
        f"{_SPARK}/pull/55470",
    ),
}
#: System -> what is asked where a log tells nothing of writes.
_SILENT = {
    "hadoop": "its committer lets one attempt commit; what a task does besides, this log does not tell",
    "tez": "its committer lets one attempt commit; what a task does besides, this log does not tell",
    "flink": "only sinks with SupportsConcurrentExecutionAttempts allow it, and this log does not name them",
}
#: System -> how copies are kept from some jobs, where a log tells nothing of writes.
_BY_JOB = {
    "hadoop": "MapReduce switches copies on job by job: leave mapreduce.map.speculative and "
    "mapreduce.reduce.speculative off for jobs whose tasks must not run twice."
}


@dataclass(frozen=True)
class Found:
    """Stages that write with the same.

    Parameters
    ----------
    writer : Writer
    stages : tuple of str
        The names of some of them; none where it is about all.
    count : int
        How many there are.
    rows : tuple of int, optional
        Their rows in the history's table.
    """

    writer: Writer
    stages: tuple[str, ...]
    count: int
    rows: tuple[int, ...] = ()

    @property
    def told(self) -> str:
        """Return two sentences."""
        named = "; ".join(shortened(name) for name in self.stages)
        rest = f" and {self.count - len(self.stages)} more" if self.count > len(self.stages) else ""
        who = f"{counted(self.count, 'stage')} ({named}{rest})" if self.stages else "The application"
        return f"{who} {self.writer.does(self.count > 1)}. {self.writer.reason}"

    @property
    def briefly(self) -> str:
        """Return how many stages do what."""
        who = counted(self.count, "stage") if self.stages else "the application"
        return f"{who} {self.writer.does(self.count > 1)}"


@dataclass(frozen=True)
class Safety:
    """Whether the tasks of a history may run twice.

    Parameters
    ----------
    level : str
        The highest of what was found.
    found : tuple of Found
        By level, the highest first.
    silent : str
        What such logs do not tell, after "ask:".
    by_job : str
        How copies are kept from some jobs of a system whose logs do not tell.
    """

    level: str
    found: tuple[Found, ...] = ()
    silent: str = ""
    by_job: str = ""

    @property
    def sentence(self) -> str:
        """Say it; more of each writer is in `found`."""
        if self.level == SAFE:
            return "Nothing in this log speaks against running a task twice."
        if self.silent:
            return f"Ask before tasks run twice: {self.silent}."
        written = " and ".join(one.briefly for one in self.found if one.writer.level == self.level)
        if self.level == ASK:
            return f"Ask before tasks run twice: {written}."
        return f"Do not run tasks of this application twice: {written}."

    @property
    def against(self) -> tuple[Found, ...]:
        """What speaks against it."""
        return tuple(one for one in self.found if one.writer.level != SAFE)

    @property
    def restricted(self) -> str:
        """Say how copies can be kept from some stages; nothing where that is not needed."""
        if not any(one.stages for one in self.against):
            return self.by_job
        which = "these writes" if self.level == NEVER else "writes that must not run twice"
        return (
            "Spark copies the tasks of all stages or of none, from the start of an application on. Move the "
            f"jobs with {which} into an application of their own, without speculation; or, where each run is "
            "submitted by itself, switch it on by --conf spark.speculation=true only for runs without them."
        )


def safety(history: History, system: str) -> Safety:
    """Return whether the tasks of a history may run twice under the settings of a system.

    Parameters
    ----------
    history : History
    system : str
        Its key: spark, hadoop, tez, flink.
    """
    if system != "spark" or history.format != "spark":
        silent = _SILENT.get(system, "this log does not tell what tasks write")
        return Safety(ASK, silent=silent, by_job=_BY_JOB.get(system, ""))
    found = sorted(_found(history), key=lambda one: -LEVELS.index(one.writer.level))
    return Safety(found[0].writer.level if found else SAFE, tuple(found))


def _found(history: History) -> Iterator[Found]:
    """Yield what stages write with, and what the settings name."""
    stages = history.frame("stages")
    for key, group in stages[stages["writes"].fillna("") != ""].groupby("writes", sort=False):
        if key == UNTOLD:
            yield Found(_UNTOLD, (), 1)
            continue
        writer = _committer(history.settings) if key == "files" else WRITERS.get(str(key), WRITERS["other"])
        names = tuple(dict.fromkeys(group["name"].fillna("").astype(str)))[:_NAMED]
        yield Found(writer, names or ("",), len(group), tuple(group.index.tolist()))
    if history.settings.get("spark.shuffle.manager", "sort") not in _SHUFFLES:
        yield Found(_SHUFFLE, (), 1)


def _committer(settings: Mapping[str, str]) -> Writer:
    """Return how files are committed."""
    named = [settings[name] for name in _COMMITTER_SETTINGS if name in settings]
    factories = [value for name, value in settings.items() if name.startswith(_FACTORY)]
    if any(one not in _COMMITTERS for one in named) or not all(one.endswith(_FACTORIES) for one in factories):
        return _DIRECT
    algorithm = settings.get(f"spark.hadoop.{ALGORITHM}", "")
    if not algorithm:
        known = "spark.version" in settings and version(settings) >= _FIRST_OF_ONE
        return _ONE if known else _UNKNOWN_ALGORITHM
    return _ONE if algorithm == "1" else _TWO


# The gain where only stages are copied that nothing in the log speaks against.
#
# Spark never copies the task of a stage of one: there are no others by which it could be slow. So a stage
# that must not be copied is played as so many stages of one task, in its place: with its parents, its gap
# and its luck, and its children wait for all of them. Served first come, first served, its tasks then
# launch when and where they did, and nothing else of the run is changed.
#
# That does not hold where stages share the slots equally, for a stage would become many, nor where a
# ``spark.speculation.task.duration.threshold`` is set, after which the task of a stage of one is copied,
# too. Then nothing is played, and the reason is said.

#: Pairs of a stage and one that it waits for, from which a run would take too long.
MOST_WAITS = 300_000


@dataclass(frozen=True, eq=False)
class UnsafeStages:
    """Stages that something speaks against, and what is gained without copies of their tasks.

    Parameters
    ----------
    kept : ndarray of bool
        For each stage of the model whether its tasks are not copied.
    work : float
        Share of the work that is in the other stages.
    why : str, optional
        Why nothing is played; empty where it is.
    change : mapping, optional
        Figure -> change against today's setting, once it has been played.
    """

    kept: np.ndarray
    work: float
    why: str = ""
    change: Mapping[str, SettingEffect] = field(default_factory=dict)

    def told(self, objective: str, whole: Mapping[str, SettingEffect]) -> str:
        """Say what is gained with copies in all stages, and in those that nothing speaks against.

        Parameters
        ----------
        objective : str
            Mean or p95.
        whole : mapping
            Changes with copies in all stages.
        """
        others = int((~self.kept).sum())
        which = f"{others:,} of {counted(self.kept.size, 'stage')}, {in_percent(self.work)} of the work"
        if self.why or not self.change:
            reason = f": {self.why}" if self.why else ""
            return f"What is gained with copies in the other stages alone ({which}) is not known{reason}."
        return (
            f"With copies in all stages the {objective} job time changes by {whole[objective].percent}; "
            f"with copies only in stages that nothing speaks against ({which}) by "
            f"{self.change[objective].percent}, and slot-time by {self.change['slot_time'].percent}."
        )


def apart_of(question: Replay, safety: Safety, policy: SlotPolicy) -> UnsafeStages | None:
    """Return the stages without copies under a policy; None where nothing speaks against any stage."""
    model, rows = question.model, [row for one in safety.against for row in one.rows]
    kept = np.isin(model.stages, rows)
    if any(not one.stages for one in safety.against):  # the whole application
        kept[:] = True
    if not kept.any():
        return None
    of_stage = np.add.reduceat(model.work, np.cumsum(model.tasks) - model.tasks)
    return UnsafeStages(kept, float(of_stage[~kept].sum() / of_stage.sum()), _why(question, kept, policy))


def _why(question: Replay, kept: np.ndarray, policy: SlotPolicy) -> str:
    """Return why a policy is not played with some stages without copies; empty if it is."""
    if kept.all():
        return "there are none"
    if policy.speculation.key != "spark":
        return "single stages can be left out of the rule of Spark only"
    if policy.sharing.key != "fifo":
        return "with FAIR, stages that are played task by task would get more than their share of the slots"
    if policy.speculation.as_dict["threshold"]:
        return (
            "with spark.speculation.task.duration.threshold, tasks are copied without others of their stage"
        )
    changed = replace(question, model=without_copies(question.model, kept))
    if sum(map(len, changed.recorded.parents)) > MOST_WAITS:
        return "it has too many stages that wait for each other"
    return ""


def one_by_one(
    tasks: np.ndarray, parents: Sequence[Sequence[int]], kept: np.ndarray
) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
    """Make stages of one task each of some stages.

    Parameters
    ----------
    tasks : ndarray of int
        Of each stage.
    parents : sequence of sequence of int
        Stages that each stage waits for.
    kept : ndarray of bool
        Which are taken apart.

    Returns
    -------
    ndarray of int
        For each new stage the one it was, or is a task of.
    tuple of tuple of int
        New stages that each new stage waits for.

    Examples
    --------
    >>> one_by_one(np.array([2, 3, 1]), [[], [0], [0, 1]], np.array([True, False, False]))
    (array([0, 0, 1, 2]), ((), (), (0, 1), (0, 1, 2)))
    """
    count = np.where(kept, tasks, 1)
    first = np.cumsum(count) - count
    of = np.repeat(np.arange(tasks.size), count)
    new = [range(begin, begin + many) for begin, many in zip(first.tolist(), count.tolist(), strict=True)]
    waits = [tuple(chain.from_iterable(new[parent] for parent in listed)) for listed in parents]
    return of, tuple(waits[stage] for stage in of.tolist())


def without_copies(model: Model, kept: np.ndarray) -> Model:
    """Return the model with these stages split into single tasks, so that they are never copied."""
    of, parents = one_by_one(model.tasks, model.parents, kept)
    return replace(
        model,
        stage_job=model.stage_job[of],
        parents=parents,
        gap=model.gap[of],
        recorded=model.recorded[of],
        tasks=np.where(kept[of], 1, model.tasks[of]),
        stages=model.stages[of],
    )


def play_apart(
    question: Replay, policy: SlotPolicy, kept: np.ndarray, numbers: range, player: Player = HERE
) -> list[ReplicationFigures]:
    """Play a policy in some replications with some stages without copies."""
    asked = replace(question, model=without_copies(question.model, kept))
    return in_parts(player, tallies, asked, policy, numbers)
