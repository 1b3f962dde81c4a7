"""An application of PySpark that writes in one way: ``python -m tests.real.writers WAY FOLDER``.

Its event log goes to FOLDER/logs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Way -> what is done with a table of a few rows, of which the output goes to a path.
WAYS: dict[str, Callable[[Any, str], Any]] = {
    "collect": lambda table, path: table.collect(),
    "noop": lambda table, path: table.write.format("noop").mode("overwrite").save(),
    "parquet": lambda table, path: table.write.parquet(path),
    "parquet by algorithm 2": lambda table, path: table.write.parquet(path),
    "csv": lambda table, path: table.write.csv(path),
    "table": lambda table, path: table.write.saveAsTable("counts"),
    "text of an RDD": lambda table, path: table.rdd.map(str).saveAsTextFile(path),
    "foreachPartition": lambda table, path: table.rdd.foreachPartition(lambda rows: None),
    "JDBC": lambda table, path: table.write.jdbc(
        f"jdbc:sqlite:{path}", "counts", properties={"driver": "org.sqlite.JDBC"}
    ),
}
#: What makes Java start with little work.
LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
ALGORITHM = "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version"


def jar(way: str) -> str:
    """Return the jar that a way needs, '' where it needs none.

    Raises
    ------
    LookupError
        If it is not there, with where it can be had.
    """
    if way != "JDBC":
        return ""
    named = os.environ.get("SQLITE_JDBC_JAR", "")
    if not Path(named).is_file():
        raise LookupError("SQLITE_JDBC_JAR must name a jar; Debian's libxerial-sqlite-jdbc-java has one")
    return named


def main() -> None:
    """Run the application."""
    from pyspark.sql import SparkSession

    way, folder = sys.argv[1], Path(sys.argv[2])
    (folder / "logs").mkdir(parents=True)
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (folder / "logs").as_uri(),
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.driver.extraJavaOptions": LIGHT,
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        ALGORITHM: "2" if way.endswith("2") else "1",
    }
    if named := jar(way):
        settings["spark.jars"] = named
    builder = SparkSession.builder.master("local[2]").appName(way)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    table = session.range(0, 200, 1, 4).selectExpr("id % 7 as k").groupBy("k").count()
    WAYS[way](table, str(folder / "out"))
    session.stop()


if __name__ == "__main__":
    main()
