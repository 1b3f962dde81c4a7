"""The sandbox of the browser against the slot engine: the same jobs end at the same times, and means agree.

The engine is run by Node; `tests/browser/test_start.py` runs it in a browser.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from pages.animation.sandbox import COPIES, LARGEST, ORDERS, TAILS, Sandbox
from pages.lessons import LESSONS, clone_everything
from pages.shared.controls.control import Range
from pages.start import controls
from sim.engines.slots.run import SlotRun
from sim.kernel.streams import job_key, run_key, uniform
from sim.model.laws import StraggleLaw
from sim.model.result import change
from sim.running.execution import Effort
from sim.running.experiment import Experiment, compare
from tests.agreement import assert_mean
from tests.depth import every
from tests.pages.sandboxed import told

pytestmark = pytest.mark.compiled

#: Loads up to which no rule overloads the cluster, under any tail.
LOADS = (0.2, 0.35, 0.5)
#: Every rule with every order and tail, and two of the loads: 36 settings; a row each.
SETTINGS = [
    Sandbox(load=load, tail=tail, copies=copies, order=order, varied=order == "smallest")
    for copies, order, tail, load in product(COPIES, ORDERS, TAILS, LOADS[1:])
]
IDS = [f"{one.copies} {one.order} {one.tail} {one.load}" for one in SETTINGS]
#: Jobs that are compared one by one.
FEW = 400

REPLAY = """
    const durations = given.durations;
    const draws = {
        number: -1, mean: given.mean,
        next() {
            this.number++;
            return { arrival: given.arrivals[this.number] ?? Infinity, tasks: given.tasks[this.number] };
        },
        duration(job, task, copy) { return durations[job][task][copy]; },
    };
    return engine.times(draws, given.setting, given.arrivals.length);
"""


def lucky(experiment: Experiment) -> tuple[Any, list[list[list[float]]]]:
    """The jobs of the first replication, and the durations of the first four copies of each task."""
    scenario, workload = experiment.scenario, experiment.workload(0)
    run = np.uint64(run_key(scenario.seed, 0))  # between compiled calls a key is a plain int
    law: StraggleLaw = scenario.straggle_law

    def durations(job: int) -> list[list[float]]:
        key = np.uint64(job_key(run, job))
        shares = [[uniform(key, task, copy) for copy in range(4)] for task in range(most)]
        return (law.quantile(1 - np.array(shares)) * workload.size[job]).tolist()

    most = int(workload.tasks.max())
    return workload, [durations(job) for job in range(workload.n)]


@pytest.mark.parametrize("sandbox", SETTINGS, ids=IDS)
def test_each_job_ends_when_it_does_in_the_slot_engine(sandbox: Sandbox) -> None:
    experiment = sandbox.experiment
    few = replace(experiment, scenario=experiment.scenario.replace(jobs=FEW, warm_up=0))
    workload, durations = lucky(few)
    run = SlotRun(few.scenario, few.policies[0], 0, workload)
    while not run.advance():
        pass
    outcome = run.outcome()
    own = told(
        REPLAY,
        {
            "setting": sandbox.setting,
            "arrivals": workload.arrival.tolist(),
            "tasks": workload.tasks.tolist(),
            "durations": durations,
            "mean": few.scenario.straggle_law.mean,
        },
    )
    np.testing.assert_allclose(own, outcome.finish - workload.arrival, rtol=1e-9, atol=1e-9)


#: Replications of either engine, and jobs of each: two standard errors are below a per cent.
REPLICATIONS, JOBS = 40, 10_000
MEANS = """
    const seeds = Array.from({ length: given.replications }, (_, place) => place + 1);
    return seeds.map((seed) => engine.meanTime({ ...given.setting, seed }, given.jobs));
"""


@pytest.mark.parametrize("sandbox", every(8, SETTINGS[::2] + SETTINGS[1:4:2]), ids=IDS[::2] + IDS[1:4:2])
def test_mean_times_of_its_own_jobs_are_those_of_the_slot_engine(sandbox: Sandbox) -> None:
    """With other draws: an error of 2 % would be seen in any setting; some of 20 are usual."""
    experiment = sandbox.experiment
    scenario = experiment.scenario.replace(jobs=JOBS, warm_up=0.1)
    theirs = compare(replace(experiment, scenario=scenario), Effort(replications=REPLICATIONS))
    (result,) = theirs.policies.values()
    expected = np.array([sample.values["flowtime", "mean"] for sample in result.samples])
    given = {"setting": sandbox.setting, "replications": REPLICATIONS, "jobs": JOBS}
    own = np.array(told(MEANS, given))
    assert_mean(own - expected + expected.mean(), expected.mean(), resolution=0.02)


@pytest.mark.parametrize("tail", TAILS)
def test_what_two_copies_cost_is_the_mean_of_the_shorter_for_that_of_one(tail: str) -> None:
    sandbox = Sandbox(tail=tail)
    law = sandbox.experiment.scenario.straggle_law
    shorter, _ = quad(lambda t: float(law.survival(t)) ** 2, 0, LARGEST, limit=200, points=[1])
    cost, mean = told(
        "return [engine.cost(given), engine.meanDuration(given.tail, given.largest)];", sandbox.setting
    )
    assert mean == pytest.approx(law.mean, rel=1e-12)
    assert cost == pytest.approx(2 * shorter / law.mean, rel=3e-3)


SAID = """
    return given.map((setting) => {
        const against = { ...setting, copies: "off" };
        if (setting.copies === "on" && setting.load * engine.cost(setting) >= 1)
            return [words.aboutCopies(setting, null), null];
        const forecast = new engine.Forecast(setting, against);
        while (forecast.count < engine.REPLICATIONS) forecast.more();
        return [words.aboutCopies(setting, forecast.found), forecast.found];
    });
"""


def slowest_task(sandbox: Sandbox) -> float:
    """Mean time of the slowest task of a job whose tasks all begin at once."""
    law = sandbox.experiment.scenario.straggle_law

    def unfinished(t: float) -> float:
        return float(1 - (1 - law.survival(t)) ** sandbox.tasks)

    return float(quad(unfinished, 0, LARGEST, limit=200, points=[1])[0])


def test_the_sentence_says_what_the_slot_engine_finds() -> None:
    """The change lies within the intervals of both (1e-6); the sentence has its sign and its number."""
    made = [
        Sandbox(load=load, tail=tail, copies=copies)
        for copies, tail, load in product(COPIES, TAILS, (*LOADS[::2], 0.9))
    ]
    kinds = set()
    for sandbox, (said, found) in zip(made, told(SAID, [one.setting for one in made]), strict=True):
        assert len(said.split()) <= 22, said
        assert not re.search(r"\d (?:min|%)", said), said  # a line never ends between a number and its unit
        said = said.replace("\N{NO-BREAK SPACE}", " ")
        if found is None:
            law = sandbox.experiment.scenario.straggle_law
            shorter, _ = quad(lambda t: float(law.survival(t)) ** 2, 0, LARGEST, limit=200, points=[1])  # noqa: B023
            assert 2 * shorter / law.mean * sandbox.load >= 1
            assert "overloads" in said
            kinds.add("overloads")
            continue
        plain = replace(sandbox, copies="off").experiment
        if sandbox.copies == "off":
            assert f"Jobs take {found['own']:.1f} min" in said
            slowest = slowest_task(sandbox)
            queued = found["own"] > 1.15 * slowest  # then it is not the slowest task alone
            assert (f"{slowest:.1f} for the slowest task, the rest in the queue" in said) == queued
            kinds.add("queued" if queued else "slowest alone")
            continue
        pair = replace(sandbox.experiment, policies=(*plain.policies, *sandbox.experiment.policies))
        comparison = compare(
            replace(pair, scenario=pair.scenario.replace(jobs=4000)), Effort(replications=20)
        )
        without, copied = comparison.policies
        theirs = change(comparison, copied, without, "flowtime", "mean")
        assert theirs is not None
        far = 3 * (theirs.share.half or 0) * 100 + 3 * found["half"]
        assert abs(100 * theirs.share.value - found["change"]) <= far
        surely = abs(found["change"]) > found["half"] and round(abs(found["change"])) > 0
        kind = ("lengthens" if found["change"] > 0 else "shortens") if surely else "changes little"
        assert kind in said
        assert not surely or f"{abs(found['change']):.0f} %" in said
        kinds.add(kind)
    assert kinds >= {"lengthens", "shortens", "overloads", "queued", "slowest alone"}, (
        "the grid has each kind"
    )


def test_intervals_are_those_of_student() -> None:
    own = told("return [5, 10, 39].map((freedom) => engine.student(freedom));", None)
    assert own == pytest.approx(stats.t.ppf(0.975, [5, 10, 39]), rel=0.01)


def test_every_place_of_the_first_page_is_a_cluster_that_the_slot_engine_accepts() -> None:
    values = controls.PANEL.controls["load"].values
    assert isinstance(values, Range)
    for load, tail, copies in product((values.low, values.high), TAILS, COPIES):
        scenario = Sandbox(load=load, tail=tail, copies=copies).experiment.scenario
        assert (scenario.load, scenario.straggle_tail) == (load, TAILS[tail])


def test_a_film_with_one_seed_is_the_same_film() -> None:
    again = "return [1, 1, 2].map((seed) => engine.times(new engine.Draws({ ...given, seed }), given, 50));"
    first, second, other = told(again, Sandbox().setting)
    assert first == second != other


def test_a_task_that_is_pulled_ends_later_and_its_job_waits() -> None:
    first, pulled, copied = told(
        """
        const run = (hand) => {
            const cluster = new engine.Cluster(new engine.Draws(given), given);
            while (!cluster.jobs.length) cluster.step();
            const [job] = cluster.jobs;
            hand(cluster, job);
            while (job.done === undefined) cluster.step();
            return [job.done, job.tasks.map((task) => task.copies.length)];
        };
        const pull = (cluster, job) => cluster.stretch(job.tasks[0].copies[0], cluster.now + 30);
        const both = (cluster, job) => { pull(cluster, job); cluster.copy(job.tasks[0]); };
        return [run(() => {}), run(pull), run(both)];
        """,
        Sandbox().setting,
    )
    assert pulled[0] > first[0] + 20
    assert pulled[1] == first[1] == [1] * 5
    assert copied[0] < pulled[0]
    assert copied[1] == [2, 1, 1, 1, 1]


def test_before_a_prediction_nothing_is_told() -> None:
    for lesson in LESSONS.values():
        if lesson.sandbox:
            assert not lesson.sandbox.before.told
            assert set(lesson.sandbox.before.shown) <= {"copies"}


def test_the_cluster_of_lesson_three_is_the_one_that_it_asks_about() -> None:
    sandbox = LESSONS[3].sandbox
    assert sandbox
    here, asked = sandbox.experiment, clone_everything
    for name in ("slots", "tasks", "tasks_max", "straggle_tail"):
        assert getattr(here.scenario, name) == getattr(asked.SCENARIO, name)
    assert here.policies[0].text == asked.TWICE.text
