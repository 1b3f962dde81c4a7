"""The score of an adviser counts what the logs say, and the page and the certificate say what it counted."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sim.advice.whatif.certificate import FILE
from tests.real import score
from tests.real.pairs.__main__ import LOGS, REPEATS, packed
from tests.real.pairs.workload import WARM_UP, plan
from tests.real.score import Kept, Promise, Scored
from tests.zoo.judge import JUDGED
from tests.zoo.truth import Change

AGAIN = "run python -m tests.real.score --record"
#: No log may say so: of what ran it, who, and where.
PRIVATE = (b"/tmp", b"/home", b"/root", b"/work", b"java.home", b"user.name", b"amzn", b'"User"')


def test_all_of_the_plan_has_run_and_is_scored() -> None:
    recorded = {one.key: one for one in score.recorded()}
    assert recorded.keys() == plan().keys()
    for key, workload in plan().items():
        assert recorded[key].truths.keys() == workload.alternatives.keys()
        for name in ("before", *workload.alternatives):
            assert all(packed(key, name, repeat).exists() for repeat in REPEATS), (key, name)
    pairs = sum(len(one.alternatives) for one in plan().values())
    fresh = sum(len(one.alternatives) for one in plan().values() if one.fresh)
    systems = {one.system.partition("-")[0] for one in plan().values()}
    assert pairs >= 24
    assert fresh >= 8
    assert len(systems) >= 3


def test_logs_are_small_and_say_nothing_of_the_machine() -> None:
    files = [path for path in LOGS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 40e6
    for path in files:
        told = path.read_bytes()
        if path.suffix == ".zst":
            told = raw(path)
        assert not [word for word in PRIVATE if word in told], path


def raw(path: object) -> bytes:
    """Unpack a log."""
    with pa.input_stream(str(path), compression="zstd") as stream:
        return bytes(stream.read())


def test_the_page_and_the_certificate_follow_from_the_record() -> None:
    rows = score.recorded()
    assert score.page(rows) == score.RECORD.read_text("utf-8"), AGAIN
    certificate = json.loads(FILE.read_text("utf-8"))
    assert certificate["pairs"] == score.pairs_digest(), AGAIN
    assert json.loads(json.dumps(asdict(score.certified(rows)))) == certificate, AGAIN


@pytest.mark.parametrize(("key", "name"), [("two-classes", "1.5/0.75"), ("mixed", "out"), ("closed", "off")])
def test_a_job_lasts_and_costs_what_the_events_of_spark_say(key: str, name: str) -> None:
    names, begin, owner, times, spent = {}, {}, {}, {}, {}
    for line in raw(packed(key, name, 2)).splitlines():
        event = json.loads(line)
        match event["Event"].removeprefix("SparkListener"):
            case "JobStart":
                job = event["Job ID"]
                names[job], begin[job] = (
                    event["Properties"]["spark.job.description"],
                    event["Submission Time"],
                )
                owner |= dict.fromkeys(event["Stage IDs"], job)
            case "JobEnd":
                times[event["Job ID"]] = event["Completion Time"] - begin[event["Job ID"]]
            case "TaskEnd":
                info, job = event["Task Info"], owner[event["Stage ID"]]
                spent[job] = spent.get(job, 0) + info["Finish Time"] - info["Launch Time"]
    measured = score.jobs(score.log(key, name, 2))
    kept = {names[job]: job for job in times if WARM_UP not in names[job]}
    assert set(measured.index) == kept.keys()
    for one, job in kept.items():
        assert measured["time"][one] == pytest.approx(times[job] / 1000)
        assert measured["slot_time"][one] == pytest.approx(spent[job] / 1000)


def test_the_error_of_a_measured_change_is_as_large_as_it_is() -> None:
    """Of 120 changes of known size 90 % lie within two errors (Student's law of nine blocks: 90.5 %).

    Jobs near each other share what they gain. Errors of single jobs would hold 63 %. Both limits are four
    standard errors off: one run in 15,000 fails without a reason.
    """
    chance, held = np.random.default_rng(7), [0, 0]
    for _ in range(120):
        load = np.repeat(np.exp(chance.normal(0, 0.25, 9)), 5)
        one = pd.DataFrame({"time": load * np.exp(chance.normal(0, 0.2, 45)), "slot_time": np.ones(45)})
        shared = np.repeat(chance.normal(0, 0.15, 9), 5)
        other = one.assign(time=one["time"] * 0.8 * np.exp(shared - 0.15**2 / 2))
        for number, block in enumerate((score.BLOCK, 1)):
            found = _changed(one, other, block)
            held[number] += abs(found.value + 0.2) <= 2 * found.error
    assert held[0] >= 0.8 * 120, held
    assert held[1] < 0.8 * 120, "blocks of one would do as well"


def _changed(before: pd.DataFrame, after: pd.DataFrame, block: int) -> Change:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score, "BLOCK", block)
        patch.setattr(score, "DRAWS", 60)
        patch.setattr(score, "FIGURES", {"mean": score.FIGURES["mean"]})
        return score.change_of(before, after)["mean"]


def row(key: str, advised: str, truths: dict[str, tuple[float, float]], **other: object) -> Scored:
    """Return a workload whose changes of mean and slot-time are known to half a point."""
    known = {
        name: {"mean": (mean, 0.005), "p95": (mean, 0.005), "slot_time": (cost, 0.005)}
        for name, (mean, cost) in truths.items()
    }
    usual = {
        "system": "spark-4.3",
        "why": "luck",
        "fresh": False,
        "verdict": "good",
        "copies": {"off": "before", "1.5/0.75": "fast", "3/0.9": "slow"},
        "slow": 4.0,
        "named": "copy",
        "mended": ["copy"],
        "settings": {},
        "trial": False,
        "sentence": "",
        "promises": [],
        "bands": [],
    }
    return Scored(**usual | other | {"key": key, "advised": advised, "truths": known})  # type: ignore[arg-type]


def test_advisers_are_counted_by_what_their_advice_changes() -> None:
    helped = row("helped", "fast", {"fast": (-0.2, 0.01), "slow": (-0.1, 0.0)})
    longer = row("longer", "before", {"fast": (0.02, 0.0), "slow": (0.001, 0.0)}, slow=2.0, named="")
    dear = row("dear", "fast", {"fast": (-0.3, 0.09), "slow": (-0.01, 0.0)})
    cells = {
        line.split(" | ")[0].strip("| "): [cell.strip(" |") for cell in line.split(" | ")[1:]]
        for line in score.advisers([helped, longer, dear]).splitlines()[2:]
    }
    assert cells["the lab"][:3] == ["1 of 1", "1 of 3", "1"]  # dear: 9 % of slot-time are more than 5 %
    assert cells["never copies"] == ["0 of 1", "0 of 3", "3", "+0.0 %", "+0.0 %"]
    assert cells["always 1.5 / 0.75"][:3] == ["1 of 1", "2 of 3", "0"]
    assert cells["always the defaults of Spark (4: 3 / 0.9; 3: 1.5 / 0.75)"][:3] == ["1 of 1", "0 of 3", "0"]
    thumb = cells["1.5 / 0.75 where the 95 % quantile is three medians or more, else none"]
    assert thumb == ["1 of 1", "1 of 3", "1", f"{100 * (-0.2 - 0.3) / 3:+.1f} %", "+3.3 %"]
    assert "names a remedy for 2 of 3 workloads; in 2 of them" in score.causes([helped, longer, dear])
    wrong = row("wrong", "fast", {"fast": (-0.2, 0.01)}, mended=["host"], verdict="poor")
    assert "for 1 of 1 workloads; in 0 of them" in score.causes([wrong])
    assert score.causes([wrong]).endswith("reproduce the log, in 1.")


def test_promises_hold_or_miss_by_their_interval_and_the_error_of_the_runs() -> None:
    def promise(true: float, error: float = 0.0) -> Promise:
        return Promise("fast", "mean", -0.1, -0.2, 0.0, true, error)

    others = [replace(promise(-0.1), figure=figure) for figure in JUDGED[1:]]
    rows = [row("one", "fast", {}, promises=[promise(-0.25, 0.02), promise(0.1), *others])]
    (line,) = [line for line in score.coverage(rows).splitlines() if line.startswith("| mean")]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1:4] == ["2", "0 (0 %)", "0 (0 %)"]
    assert cells[4] == "10.0 points"
    kept = promise(-0.25, 0.025)
    assert kept.covers
    assert score.distance(kept) == 1.0
    assert math.isclose(score.distance(promise(0.1)), 2.0)  # twice the end of its side
    missed = score.missed([row("one", "fast", {}, promises=[kept, promise(0.1)])]).splitlines()
    assert missed[2:] == ["| one | fast | mean | -10.0 % (-20.0 to +0.0) | +10.0 % | 0.0 |"]
    bands = [Kept("fast", 1, "mean", 8.0, 10.0, 12.0, came) for came in (8.0, 12.1)]
    told = score.of_runs([row("one", "", {}, bands=bands)]).splitlines()
    (line,) = [line for line in told if line.startswith("| mean |")]
    assert [cell.strip() for cell in line.strip("|").split("|")][1:3] == ["2", "1 (50 %)"]
    assert line.endswith("20 % |")


def test_widened_intervals_hold_as_often_as_they_say() -> None:
    """Of 400 sets of promises that are too narrow, the widened ones hold the next in 90 % (to 5 points)."""
    chance, held = np.random.default_rng(3), 0
    for _ in range(400):
        errors = chance.standard_t(3, 31) * 0.2
        *known, new = [Promise("fast", "mean", 0.0, -0.1, 0.1, float(one), 0.0) for one in errors]
        held += score.distance(new) <= score.factor(known)
    assert 0.85 * 400 <= held <= 0.96 * 400, held
