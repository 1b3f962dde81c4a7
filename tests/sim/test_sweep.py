"""A sweep is the same comparison at several values of a field."""

from __future__ import annotations

import json

import pytest

import sim
from sim.engines.slots.scenario import SlotScenario
from sim.model.fields import BadInput
from sim.running.experiment import Experiment, compare, sweep
from sim.shell.verbs import main

SMALL = Experiment.of_texts(SlotScenario(slots=10, jobs=30, tasks_max=5), ("srpt+none", "fair+late"))


def test_each_point_is_the_comparison_at_that_value():
    points = list(sweep(SMALL, "load", (0.3, 0.8), replications=2, threads=1))
    assert [value for value, _ in points] == [0.3, 0.8]
    for value, found in points:
        alone = compare(
            Experiment(SMALL.scenario.replace(load=value), SMALL.policies), replications=2, threads=1
        )
        for policy in SMALL.texts:
            assert found.policies[policy].values("flowtime", "mean") == alone.policies[policy].values(
                "flowtime", "mean"
            )
    first, second = (found.policies["srpt+none"].values("flowtime", "mean") for _, found in points)
    assert first != second


def test_all_values_are_checked_before_the_first_run():
    told = []
    with pytest.raises(BadInput, match="load: -1"):
        next(sweep(SMALL, "load", (0.3, -1), replications=1, threads=1, progress=told.append))
    assert not told


def test_the_shell_writes_every_point(capsys):
    line = ["sweep", "--preset", "small", "--vary", "load=0.2,0.6", "--policy", "srpt+none"]
    assert main([*line, "--replications", "2", "--json", "-"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["vary"] == "load"
    assert [point["load"] for point in report["points"]] == [0.2, 0.6]
    for point in report["points"]:
        assert point["found"]["scenario"]["load"] == point["load"]
        assert f"--set load={point['load']}" in point["found"]["command"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("load", "give field=value"),
        ("load=", "give field=value"),
        ("laod=0.2", "did you mean 'load'"),
        ("load=0.2,fast", "load: 'fast'"),
        ("samples=1,2", "one value, not a list"),
    ],
)
def test_what_cannot_be_varied_is_refused(text, reason, capsys):
    assert main(["sweep", "--preset", "small", "--vary", text]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("name", ["beta", "alpha", "β", "α"])
def test_symbols_of_the_papers_vary_their_field(name, capsys):
    line = ["--preset=small", "--jobs=20", "--replications=1", "--policy=fair+none"]
    assert main(["sweep", *line, f"--vary={name}=1.5,2"]) == 0
    swept = capsys.readouterr().out
    assert main(["sweep", *line, "--vary=straggle_tail=1.5,2"]) == 0
    assert swept == capsys.readouterr().out
    assert main(["run", *line, f"--set={name}=0.5"]) == 2
    assert capsys.readouterr().err.startswith("sim: straggle_tail: '0.5' is not accepted")
    found = sim.sweep(sim.scenario("small", jobs=20), name, [2], ["fair+none"], replications=1)
    assert found.to_frame().straggle_tail.tolist()[0] == 2
