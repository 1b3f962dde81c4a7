"""A real application of Spark is asked while it runs: one of its tasks is late."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from sim.advice.waiting.driver import driver, stages_of
from sim.model.fields import BadInput
from sim.shell.verbs import main

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="needs Java and pip install pyspark"),
]
TASKS, SLOW = 12, 7
#: Seconds of a usual task, and until the others have to be done.
USUAL_S, PATIENCE_S = 0.5, 180.0
PROGRAM = f"""
import time
from pyspark import SparkConf, SparkContext
conf = SparkConf().setMaster("local[4]").set("spark.ui.port", "0")
conf = conf.set("spark.driver.bindAddress", "127.0.0.1").set("spark.driver.host", "127.0.0.1")
conf = conf.set("spark.ui.showConsoleProgress", "false")
context = SparkContext(conf=conf, appName="one is late")
print(context.uiWebUrl, flush=True)
def nap(number, rows):
    time.sleep(600 if number == {SLOW} else {USUAL_S})
    return rows
context.parallelize(range(100), {TASKS}).mapPartitionsWithIndex(nap).count()
"""


@pytest.fixture
def address() -> Iterator[str]:
    """Start the application; yield the address of its pages."""
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def test_a_driver_tells_which_task_is_late(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            (stage,) = stages_of(driver(address))
            if len(stage.done) == TASKS - 1:
                break
        except BadInput as error:  # its pages come slowly at first, and so does the first task
            if not re.search("no task of|no answer in time", str(error)):
                raise
        assert time.monotonic() < until
        time.sleep(0.5)
    assert stage.tasks == (f"task {SLOW}",)
    assert all(USUAL_S <= one < 10 for one in sorted(stage.done)[:5])
    time.sleep(3)
    (later,) = stages_of(driver(address))
    assert 1 < later.ages[0] - stage.ages[0] < 30
    assert main(["wait", address, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["siblings_done"], found["tasks"][0]["task"]) == (TASKS - 1, f"task {SLOW}")
    assert found["tasks"][0]["age_s"] >= later.ages[0]
