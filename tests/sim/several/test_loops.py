"""Jobs that overlap, one run a side: in a closed loop, by another simulator (`tests.zoo`), and in queues."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from sim.advice.several.after import PASSES, compared, judge, read_condition
from sim.advice.several.change import BY_LOOP, BY_NOTHING, BY_RERUNS, changes
from sim.advice.several.report import after_json, after_text
from sim.advice.several.reruns import replayed
from sim.logs.formats import read_history
from sim.logs.source import Upload
from tests.sim.several.runs import queued
from tests.zoo.causes import LAWS, build
from tests.zoo.eventlog import event_log
from tests.zoo.simulator import play
from tests.zoo.truth import truth
from tests.zoo.worlds import stream

#: Chance that a test of intervals fails although they keep their promise.
CHANCE = 1e-6
COPIES = (1.5, 0.75)


def world(number, law=None, clients=3):
    law = law or list(LAWS)[number % len(LAWS)]
    random = stream(55, number, "loops")
    made = build(law, ("closed_loop",), random, number=number, seed=55, size="small", setting=None)
    return replace(made, clients=clients)


def run(world, number, setting=None):
    """Return a run under a setting, with luck of its number."""
    world = replace(world, setting=setting)
    log = event_log(world, play(world, setting, number)).encode()
    return read_history(Upload(f"run-{number}.json", log))


def test_a_change_is_seldom_told_between_runs_of_one_setting():
    """With probability 5 % at most, in each figure; a gate fails with 1 % at most."""
    pairs, told, failed = 25, {"mean": 0, "p50": 0, "stage": 0}, 0
    for number in range(pairs):
        one = world(number, clients=2 + number % 3)
        found = changes([run(one, 1)], [run(one, 2)])
        assert found.loop
        assert found.loop.drivers == one.clients
        for name in told:
            assert found.change[name].over == BY_LOOP
            told[name] += found.change[name].share.sign != 0
        failed += judge(found, [read_condition("mean > +0%")]).code == 1
    most = stats.binom.ppf(1 - CHANCE, pairs, 0.05)
    assert max(told.values()) <= most < pairs / 2
    assert failed <= stats.binom.ppf(1 - CHANCE, pairs, 0.01)


def test_a_true_change_is_held_and_told():
    """Copies make jobs of bimodal luck a quarter shorter and more: most pairs of single runs tell that."""
    pairs, held, told = 12, 0, 0
    for number in range(pairs):
        one = world(number, "bimodal")
        true = truth(one, [COPIES], 20)[COPIES]["mean"]
        share = changes([run(one, 1)], [run(one, 2, COPIES)]).change["mean"].share
        error = 3 * true.error
        held += share.low - error <= true.value <= share.high + error
        told += share.sign == -1
    assert held >= stats.binom.ppf(CHANCE, pairs, 0.95) >= pairs / 3
    assert told >= pairs / 2


def test_stages_and_makespan_are_those_of_the_logs():
    one = world(2)
    runs = run(one, 1), run(one, 2, COPIES)
    found = compared([runs[0]], [runs[1]])
    for place, history in enumerate(runs):
        jobs, stages = history.frame("jobs"), history.frame("stages")
        ends = ("before", "after")[place]
        whole = float(jobs["end"].max() - jobs["submit"].min())
        assert getattr(found.found.change["makespan"], ends) == pytest.approx(whole)
        mean = float((stages["end"] - stages["submit"]).mean())
        assert getattr(found.found.change["stage"], ends) == pytest.approx(mean)
    assert found.found.change["makespan"].over == BY_NOTHING
    assert found.found.change["makespan"].untold
    told = after_json(found)
    assert told["drivers"] == 3
    assert list(told["figures"])[-2:] == ["stage", "makespan"]
    assert "mean stage time" in after_text(found)
    gate = judge(found.found, [read_condition("stage > +900%")])
    assert gate.verdict == PASSES


@pytest.mark.parametrize("clients", [0, 16])
def test_open_arrivals_and_many_drivers_are_no_such_loop(clients):
    """Their queues last, so that neighbours depend on each other."""
    one = world(1, clients=clients)
    if not clients:  # all at once: nothing but queues
        one = replace(one, jobs=tuple(replace(job, submit=job.submit / 9) for job in one.jobs))
    found = changes([run(one, 1)], [run(one, 2)])
    assert found.loop is None
    assert found.change["mean"].over == BY_NOTHING
    assert "makespan" not in found.change


def test_four_runs_tell_the_makespan_by_themselves():
    one = world(7)
    found = changes([run(one, 1), run(one, 2)], [run(one, 3, COPIES), run(one, 4, COPIES)])
    assert found.change["makespan"].over == "runs"
    assert np.isfinite(found.change["makespan"].share.half)


def test_reruns_play_all_jobs_and_show_those_that_are_not_left_out():
    """Jobs that are left out take slots in reruns as they did; figures and bands are those of the others."""
    runs = [queued(seed, load=0.9) for seed in (1, 2)]
    whole = compared(runs[:1], runs[1:], plays=20)
    rest = compared(runs[:1], runs[1:], plays=20, leave_out="job-1")  # and job-10 to job-19
    assert len(rest.found.jobs.names) == len(whole.found.jobs.names) - 11 == 19
    change = rest.found.change["mean"]
    assert change.over == BY_RERUNS
    assert change.share.low < change.share.value < change.share.high
    kept = [name for name in whole.found.jobs.names if not name.startswith("job-1")]
    place = [whole.found.jobs.names.index(name) for name in kept]
    assert rest.promise.bands["mean"].before == pytest.approx(whole.found.jobs.time[place, 0].mean())
    alone = replayed(runs[0], rest.found.jobs.rows[:, 0], count=20)
    times = alone.plays("fifo+none")
    assert len(alone.question.model.jobs) == 30
    assert set(times) == {"mean", "p50", "p95", "p99"}  # the slot-time of a play is that of all its jobs
    low, high = np.quantile(times["mean"], (0.05, 0.95))
    band = rest.promise.bands["mean"]
    assert band.low <= low * (1 + 1e-9)
    assert band.high >= high * (1 - 1e-9)
