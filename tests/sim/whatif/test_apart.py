"""Stages without copies: none of their tasks is copied, and nothing else of a run is changed."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from sim.advice.whatif import runs
from sim.advice.whatif import safety as module
from sim.advice.whatif.check import check_model
from sim.advice.whatif.document import as_html, as_text
from sim.advice.whatif.model import fit
from sim.advice.whatif.pieces import Constraints, SearchPlan, play
from sim.advice.whatif.report import as_json
from sim.advice.whatif.runs import Replay, replicate
from sim.advice.whatif.safety import (
    ASK,
    NEVER,
    WRITERS,
    Found,
    Safety,
    UnsafeStages,
    apart_of,
    one_by_one,
    play_apart,
    safety,
    without_copies,
)
from sim.advice.whatif.setting_effect import changes
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK
from sim.engines.slots.scenario import read_policy
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.samples import spark
from tests.sim.slots.recorded import run_of
from tests.zoo.luck import Draw
from tests.zoo.simulator import DRIVER, Attempt, Play, Run
from tests.zoo.worlds import Cluster, Job, Nature, Stage, World

COPIES, PATIENT = "fifo+spark:multiplier=1.5,quantile=0.5", "fifo+spark:multiplier=4"


class Naive(Run):
    """The simulator of the zoo; but of tasks marked at one check the lowest number is copied first."""

    def _queue(self, tasks) -> None:
        known = self.__dict__.setdefault("known", {}).setdefault((tasks.job, tasks.stage), set())
        new = [task for task in tasks.marked if task not in known]
        known.update(new)
        tasks.marked[len(tasks.marked) - len(new) :] = sorted(new, reverse=True)
        super()._queue(tasks)


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """A world of hosts with one slot each, so that it does not matter which of them a scheduler takes.

    Parameters
    ----------
    world : World
    places : list of (int, int)
        Job and stage, in order.
    times : list of ndarray
        Of the stages there: seconds of both attempts of each task.
    kept : ndarray of bool
        Which of them have no copies.
    """

    world: World
    places: list[tuple[int, int]]
    times: list[np.ndarray]
    kept: np.ndarray

    @classmethod
    def of(cls, seed: int) -> Case:
        """Return five jobs of one to three stages, on four to eight hosts."""
        random = np.random.default_rng([seed, 77])
        hosts, jobs = int(random.integers(4, 9)), []
        for submit in np.cumsum(random.exponential(8.0, 5)):
            stages = []
            for place, size in enumerate(random.integers(1, 14, random.integers(1, 4))):
                parents = tuple(range(random.integers(0, place + 1)))
                stages.append(Stage(f"s{place}", parents, 1.0, *(np.ones(size) for _ in range(3))))
            jobs.append(Job("", tuple(stages), float(submit)))
        cluster = Cluster(tuple((host, 1) for host in range(hosts)), hosts * (1.0,), hosts * (1.0,))
        nature = Nature(lambda random, size: np.ones(size))
        world = World(0, 0, "small", "", (), None, cluster, tuple(jobs), nature)
        places = [(job, stage) for job, one in enumerate(jobs) for stage in range(len(one.stages))]
        times = [random.pareto(1.3, (jobs[job].stages[stage].tasks, 2)) + 0.5 for job, stage in places]
        return cls(world, places, times, random.random(len(places)) < 0.4)

    def naive(self, kept: np.ndarray) -> Play:
        """Play it in the simulator of the zoo, which never marks a task of a stage that is kept apart."""
        rows = {place: row for row, place in enumerate(self.places)}

        def lasts(one: Attempt, *_: object) -> tuple[float, float]:
            return float(self.times[rows[one.job, one.stage]][one.task, one.copy]), 0.0

        luck = Draw([], [], [], 0.0, np.random.default_rng(1))
        return Naive(
            self.world, (1.5, 0.5), luck, lasts, [self.places[row] for row in np.flatnonzero(kept)]
        ).run()

    def ours(self) -> tuple[np.ndarray, np.ndarray]:
        """Play it in the engine; return the end of each stage, and how many copies it had."""
        tasks = np.array([len(one) for one in self.times])
        rows = {place: row for row, place in enumerate(self.places)}
        parents = [
            [rows[job, parent] for parent in self.world.jobs[job].stages[stage].parents]
            for job, stage in self.places
        ]
        of, waits = one_by_one(tasks, parents, self.kept)
        stages: list[np.ndarray] = []
        for one, apart in zip(self.times, self.kept, strict=True):
            stages += np.split(one, len(one)) if apart else [one]
        job = np.array([self.places[row][0] for row in of])
        run = run_of(
            len(self.world.cluster.executors) * [1],
            COPIES,
            [stage.tolist() for stage in stages],
            parents=waits,
            submit=[self.world.jobs[one].submit + DRIVER for one in job],
            gap=of.size * [DRIVER],
            first=np.searchsorted(job, job),
        )
        ends = np.zeros(tasks.size)
        np.maximum.at(ends, of, run.world.jobs.finish)
        return ends, np.bincount(of[run.log["job"][run.log["copy"] > 0]], minlength=tasks.size)


@pytest.mark.parametrize("seed", range(40))
def test_a_run_with_stages_kept_apart_is_that_of_a_naive_simulator(seed) -> None:
    case = Case.of(seed)
    ends, copied = case.ours()
    reference = case.naive(case.kept)
    assert ends.tolist() == pytest.approx([reference.stages[place][1] for place in case.places], rel=1e-9)
    theirs = [case.places.index((one.job, one.stage)) for one in reference.attempts if one.copy]
    assert copied.tolist() == np.bincount(theirs, minlength=len(copied)).tolist()
    assert not copied[case.kept].any()


def test_the_naive_simulator_copies_in_these_worlds_and_other_times_if_no_stage_is_kept_apart() -> None:
    """Else the comparison would compare nothing."""
    cases = [Case.of(seed) for seed in range(40)]
    some = [case.naive(case.kept) for case in cases]
    every = [case.naive(np.zeros(len(case.places), bool)) for case in cases]
    assert sum(one.copy for play in some for one in play.attempts) > 100
    assert sum(one.ends != other.ends for one, other in zip(some, every, strict=True)) > 20


@cache
def sample() -> Replay:
    return Replay(fit(read_history(spark(speculation=False)), leave_out="warmup"), leave_out="warmup")


def run(question: Replay, policy: str, replication: int):
    """Play once; return the figures, and the rows of the log."""
    logs = []
    with pytest.MonkeyPatch.context() as patch:
        ours = runs.played
        patch.setattr(runs, "played", lambda asked, one: (logs.append(one.log), ours(asked, one))[1])
        played = question.run(read_policy(policy), replication)
    return played, logs[0]


def other(kept) -> Replay:
    return dataclasses.replace(sample(), model=without_copies(sample().model, np.asarray(kept)))


@pytest.mark.parametrize("replication", range(3))
def test_stages_in_which_nothing_was_copied_can_be_kept_apart_to_the_bit(replication) -> None:
    """All else of the run is as it was: the copies of other stages, and each of its figures."""
    plain, log = run(sample(), PATIENT, replication)
    stages = len(sample().model.tasks)
    copied = np.bincount(log["job"][log["copy"] > 0], minlength=stages) > 0
    assert 3 < copied.sum() < stages - 3
    found, again = run(other(~copied), PATIENT, replication)
    assert found.figures == plain.figures
    np.testing.assert_array_equal(found.job_times, plain.job_times)
    for name in ("slot", "start", "end", "copy", "fate"):
        np.testing.assert_array_equal(again[name], log[name])


@pytest.mark.parametrize("replication", range(3))
def test_without_copies_in_any_stage_a_run_is_that_without_speculation(replication) -> None:
    none, _ = run(sample(), "fifo+none", replication)
    every, _ = run(other(np.ones(len(sample().model.tasks), bool)), COPIES, replication)
    assert every.figures == none.figures
    apart, _ = run(other(np.arange(len(sample().model.tasks)) % 2 == 0), "fifo+none", replication)
    assert apart.figures == none.figures


def test_no_task_of_a_stage_kept_apart_is_copied_and_those_of_others_are() -> None:
    kept = np.arange(len(sample().model.tasks)) % 3 == 0
    changed = other(kept)
    of, _ = one_by_one(sample().model.tasks, sample().model.parents, kept)
    seen = np.zeros(kept.size, int)
    for replication in range(4):
        _, log = run(changed, COPIES, replication)
        np.add.at(seen, of[log["job"][log["copy"] > 0]], 1)
    assert not seen[kept].any()
    assert seen[~kept].sum() > 20


#: Every third stage writes by calls of foreach.
def risky(history: History, writes: str = "foreach") -> History:
    column = pa.array([writes if row % 3 == 2 else "" for row in range(history.stages.num_rows)])
    place = history.stages.schema.get_field_index("writes")
    return dataclasses.replace(history, stages=history.stages.set_column(place, "writes", column))


def asked(**settings: str) -> Replay:
    """Return a question about a log with stages that must not run twice, and with these settings."""
    history = risky(read_history(spark(speculation=False)))
    history = dataclasses.replace(history, settings={**history.settings, **settings})
    return Replay(fit(history, leave_out="warmup"), leave_out="warmup")


def test_stages_are_those_of_the_log_whose_writers_something_speaks_against() -> None:
    question = asked()
    found = apart_of(question, safety(question.model.history, "spark"), read_policy(COPIES))
    assert found.kept.tolist() == (question.model.stages % 3 == 2).tolist()
    of_stage = np.array(
        [part.sum() for part in np.split(question.model.work, np.cumsum(question.model.tasks)[:-1])]
    )
    assert found.work == pytest.approx(of_stage[~found.kept].sum() / of_stage.sum())
    assert found.why == ""
    assert apart_of(question, Safety(ASK, silent="ask"), read_policy(COPIES)) is None


def test_what_is_not_played_has_its_reason(monkeypatch) -> None:
    question = asked()
    risk = safety(question.model.history, "spark")

    def why(policy: str, found: Safety = risk) -> str:
        return apart_of(question, found, read_policy(policy)).why

    assert "with FAIR" in why("fair+spark")
    assert "duration.threshold" in why("fifo+spark:threshold=30")
    assert "rule of Spark only" in why("fifo+late")
    everything = Safety(ASK, (Found(WRITERS["other"], (), 1),))  # such as a remote shuffle service
    assert why(COPIES, everything) == "there are none"
    monkeypatch.setattr(module, "MOST_WAITS", 3)
    assert "wait for each other" in why(COPIES)


@pytest.fixture(scope="module")
def found():
    question = asked()
    given = answer(
        question, SPARK, policies=[COPIES], replications=10, budget=0.5, sweep=False, remedies=False
    )
    assert given.advice.policy == COPIES
    return given


def test_the_gain_with_copies_in_some_stages_is_played_on_the_same_luck(found) -> None:
    question, kept = found.question, found.apart.kept
    today, full = replicate(question, [read_policy("fifo+none"), read_policy(COPIES)], range(10))
    some = play_apart(question, read_policy(COPIES), kept, range(10))
    gain = changes(some, today)["mean"]
    assert found.apart.change["mean"].value == pytest.approx(gain.value)
    assert found.apart.change["mean"].low <= gain.low
    assert changes(full, today)["mean"].value < gain.value < 0
    told = as_json(found)["safety"]
    assert told["level"] == NEVER
    assert told["gain"]["copied"]["mean"]["value"] == found.apart.change["mean"].value
    assert told["gain"]["all"]["mean"]["value"] == found.options[COPIES].change["mean"].value
    assert (told["gain"]["stages"], told["gain"]["copied_stages"]) == (kept.size, (~kept).sum())


def test_both_gains_and_how_to_restrict_copies_stand_above_the_lines_to_paste(found) -> None:
    for text, paste in ((as_text(found), "  spark.speculation true"), (as_html(found), "<pre>")):
        said = text.replace("−", "-").replace("\u00a0", " ")
        for one in (found.apart_told, found.safety.restricted):
            assert 0 < said.index(one) < said.index(paste)
    assert f"{(~found.apart.kept).sum()} of {found.apart.kept.size} stages" in found.apart_told


def test_pieces_play_the_same(found) -> None:
    few = dataclasses.replace(SPARK, options=(COPIES,))
    inquiry = SearchPlan.of(found.question, few, 10)
    tallies = {}
    for piece in inquiry.pieces(10):
        tallies |= play(found.question, inquiry.policy(piece), piece)
    checked = check_model(found.question, inquiry.policies[inquiry.today], 10)
    whole = inquiry.answer(tallies, 10, checked, Constraints(budget=0.5))
    policy, stages = whole.to_keep_apart
    whole = whole.with_apart(play_apart(found.question, policy, stages.kept, range(10)))
    assert as_json(whole)["safety"] == as_json(found)["safety"]


def test_without_a_play_it_is_said_that_the_gain_is_not_known() -> None:
    one = UnsafeStages(np.array([True, False]), 0.25, "it is Tuesday")
    assert one.told("mean", {}) == (
        "What is gained with copies in the other stages alone (1 of 2 stages, 25 % of the work) is not "
        "known: it is Tuesday."
    )
