"""Predictions against runs of real Spark: one application, with speculation off and on, each from the other.

The samples the project ships are two such runs. The variable STRAGGLER_LAB_LOGS names a folder of two more:
`whatif_off`, and `whatif_15_075` with multiplier 1.5 and quantile 0.75, as in the samples.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from sim.advice.whatif.check import recorded_figures
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay, replicate
from sim.engines.slots.scenario import read_policy
from sim.logs.formats import read_history
from sim.logs.samples import spark
from sim.shell.verbs import main

LOGS = Path(os.environ.get("STRAGGLER_LAB_LOGS", "nowhere")) / "spark"
COPIES = "fifo+spark:multiplier=1.5,quantile=0.75"
FILES = {"fifo+none": "whatif_off", COPIES: "whatif_15_075"}
NAMES = ("mean", "p95", "copies", "won", "killed_time")


def is_predicted(bands, history):
    """Assert that the figures of a run are inside the bands that hold 90 % of the replications."""
    measured = recorded_figures(Replay(fit(history, leave_out="warmup"), leave_out="warmup"))
    for name in NAMES:
        assert bands[name]["low"] <= measured[name] <= bands[name]["high"], name


def test_the_run_with_copies_is_predicted_from_the_one_without():
    """Five figures in bands of 98 %: were the model right, one would miss in one run of ten."""
    model = fit(read_history(spark(speculation=False)), leave_out="warmup")
    (plays,) = replicate(Replay(model, leave_out="warmup"), [read_policy(COPIES)], range(100))
    bands = {}
    for name in NAMES:
        low, high = np.quantile([play.figures[name] for play in plays], (0.01, 0.99))
        bands[name] = {"low": low, "high": high}
    is_predicted(bands, read_history(spark(speculation=True)))


@pytest.mark.skipif(not (LOGS / "whatif_off").exists(), reason="needs more logs of real clusters")
@pytest.mark.parametrize("source", FILES)
@pytest.mark.parametrize("policy", FILES)
def test_each_run_is_predicted_from_each(source, policy, capsys):
    asked = ["--leave-out", "warmup", "--policy", "fifo+none", "--policy", COPIES, "--json", "-"]
    assert main(["whatif", str(LOGS / FILES[source]), *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["today"] == source
    assert found["check"]["verdict"] == "good"
    predicted = found["policies"][policy]
    bands = predicted["job_time"] | {name: predicted[name] for name in NAMES[2:]}
    is_predicted(bands, read_history(LOGS / FILES[policy]))
