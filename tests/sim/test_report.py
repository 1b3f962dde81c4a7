"""The table of the shell and the JSON hold the numbers of the comparison, each below its own name."""

from __future__ import annotations

import math
import re

import pytest

from sim.engines.registry import ENGINES
from sim.model.statistics import Estimate
from sim.running.report import as_json, as_table
from sim.telling.words import printed
from tests.samples import KNOWN, SCENARIO, Made, interval, made

POLICIES = {
    "slots": ("fifo+none", "fair+late", "hopper"),
    "probes": ("central", "hopper", "sparrow+late"),
    "gang": ("none", "all:r=2", "redundant-small:r=2,d=120"),
}
#: Heading -> what stands below it: measure, statistic, whether it is a percentage.
COMMON = {
    "flowtime mean (min)": ("flowtime", "mean", False),
    "median": ("flowtime", "p50", False),
    "p95": ("flowtime", "p95", False),
    "resource mean (slot·min)": ("resource", "mean", False),
    "extra copies": ("speculative_copies_share", "", True),
    "busy": ("utilisation", "", True),
}
OWN = {
    "slots": {},
    "probes": {
        "messages a task": ("messages_per_task", "", False),
        "refusals a decision": ("refusals_per_decision", "", False),
        "reservations a worker": ("queue_length", "", False),
        "age of sizes (min)": ("staleness", "", False),
        "sizes overstated": ("overstatement", "", False),
        "hand-over (min)": ("handover", "", False),
    },
    "gang": {"wait mean (min)": ("wait", "mean", False), "load": ("load", "", False)},
}


@pytest.fixture(params=list(ENGINES), scope="module")
def three(request) -> Made:
    scenario = ENGINES[request.param].scenario(warm_up=0.25, time_unit="min", **KNOWN)
    return made(POLICIES[request.param], scenario, POLICIES[request.param][1])


def cells(table: str) -> tuple[list[str], list[list[str]]]:
    """Heading and rows of a table, whose columns are two blanks apart or more."""
    head, *rows = (re.split(r"\s{2,}", line) for line in table.split("\n\n")[0].splitlines())
    return head, rows


def test_the_table_has_each_number_below_its_heading(three) -> None:
    head, rows = cells(as_table(three.comparison))
    columns = COMMON | OWN[three.scenario.ENGINE]
    reference = ["mean / central"] if three.scenario.ENGINE == "probes" else []
    assert head == ["policy", *columns, *reference]
    assert [row[0].removesuffix(" (unstable)") for row in rows] == list(three.policies)
    for name, row in zip(three.policies, rows, strict=True):
        for told, (measure, statistic, percent) in zip(row[1:], columns.values(), strict=False):
            value, half = interval(three.values(name, measure, statistic))
            if percent:
                assert told == f"{100 * value:.1f}%"
            else:
                assert told == printed(Estimate(value, value - half, value + half)), (measure, statistic)
        if reference:
            assert row[-1] == printed(Estimate(*three.ratio(name, "flowtime", "mean", "central")))


def test_the_remarks_say_what_the_numbers_rest_on(three) -> None:
    *_, remark = as_table(three.comparison).splitlines()
    assert remark == (
        "3 replications, 900 of 1,200 jobs counted (the rest are warm-up), seed 1; 95 % intervals over "
        "replications."
    )


def test_the_json_has_each_number_under_its_name(three) -> None:
    report = as_json(three.comparison, "1", "command")
    names = {"mean": "mean"}
    for policy, found in report["policies"].items():
        told = 0
        for measure, statistics in found.items():
            if not isinstance(statistics, dict):
                continue
            for statistic, number in statistics.items() if "value" not in statistics else [("", statistics)]:
                if measure.startswith("ratio_to_"):
                    known = three.ratio(policy, "flowtime", statistic, measure.removeprefix("ratio_to_"))
                else:
                    value, half = interval(three.values(policy, measure, names.get(statistic, statistic)))
                    known = value, value - half, value + half
                assert tuple(number.values()) == pytest.approx(known), (measure, statistic)
                told += 1
        assert told >= 17
    for policy, found in report["differences"].items():
        for measure, statistics in found.items():
            for statistic, number in statistics.items():
                value, half = interval(three.differences(policy, measure, statistic))
                assert (number["value"], number["high"]) == pytest.approx((value, value + half))
                above = [one - 1 for one in three.ratio(policy, measure, statistic)]
                assert list(number["change"].values()) == pytest.approx(above)
    assert report["baseline"] not in report["differences"]
    assert report["time_unit"] == "min"


def test_a_censored_number_is_no_number() -> None:
    one = made(("fifo+none",), SCENARIO)
    for run in one.policies["fifo+none"]:
        run.outcome.finish[-60:] = math.inf
    _, (row,) = cells(as_table(one.comparison))
    assert row[1] == row[3] == "unknown"
    assert row[2] != "unknown"
    assert "180 jobs unfinished" in as_table(one.comparison)
