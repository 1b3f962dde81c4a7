"""Workloads follow their laws, meet their load, and draw from separate, named random streams."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sim.engines.registry import ENGINES
from sim.engines.slots.scenario import SlotScenario
from sim.logs import Trace
from sim.model.fields import BadInput
from sim.model.workload import Workload, arrival_rate, from_trace, generate, ideal
from tests.agreement import FALSE_ALARM, assert_mean

TASKS = {
    "constant": {"tasks": "constant", "tasks_max": 7},
    "uniform": {"tasks": "uniform", "tasks_min": 3, "tasks_max": 40},
    "zipf": {"tasks": "zipf", "tasks_max": 20, "tasks_tail": 1.3},
    "zipf nearly uniform": {"tasks": "zipf", "tasks_max": 6, "tasks_tail": 1e-9},
    "pareto": {"tasks": "pareto", "tasks_min": 2, "tasks_max": 30, "tasks_tail": 0.7},
    "pareto nearly logarithmic": {"tasks": "pareto", "tasks_max": 50, "tasks_tail": 1e-9},
    "pareto of one number": {"tasks": "pareto", "tasks_min": 4, "tasks_max": 4},
}
SIZES = {
    "constant": {"size": "constant", "size_min": 2.5},
    "uniform": {"size": "uniform", "size_min": 1, "size_max": 4},
    "exponential": {"size": "exponential", "size_min": 3},
    "pareto": {"size": "pareto", "size_min": 2, "size_tail": 3.5},
    "bounded pareto": {"size": "pareto", "size_min": 2, "size_max": 40, "size_tail": 0.8},
}
SIZE_TWINS = {
    "uniform": stats.uniform(1, 3),
    "exponential": stats.expon(scale=3),
    "pareto": stats.pareto(3.5, scale=2),
    "bounded pareto": stats.truncpareto(0.8, 20, scale=2),
}
every_task_law = pytest.mark.parametrize("tasks", TASKS.values(), ids=TASKS)
every_size_law = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)


def probabilities(scenario: SlotScenario) -> np.ndarray:
    """Probability of each number of tasks from `tasks_min` (zipf: 1) to `tasks_max`, from SciPy."""
    low, high, tail = scenario.tasks_min, scenario.tasks_max, scenario.tasks_tail
    if scenario.tasks == "zipf":
        return stats.zipfian(tail, high).pmf(np.arange(1, high + 1))
    if scenario.tasks == "pareto":
        return np.diff(stats.truncpareto(tail, (high + 1) / low, scale=low).cdf(np.arange(low, high + 2)))
    return np.full(high - low + 1, 1 / (high - low + 1))


# Laws of tasks and sizes.


@pytest.mark.parametrize("name", sorted(set(TASKS) - {"constant"}))
def test_the_mean_number_of_tasks_is_the_sum_over_its_probabilities(name):
    scenario = SlotScenario(**TASKS[name])
    chance = probabilities(scenario)
    last = scenario.tasks_max
    # SciPy's own bounded laws lose digits as the tail index goes to 0, hence the tolerance there.
    assert scenario.mean_tasks == pytest.approx(
        chance @ np.arange(last - chance.size + 1, last + 1), rel=1e-6 if "nearly" in name else 1e-12
    )


@every_task_law
def test_drawn_tasks_have_the_mean_and_the_range_of_their_law(tasks):
    scenario = SlotScenario(jobs=40_000, **tasks)
    drawn = generate(scenario, 0).tasks
    assert drawn.dtype == np.int64
    low = (
        1
        if scenario.tasks == "zipf"
        else scenario.tasks_max
        if scenario.tasks == "constant"
        else scenario.tasks_min
    )
    assert (drawn.min(), drawn.max()) == (low, scenario.tasks_max)
    if low == scenario.tasks_max:
        assert scenario.mean_tasks == low
    else:
        assert_mean(drawn, scenario.mean_tasks)


@pytest.mark.parametrize("name", ["uniform", "zipf", "pareto"])
def test_drawn_tasks_have_the_probabilities_of_their_law(name):
    scenario = SlotScenario(jobs=40_000, **TASKS[name])
    chance = probabilities(scenario)
    counts = np.bincount(generate(scenario, 0).tasks, minlength=scenario.tasks_max + 1)[-chance.size :]
    assert stats.chisquare(counts, scenario.jobs * chance).pvalue > FALSE_ALARM


def test_a_slightly_different_zipf_exponent_would_be_noticed():
    scenario = SlotScenario(jobs=40_000, **TASKS["zipf"])
    counts = np.bincount(generate(scenario, 0).tasks, minlength=21)[1:]
    wrong = probabilities(scenario.replace(tasks_tail=1.35))
    assert stats.chisquare(counts, scenario.jobs * wrong).pvalue < FALSE_ALARM


@every_task_law
def test_the_largest_share_gives_no_more_than_the_most_tasks(tasks):
    scenario = SlotScenario(**tasks)
    assert scenario.task_law.quantile(np.nextafter(1, 0)) <= scenario.tasks_max


def test_zipf_of_no_exponent_is_uniform_to_the_very_steps():
    shares = np.arange(4) / 4
    flat = SlotScenario(tasks="zipf", tasks_max=4, tasks_tail=1e-300)
    np.testing.assert_array_equal(flat.task_law.quantile(shares), [1, 2, 3, 4])
    np.testing.assert_array_equal(flat.replace(tasks="uniform").task_law.quantile(shares), [1, 2, 3, 4])


@every_size_law
@pytest.mark.parametrize("per", ["job", "task"])
def test_drawn_sizes_have_the_mean_of_their_law(size, per):
    scenario = SlotScenario(jobs=30_000, tasks="uniform", tasks_max=3, size_per=per, **size)
    jobs = generate(scenario, 0)
    drawn = jobs.task_size if per == "task" else jobs.size
    if scenario.size == "constant":
        np.testing.assert_array_equal(drawn, scenario.size_min)
    else:
        assert_mean(drawn, scenario.size_law.mean)


@pytest.mark.parametrize("name", SIZE_TWINS)
def test_drawn_sizes_follow_their_law(name):
    scenario = SlotScenario(jobs=30_000, **SIZES[name])
    assert scenario.size_law.mean == pytest.approx(SIZE_TWINS[name].mean(), rel=1e-9)
    assert stats.kstest(generate(scenario, 0).size, SIZE_TWINS[name].cdf).pvalue > FALSE_ALARM


def test_sizes_per_task_are_listed_job_after_job():
    jobs = generate(SlotScenario(jobs=50, size_per="task", **SIZES["uniform"]), 0)
    assert jobs.task_size.size == jobs.total_tasks
    by_job = np.split(jobs.task_size, np.cumsum(jobs.tasks)[:-1])
    np.testing.assert_allclose(jobs.size, [sizes.mean() for sizes in by_job])
    assert jobs.work == pytest.approx(jobs.task_size.sum())


@pytest.mark.parametrize(
    "ask", [lambda s: s.task_law.mean, lambda s: s.task_law.quantile(0.5)], ids=["mean", "quantile"]
)
def test_a_trace_is_not_a_law_of_tasks(ask):
    with pytest.raises(BadInput, match=r"^tasks: 'trace' .*file"):
        ask(SlotScenario(tasks="trace"))


@pytest.mark.parametrize(
    "ask", [lambda s: s.size_law.mean, lambda s: s.size_law.quantile(0.5)], ids=["mean", "quantile"]
)
def test_a_trace_is_not_a_law_of_sizes(ask):
    with pytest.raises(BadInput, match=r"^size: 'trace' .*file"):
        ask(SlotScenario(size="trace"))


# Arrivals and load.


@pytest.mark.parametrize("cv", [0.3, 1.0, 4.0])
def test_bursty_gaps_are_gamma_of_the_chosen_coefficient_of_variation(cv):
    scenario = SlotScenario(jobs=30_000, arrivals="bursty", arrival_cv=cv)
    law = stats.gamma(1 / cv**2, scale=cv**2 / arrival_rate(scenario))
    assert law.std() / law.mean() == pytest.approx(cv)
    # In bins, because a sum of arrivals rounds the tiniest gaps away; those below the median share one.
    shares = np.linspace(0.5, 1, 26)
    bins = np.concatenate([[0], law.ppf(shares)])
    counts = np.histogram(gaps(generate(scenario, 0)), bins)[0]
    assert stats.chisquare(counts, scenario.jobs * np.diff(shares, prepend=0)).pvalue > FALSE_ALARM


def test_poisson_gaps_are_exponential():
    scenario = SlotScenario(jobs=30_000, arrivals="poisson")
    law = stats.expon(scale=1 / arrival_rate(scenario))
    assert stats.kstest(gaps(generate(scenario, 0)), law.cdf).pvalue > FALSE_ALARM


def gaps(jobs: Workload) -> np.ndarray:
    return np.diff(jobs.arrival, prepend=0.0)


def test_the_arrival_rate_is_load_times_slots_over_the_mean_work_of_a_job():
    scenario = SlotScenario(
        slots=60, load=0.8, tasks="uniform", tasks_min=2, tasks_max=4, size="uniform", size_min=1, size_max=3
    )
    assert arrival_rate(scenario) == pytest.approx(0.8 * 60 / (3 * 2 * 3))  # the factor has mean 1.5 / 0.5


def offered(jobs: Workload, scenario: SlotScenario) -> float:
    return jobs.work * scenario.mean_factor / (scenario.slots * jobs.span)


@pytest.mark.parametrize("arrivals", ["poisson", "bursty"])
@pytest.mark.parametrize("per", ["job", "task"])
def test_the_load_is_offered(arrivals, per):
    scenario = SlotScenario(
        load=0.6,
        jobs=2000,
        arrivals=arrivals,
        arrival_cv=0.5,
        size_per=per,
        straggle="exponential",
        **TASKS["zipf"],
        **SIZES["uniform"],
    )
    loads = np.array([offered(generate(scenario, r), scenario) for r in range(40)])
    assert_mean(loads, 0.6)  # the mean of 1 / span is 1 / 2000 too large, far below what can be seen
    with pytest.raises(AssertionError):
        assert_mean(loads, 0.6 * 1.05)


def test_jobs_larger_than_the_cluster_are_kept():
    jobs = generate(SlotScenario(slots=3, tasks="constant", tasks_max=50, jobs=10), 0)
    np.testing.assert_array_equal(jobs.tasks, 50)


def test_a_workload_is_ascending_and_has_all_jobs():
    jobs = generate(SlotScenario(jobs=500, arrivals="bursty", arrival_cv=20), 0)
    assert jobs.n == 500
    assert np.all(np.diff(jobs.arrival) >= 0)
    assert jobs.arrival[0] >= 0
    assert jobs.names == ()


# Luck.


def columns(jobs: Workload) -> list[np.ndarray]:
    return [jobs.arrival, jobs.tasks, jobs.size, jobs.task_size]


DRAWN = SlotScenario(jobs=4000, size_per="task", **TASKS["uniform"], **SIZES["exponential"])


def test_the_same_seed_and_replication_give_the_same_bits():
    for once, again in zip(columns(generate(DRAWN, 3)), columns(generate(DRAWN, 3)), strict=True):
        np.testing.assert_array_equal(once, again)


@pytest.mark.parametrize("other", [(DRAWN.seed, 1), (DRAWN.seed + 1, 0)], ids=["replication", "seed"])
@pytest.mark.parametrize("column", ["gaps", "tasks", "task_size"])
def test_replications_and_seeds_are_uncorrelated(other, column):
    seed, replication = other
    one, two = (
        gaps(jobs) if column == "gaps" else getattr(jobs, column).astype(float)
        for jobs in (generate(DRAWN, 0), generate(DRAWN.replace(seed=seed), replication))
    )
    n = min(one.size, two.size)
    assert abs(np.corrcoef(one[:n], two[:n])[0, 1]) * math.sqrt(n) < stats.norm.isf(FALSE_ALARM / 2)


@pytest.mark.parametrize("change", [*SIZES.values(), {"straggle": "exponential"}, {"load": 0.3}], ids=str)
def test_another_size_law_or_load_changes_only_the_scale_of_arrivals(change):
    base = SlotScenario(jobs=200)
    one, two = generate(base, 0), generate(base.replace(**change), 0)
    ratio = arrival_rate(base) / arrival_rate(base.replace(**change))
    np.testing.assert_allclose(two.arrival, one.arrival * ratio, rtol=1e-12)
    np.testing.assert_array_equal(two.tasks, one.tasks)


def test_another_task_law_or_arrival_process_leaves_sizes_as_they_were():
    base = SlotScenario(jobs=200, **SIZES["pareto"])
    for change in (*TASKS.values(), {"arrivals": "bursty"}):
        np.testing.assert_array_equal(generate(base.replace(**change), 0).size, generate(base, 0).size)


def test_a_job_keeps_its_rank_under_another_law():
    base = SlotScenario(jobs=200, **TASKS["zipf"], **SIZES["exponential"])
    one, two = generate(base, 0), generate(base.replace(**TASKS["uniform"], **SIZES["pareto"]), 0)
    np.testing.assert_array_equal(np.argsort(one.size), np.argsort(two.size))
    fewer = one.tasks[:, None] < one.tasks
    assert np.all((two.tasks[:, None] <= two.tasks)[fewer])
    assert fewer.any()


# Traces.


def trace_of(arrival, tasks, size=None) -> Trace:
    n = len(arrival)
    sizes = None if size is None else np.asarray(size, dtype=float)
    names = tuple(f"job{i}" for i in range(n))
    return Trace(
        np.asarray(arrival, dtype=float), np.asarray(tasks, dtype=np.int64), sizes, names, "jobs.csv", ""
    )


SIZED = trace_of([10, 20, 20, 90], [5, 1, 700, 3], [1.0, 2.5, 0.5, 4.0])
BARE = trace_of([10, 20, 20, 90], [5, 1, 700, 3])
ALL = {"arrivals": "trace", "tasks": "trace", "size": "trace"}
STRETCHED = {"recorded_times": "stretched", "recorded_sizes": "healthy"}


@st.composite
def traces(draw) -> Trace:
    n = draw(st.integers(2, 30))
    arrival = sorted(draw(st.lists(st.integers(0, 10**6), min_size=n, max_size=n)))
    arrival[-1] += 1  # never all at once
    tasks = draw(st.lists(st.integers(1, 10**6), min_size=n, max_size=n))
    return trace_of(arrival, tasks, draw(st.lists(st.floats(0.01, 1e4), min_size=n, max_size=n)))


@given(traces(), st.floats(0.01, 4), st.integers(1, 5000))
def test_a_trace_is_rescaled_exactly_to_the_load(trace, load, slots):
    scenario = SlotScenario(slots=slots, load=load, jobs=1, **ALL, **STRETCHED)
    jobs = from_trace(trace, scenario, 0)
    assert offered(jobs, scenario) == pytest.approx(load, rel=1e-12)
    assert jobs.work == pytest.approx(sum(m * b for m, b in zip(trace.tasks, trace.size, strict=True)))
    assert jobs.names == trace.names
    np.testing.assert_array_equal(jobs.tasks, trace.tasks)
    # Gaps keep their proportions, and the one before the first job is their mean.
    read, scaled = np.diff(trace.arrival), np.diff(jobs.arrival)
    np.testing.assert_allclose(scaled * read.sum(), read * scaled.sum(), rtol=1e-6, atol=1e-9 * scaled.sum())
    assert jobs.arrival[0] == pytest.approx(scaled.mean())


@pytest.mark.parametrize("size", [{}, *SIZES.values()], ids=str)
def test_the_arrivals_of_a_trace_are_the_same_in_every_replication(size):
    scenario = SlotScenario(slots=10, arrivals="trace", tasks="trace", **size, **STRETCHED)
    np.testing.assert_array_equal(
        from_trace(BARE, scenario, 0).arrival, from_trace(BARE, scenario, 1).arrival
    )


def test_drawn_sizes_count_by_their_mean():
    scenario = SlotScenario(
        slots=10, load=0.5, arrivals="trace", tasks="trace", **SIZES["pareto"], **STRETCHED
    )
    span = 709 * scenario.size_law.mean * scenario.mean_factor / (0.5 * 10)
    assert from_trace(BARE, scenario, 0).span == pytest.approx(span)


def test_drawn_tasks_count_by_their_mean():
    scenario = SlotScenario(
        slots=10, load=0.5, arrivals="trace", size="trace", **TASKS["uniform"], **STRETCHED
    )
    span = scenario.mean_tasks * SIZED.size.sum() * scenario.mean_factor / (0.5 * 10)
    assert from_trace(SIZED, scenario, 0).span == pytest.approx(span)


@pytest.mark.parametrize("arrivals", ["poisson", "bursty"])
def test_drawn_arrivals_keep_the_jobs_of_the_trace_in_order(arrivals):
    scenario = SlotScenario(
        slots=10, load=0.5, arrivals=arrivals, arrival_cv=0.5, tasks="trace", size="trace", **STRETCHED
    )
    many = [from_trace(SIZED, scenario, r) for r in range(2000)]
    for jobs in many[:3]:
        np.testing.assert_array_equal(jobs.tasks, SIZED.tasks)
        np.testing.assert_array_equal(jobs.size, SIZED.size)
        assert jobs.names == SIZED.names
    work = float(SIZED.tasks @ SIZED.size)
    assert_mean(
        np.array([jobs.span for jobs in many]), work * scenario.mean_factor / (0.5 * 10), resolution=0.1
    )


def test_a_trace_and_a_law_draw_the_same_luck():
    scenario = SlotScenario(jobs=4, arrivals="trace", **TASKS["uniform"], **SIZES["exponential"])
    drawn, read = generate(scenario.replace(arrivals="poisson"), 5), from_trace(BARE, scenario, 5)
    np.testing.assert_array_equal(read.tasks, drawn.tasks)
    np.testing.assert_array_equal(read.size, drawn.size)


@pytest.mark.parametrize(
    ("trace", "fields", "message"),
    [
        (trace_of([5], [3]), {"arrivals": "trace", **STRETCHED}, "jobs.csv: one job sets no load"),
        (trace_of([5, 5], [3, 1]), {"arrivals": "trace", **STRETCHED}, "jobs.csv: all jobs arrive at once"),
        (BARE, {"size": "trace"}, "size: 'trace' is not accepted; jobs.csv has no sizes"),
        (BARE, {}, "jobs.csv: nothing is taken from it"),
    ],
)
def test_a_trace_that_cannot_serve_is_refused(trace, fields, message):
    with pytest.raises(BadInput, match=f"^{message}"):
        from_trace(trace, SlotScenario(**fields), 0)


def test_one_job_of_a_trace_may_come_at_a_drawn_time():
    assert from_trace(trace_of([5], [3]), SlotScenario(tasks="trace"), 0).n == 1


@pytest.mark.parametrize("column", ["arrivals", "tasks", "size"])
def test_a_column_from_a_trace_needs_a_file(column):
    with pytest.raises(BadInput, match=f"^{column}: 'trace' is not accepted without a workload file"):
        generate(SlotScenario(**{column: "trace"}), 0)


# The ideal flowtime.


def jobs_of(tasks, size, task_size=()) -> Workload:
    tasks = np.asarray(tasks, dtype=np.int64)
    return Workload(np.zeros(tasks.size), tasks, np.asarray(size, float), np.asarray(task_size, float))


def test_the_ideal_flowtime_is_the_size_times_the_waves():
    np.testing.assert_array_equal(
        ideal(jobs_of([1, 4, 5, 12, 13], [2.0, 1, 1, 0.5, 3]), 4), [2, 1, 2, 1.5, 12]
    )


@pytest.mark.parametrize("slots", [1, 2, 3, 4, 7])
def test_equal_sizes_per_task_give_the_same_as_a_size_per_job(slots):
    tasks, size = [1, 4, 5, 7], [2.0, 1, 3, 0.5]
    listed = jobs_of(tasks, size, np.repeat(size, tasks))
    np.testing.assert_allclose(ideal(listed, slots), ideal(jobs_of(tasks, size), slots))


def list_schedule(sizes: list[float], slots: int) -> float:
    """The same by search: each task in turn goes to the slot that has the least so far."""
    busy = [0.0] * slots
    for size in sizes:
        busy[busy.index(min(busy))] += size
    return max(busy)


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=20), min_size=1, max_size=5), st.integers(1, 6)
)
def test_sizes_per_task_are_scheduled_in_order_on_the_first_free_slot(sizes, slots):
    tasks = [len(job) for job in sizes]
    jobs = jobs_of(tasks, [np.mean(job) for job in sizes], np.concatenate(sizes))
    np.testing.assert_array_equal(ideal(jobs, slots), [list_schedule(job, slots) for job in sizes])


@pytest.mark.parametrize("engine", ENGINES.values(), ids=lambda engine: engine.key)
def test_the_offered_load_is_that_of_all_slots_under_every_engine(engine):
    scenario = engine.scenario(load=0.5)
    work = scenario.mean_tasks * scenario.mean_duration
    assert arrival_rate(scenario) * work == pytest.approx(0.5 * scenario.slots)
    names = {name for name, part in vars(SlotScenario).items() if isinstance(part, property)}
    assert not names & {field.name for field in dataclasses.fields(scenario)}  # one would hide the other
