"""Whether a task may run twice, judged by what a log says about the writes of its stages.

A second copy of a task repeats what the task does. What it computes is thrown away; what it writes may be
there twice. A log shows commands, committers and sinks, never what a function does besides: no log proves
that copies are safe, and the best that is said is that nothing in it speaks against them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sim.advice.whatif.software import version
from sim.logs.formats.spark_writes import ALGORITHM, UNTOLD
from sim.logs.history import History
from sim.telling.words import counted
from theory.shown import shortened

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
#: Key, as `sim.logs.formats.spark_writes` has it -> writer. Files are looked at more closely.
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
