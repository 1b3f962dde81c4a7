"""Whether tasks may run twice follows from a log's writes, and never more than that is said."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sim.advice.whatif.safety import ASK, NEVER, SAFE, WRITERS, safety
from sim.logs.compact import as_parquet
from sim.logs.formats import read_history, table
from sim.logs.formats.spark_files import UNTOLD, of_plan
from sim.logs.source import Upload

VERSION = "3.5.1"
#: Commands as Spark 3 and 4 write them into their plans, and with what they write.
COMMANDS = {
    "Execute InsertIntoHadoopFsRelationCommand file:/kafka/jdbc/hudi, false, Parquet, [path=x]": "files",
    "Execute InsertIntoHiveTable `db`.`delta_sales`, org.apache.hadoop.hive.serde2.lazy": "files",
    "Execute CreateDataSourceTableAsSelectCommand `spark_catalog`.`default`.`jdbc_t`, ErrorIfExists": "files",
    "Execute SaveIntoDataSourceCommand org.apache.hudi.Spark35DefaultSource@7, Map(path -> /x)": "hudi",
    "Execute SaveIntoDataSourceCommand org.apache.spark.sql.delta.sources.DeltaDataSource@1, [x]": "delta",
    "Execute SaveIntoDataSourceCommand org.apache.spark.sql.execution.datasources.jdbc.JdbcRelationProvider"
    "@5c, [url=jdbc:sqlite:/x.db, dbtable=t]": "jdbc",
    "Execute SaveIntoDataSourceCommand org.elasticsearch.spark.sql.DefaultSource15@3, Map()": "elasticsearch",
    "Execute SaveIntoDataSourceCommand org.apache.spark.sql.kafka010.KafkaSourceProvider@2, []": "kafka",
    "AppendData org.apache.spark.Lambda$1, IcebergWrite(table=spark_catalog.db.t, format=PARQUET)": "iceberg",
    "AppendData org.apache.spark.Lambda$1, com.mongodb.spark.write.MongoBatchWrite@1": "mongodb",
    "OverwriteByExpression org.apache.spark.sql.execution.datasources.noop.NoopTable$@1, noop-table": "",
    "AppendData org.apache.spark.Lambda$1, net.example.WarehouseWrite@1": "other",
    "HashAggregate(keys=[jdbc#1L], functions=[count(1)])": "",
}


def plan(command: str) -> dict:
    """Return a plan with the command below its root, as adaptive execution has it."""
    words = command.split()
    name = " ".join(words[: 1 + (words[0] == "Execute")]).split("(")[0]
    below = {"nodeName": name, "simpleString": command, "children": []}
    return {"nodeName": "AdaptiveSparkPlan", "simpleString": "AdaptiveSparkPlan", "children": [below]}


def log(
    folder: Path,
    *,
    command: str = "",
    names: tuple[str, str] = ("exchange at A.scala:1", "save at A.scala:2"),
    written: int | None = None,
    settings: dict[str, str] | None = None,
    version: str = VERSION,
    described: str = "",
) -> Path:
    """Write the log of an application with a job of two stages of two tasks each.

    Where the plan is described too, the job belongs to an execution within that of the command.
    """
    events: list[dict] = [
        {"Event": "SparkListenerLogStart", "Spark Version": version},
        {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": settings or {}},
        {
            "Event": "SparkListenerExecutorAdded",
            "Timestamp": 0,
            "Executor ID": "1",
            "Executor Info": {"Host": "h", "Total Cores": 2},
        },
    ]
    if command:
        name = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
        own = {"Event": name, "executionId": 7, "sparkPlanInfo": plan(command)}
        events.append(
            own | {"physicalPlanDescription": described, "rootExecutionId": 7} if described else own
        )
    if described:
        inner = {"executionId": 8, "rootExecutionId": 7, "sparkPlanInfo": plan("HashAggregate(keys=[k#1L])")}
        events.append({"Event": name} | inner)
    of_sql = {"spark.sql.execution.id": "8" if described else "7"} if command else {}
    events.append(
        {
            "Event": "SparkListenerJobStart",
            "Job ID": 0,
            "Submission Time": 10,
            "Stage IDs": [0, 1],
            "Properties": of_sql,
        }
    )
    for stage, called in enumerate(names):
        begin = 100 + 1000 * stage
        for task in range(2):
            info = {
                "Task ID": 2 * stage + task,
                "Index": task,
                "Launch Time": begin,
                "Executor ID": "1",
                "Host": "h",
                "Finish Time": begin + 500,
            }
            events.append(
                {
                    "Event": "SparkListenerTaskEnd",
                    "Stage ID": stage,
                    "Stage Attempt ID": 0,
                    "Task Info": info,
                    "Task End Reason": {"Reason": "Success"},
                }
            )
        held = [{"Name": "internal.metrics.output.recordsWritten", "Value": 7}] if stage == written else []
        events.append(
            {
                "Event": "SparkListenerStageCompleted",
                "Stage Info": {
                    "Stage ID": stage,
                    "Stage Name": called,
                    "Number of Tasks": 2,
                    "Submission Time": begin,
                    "Completion Time": begin + 500,
                    "Accumulables": held,
                    "Parent IDs": [0][:stage],
                },
            }
        )
    end = {"Event": "SparkListenerJobEnd", "Job ID": 0, "Completion Time": 1700}
    events.append(end | {"Job Result": {"Result": "JobSucceeded"}})
    path = folder / "app"
    path.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in events))
    return path


def found(path: Path):
    """Return with what the stages of a log write, and whether they may run twice."""
    history = read_history(path)
    return list(history.frame("stages")["writes"]), safety(history, "spark")


@pytest.mark.parametrize(("command", "key"), COMMANDS.items(), ids=[one[:60] for one in COMMANDS])
def test_a_plan_tells_with_what_it_writes(command: str, key: str) -> None:
    """Words in paths, tables and columns are no makers."""
    assert of_plan(plan(command)) == key


@pytest.mark.parametrize("key", WRITERS)
def test_each_writer_has_its_level_reason_and_reference(key: str, tmp_path: Path) -> None:
    writer = WRITERS[key]
    assert writer.reason.endswith(".")
    assert bool(writer.reference) == (writer.level != SAFE)
    command = next((text for text, sink in COMMANDS.items() if sink == key), "")
    names = ("map at A.scala:1", "foreachPartition at A.scala:2") if key == "foreach" else ("a", "b")
    writes, risk = found(log(tmp_path, command=command, names=names))
    assert writes == ["", key]  # where no metrics tell, it is the last stage
    assert risk.level == writer.level
    assert [one.writer for one in risk.found] == [writer]


def test_metrics_say_which_stage_writes(tmp_path: Path) -> None:
    assert found(log(tmp_path, command=next(iter(COMMANDS)), written=0))[0] == ["files", ""]
    assert found(log(tmp_path, written=1))[0] == ["", "other"]


#: As Spark 4.0.1 writes it for PySpark's `write.jdbc`, shortened; and as `explain` has it in its simple mode.
DESCRIBED = """== Physical Plan ==
Execute SaveIntoDataSourceCommand (1)
   +- SaveIntoDataSourceCommand (2)
         +- Range (3)


(1) Execute SaveIntoDataSourceCommand
Output: []

(2) SaveIntoDataSourceCommand
Arguments: org.apache.spark.sql.execution.datasources.jdbc.JdbcRelationProvider@1b, [dbtable=hudi], Append

(3) Range
Arguments: 0, 200, 1, 4, [id#0L], false
"""
SIMPLE = """== Physical Plan ==
Execute SaveIntoDataSourceCommand
   +- SaveIntoDataSourceCommand org.apache.hudi.Spark35DefaultSource@7, [path=/jdbc], Append
         +- Range (0, 200, step=1, splits=4)
"""


@pytest.mark.parametrize(("described", "key"), [(DESCRIBED, "jdbc"), (SIMPLE, "hudi"), ("", "other")])
@pytest.mark.parametrize("written", [1, None])
def test_a_command_that_runs_an_execution_of_its_own_is_told_by_its_arguments(
    described: str, key: str, written: int | None, tmp_path: Path
) -> None:
    path = log(tmp_path, command="Execute SaveIntoDataSourceCommand", described=described, written=written)
    writes, risk = found(path)
    assert writes == ["", key]
    assert risk.level == WRITERS[key].level


def test_nothing_is_said_to_be_safe(tmp_path: Path) -> None:
    _, risk = found(log(tmp_path))
    assert risk.level == SAFE
    assert risk.sentence == "Nothing in this log speaks against running a task twice."


ALGORITHM = "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version"
COMMITTERS = "spark.hadoop.mapreduce.outputcommitter.factory.scheme"


@pytest.mark.parametrize(
    ("settings", "version", "level"),
    [
        ({}, "3.1.0", SAFE),
        ({}, "3.0.3", ASK),
        ({}, "2.4.8", ASK),
        ({ALGORITHM: "1"}, "2.4.8", SAFE),
        ({ALGORITHM: "2"}, "4.0.1", ASK),
        ({"spark.sql.sources.commitProtocolClass": "net.example.DirectCommitProtocol"}, "4.0.1", ASK),
        ({"spark.sql.parquet.output.committer.class": "net.example.DirectParquet"}, "4.0.1", ASK),
        ({f"{COMMITTERS}.s3a": "org.apache.hadoop.fs.s3a.commit.S3ACommitterFactory"}, "4.0.1", SAFE),
        ({f"{COMMITTERS}.x": "net.example.Mine"}, "4.0.1", ASK),
        ({"spark.shuffle.manager": "org.apache.spark.shuffle.RssShuffleManager"}, "4.0.1", ASK),
        ({"spark.shuffle.manager": "sort"}, "4.0.1", SAFE),
    ],
)
def test_files_are_as_safe_as_what_commits_them(settings, version, level, tmp_path: Path) -> None:
    command = next(iter(COMMANDS))
    assert (
        found(log(tmp_path, command=command, written=1, settings=settings, version=version))[1].level == level
    )


def test_the_compact_file_of_a_log_tells_as_much_of_writes(tmp_path: Path) -> None:
    history = read_history(log(tmp_path, names=("map at A.scala:1", "foreachPartition at A.scala:2")))
    again = read_history(Upload("history.parquet", as_parquet(history)))
    assert safety(again, "spark") == safety(history, "spark")
    assert safety(again, "spark").level == NEVER
    assert again.digest == history.digest


def test_a_compact_file_of_an_earlier_release_which_keeps_no_writes_is_asked(tmp_path: Path) -> None:
    history = read_history(log(tmp_path))
    assert safety(history, "spark").level == SAFE
    held = pq.read_table(io.BytesIO(as_parquet(history))).drop_columns("writes")
    pq.write_table(held, tmp_path / "old.parquet")
    risk = safety(read_history(tmp_path / "old.parquet"), "spark")
    assert risk.level == ASK
    told = "Ask before tasks run twice: the application may write what this compact file does not tell."
    assert risk.sentence == told
    assert risk.restricted == ""
    assert "give the log itself" in risk.found[0].told


def test_of_a_compact_file_of_an_earlier_release_it_is_not_told_what_stages_read(tmp_path: Path) -> None:
    held = as_parquet(read_history(log(tmp_path)))
    again = read_history(Upload("history.parquet", held)).frame("stages")
    assert again["reads"].tolist() == ["", "shuffle"]
    pq.write_table(pq.read_table(io.BytesIO(held)).drop_columns("reads"), tmp_path / "old.parquet")
    old = read_history(tmp_path / "old.parquet").frame("stages")
    assert old["reads"].tolist() == [UNTOLD, ""], "parents are enough to know"


def test_a_log_that_tells_nothing_of_writes_is_asked(tmp_path: Path) -> None:
    history = read_history(log(tmp_path))
    for system in ("hadoop", "tez", "flink", ""):
        assert safety(history, system).level == ASK
    assert "mapreduce.map.speculative" in safety(history, "hadoop").restricted
    (tmp_path / "table.csv").write_text(table.template())
    assert safety(read_history(tmp_path / "table.csv"), "spark").level == ASK


def test_the_worst_leads_and_the_way_out_is_named(tmp_path: Path) -> None:
    names = ("foreach at A.scala:1", "saveAsTextFile at A.scala:2")
    _, risk = found(log(tmp_path, names=names, settings={ALGORITHM: "2"}))
    assert [one.writer.level for one in risk.found] == [NEVER, ASK]
    assert risk.sentence == "Do not run tasks of this application twice: 1 stage calls foreach."
    assert "application of their own" in risk.restricted
    assert "foreach at A.scala:1" in risk.found[0].told
