"""Findings in Xu & Lau, section III and the simulations: which load is light, and what is stable."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pages.errata.words.finding import OTHER, PRINTED, Evidence, Finding, Line, Picture
from sim.telling.plot import Part
from sim.telling.words import number, percent, plain
from theory.cutoff import cloning_load_limit, cloning_speed_up, cutoff_load, offered_load, single_copy_delay
from theory.detection import sigma_star
from theory.ese import ese_resource

#: The cluster of the paper's simulations; the variability is that of mean task times uniform on [1, 4].
MACHINES, TASKS, MEAN, VARIABILITY = 3000, 50.5, 2.5, 1.12


def _cutoff() -> Evidence:
    alpha = np.linspace(1.05, 6, 200)
    at_two, at_three = float(cutoff_load(2.0)), [float(cutoff_load(3.0, k)) for k in (1, VARIABILITY)]
    told = (
        f"With a queue at every machine, the cutoff at α = 2 is {plain(at_two)}, as in the paper: one copy "
        f"waits {'for ever' if np.isinf(single_copy_delay(0.5, 2.0)) else 'a while'} on average. At "
        f"α = 3 it is {number(at_three[0])}, and {number(at_three[1])} if jobs differ in size as in the "
        "paper's simulations."
    )
    lines = (
        Line("cutoff, equal jobs", alpha, cutoff_load(alpha)),
        Line("cutoff, jobs as simulated", alpha, cutoff_load(alpha, VARIABILITY), OTHER),
    )
    axes: tuple[Part, Part] = ({}, {"range": [0, 1.6]})
    picture = Picture(lines, "tail index α of task times", "load up to which two copies pay", told, axes=axes)
    return Evidence(told, picture=picture)


def _overload() -> Evidence:
    rates = [6, 30, 40]
    saving = float(ese_resource(sigma_star(2.0), 2.0))
    load = np.asarray(offered_load(rates, MACHINES, TASKS, MEAN))
    table = pd.DataFrame(
        {
            "load, no copies": [number(x) for x in load],
            "with the best ESE": [number(x) for x in load * saving],
        },
        index=[f"λ = {rate}" for rate in rates],
    )
    return Evidence(
        f"{MACHINES} machines, jobs of {TASKS} tasks of mean {MEAN}. The best threshold of ESE saves "
        f"{percent(1 - saving)} of the machine time at α = 2, not enough to bring the load below 1.",
        table,
    )


def _bound() -> Evidence:
    copies = np.arange(1, 11)
    gain, limit = np.asarray(cloning_speed_up(2.0, copies)), 2.0 / (2.0 - 1.0)
    told = (
        f"At α = 2 two copies shorten a task {number(float(gain[1]))} times, ten copies "
        f"{number(float(gain[-1]))} times, and no number of copies {plain(limit)} times."
    )
    lines = (
        Line("speed-up", copies, gain, marked=True),
        Line("α/(α − 1), printed as a lower bound", copies, np.full(copies.size, limit), PRINTED),
    )
    return Evidence(told, picture=Picture(lines, "copies r", "mean time, one copy ÷ r copies", told))


def _stability() -> Evidence:
    alpha = np.linspace(1.1, 4, 120)
    lines = tuple(
        Line(f"{r} copies", alpha, cloning_load_limit(alpha, r), role) for role, r in enumerate((2, 3, 4))
    )
    told = (
        f"Two copies of all tasks are stable up to a load of {plain(float(cloning_load_limit(1.25)))} at α = "
        f"1.25, beyond what one copy can bear, and up to {plain(float(cloning_load_limit(2.0)))} at α = 2. "
        f"Three copies are stable up to {number(float(cloning_load_limit(2.0, 3)))} there."
    )
    axes: tuple[Part, Part] = ({}, {"range": [0, 2.5]})
    picture = Picture(lines, "tail index α of task times", "largest load before cloning", told, axes=axes)
    return Evidence(told, picture=picture)


FINDINGS = (
    Finding(
        "Where the cutoff is for other tails",
        "section III-B, equations (1) to (5)",
        r"The cutoff follows from combining (1), (3) and (4); it is worked out for $\alpha = 2$ only.",
        r"For $\alpha \le 2$ the delay of one copy is infinite under any load, so cloning pays as long as it "
        r"is stable: $\omega^U = \frac{2\alpha - 1}{4(\alpha - 1)}$. For $\alpha > 2$ it is the root of a "
        "quadratic, continuous at 2 and falling to 0. If jobs differ in their mean task time, second moments "
        "grow, by 1.12 in the paper's "
        "simulations, which (1) and (3) leave out.",
        _cutoff,
        "Pollaczek–Khinchine for both queues, simulated queues, and the root compared with the two delays.",
        (
            "test_cutoff.py::test_cutoff_is_where_the_two_delays_meet",
            "test_cutoff.py::test_cutoff_is_continuous_at_two_and_falls_to_zero",
            "test_cutoff.py::test_simulated_queues_have_the_two_delays",
        ),
        remark=True,
    ),
    Finding(
        "The heavy loads are overloads",
        "section VI-C, simulations with λ = 30 and λ = 40",
        "Results for heavily loaded clusters are averages over 1500 time units.",
        "At these rates more work arrives than 3000 machines can do, without any copy and with the best "
        "saving of ESE or SDA. There is no steady state: what is measured depends on the length of the run "
        "and on how jobs that have "
        "not finished are counted. Comparisons between policies over the same run still say something.",
        _overload,
        "Arithmetic with the paper's numbers, and the closed form of ESE's resource.",
        (
            "test_cutoff.py::test_the_papers_loads",
            "test_ese.py::test_the_heavy_loads_exceed_capacity_even_with_the_best_saving",
        ),
    ),
    Finding(
        "An upper bound called a lower one",
        "section III-B, after the speed-up of cloning",
        r"$\frac{E[s']}{E[s]} > \frac{\alpha - 1}{\alpha}$ *gives a lower bound of the performance "
        r"improvement*.",
        "It bounds the remaining time from below, so the improvement from *above*: no number of copies is "
        "more than "
        r"$\frac{\alpha}{\alpha - 1}$ times as fast.",
        _bound,
        "Algebra.",
        ("test_cutoff.py::test_speed_up_is_a_ratio_of_means_and_improvement_is_bounded_from_above",),
    ),
    Finding(
        "Cloning may stabilise an overloaded cluster",
        "section III-B, Theorem 1",
        r"$\omega \frac{4(\alpha - 1)}{2\alpha - 1} < 1$ is necessary for cloning not to overload the "
        r"system.",
        r"Right, and it holds for $r$ copies as $\omega \frac{r^2 (\alpha - 1)}{r\alpha - 1} < 1$. For "
        r"$\alpha < 3/2$ "
        "the limit exceeds 1: two copies of everything use *less* machine time than one.",
        _stability,
        "Algebra, and the mean of the fastest copy.",
        (
            "test_cutoff.py::test_limit_of_two_copies_is_theorem_one",
            "test_cutoff.py::test_two_copies_enlarge_the_stable_region_below_three_halves",
        ),
        remark=True,
    ),
)
