"""Predictions against runs of real Spark, of which the project ships none.

The variable STRAGGLER_LAB_LOGS names a folder of some: one application run twice on Spark 4.0.0, with
speculation off (`whatif_off`) and on with multiplier 1.5 and quantile 0.75 (`whatif_15_075`).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sim.__main__ import main
from sim.traces.formats import read_history
from sim.whatif.check import recorded_figures
from sim.whatif.model import fit
from sim.whatif.runs import Question

LOGS = Path(os.environ.get("STRAGGLER_LAB_LOGS", "nowhere")) / "spark"
COPIES = "fifo+spark:multiplier=1.5,quantile=0.75"
FILES = {"fifo+none": "whatif_off", COPIES: "whatif_15_075"}
pytestmark = pytest.mark.skipif(not (LOGS / "whatif_off").exists(), reason="needs logs of real clusters")


@pytest.mark.parametrize("source", FILES)
@pytest.mark.parametrize("policy", FILES)
def test_each_run_is_predicted_from_each(source, policy, capsys):
    asked = ["--leave-out", "warmup", "--policy", "fifo+none", "--policy", COPIES, "--json", "-"]
    assert main(["whatif", str(LOGS / FILES[source]), *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["today"] == source
    assert found["check"]["verdict"] == "good"
    predicted = found["policies"][policy]
    history = read_history(LOGS / FILES[policy])
    measured = recorded_figures(Question(fit(history, leave_out="warmup"), leave_out="warmup"))
    bands = predicted["job_time"] | {name: predicted[name] for name in ("copies", "won", "killed_time")}
    for name in ("mean", "p95", "copies", "won", "killed_time"):
        assert bands[name]["low"] <= measured[name] <= bands[name]["high"], name
