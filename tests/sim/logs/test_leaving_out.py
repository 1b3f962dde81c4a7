"""Jobs that are left out are gone with all that belonged to them, and nothing else changes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.replay import Replay
from sim.logs.compact import as_parquet
from sim.logs.formats import read_history
from sim.logs.leaving_out import GONE, KEPT, LEFT_OUT, left_out_of, without_jobs
from sim.logs.records import Records
from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.shell.verbs import main
from tests.sim.logs.logs import ended, executor, job, job_end, lines, read, stage


def made(groups, seed=1):
    """Return a history of a job of two stages for each group; every third stage has no job, too."""
    random = np.random.default_rng(seed)
    records = Records(per_second=1)
    for number, group in enumerate(groups):
        row = records.job(number)
        told = records.jobs[row]
        told.group, told.submit, told.end, told.fate = group, 10.0 * number, 10.0 * number + 9, "finished"
        before = []
        for part in range(2):
            place = records.stage_row((number, part), f"{number}/{part}")
            one = records.stages[place]
            one.job, one.parents, one.tasks = row, before, 3
            one.submit, one.end = told.submit + 4 * part, told.submit + 4 * part + 4
            before = [place]
            for task in range(3):
                launch = one.submit + float(random.random())
                records.copy(place, task, launch=launch, end=one.end, fate="finished", host=f"h{task}")
        if number % 3 == 0:
            lost = records.stage_row(("no job", number))
            records.stages[lost].parents = before
            records.copy(lost, 0, launch=told.submit, end=told.submit + 1, fate="finished")
    records.slot_changes = [(0.0, 8), (50.0, -2)]
    return records.history("generated", ("generated",), origin=0.0)


def told(history):
    """Return what ran, by names and not by rows."""
    jobs, stages = history.frame("jobs"), history.frame("stages")
    stages[["submit", "end"]] = stages[["submit", "end"]].fillna(-1.0)
    owner = [jobs["job"].iloc[row] if row >= 0 else "" for row in stages["job"]]
    parents = [[stages["stage"].iloc[one] for one in listed] for listed in stages["parents"]]
    copies = history.frame("copies").astype({"fate": str, "host": str, "slot": str, "locality": str})
    copies["stage"] = stages["stage"].to_numpy()[copies["stage"]]
    return (
        jobs.astype(str).to_numpy().tolist(),
        list(zip(stages["stage"], owner, parents, stages["submit"], stages["end"], strict=True)),
        copies.astype(str).to_numpy().tolist(),
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["warmup", "etl", "", "nightly warmup"]), min_size=1, max_size=12))
def test_what_is_left_is_as_it_was(groups):
    history = made(groups)
    if all("warm" in group for group in groups):
        with pytest.raises(BadInput, match="leave-out: 'warm' leaves out every job"):
            without_jobs(history, "warm")
        return
    if not any("warm" in group for group in groups):
        with pytest.raises(
            BadInput, match="leave-out: 'warm' is in no job's group or name; give a part of one"
        ):
            without_jobs(history, "warm")
        return
    found = without_jobs(history, "warm")
    out = {str(number) for number, group in enumerate(groups) if "warm" in group}
    jobs, stages, copies = told(history)
    left_jobs, left_stages, left_copies = told(found)
    gone = {name for name, owner, *_ in stages if owner in out}
    assert left_jobs == [row for row in jobs if row[0] not in out]
    assert left_stages == [
        (name, owner, [one for one in parents if one not in gone], submit, end)
        for name, owner, parents, submit, end in stages
        if name not in gone
    ]
    assert left_copies == [row for row in copies if row[0] not in gone]
    assert found.slots.equals(history.slots)
    assert found.hosts.equals(history.hosts)
    number = len(out)
    assert found.notes[-1] == f"{number} job{'s' * (number != 1)} named 'warm' left out"


def test_nothing_is_left_out_without_a_text():
    history = made(["a", "b"])
    assert without_jobs(history, "") is history


def test_the_compact_file_of_what_is_left_says_the_same():
    found = without_jobs(made(["warmup", "etl", "", "etl"]), "warm")
    assert read_history(Upload("history.parquet", as_parquet(found))).digest == found.digest


def beside():
    """Return the events of two jobs on two slots: one of a long task, the other with a straggler of 3 s."""
    log = [executor("1", 0, cores=2), job(0, [0], 0, **{"spark.jobGroup.id": "other"})]
    log += [job(1, [1], 0, **{"spark.jobGroup.id": "mine"}), stage(0, 1, 0), stage(1, 4, 0)]
    times = [(0, 3000), (3000, 4000), (4000, 5000), (5000, 6000)]
    log += [ended(9, 0, 0, 10_000), *(ended(task, task, *time, of=1) for task, time in enumerate(times))]
    return [*log, stage(0, 1, 0, 10_000), stage(1, 4, 0, 6000), job_end(0, 10_000), job_end(1, 6000)]


def lost(history, text, how):
    if how == GONE:
        replay = Replay(without_jobs(history, text))
    else:
        replay = Replay(history, left_out_of(history, text))
    medians = replay.tasks["median"].to_numpy(float)
    found = replay.lost(medians)
    assert replay.seconds(medians) == pytest.approx(found.seconds)
    return found


def test_what_is_kept_takes_slots_as_it_did_and_what_is_gone_does_not():
    history = read(beside())
    kept, gone = (diagnose(history, leave_out="other", left_out=how) for how in (KEPT, GONE))
    for found in (kept, gone):
        assert found.counts.jobs == 1
        assert found.lost.jobs["job"].tolist() == ["1"]
        assert found.lost.stages["stage"].tolist() == ["1"]
        assert found.lost.jobs.index.tolist() == found.lost.stages.index.tolist() == [0]
    # Kept: one slot, the end at 6 s and without the straggler at 4 s. Gone: two slots, at 3 s and at 2 s.
    assert kept.lost.seconds == pytest.approx(2.0)
    assert gone.lost.seconds == pytest.approx(1.0)


def test_what_is_kept_is_as_recorded_whatever_it_lost_itself():
    history = read(beside())
    assert lost(history, "mine", KEPT).seconds == lost(history, "mine", GONE).seconds == 0.0
    assert lost(history, "other", KEPT).jobs["lost"].tolist() == [2.0]


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from(["warmup", "etl"]), min_size=1, max_size=7), st.integers(0, 99))
def test_jobs_that_do_not_meet_others_lose_the_same_whether_those_are_kept_gone_or_counted(groups, seed):
    history = made(["warmup", *groups, "etl"], seed)
    whole = lost(history, "", KEPT).jobs.set_index("job")
    for how in (KEPT, GONE):
        found = lost(history, "warm", how)
        jobs = found.jobs.set_index("job")
        assert len(jobs) == ["warmup", *groups, "etl"].count("etl")
        np.testing.assert_allclose(jobs["lost"], whole["lost"].loc[jobs.index], atol=1e-9)
        rest = without_jobs(history, "warm")
        assert [rest.jobs["job"][int(row)].as_py() for row in found.jobs.index] == jobs.index.tolist()
        names = rest.stages["stage"]
        assert [names[int(row)].as_py() for row in found.stages.index] == found.stages["stage"].tolist()


def test_rows_of_tasks_are_those_of_the_history_without_the_jobs():
    history = made(["warmup", "etl", "warmup", "", "etl"])
    kept, gone = Replay(history, left_out_of(history, "warm")), Replay(without_jobs(history, "warm"))
    assert kept.tasks.drop(columns="row").equals(gone.tasks.drop(columns="row"))
    assert kept.tasks["row"].tolist() == gone.tasks["row"].tolist()


def test_the_shell_leaves_out(tmp_path, capsys):
    log, out = tmp_path / "app-1", tmp_path / "left.parquet"
    log.write_bytes(lines(beside()))

    def asked(*options):
        assert main(["trace", str(log), "--json", "-", *options]) == 0
        return json.loads(capsys.readouterr().out)

    assert asked()["jobs"] == 2
    kept = asked("--leave-out", "other")
    assert (kept["jobs"], kept["tasks"], kept["lost"]["seconds"]) == (1, 4, 2.0)
    assert kept["notes"][-1] == "1 job named 'other' left out"
    gone = asked("--leave-out", "other", "--left-out", "gone", "--out", str(out))
    assert (gone["jobs"], gone["lost"]["seconds"]) == (1, 1.0)
    assert read_history(out).jobs["group"].to_pylist() == ["mine"]
    for options, message in (
        (["--left-out", "maybe"], "left-out: 'maybe' is not accepted; give kept or gone"),
        (["--leave-out", ""], None),
        (["--leave-out", "e"], "leaves out every job"),
        (["--leave-out", "zzz"], "leave-out: 'zzz' is in no job's group or name"),
    ):
        assert main(["trace", str(log), *options]) == (0 if message is None else 2)
        shown = capsys.readouterr().err
        assert message is None or message in shown
    assert set(LEFT_OUT) == {KEPT, GONE}
