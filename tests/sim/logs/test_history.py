"""A history is one immutable value, named by its content, and gives the engines their jobs."""

import dataclasses

import numpy as np
import pytest

from sim.engines.registry import preset, with_trace
from sim.logs.formats import read_history
from sim.logs.history import FATES, SCHEMAS
from sim.logs.samples import spark
from tests.sim.logs.logs import ended, job, job_end, read, small, stage


def test_a_history_cannot_be_changed():
    history = read(small())
    with pytest.raises(dataclasses.FrozenInstanceError):
        history.jobs = history.stages
    frame = history.frame("copies")
    frame["task"] = 7
    assert history.copies["task"].to_pylist() == [0, 1, 1, 0, 0]


def test_the_digest_tells_any_change_of_what_ran_and_nothing_else():
    digest = read(small()).digest
    assert read(small(), "another-name").digest == digest
    later = small()
    later[-1] = job(1, [], 4700)
    assert read(later).digest != digest
    changed = [dict(event) for event in small()]
    changed[7] = ended(0, 0, 100, 1101, read=(0, 50))
    assert read(changed).digest != digest


def test_every_column_is_documented():
    from sim.logs import history as module

    for schema in SCHEMAS.values():
        for column in schema.names:
            assert column in module.__doc__
    assert all(fate in module.__doc__ for fate in FATES)


def test_a_history_gives_arrivals_tasks_and_sizes():
    log = [*small(), job(1, [2], 6000), stage(2, 4, 6000), ended(9, 0, 6000, 9000, of=2), job_end(1, 9000)]
    trace = read([*log, job(2, [3], 7000)]).trace()
    assert trace.arrival.tolist() == [0.05, 6.0]
    assert trace.tasks.tolist() == [3, 4]
    assert trace.size.tolist() == [1.0, 3.0]
    assert trace.names == ("0", "1")
    assert any("1 job without a submit time or a finished task left out" in note for note in trace.notes)


def test_the_engines_take_the_jobs_of_a_log():
    trace = read_history(spark(speculation=False)).trace()
    scenario = with_trace(preset("light").scenario, trace)
    assert scenario.jobs == 26
    assert np.all(trace.size > 0)
