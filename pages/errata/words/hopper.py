"""Findings in Hopper: the theory note (its model and Algorithms 1 and 2), and SIGCOMM 2015, section 4.3."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pages.errata.words.finding import OTHER, PRINTED, Evidence, Finding, Line, Picture
from sim.telling.words import in_slots, number, percent, worth
from theory.allocation import hopper_allocation, virtual_sizes
from theory.fairness import fair_hopper_allocation, fair_regime, projected_fair_allocation
from theory.objective import total_rate
from theory.service_rate import blow_up, marginal_rate, rate_per_slot, service_rate, threshold
from theory.whole_copies import mixed_blow_up

BETA = 1.5


def shares(slots: np.ndarray) -> str:
    """Write shares as a list.

    Examples
    --------
    >>> shares(np.array([40.0, 70 / 3]))
    '(40, 23.3)'
    """
    return f"({', '.join(in_slots(float(s)) for s in slots)})"


def _no_jump() -> Evidence:
    slots = np.linspace(0, 4, 401)
    heavy, light = marginal_rate(slots, 1, BETA), marginal_rate(slots, 1, 3.0)
    theta, jump = float(threshold(BETA)), (float(marginal_rate(s, 1, 3.0)) for s in (1 - 1e-9, 1))
    at, double = (float(marginal_rate(k * theta, 1, BETA)) for k in (1, 2))
    before, after = jump
    told = (
        f"For β = {BETA} a slot adds {worth(at)} at the threshold of {worth(theta)} slots per task, as much "
        f"as any before it, and {worth(double)} at twice as many. For β = 3 it does jump, from "
        f"{worth(before)} to {worth(after)}."
    )
    lines = (Line(f"β = {BETA}", slots, heavy), Line("β = 3", slots, light, OTHER))
    marks = ((theta, "θ for β = 1.5"), (1.0, "θ for β = 3"))
    return Evidence(told, picture=Picture(lines, "slots per task", "value of one more slot", told, marks))


def _fewer_than_one() -> Evidence:
    beta, tasks = 4.0, 20
    slots = np.linspace(0, 60, 241)
    right = service_rate(slots, tasks, beta)
    printed = service_rate(slots, tasks, beta, physical=False)
    held = float(threshold(beta, physical=False)) * tasks
    gained = float(service_rate(held, tasks, beta, physical=False))
    told = (
        f"With β = 4 a job of {tasks} tasks would do the work of {number(gained)} slots with "
        f"{in_slots(held)}: half a copy of each task. With a whole copy of ten of them it does the work of "
        f"{number(float(service_rate(held, tasks, beta)))}."
    )
    lines = (Line("right", slots, right), Line("as printed", slots, printed, PRINTED))
    return Evidence(told, picture=Picture(lines, "slots of the job", "service rate μ", told))


def _fractional() -> Evidence:
    copies = np.linspace(1, 4, 301)
    theta = float(threshold(BETA))
    promised, real = float(blow_up(theta, BETA)), float(mixed_blow_up(theta, BETA))
    work = "the same work" if worth(real) == "1" else f"{worth(real)} times the work"
    told = (
        f"At β = 3/2 the formula promises {worth(promised)} times the work for {worth(theta)} copies of each "
        f"task. A third of the tasks with two copies and the rest with one do {work}."
    )
    lines = (
        Line("one and two copies mixed, two and three, …", copies, mixed_blow_up(copies, BETA)),
        Line("fractional copies, as printed", copies, blow_up(copies, BETA), PRINTED),
    )
    seen = f"{told} That is {worth(real)} for each slot."
    return Evidence(told, picture=Picture(lines, "copies of each task, on average", "work per slot", seen))


def _not_unique() -> Evidence:
    tasks, slots = [10, 20, 40], 60
    virtual = virtual_sizes(tasks, BETA)
    given = {
        "smallest first": hopper_allocation(tasks, slots, BETA),
        "in proportion": slots * virtual / virtual.sum(),
        "largest first": np.array([0, slots - virtual[2], virtual[2]]),
    }
    table = pd.DataFrame(
        {
            "shares": [shares(s) for s in given.values()],
            "Σ μ": [number(total_rate(tasks, s, BETA)) for s in given.values()],
        },
        index=list(given),
    )
    return Evidence(
        f"Three jobs of 10, 20 and 40 tasks want {shares(virtual)}; there are {slots} slots.", table
    )


def _wrong_count() -> Evidence:
    tasks, slots, epsilon = [30.0, 52.5], 100, 0.5
    printed, right = (
        fair_hopper_allocation(tasks, slots, BETA, epsilon, as_printed=p) for p in (True, False)
    )
    before, after = (total_rate(tasks, s, BETA) for s in (printed, right))
    told = (
        f"Two jobs want {shares(virtual_sizes(tasks, BETA))}, there are {slots} slots, ε = {epsilon}, so "
        f"each is guaranteed {in_slots(fair_regime(tasks, slots, BETA, epsilon).guarantee)}. The printed "
        f"limit S/N − ε = {slots / 2 - epsilon:g} counts the first job as content; its guarantee is only 25."
    )
    table = pd.DataFrame(
        {"shares": [shares(printed), shares(right)], "Σ μ": [number(before, 4), number(after, 4)]},
        index=["as printed", "corrected"],
    )
    return Evidence(f"{told} As printed {percent(1 - before / after)} of the sum is lost.", table)


def _no_m2() -> Evidence:
    tasks, slots, epsilon = [0.075, 0.6375], 1, 0.5
    right = fair_hopper_allocation(tasks, slots, BETA, epsilon)
    try:
        fair_hopper_allocation(tasks, slots, BETA, epsilon, as_printed=True)
        answer = "an answer"
    except ValueError:
        answer = "no m₂ at all"
    return Evidence(
        f"One slot for two jobs that want {shares(virtual_sizes(tasks, BETA))} (say, shares of a large "
        f"machine), ε = {epsilon}: the printed conditions have {answer}. Corrected, the shares are "
        f"{shares(right)}."
    )


def _one_pass() -> Evidence:
    tasks, slots, beta, epsilon = [36.0, 36.0, 36.0], 100, 1.6, 0.1
    F = fair_regime(tasks, slots, beta, epsilon).guarantee
    steps = {
        "Hopper, no guarantee": hopper_allocation(tasks, slots, beta),
        "one projection, as printed": projected_fair_allocation(tasks, slots, beta, epsilon, as_printed=True),
        "repeated": projected_fair_allocation(tasks, slots, beta, epsilon),
    }
    table = pd.DataFrame(
        {
            "shares": [shares(s) for s in steps.values()],
            "below F": [f"{int(np.sum(s < F * (1 - 1e-9)))} of 3 jobs" for s in steps.values()],
        },
        index=list(steps),
    )
    wanted = shares(virtual_sizes(tasks, beta))
    return Evidence(
        f"Three equal jobs want {wanted} of {slots} slots, each is guaranteed {in_slots(F)}.", table
    )


FINDINGS = (
    Finding(
        "Nothing jumps at the threshold",
        "theory note, after equation (3)",
        "The marginal return of a slot *has a sharp threshold: below it is large and above it is small*.",
        "A slot below the threshold is worth more than any above it: that is true, and all the algorithms "
        "need. But "
        r"for $\beta \le 2$ the marginal return is continuous at $\theta T$; it only *begins to fall* there.",
        _no_jump,
        "The derivative by hand, numerical slopes on both sides, and the curves on the Threshold page.",
        (
            "test_service_rate.py::test_erratum_the_value_of_a_slot_does_not_jump_at_the_threshold",
            "test_service_rate.py::test_above_tail_index_two_there_is_a_true_kink",
        ),
        play=("threshold", {}),
    ),
    Finding(
        "Light tails: less than one copy of each task",
        "theory note, equations (2) to (4)",
        r"The optimal number of copies below the threshold is $k = 2/\beta$.",
        r"For $\beta > 2$ that is less than one copy, with a rate above the number of slots. With at least "
        r"one copy $\theta = \max(1, 2/\beta)$, and everything built on it stays true.",
        _fewer_than_one,
        "Equation (1) maximised over k ≥ 1 by search.",
        (
            "test_service_rate.py::test_erratum_above_tail_index_two_the_printed_form_does_more_work_than_it_has_slots",
            "test_service_rate.py::test_the_rate_is_the_maximum_of_equation_1_over_levels",
        ),
        play=("threshold", {"beta": "4", "printed": "1", "slots": "10", "TA": "20", "TB": "30"}),
    ),
    Finding(
        "What a third of a copy can do",
        "theory note, equation (1)",
        r"The blow-up factor is used for any real $k$, such as $k = 4/3$ at $\beta = 3/2$.",
        "It is exact for whole numbers of copies. Between them a cluster can only mix, which does less: the "
        r"gain of 9/8 at $\beta = 3/2$ is due to the continuation. With whole copies two are best for $\beta "
        "< 3/2$, "
        r"else one.",
        _fractional,
        "The least concave function above the whole numbers, and simulated copies.",
        (
            "test_whole_copies.py::test_erratum_the_gain_of_nine_eighths_needs_fractional_copies",
            "test_whole_copies.py::test_no_mixture_of_whole_copies_does_better",
        ),
        play=("threshold", {"copies": "whole"}),
    ),
    Finding(
        "Smallest first is one of many optima",
        "theory note, Algorithm 1, first case",
        "When slots are short, give jobs their virtual size in the order of remaining tasks.",
        "That is optimal (Theorem 1 holds). So is every other way to hand out the slots that leaves no job "
        "above its virtual size: the sum of rates does not say whom to serve first. Serving small jobs first "
        "is a good tie-break, for it ends jobs sooner, but it does not follow from the objective.",
        _not_unique,
        "Algebra: below the threshold all slots are worth the same.",
        ("test_allocation.py::test_when_slots_are_short_any_shares_within_the_virtual_sizes_do_as_well",),
        remark=True,
        play=("allocation", {"instance": "short"}),
    ),
    Finding(
        "Fairness counts the wrong jobs",
        "theory note, Algorithm 2, definition of m₁",
        r"$m_1$ is such that $i \le m_1$ implies $\frac{2}{\alpha} T_i \le \frac{S}{N} - \epsilon$.",
        r"$\beta$ is meant for $\alpha$, and the bound is the guarantee: $m_1$ counts the jobs with "
        r"$\frac{2}{\beta} T_i \le \frac{S}{N} (1 - \epsilon)$. Then Theorem 2 holds.",
        _wrong_count,
        "A linear programme on random instances, with and without the correction.",
        (
            "test_fairness.py::test_erratum_the_printed_count_of_small_jobs_loses_rate",
            "test_fairness.py::test_algorithm_2_attains_the_best_rate_of_a_linear_programme",
        ),
        play=("allocation", {"instance": "count"}),
    ),
    Finding(
        "Fairness with fewer slots than jobs",
        "theory note, Algorithm 2, definition of m₂",
        r"$m_2$ is the smallest value whose share is at least $\max\{\frac{S}{N}(1 - \epsilon), "
        r"\frac{2}{\beta} T\}$.",
        "With the corrected count the second term is never needed, and an $m_2$ always exists. With the "
        "printed count it may not.",
        _no_m2,
        "The instance, and every random instance of the corrected algorithm.",
        (
            "test_fairness.py::test_erratum_with_fewer_slots_than_jobs_the_printed_condition_may_have_no_solution",
        ),
        play=("allocation", {"instance": "few"}),
    ),
    Finding(
        "One projection is not enough",
        "SIGCOMM 2015, section 4.3",
        "Jobs below their fair share are raised to it; *the remaining slots are allocated to the remaining "
        "jobs according to Guidelines 2 or 3*.",
        "Done once, this can push another job below the guarantee. Repeated until nobody is, it attains the "
        "same sum of rates as Algorithm 2.",
        _one_pass,
        "The instance, and a comparison with Algorithm 2 on random ones.",
        (
            "test_fairness.py::test_erratum_one_projection_can_push_another_job_below_its_guarantee",
            "test_fairness.py::test_the_repeated_projection_is_worth_as_much_as_algorithm_2",
        ),
        play=("allocation", {"instance": "pass"}),
    ),
)
CONFIRMED = (
    r"Equations (1) to (3) for $1 < \beta \le 2$, by algebra, by maximising over $k$ and by sampled copies.",
    "Theorem 1: Algorithm 1 attains the best sum of rates of a linear programme on random instances.",
    "Theorem 2, once the count $m_1$ is corrected.",
    "The insight that carries both papers: bring every job to its threshold before any job passes it.",
)
SLIPS = (
    "In Algorithm 2, $n$ and $N$ are the same number of jobs.",
    r"$\mu$ is called the completion rate of a *job*; it is work per unit of time, in mean task times.",
    "Algorithm 1 as written leaves open that the last job served gets a part of its virtual size. It must, "
    f"for Theorem 1 to hold (each slot below the threshold is worth {worth(float(rate_per_slot(BETA)))} at β "
    "= 3/2).",
)
