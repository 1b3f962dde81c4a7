"""Measures of the gang engine beyond the common ones, from the shell to the JSON and back."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest
from scipy import stats

from sim.engines.gang.scenario import GangScenario
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.live import Pool, RunRequest, fitted
from sim.running.live.request import preview
from sim.shell.verbs import main
from tests.sim.gang.runs import run_to_end

pytestmark = pytest.mark.compiled

QUICK = ["run", "--preset", "aktas", "--jobs", "2000", "--replications", "3"]
STATISTIC = {"value", "low", "high"}


def reported(capsys, *arguments):
    assert main([*QUICK, *arguments, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(f"{word} in the JSON"))


def test_the_json_adds_wait_and_load_and_keeps_the_rest_of_its_contract(capsys):
    policies = ["none", "all:r=2", "redundant-small:r=2,d=120", "redundant-rl"]
    report = reported(capsys)
    assert list(report["policies"]) == policies
    assert report["scenario"]["slots"] == 200
    for policy in report["policies"].values():
        for measure in ("flowtime", "slowdown", "wait"):
            assert list(policy[measure]) == ["mean", "p50", "p80", "p90", "p95", "p99"]
            assert all(set(one) == STATISTIC for one in policy[measure].values())
        assert policy["load"]["low"] < policy["load"]["value"] < policy["load"]["high"]
        assert policy["slowdown"]["p50"]["value"] > 1
        assert (policy["jobs"], policy["unfinished"], policy["unstable"]) == (6000, 0, False)
    loads = [report["policies"][name]["load"]["value"] for name in policies]
    assert loads[0] < loads[2] < loads[1]  # the more jobs are expanded, the more they cost
    for difference in report["differences"].values():
        assert set(difference["slowdown"]) == {"mean", "p50", "p95"}
        assert set(difference["flowtime"]) == {"mean", "p95"}


def test_an_overloaded_run_reports_what_it_can(capsys):
    cut = reported(capsys, "--policy", "all", "--set", "load=0.9", "--set", "drain=0")["policies"]["all"]
    assert cut["unstable"]
    assert cut["unfinished"] > 0
    for name in ("flowtime", "wait"):
        assert cut[name]["mean"] == {"value": None, "low": None, "high": None}
    assert cut["load"]["value"] is None
    assert cut["wait"]["p50"]["value"] > 0


def test_a_wait_that_has_not_ended_is_counted_as_censored():
    """By Kaplan and Meier, like a flowtime that has not: a job that has started is not."""
    scenario = GangScenario(jobs=3000, load=1.3, drain=0, warm_up=0)
    experiment = Experiment.of_texts(scenario, ("none",))
    found = experiment.replicate(0)[0]
    outcome = run_to_end(scenario, "none", experiment.workload(0))
    waiting = np.isinf(outcome.start)
    assert 0 < waiting.sum() < np.isinf(outcome.finish).sum()
    waits = (outcome.start - outcome.arrival)[~waiting]
    so_far = (outcome.last_arrival - outcome.arrival)[waiting]
    known = stats.ecdf(stats.CensoredData(uncensored=waits, right=so_far)).cdf
    assert found.values["wait", "mean"] is None
    median = found.values["wait", "p50"]
    assert known.evaluate(median) >= 0.5 > known.evaluate(np.nextafter(median, 0))
    assert median > np.quantile(waits, 0.5)


def test_the_command_repeats_the_run(capsys):
    changed = ["--set", "nodes=30", "--set", "delay=1.5", "--set", "placement=pool", "--policy", "all:r=1.5"]
    report = reported(capsys, *changed)
    assert report["scenario"]["slots"] == 300
    words = shlex.split(report["command"])
    assert "slots=300" not in words
    assert main([*words[3:], "--json", "-"]) == 0
    again = json.loads(capsys.readouterr().out)
    for one in (report, again):
        one["policies"]["all:r=1.5"].pop("seconds")
    assert again == report


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--set", "slots=100"], ["slots: '100'", "nodes x capacity"]),
        (["--set", "observe=never"], ["field: 'observe' is not known", "straggle_tail"]),
        (["--set", "node=3"], ["'node'", "did you mean 'nodes'"]),
        (["--set", "tasks_max=30"], ["tasks_max: 30", "at most 20"]),
        (["--policy", "fair+late"], ["policy: 'fair+late'", "redundant-small"]),
        (["--policy", "redundant-small:d=-1"], ["d: '-1'", "at least 0"]),
    ],
)
def test_bad_input_ends_with_2_and_one_line(capsys, arguments, words):
    assert main([*QUICK, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    for word in words:
        assert word in captured.err


@pytest.mark.parametrize("listing", ["policies", "fields"])
def test_the_engine_has_listings_of_its_own(capsys, listing):
    assert main([listing, "--engine", "gang", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    if listing == "policies":
        assert {"none", "all", "redundant-small"} <= set(listed["redundancy"])
    else:
        assert {"nodes", "capacity", "placement", "delay", "load"} <= set(listed)
        assert not {"slots", "observe", "size_per"} & set(listed)
    assert main([listing, "--engine", "gangs"]) == 2
    assert "did you mean 'gang'" in capsys.readouterr().err


def test_a_table_shows_every_number_with_its_interval(capsys):
    assert main([*QUICK, "--policy", "none"]) == 0
    table = capsys.readouterr().out
    assert "wait mean (s)" in table
    assert "load" in table
    assert "nan" not in table.lower()


def test_answers_come_at_once_and_then_better_ones():
    """The pool that serves the pages takes runs of this engine, and cuts them to what it serves."""
    experiment = Experiment.of_texts(GangScenario(jobs=200_000), ("none", "all:r=2"))
    short, cut = fitted(Experiment(experiment.scenario.replace(jobs=5_000_000), experiment.policies))
    assert short.scenario.jobs < 5_000_000
    assert f"{short.scenario.jobs:,}" in cut
    request = RunRequest(experiment, Effort(replications=2, precision=0.01))
    assert preview(request).experiment.scenario.jobs < 200_000
    shown = [one for one in Pool(2).follow(request) if one is not None]
    assert shown[-1].final
    assert shown[-1].comparison.policies["none"].jobs == 400_000
    other = RunRequest(
        Experiment(experiment.scenario.replace(delay=1), experiment.policies),
        Effort(replications=2, precision=0.01),
    )
    assert other.key != request.key
