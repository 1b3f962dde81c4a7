"""Whole jobs drawn again in blocks."""

from __future__ import annotations

import numpy as np

from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay, replicate, resampled
from sim.engines.slots.scenario import read_policy
from sim.logs.formats import read_history
from sim.logs.samples import spark


def test_jobs_keep_their_stages_and_follow_each_other_in_blocks():
    model = fit(read_history(spark(speculation=False)))
    more = resampled(model, 3 * len(model.jobs), seed=2)
    assert len(more.jobs) == 3 * len(model.jobs)
    names = model.jobs["job"].tolist()
    followed = [
        names.index(b) - names.index(a) for a, b in zip(more.jobs["job"], more.jobs["job"][1:], strict=False)
    ]
    assert np.mean(np.array(followed) == 1) > 0.5
    for job, name in enumerate(more.jobs["job"]):
        ours, theirs = more.stage_job == job, model.stage_job == names.index(name)
        np.testing.assert_array_equal(more.tasks[ours], model.tasks[theirs])
        first, origin = np.flatnonzero(ours)[0], np.flatnonzero(theirs)[0]
        assert [
            tuple(parent - first for parent in more.parents[stage]) for stage in np.flatnonzero(ours)
        ] == [tuple(parent - origin for parent in model.parents[stage]) for stage in np.flatnonzero(theirs)]
    assert (np.diff(more.jobs["submit"]) >= 0).all()
    assert more.work.size == more.tasks.sum()


def test_a_longer_load_of_the_same_kind_takes_longer():
    model = fit(read_history(spark(speculation=False)))
    plain = replicate(Replay(model), [read_policy("fifo+none")], range(3))[0]
    more = replicate(Replay(resampled(model, 4 * len(model.jobs))), [read_policy("fifo+none")], range(3))[0]
    assert all(other.makespan > 2 * one.makespan for one, other in zip(plain, more, strict=True))
