"""What to do first: named for the cause that was put in, on small logs in which nothing else is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sim.advice.diagnosis import Diagnosis, diagnose
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.samples import nightly, slurm, spark
from sim.logs.source import Upload

HOSTS = 4


def history(frame: pd.DataFrame, *more: dict[str, object], name: str = "told.csv") -> History:
    """Return the log of a table of copies, with other records."""
    table = pd.concat([frame, pd.DataFrame(list(more))], ignore_index=True)
    return read_history(Upload(name, table.to_csv(index=False).encode()))


def jobs(seed: int, count: int = 20, tasks: int = 16, noise: float = 0.03) -> pd.DataFrame:
    """Return jobs of one stage, one after the other, whose tasks all run at once for about 20 s."""
    random, rows = np.random.default_rng(seed), []
    for number in range(count):
        for task in range(tasks):
            rows.append(
                {
                    "record": "copy",
                    "job_id": f"j{number}",
                    "stage_id": "s",
                    "task_id": task,
                    "submit_s": 1000.0 * number,
                    "start_s": 1000.0 * number,
                    "end_s": 1000.0 * number + 20 * np.exp(random.normal(0, noise)),
                    "host": f"h{task % HOSTS}",
                    "name": "",
                }
            )
    return pd.DataFrame(rows)


def slow(frame: pd.DataFrame, times: float = 4.0, task: int | None = None, seed: int = 3) -> pd.DataFrame:
    """Let one task of every job take longer, the same index or one by chance."""
    random, frame = np.random.default_rng(seed), frame.copy()
    for _, one in frame.groupby("job_id"):
        row = one.index[int(random.integers(len(one)))] if task is None else one.index[task]
        frame.loc[row, "end_s"] += (times - 1) * (frame.loc[row, "end_s"] - frame.loc[row, "start_s"])
    return frame


def lasted(frame: pd.DataFrame) -> pd.Series:
    return frame["end_s"] - frame["start_s"]


def found(frame: pd.DataFrame, *more: dict[str, object]) -> Diagnosis:
    return diagnose(history(frame, *more))


def first(diagnosis: Diagnosis) -> str:
    """Return the cause that is to be mended first; empty if there is nothing to do."""
    return diagnosis.findings[0].key if diagnosis.findings else ""


@pytest.mark.parametrize("column", ["output_bytes", "output_records", "input_bytes", "input_records"])
def test_tasks_are_slow_by_what_they_read_or_write(column):
    """Time goes with what is counted, and all that is else counted is alike: it is skew, and no luck."""
    frame = slow(jobs(1)).assign(input_bytes=1e6, output_bytes=1e6)
    told = found(frame.assign(**{column: 1e5 * lasted(frame)}))
    assert first(told) == "work"
    verb = "write" if "output" in column else "read"
    assert told.findings[0].action.startswith(f"Split the tasks of s that {verb} most (skew): 1 of 16 is 4")
    assert told.anew.seconds < 0.1 * told.lost.seconds


def test_a_task_of_no_bytes_is_a_small_one():
    """Most tasks of the stages read nothing and end at once: those that read take their time."""
    frame = jobs(2)
    reads = np.random.default_rng(2).permuted(np.tile(np.arange(16) < 5, (20, 1)), axis=1).ravel()
    frame.loc[~reads, "end_s"] = frame["start_s"] + 0.5
    told = found(frame.assign(input_bytes=np.where(reads, 1e6 * lasted(frame), 0.0)))
    assert first(told) == "work"
    assert told.anew.seconds < 0.1 * told.lost.seconds
    other = found(frame.assign(input_bytes=np.where(reads, 1e6 * lasted(frame), 1.0)))
    assert other.causes["work"].seconds == pytest.approx(told.causes["work"].seconds, rel=0.05)


@pytest.mark.parametrize(("column", "cause"), [("fetch_wait_s", "fetch_wait"), ("starting_s", "start")])
def test_what_a_copy_meets_again_is_not_promised_to_it(column, cause):
    frame = jobs(3)
    late = slow(frame, 6.0)
    told = found(late.assign(**{column: lasted(late) - lasted(frame)}))
    assert first(told) == cause
    assert told.anew.seconds < 0.1 * told.lost.seconds


def test_luck_is_copied_and_needs_a_trial():
    """Slow tasks read as much as others, and are not slow again where their stage recurs."""
    told = found(slow(jobs(4)).assign(name="nightly", input_bytes=1e6))
    assert first(told) == "luck"
    assert told.findings[0].action.startswith(
        "Try second copies for an hour, if your system can run them: bad luck cost "
    )


def test_a_slow_host_is_named():
    frame = jobs(5)
    frame.loc[frame["host"] == "h2", "end_s"] += lasted(frame)
    told = found(frame).findings[0].action
    assert told.startswith(("Replace h2: it takes 1.9", "Replace h2: it takes 2"))


def test_many_short_tasks_do_not_outvote_long_ones_on_a_slow_host():
    """A warm-up of 1,000 tasks of 0.4 s is as fast everywhere."""
    frame = jobs(6)
    frame.loc[frame["host"] == "h2", "end_s"] += 0.7 * lasted(frame)
    random = np.random.default_rng(6)
    many = jobs(7, 10, 100).assign(job_id=lambda one: "w" + one["job_id"], stage_id="warm")
    many["start_s"] = many["submit_s"] = -20_000 + many["submit_s"]
    many["end_s"] = many["start_s"] + 0.4 * np.exp(random.normal(0, 0.03, len(many)))
    alone, both = (
        found(one).shares.hosts.set_index("host").loc["h2"] for one in (frame, pd.concat([many, frame]))
    )
    assert 1.6 < alone["factor"] < 1.8
    assert both["factor"] == pytest.approx(alone["factor"], abs=alone["high"] - alone["low"])


def test_finished_tasks_that_run_again_are_a_cause_of_their_own():
    """In each job a task that had finished runs again when the others have ended."""
    frame = jobs(8)
    again = frame[frame["task_id"] == 3].assign(
        start_s=lambda one: one["start_s"] + 25, end_s=lambda one: one["end_s"] + 25
    )
    told = found(pd.concat([frame, again]))
    assert first(told) == "again"
    assert told.causes["again"].seconds == pytest.approx(25 * 20, rel=0.1)
    assert told.causes["failures"].seconds == 0


def test_failed_attempts_cost_what_they_ran_and_luck_is_the_same_without_them():
    """The first attempt of a task is cut off after 30 s; the next takes 20 s, as all others do."""
    frame = jobs(9).assign(status="finished")
    rows = frame.groupby("job_id").head(1).index
    cut = frame.loc[rows].assign(status="failed", end_s=lambda one: one["start_s"] + 30)
    frame.loc[rows, ["start_s", "end_s"]] += 30
    told = found(pd.concat([cut, frame]))
    assert first(told) == "failures"
    assert told.causes["failures"].seconds == pytest.approx(20 * 30, rel=0.05)
    assert told.findings[0].action.startswith("Find out why 20 attempts ended early")


def test_a_tiny_last_task_is_not_set_off_against_stragglers_of_others():
    """Half of the jobs have a straggler; the others a remainder on slots that are taken."""
    frame = slow(jobs(10, 10))
    tiny = jobs(11, 10).assign(job_id=lambda one: "t" + one["job_id"])
    tiny[["submit_s", "start_s", "end_s"]] += 10_000
    last = tiny.groupby("job_id").head(1).assign(task_id=16, start_s=lambda one: one["submit_s"] + 22)
    last["end_s"] = last["start_s"] + 0.5
    both = found(pd.concat([frame, tiny, last]))
    assert both.lost.seconds == pytest.approx(found(frame).lost.seconds, rel=0.1)
    assert (both.lost.jobs["lost"] >= 0).all()
    assert all(cause.high >= 0 for cause in both.causes.values())


def test_a_short_task_stays_short_where_stragglers_are_taken_out():
    """Of 17 tasks on 16 slots one takes 70 s, and the last 0.5 s behind those of 20 s: 49 s are lost."""
    frame = slow(jobs(18, 10, noise=0.001), 3.5, task=0)
    last = frame.groupby("job_id").tail(1)
    last = last.assign(task_id=16, start_s=last["submit_s"] + 20.1, end_s=last["submit_s"] + 20.6)
    assert found(pd.concat([frame, last])).lost.seconds == pytest.approx(10 * 49.4, rel=0.02)


def test_stages_wait_for_one_another_as_their_times_suggest():
    """The last task of a map takes 60 min instead of 5, and a merge starts when it ends: 55 min are lost."""
    rows = [{"stage_id": "map", "task_id": k, "start_s": 0.0, "end_s": 300.0 + k} for k in range(24)]
    rows[9]["end_s"] = 3_600.0
    rows.append({"stage_id": "merge", "task_id": 0, "start_s": 3_605.0, "end_s": 3_800.0})
    frame = pd.DataFrame(rows).assign(job_id="one")
    told = found(frame)
    assert told.history.order_from == "times"
    assert told.lost.seconds == pytest.approx(3_300, rel=0.02)
    assert "taken from their times: this log does not tell which stage waits for which; give parents." in (
        told.sentence
    )
    # a stage that begins long after, or while others run, waits for none
    frame.loc[frame["stage_id"] == "merge", ["start_s", "end_s"]] += 600
    assert found(frame).history.order_from == "log"


def test_a_stage_that_waited_for_slots_waits_for_no_stage():
    """A merge is submitted with its job, and launched when a map has left its slots: it reads none of it."""
    frame = jobs(12, 1)
    merge = frame.assign(
        stage_id="merge", start_s=lambda one: one["start_s"] + 22, end_s=lambda one: one["end_s"] + 22
    )
    both = pd.concat([frame, merge])
    assert history(both).stages["parents"].to_pylist() == [[], [0]]
    told = {"record": "stage", "job_id": "j0", "submit_s": 0.5}
    alone = history(both, *({**told, "stage_id": one} for one in ("s", "merge")))
    assert (alone.order_from, alone.stages["parents"].to_pylist()) == ("log", [[], []])


def test_the_order_of_a_log_wins_over_its_times():
    frame = jobs(12, 1)
    other = frame.assign(
        stage_id="t", start_s=lambda one: one["start_s"] + 22, end_s=lambda one: one["end_s"] + 22
    )
    stages = [
        {"record": "stage", "job_id": "j0", "stage_id": one, "parents": parents}
        for one, parents in (("s", ""), ("t", "s"))
    ]
    assert history(pd.concat([frame, other]), *stages).order_from == "log"
    assert history(pd.concat([frame, other])).order_from == "times"


@pytest.mark.parametrize(
    "log", [spark(speculation=False), spark(speculation=True), slurm(), nightly(1)], ids=lambda one: one.name
)
def test_the_first_sentence_of_a_sample_is_short_and_begins_with_what_to_do(log):
    told = diagnose(read_history(log))
    ranks = [(one.acts, one.seconds) for one in told.findings]
    assert ranks == sorted(ranks, reverse=True)
    assert all(0 < one.low <= one.seconds <= one.high for one in told.findings)
    for one in told.findings:
        assert len(one.action.split()) <= 33, one.action
        assert one.action[0].isupper()
    assert not told.findings or told.sentence.startswith(told.findings[0].action)


@pytest.mark.parametrize("change", ["hosts", "jobs", "stages"])
def test_names_change_nothing(change):
    frame = slow(jobs(13))
    column = {"hosts": "host", "jobs": "job_id", "stages": "stage_id"}[change]
    other = frame.assign(**{column: "x" + frame[column]})
    mine, theirs = found(frame), found(other)
    assert first(mine) == first(theirs)
    assert mine.lost.seconds == pytest.approx(theirs.lost.seconds)
    assert mine.causes["luck"].seconds == pytest.approx(theirs.causes["luck"].seconds, rel=0.02)


def test_seconds_scale_with_the_clock():
    frame = slow(jobs(14))
    times = ["submit_s", "start_s", "end_s"]
    mine, slower = found(frame), found(frame.assign(**{name: 7 * frame[name] for name in times}))
    assert slower.lost.seconds == pytest.approx(7 * mine.lost.seconds)
    assert slower.causes["luck"].seconds == pytest.approx(7 * mine.causes["luck"].seconds, rel=0.02)


def test_a_job_that_waits_for_another_is_submitted_when_that_has_ended():
    """Three jobs at once, each after another; without stragglers a driver submits its next job sooner.

    In each job one of 16 tasks on 16 slots takes 80 s instead of 20 s, so that a chain of 12 jobs of 80 s
    would be one of 20 s. With the submissions as recorded the slots would lie idle.
    """
    frame = slow(jobs(15, 12, noise=0.001))
    lasting = (
        frame.groupby("job_id", sort=False)["end_s"].max()
        - frame.groupby("job_id", sort=False)["start_s"].min()
    )
    think = np.random.default_rng(15).exponential(0.3, len(lasting))
    begin = dict(zip(lasting.index, np.cumsum(lasting.to_numpy() + think) - lasting.to_numpy(), strict=True))
    shift = frame["job_id"].map(begin) - frame["start_s"]
    for name in ("submit_s", "start_s", "end_s"):
        frame[name] += shift
    told = found(frame)
    assert told.lost.seconds == pytest.approx(12 * 60, rel=0.02)
    assert told.lost.makespan == pytest.approx(12 * 60, rel=0.02)
    apart = slow(jobs(15, 12, noise=0.001))  # submitted by the clock: the last job alone ends sooner
    assert found(apart).lost.makespan == pytest.approx(60, rel=0.02)


def test_a_log_that_knows_less_says_less_and_nothing_else():
    """Each log loses what tells its cause: the first action asks for it, and is not another one."""
    frame = slow(jobs(16))
    skewed = frame.assign(input_bytes=1e6 * lasted(frame))
    host = jobs(17)
    host["host"] = np.random.default_rng(17).permuted(host["host"].to_numpy(str))  # no index has a host
    host.loc[host["host"] == "h2", "end_s"] += lasted(host)
    for rich, lost, named in ((skewed, "input_bytes", "skew"), (host, "host", "slow hosts")):
        poor = found(rich.drop(columns=lost))
        assert first(found(rich)) in ("work", "machine")
        assert first(poor) == "luck"
        assert poor.findings[0].action.startswith("Tell luck from ")
        assert named in poor.findings[0].action


def scattered() -> pd.DataFrame:
    """Return jobs in which one task in twenty, of any, takes four times as long."""
    frame = jobs(21)
    frame["end_s"] += 3 * lasted(frame) * (np.random.default_rng(21).random(len(frame)) < 0.05)
    return frame


#: All jobs of `jobs` are runs of one.
NAMED = [{"record": "stage", "job_id": f"j{row}", "stage_id": "s", "name": "nightly"} for row in range(20)]


def test_luck_is_not_told_from_work_that_no_log_counts():
    """No task is slow in every run, so that work that stays is ruled out; work of the day is not."""
    asked = ("Tell luck from skew first", "Try second copies for an hour")
    for frame, action in zip((scattered(), scattered().assign(input_bytes=1e6)), asked, strict=True):
        told = found(frame, *NAMED)
        assert told.hidden.again < 0.08
        assert told.findings[0].action.startswith(action)


def test_that_no_task_is_slow_in_every_run_tells_nothing_of_work_where_nothing_counts_it():
    assert found(scattered().assign(input_bytes=1e6), *NAMED).causes["work"].low <= 0
    assert "counts no bytes" in found(scattered(), *NAMED).untold["work"]
    stays = slow(jobs(21), task=3)
    assert found(stays, *NAMED).causes["work"].low > 0


def test_a_system_without_copies_sets_a_time_limit_where_its_log_rules_out_all_else():
    frame = scattered()
    counted, both = frame.assign(input_bytes=1e6), frame.assign(input_bytes=1e6, starting_s=0.0)
    asked = ("Look at task ", "See whether slow tasks started late", "Set a time limit and run slow tasks ")
    for one, action in zip((frame, counted, both), asked, strict=True):
        told = diagnose(replace(history(one, *NAMED), format="nextflow"))
        assert told.findings[0].action.startswith(action)
        assert not told.findings[0].acts


@pytest.mark.parametrize("times", [1.3, 2.0, 8.0])
def test_lost_time_is_what_jobs_waited_for_the_last(times):
    """Two ways to one number, where no task waits for a slot: a replay, and states of every instant."""
    told = found(slow(jobs(19), times).assign(input_bytes=1e6))
    assert told.account.states["waiting for the last"] == pytest.approx(told.lost.seconds, rel=0.02)
    assert sum(told.account.states.values()) == pytest.approx(told.lost.jobs["recorded"].sum())
    assert sum(one.seconds for one in told.findings) <= told.lost.seconds


def test_copies_are_promised_to_a_table_only_if_its_system_can_run_them():
    told = found(slow(jobs(4)).assign(name="nightly", input_bytes=1e6))
    assert "Second copies, if your system can run them, could save at most" in told.cost
