"""Finds which files of Spark are parts of one application, and in what order they were written.

Spark rolls a log into ``events_<n>_<application>``, Databricks into ``eventlog-<date>--<hour>-<minute>``
with the newest part in ``eventlog``. Any other file is an application of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from sim.logs.source import Member

#: Settings by which a log tells the memory of an executor, and what launched it.
EXECUTOR_SETTINGS = (
    r"executor\.(memory|memoryOverhead|memoryOverheadFactor|minMemoryOverhead|pyspark\.memory)",
    r"yarn\.executor\.memoryOverhead",
    r"kubernetes\.(memoryOverheadFactor|resource\.type)",
    r"memory\.offHeap\.(enabled|size)",
)
# Executors of a Spark application: how many came, with how many cores, and what tells their memory.
#
# Events say how many cores each executor brought, which settings need not. They are kept as one more
# setting of the history, so that the compact file of a log has them, too.

OF_SIZE = re.compile(rf"spark\.({'|'.join(EXECUTOR_SETTINGS)})")
#: The setting whose value names hosts: only what launches executors is kept of it.
MASTER = "spark.master"
#: The setting that names a platform which launches executors its own way, and how settings of it begin.
PLATFORM, PLATFORMS = "platform", {"spark.databricks.": "Databricks"}
_LAUNCHERS = re.compile(r"local|yarn|k8s|spark|mesos")
#: The setting in which the executors are kept, as `told` writes them.
EXECUTORS = "executors"
#: What a resource profile asks for -> the setting that asks for the same; both count in MB.
_ASKED = {
    "memory": "spark.executor.memory",
    "memoryOverhead": "spark.executor.memoryOverhead",
    "pyspark.memory": "spark.executor.pyspark.memory",
}


def launcher(master: str) -> str:
    """Return what launches executors; empty if a master does not tell.

    Examples
    --------
    >>> launcher("k8s://https://10.0.0.1:443"), launcher("*********(redacted)")
    ('k8s', '')
    """
    found = _LAUNCHERS.match(master)
    return found[0] if found else ""


def of_profile(event: Mapping[str, Any]) -> dict[str, str]:
    """Return as settings what the usual resource profile asks for; nothing of another profile.

    Examples
    --------
    >>> asked = {"cores": {"Amount": 4}, "memory": {"Amount": 2048}}
    >>> of_profile({"Resource Profile Id": 0, "Executor Resource Requests": asked})
    {'spark.executor.memory': '2048m'}
    """
    if event.get("Resource Profile Id") != 0:
        return {}
    asked = event.get("Executor Resource Requests") or {}
    return {setting: f"{int(asked[name]['Amount'])}m" for name, setting in _ASKED.items() if name in asked}


def told(cores: Mapping[int, int]) -> str:
    """Write how many executors came with how many cores.

    Examples
    --------
    >>> told({4: 10, 8: 2})
    '10 of 4 cores, 2 of 8 cores'
    """
    return ", ".join(f"{count} of {each} cores" for each, count in sorted(cores.items()))


def read(text: str) -> Counter[int]:
    """Read what `told` has written; nothing where a text is no such.

    Examples
    --------
    >>> read("10 of 4 cores, 2 of 8 cores"), read("many")
    (Counter({4: 10, 8: 2}), Counter())
    """
    found = [re.fullmatch(r"(\d{1,9}) of (\d{1,9}) cores", part.strip()) for part in text.split(",")]
    return Counter({int(one[2]): int(one[1]) for one in found if one and int(one[1]) and int(one[2])})


# Writes of the stages of a Spark application, and by which writer: they decide whether tasks may run twice.
#
# Writers are told by three signs: the plan of an SQL execution names the command and what makes it, the
# name of a stage the call of an RDD, and its accumulated output metrics that it has written at all.

#: Settings by which a log tells how files are committed, and by what shuffles are kept.
WRITE_SETTINGS = (
    r"hadoop\.mapreduce\.(fileoutputcommitter\.algorithm\.version|outputcommitter\.factory\..+)",
    r"sql\.sources\.(commitProtocolClass|outputCommitterClass)",
    r"sql\.parquet\.output\.committer\.class",
    r"shuffle\.manager",
)
#: Of the Hadoop properties of a log what decides, by the name that it has among the settings of Spark.
ALGORITHM = "mapreduce.fileoutputcommitter.algorithm.version"

#: Of stages in files that do not tell whether they write, or with what.
UNTOLD = "untold"

#: Nodes of a plan that write.
_WRITES = re.compile(
    r"InsertInto|SaveInto|AppendData|Overwrite(ByExpression|PartitionsDynamic)|ReplaceData|WriteDelta|"
    r"WriteToDataSource|WriteToContinuous|TableAsSelect|MergeInto|WriteInto|WriteToMicroBatch"
)
#: Commands that write plain files through a committer of Hadoop, whatever stands in their paths.
_FILES = re.compile(
    r"InsertInto(HadoopFsRelation|Hive|DataSourceDir)|Create(DataSource|Hive)\w*TableAsSelect"
)
#: What makes the others, by the words of its classes and tables, before any path.
_MAKERS = (
    ("hudi", re.compile(r"hudi|hoodie", re.IGNORECASE)),
    ("iceberg", re.compile(r"iceberg", re.IGNORECASE)),
    ("delta", re.compile(r"\bdelta|DeltaDataSource|WriteIntoDelta", re.IGNORECASE)),
    ("jdbc", re.compile(r"jdbc", re.IGNORECASE)),
    ("elasticsearch", re.compile(r"elasticsearch|opensearch", re.IGNORECASE)),
    ("kafka", re.compile(r"kafka", re.IGNORECASE)),
    ("mongodb", re.compile(r"mongo", re.IGNORECASE)),
    ("", re.compile(r"\bnoop", re.IGNORECASE)),
)
#: Calls of an RDD, as the name of a stage has them.
_CALLS = (
    ("foreach", re.compile(r"foreach(Partition|RDD)?(Async)? at ")),
    ("files", re.compile(r"saveAs\w+ at |SparkHadoopWriter\.scala")),
    ("elasticsearch", re.compile(r"saveToEs\w* at |EsSpark\.scala")),
    ("jdbc", re.compile(r"jdbc at .*JdbcUtils|JdbcUtils\.scala")),
    ("other", re.compile(r"saveTo\w+ at ")),
)
_WRITTEN = re.compile(r"internal\.metrics\.output\.(bytes|records)Written")


def of_plan(plan: Mapping[str, Any], described: str = "") -> str:
    """Return with what the plan of an SQL execution writes: '' if it does not, 'other' if that is not known.

    Parameters
    ----------
    plan : mapping
        As `sparkPlanInfo` of an event has it.
    described : str, optional
        As `physicalPlanDescription` of the event has it: in Spark 4 only there a command has its arguments.

    Examples
    --------
    >>> command = "Execute SaveIntoDataSourceCommand"
    >>> of_plan({"nodeName": command, "simpleString": f"{command} org.x.jdbc.JdbcRelationProvider@5, [url]"})
    'jdbc'
    """
    for node in _nodes(plan):
        name, told = str(node.get("nodeName", "")), str(node.get("simpleString", ""))
        if not _WRITES.search(name):
            continue
        if _FILES.search(name):
            return "files"
        told += f" {_arguments(name, described)}" if told.strip() == name else ""
        words = re.sub(r"\S*/\S*|\[.*?\]", " ", told)  # neither paths nor options
        return next((key for key, pattern in _MAKERS if pattern.search(f"{name} {words}")), "other")
    return ""


def _arguments(name: str, described: str) -> str:
    """Return the arguments of a node: in a block of its own, or beside it in simple descriptions."""
    word = re.escape(name.rpartition(" ")[2])
    found = re.search(rf"\(\d+\) {word}\b.*\n(?:.+\n)*?Arguments: (.*)|\b{word} ([^(\s].*)", described)
    return (found[1] or found[2]) if found else ""


def of_stage(name: str) -> str:
    """Return with what a stage writes by its name alone; '' if that tells nothing.

    Examples
    --------
    >>> of_stage("foreachPartition at Load.scala:12"), of_stage("count at Load.scala:14")
    ('foreach', '')
    """
    return next((key for key, pattern in _CALLS if pattern.search(name)), "")


def has_written(stage: Mapping[str, Any]) -> bool:
    """Tell whether a stage that is complete has written by its metrics."""
    return any(
        _WRITTEN.fullmatch(str(one.get("Name"))) and float(one.get("Value") or 0) > 0
        for one in stage.get("Accumulables") or ()
    )


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.get("children") or [])


_PACKED = r"(?:\.(?:zstd|zst|lz4|snappy|gz))?"
_ROLLED = re.compile(rf"events_(\d+)_(.+?){_PACKED}(\.compact)?$")
_DATED = re.compile(rf"eventlog(?:-(\d{{4}}-\d\d-\d\d--\d\d-\d\d))?{_PACKED}$")
#: Comes after any date.
_NEWEST = "~"


def part_of(name: str) -> str | None:
    """Return whose part a file is by its name: an application, or "" for that of its folder; None if of none.

    Examples
    --------
    >>> part_of("events_2_app-1.zstd"), part_of("eventlog-2026-01-02--03-00.gz"), part_of("app-1")
    ('app-1', '', None)
    """
    if part := _ROLLED.match(name):
        return part[2]
    return "" if _DATED.match(name) else None


def applications(members: Sequence[Member]) -> list[list[Member]]:
    """Group the files by application, the parts of each in the order in which they were written."""
    rolled: dict[str, dict[int, Member]] = {}
    compacted: dict[str, int] = {}
    dated: dict[int, list[tuple[str, Member]]] = {}
    seen: Counter[str] = Counter()
    groups = []
    for member in members:
        name = PurePosixPath(member.name).name
        if part := _ROLLED.match(name):
            number, application = int(part[1]), part[2]
            if part[3]:  # holds what is needed of all parts up to this number
                compacted[application] = max(number, compacted.get(application, 0))
            if part[3] or number not in rolled.setdefault(application, {}):
                rolled.setdefault(application, {})[number] = member
        elif part := _DATED.match(name):
            date = part[1] or _NEWEST
            dated.setdefault(seen[date], []).append((date, member))
            seen[date] += 1  # the same name again is of another application
        else:
            groups.append([member])
    for application, parts in rolled.items():
        numbers = sorted(number for number in parts if number >= compacted.get(application, 0))
        groups.append([parts[number] for number in numbers])
    for of_one in dated.values():
        groups.append([member for _, member in sorted(of_one, key=lambda one: one[0])])
    return groups
