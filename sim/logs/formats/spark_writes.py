"""Writes of the stages of a Spark application, and by which writer: they decide whether tasks may run twice.

Writers are told by three signs: the plan of an SQL execution names the command and what makes it, the name
of a stage the call of an RDD, and its accumulated output metrics that it has written at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

#: Settings by which a log tells how files are committed, and by what shuffles are kept.
SETTINGS = (
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
    """Yield the nodes of a plan from above."""
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.get("children") or [])
