"""A poor model without the jobs that it cannot reproduce: what is left out, and what is advised then."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sim.advice.diagnosis import diagnose
from sim.advice.whatif.check import POOR
from sim.advice.whatif.document import as_text, headline
from sim.advice.whatif.model import fit
from sim.advice.whatif.report import as_json
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK, candidates
from sim.logs.formats import read_history
from sim.shell.verbs import main
from tests.sim.logs.test_hierarchy import slot_of, stages


def mixed():
    """Return jobs of steady stages; in a third of them, of another name, hosts are slow in spells."""

    def duration(random, stage, task):
        base = 1.2 if stage % 3 == 2 else 2.0
        spell = stage % 3 == 2 and slot_of(stage, task, 20) % 5 == (stage // 6) % 5
        slow = random.random() < 0.05
        return (
            base * np.exp(random.normal(0, 0.2)) * (4 if spell else 1) * (random.uniform(3, 8) if slow else 1)
        )

    names = ("etl", "etl", "probe")
    return stages(3, 60, 20, duration, names=names, jobs=tuple(f"{name} {{}}" for name in names))


@pytest.mark.compiled
def test_jobs_that_the_model_cannot_reproduce_are_found_and_the_others_advised():
    found = answer(Replay(fit(mixed())), SPARK, replications=40, sweep=False)
    assert found.check.verdict == POOR
    first = found.without[0]
    assert (first.leave_out, first.jobs, first.verdict != POOR) == ("probe", 20, True)
    asked = Replay(fit(mixed(), leave_out="probe"), leave_out="probe")
    alone = answer(asked, SPARK, replications=40, sweep=False)
    assert alone.check.verdict == first.verdict
    assert first.advice == headline(alone)
    assert not alone.without
    assert "Ask so: --leave-out probe" in as_text(found)
    assert as_json(found)["without"][0]["leave_out"] == "probe"


def test_no_group_of_half_the_time_or_more_is_left_out_and_none_twice():
    random = np.random.default_rng(5)
    for _ in range(50):
        count = int(random.integers(1, 12))
        submit = np.sort(random.uniform(0, 100, count))
        names = random.choice(["", "a 1", "a 2", "b", "b-7", "(x)"], count)
        jobs = pd.DataFrame({"group": "", "name": names, "submit": submit})
        jobs["end"] = submit + random.exponential(5, count)
        times = jobs["end"] - jobs["submit"]
        listed = list(candidates(jobs))
        assert all(0 < times[held].sum() <= times.sum() / 2 for _, held in listed)
        assert len({held.tobytes() for _, held in listed}) == len(listed)


def test_a_log_too_small_for_a_model_says_what_it_shows_by_itself(tmp_path, capsys):
    """Both tasks of a job on one host: no copy could help, and no model is fitted to two tasks."""
    log = tmp_path / "small.csv"
    log.write_text("job_id,stage_id,task_id,start_s,end_s,host\na,s,0,0,10,h1\na,s,1,0,90,h1\n")
    assert main(["whatif", str(log)]) != 0
    said = diagnose(read_history(log)).answer
    assert f"give a history with at least 30. What the log shows by itself: {said}" in capsys.readouterr().err
