"""Presets are scenarios that show what they promise, with and without a workload file."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from sim.engines.registry import PRESETS, engine, preset, with_trace
from sim.engines.slots.scenario import SlotScenario
from sim.logs import read
from sim.model.fields import BadInput
from sim.model.speculative import PHASES
from sim.model.workload import arrival_rate, from_trace, generate

SWIM = read(b"a\t7\t7\t0\t5\t9\nb\t7\t0\t900000000\t0\t0\nc\t19\t12\t7000000000000\t0\t0\n", "swim.tsv")
SIZED = read(b"job_id,submit,tasks,size\na,0,10,2.5\nb,1.5,3,1\n", "sized.csv")

every_preset = pytest.mark.parametrize("chosen", PRESETS.values(), ids=PRESETS)


def test_the_presets_are_there():
    papers = ["xu-lau-fig2", "xu-lau-fig3", "xu-lau-fig5", "xu-lau-fig6-30", "xu-lau-fig6-40"]
    papers += ["aktas", "aktas-beta3", "hopper-fig5a", "hopper-fig5b", "sparrow-10k", "dolly-fig6"]
    papers += ["hopper-dag-probes"]
    assert {"light", "busy", "overloaded", "small", "mm100", *papers} <= set(PRESETS)


@every_preset
def test_a_preset_is_called_by_its_name(chosen):
    assert preset(chosen.name) is chosen
    assert chosen.engine == chosen.scenario.ENGINE


@every_preset
def test_a_preset_asks_one_question(chosen):
    assert chosen.question.endswith("?")
    assert chosen.question.count("?") == 1


@every_preset
def test_a_preset_compares_policies_that_exist_once_each(chosen):
    policies = [engine(chosen.engine).implementation.policy.read(text) for text in chosen.policies]
    assert len(set(policies)) == len(policies) >= 1


@every_preset
def test_one_replication_of_a_preset_is_at_most_a_few_hundred_thousand_tasks(chosen):
    most = 3_200_000 if chosen.name.startswith("xu-lau") else 600_000  # as large as in the paper
    assert generate(chosen.scenario, 0).total_tasks < most


@every_preset
@pytest.mark.parametrize("trace", [SWIM, SIZED], ids=["swim", "sized"])
def test_a_preset_runs_the_jobs_of_a_file_at_its_own_load(chosen, trace):
    choices = {"recorded_times": "stretched", "recorded_sizes": "healthy"}
    scenario = with_trace(chosen.scenario, trace).replace(**choices)
    jobs = from_trace(trace, scenario, 0)
    np.testing.assert_array_equal(jobs.tasks, trace.tasks)
    assert scenario.jobs == jobs.n == trace.arrival.size
    if trace.size is not None:
        np.testing.assert_array_equal(jobs.size, trace.size)
    work = (
        jobs.total_tasks * scenario.size_law.mean if trace.size is None else jobs.work
    )  # sizes drawn, or read
    offered = work * scenario.mean_factor / (scenario.slots * jobs.span)
    assert offered == pytest.approx(chosen.scenario.load)


def test_a_trace_changes_the_jobs_and_nothing_else():
    before = SlotScenario(size_per="task", observe="never", drain=2)
    after = with_trace(before, SIZED)
    assert after == before.replace(arrivals="trace", tasks="trace", size="trace", size_per="job", jobs=2)
    assert with_trace(before, SWIM) == before.replace(arrivals="trace", tasks="trace", jobs=3)


def test_an_unknown_preset_is_answered_with_the_nearest_one():
    with pytest.raises(BadInput, match=r"^preset: 'overload' is not known; did you mean 'overloaded'\?"):
        preset("overload")


def test_light_has_slots_to_spare_and_heavy_stragglers():
    light = PRESETS["light"].scenario
    assert light.load * light.slots + light.tasks_max < light.slots
    assert light.straggle_law.tail == 1.5


def test_busy_has_mostly_small_jobs_in_bursts_and_some_larger_than_the_cluster():
    busy = PRESETS["busy"].scenario
    assert 0.75 < np.mean(busy.task_law.quantile(np.arange(0.0005, 1, 0.001)) < 10) < 0.85
    assert busy.tasks_max > busy.slots
    assert busy.arrival_cv > 1


def test_overloaded_is_offered_more_than_it_can_do_and_stops_at_the_last_arrival():
    overloaded = PRESETS["overloaded"].scenario
    assert overloaded.load > 1
    assert overloaded.drain == 0


def test_small_can_be_drawn_slot_by_slot():
    small = PRESETS["small"].scenario
    assert small.slots <= 40
    assert small.warm_up == 0
    assert generate(small, 0).total_tasks < 1000


@pytest.mark.parametrize(
    ("name", "rate"), [("xu-lau-fig2", 6), ("xu-lau-fig6-30", 30), ("xu-lau-fig6-40", 40)]
)
def test_the_setting_of_xu_and_lau_is_as_printed(name, rate):
    scenario = PRESETS[name].scenario
    jobs = generate(scenario, 0)
    assert arrival_rate(scenario) == pytest.approx(rate)
    assert (scenario.slots, scenario.straggle, scenario.straggle_tail) == (3000, "pareto", 2)
    assert jobs.n == 1500 * rate
    assert (jobs.tasks.min(), jobs.tasks.max()) == (1, 100)
    means = jobs.size * scenario.mean_factor
    assert 1 <= means.min() < 1.01
    assert 3.99 < means.max() <= 4


def test_many_schedulers_are_given_the_jobs_with_phases_that_one_is_given():
    one, many = PRESETS["hopper-dag"].scenario, PRESETS["hopper-dag-probes"].scenario
    for name in (*PHASES, "tasks", "tasks_min", "tasks_max", "straggle", "straggle_tail"):
        assert getattr(many, name) == getattr(one, name), name
    fifty = PRESETS["hopper-fig5a"].scenario
    assert (many.workers, many.schedulers, many.load) == (fifty.workers, fifty.schedulers, fifty.load)


def test_mm100_is_a_queue_of_markov():
    mm100 = PRESETS["mm100"].scenario
    jobs = generate(mm100, 0)
    assert (mm100.slots, mm100.arrivals, mm100.straggle) == (100, "poisson", "exponential")
    assert arrival_rate(mm100) == pytest.approx(80)
    np.testing.assert_array_equal(jobs.tasks, 1)
    np.testing.assert_array_equal(jobs.size, 1)


@pytest.mark.parametrize(("name", "size_tail"), [("aktas", 1.5), ("aktas-beta3", 3)])
def test_aktas_is_the_system_of_section_2(name, size_tail):
    aktas = PRESETS[name].scenario
    assert (aktas.nodes, aktas.capacity, aktas.slots, aktas.jobs) == (20, 10, 200, 100_000)
    assert (aktas.tasks, aktas.tasks_tail, aktas.tasks_max) == ("zipf", 1, 10)
    assert (aktas.size, aktas.size_min, aktas.size_tail, aktas.size_max) == ("pareto", 10, size_tail, np.inf)
    assert (aktas.straggle_law.kind, aktas.straggle_law.tail) == ("pareto", 3)
    assert (aktas.placement, aktas.redundancy, aktas.delay, aktas.load) == ("distinct", "mds", 0, 0.5)


@pytest.mark.parametrize(
    "module", ["sim.model.scenario", "sim.engines.registry", "sim.logs", "sim.model.laws"]
)
def test_describing_a_run_does_not_wait_for_numba(module):
    code = f"""
import sys
import {module}
from sim.engines.registry import PRESETS
[p.scenario.mean_tasks * p.scenario.mean_duration for p in PRESETS.values()]
sys.exit("numba" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
