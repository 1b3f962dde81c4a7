"""What a real Spark logs about each kind of writer is read correctly."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from sim.advice.whatif.safety import ASK, NEVER, SAFE, safety
from sim.logs.formats import read_history
from tests.real.writers import WAYS, jar

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="needs Java and pip install pyspark"),
]
#: Way -> with what stages write, and whether they may run twice. Files are as safe as their committer.
EXPECTED = {
    "collect": ("", SAFE),
    "noop": ("", SAFE),
    "parquet": ("files", SAFE),
    "parquet by algorithm 2": ("files", ASK),
    "csv": ("files", SAFE),
    "table": ("files", SAFE),
    "text of an RDD": ("files", SAFE),
    "foreachPartition": ("foreach", NEVER),
    "JDBC": ("jdbc", NEVER),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_writer_is_recognised_in_the_log_that_spark_writes(way: str, tmp_path: Path) -> None:
    try:
        jar(way)
    except LookupError as missing:
        pytest.skip(str(missing))
    command = [sys.executable, "-m", "tests.real.writers", way, str(tmp_path / "app")]
    ran = subprocess.run(command, timeout=300, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    (log,) = (tmp_path / "app" / "logs").iterdir()
    history = read_history(log)
    writes, level = EXPECTED[way]
    assert {one for one in history.frame("stages")["writes"] if one} == {writes} - {""}
    assert safety(history, "spark").level == level
