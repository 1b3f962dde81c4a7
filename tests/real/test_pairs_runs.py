"""Attempts of the pairs last as long as was planned, on the hosts and in the slots that were planned.

Where a machine does too much else, they last longer, and its runs are no measure of anything.
"""

from __future__ import annotations

import importlib
import os
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

from sim.logs.formats import read_history
from sim.logs.history import History
from tests.real.pairs.workload import Workload, plan

pytestmark = pytest.mark.real
#: Workload, change and jobs, of which most systems have fewer than in the plan.
RUNS = [("dask-host", "before", 8), ("dask-split", "split", 8), ("dask-cold", "before", 9)]
RUNS += [("flink-host", "before", 5), ("flink-hidden", "fast", 6)]
#: By what an attempt may last longer, as a share and in seconds, and how many may last longer than that.
SHARE, SECONDS, OTHERS = 0.1, 0.05, 0.05


def needed(system: str) -> None:
    """Skip where a system is not here."""
    if system == "dask" and not (os.environ.get("DASK_PYTHON") or find_spec("distributed")):
        pytest.skip("needs pip install distributed, or DASK_PYTHON that names a Python that has it")
    if system.startswith("flink") and not os.environ.get("FLINK_HOME"):
        pytest.skip("needs Java, and FLINK_HOME that names the folder of Flink 2.3")


def attempts(history: History, workload: Workload, repeat: int) -> pd.DataFrame:
    """Return the attempts of measured jobs, each with the seconds that were planned of it."""
    stages, jobs = history.frame("stages"), history.frame("jobs")
    found = history.frame("copies").sort_values("launch")
    found["job"] = jobs["name"].str.rpartition("/")[2].to_numpy()[stages["job"].to_numpy()[found["stage"]]]
    found["number"] = stages["name"].str.contains("second").to_numpy()[found["stage"]].astype(int)
    schedule = {job.name: job for job in workload.schedule(repeat)}
    found = found[found["job"].isin(schedule)].copy()
    first = ~found["slot"].duplicated()
    found["planned"] = [
        schedule[one.job].stages[one.number].work[one.task]
        * workload.luck(repeat, one.job, one.number, one.task, one.copy)
        * workload.hosts[int(one.host.rpartition(".")[2]) - 2]
        for one in found.itertuples(index=False)
    ]
    found["planned"] += workload.cold * first
    found["lasted"] = found["end"] - found["launch"]
    return found


@pytest.mark.parametrize(("key", "change", "jobs"), RUNS)
def test_attempts_last_as_long_as_was_planned(key: str, change: str, jobs: int, tmp_path: Path) -> None:
    workload = replace(plan()[key].changed(change), jobs=jobs)
    needed(workload.system)
    system = importlib.import_module(f"tests.real.pairs.{workload.system.partition('-')[0]}")
    history = read_history(system.run(workload, 1, tmp_path))
    found = attempts(history, workload, 1)
    ended = found[found["fate"] == "finished"]
    tasks = sum(len(stage.work) for job in workload.schedule(1) for stage in job.stages)
    assert len(ended) == len(ended.drop_duplicates(["job", "number", "task"])) == tasks
    assert set(found["host"]) == {f"127.0.0.{number}" for number in range(2, 2 + len(workload.hosts))}
    assert history.frame("slots")["slots"].max() == workload.slots * len(workload.hosts)
    assert bool((found["copy"] > 0).any()) == (change == "fast")
    more = ended["lasted"] - ended["planned"]
    late = more > SHARE * ended["planned"] + SECONDS
    # the reader of Dask ends an attempt up to 50 ms early, when the next one of its thread began
    assert more.min() > -1.1 * SECONDS
    assert late.mean() < OTHERS, ended[late].assign(more=more)[["job", "number", "task", "planned", "more"]]
