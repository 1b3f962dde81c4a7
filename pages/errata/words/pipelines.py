"""Findings in Hopper's Algorithm 3 and its weights: pipelined phases, in the theory note and SIGCOMM 2015."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pages.errata.words.finding import OTHER, PRINTED, Evidence, Finding, Line, Picture
from pages.errata.words.hopper import BETA, shares
from sim.telling.plot import Part
from sim.telling.words import counted, counted_slots, number, percent
from theory.allocation import virtual_sizes
from theory.dag_allocation import dag_allocation, dag_cases
from theory.objective import distance_from_optimum, total_rate
from theory.weighted_optimum import weighted_optimum

JOBS, WEIGHT = [12, 60, 96], [4, 1, 0.25]
SLOTS = np.arange(1, 451)


def _cases() -> Evidence:
    printed = [len(dag_cases(JOBS, WEIGHT, S, BETA, as_printed=True)) for S in SLOTS.tolist()]
    right = [len(dag_cases(JOBS, WEIGHT, S, BETA)) for S in SLOTS.tolist()]
    none, several = printed.count(0), sum(count > 1 for count in printed)
    told = (
        f"Three jobs of 12, 60 and 96 tasks with weights 4, 1 and 0.25: of the {SLOTS.size} numbers of slots "
        f"from 1 on, {none} fall under no printed case and {several} under more than one. Corrected, each "
        f"falls under exactly {counted(max(right), 'case')}."
    )
    lines = (Line("corrected", SLOTS, right), Line("as printed", SLOTS, printed, PRINTED))
    axes: tuple[Part, Part] = ({}, {"range": [0, 2.4], "tickvals": [0, 1, 2]})
    return Evidence(told, picture=Picture(lines, "slots S", "cases that apply", told, axes=axes))


def _single() -> Evidence:
    slots = (10, 20)
    printed = [len(dag_cases([12], [1], S, BETA, as_printed=True)) for S in slots]
    (right,) = dag_allocation([12], [1], slots[0], BETA)
    told = [f"with {S} slots {_apply(count)}" for S, count in zip(slots, printed, strict=True)]
    return Evidence(
        f"A single job of 12 tasks: {', '.join(told)}. Corrected, it gets all {counted_slots(float(right))}."
    )


def _apply(cases: int) -> str:
    """Say how many printed cases apply.

    Examples
    --------
    >>> _apply(0), _apply(1), _apply(2)
    ('no printed case applies', '1 printed case applies', '2 printed cases apply')
    """
    told = counted(cases, "printed case") if cases else "no printed case"
    return f"{told} {'apply' if cases > 1 else 'applies'}"


def _too_early() -> Evidence:
    weight, slots = [4, 1, 0.9], 130
    printed, right = (dag_allocation(JOBS, weight, slots, BETA, as_printed=p) for p in (True, False))
    sums = [total_rate(JOBS, s, BETA, weight) for s in (printed, right)]
    table = pd.DataFrame(
        {"shares": [shares(printed), shares(right)], "Σ αμ": [number(x, 4) for x in sums]},
        index=["as printed", "corrected"],
    )
    return Evidence(
        f"Weights 4, 1 and 0.9, {slots} slots: the third job has the least weight of the three, the second "
        f"of the first two. As printed the second is served last and {percent(1 - sums[0] / sums[1])} of the "
        "sum is lost.",
        table,
    )


def _heuristic() -> Evidence:
    tasks, slots = [12, 60], 16
    weight = np.geomspace(1e-3, 1, 61)
    lost = [
        distance_from_optimum(tasks, dag_allocation(tasks, [w, 1], slots, BETA), BETA, [w, 1]).shortfall
        for w in weight
    ]
    told = (
        f"{slots} slots, a job of 12 tasks with a small weight and one of 60 tasks with weight 1. The small "
        f"job is served first; with weight 0.001 that loses {percent(float(lost[0]))} of the best weighted "
        "sum."
    )
    line = Line("lost by Algorithm 3", weight, lost)
    axes: tuple[Part, Part] = (
        {"type": "log", "tickvals": [0.001, 0.01, 0.1, 1]},
        {"range": [0, 1.02], "tickformat": ".0%"},
    )
    return Evidence(told, picture=Picture((line,), "weight of the small job", "lost", told, axes=axes))


def _drop() -> Evidence:
    tasks, weight = [12, 60], [0.25, 1.0]
    slots = np.linspace(1, 40, 391)
    given = np.array([dag_allocation(tasks, weight, S, BETA) for S in slots])
    best = np.array([weighted_optimum(tasks, weight, S, BETA) for S in slots])
    below, above = (dag_allocation(tasks, weight, S, BETA) for S in (16, 16.001))
    told = (
        f"Jobs of 12 and 60 tasks with weights 0.25 and 1. With 16 slots the shares are {shares(below)}, "
        f"with a little more {shares(above)}: the first job loses everything because a slot was added."
    )
    lines = (
        Line("first job, Algorithm 3", slots, given[:, 0]),
        Line("first job, exact optimum", slots, best[:, 0], OTHER),
    )
    return Evidence(told, picture=Picture(lines, "slots S", "slots of the first job", told))


def _domain() -> Evidence:
    root = virtual_sizes(JOBS, BETA) * np.sqrt(WEIGHT)
    slots = np.linspace(5, 450, 90)
    lost = [distance_from_optimum(JOBS, S * root / root.sum(), BETA, WEIGHT).shortfall for S in slots]
    enough = float(root.sum() / np.sqrt(min(WEIGHT)))
    told = (
        f"Shares in proportion to V are best from {number(enough)} slots on. With 50 slots they lose "
        f"{percent(distance_from_optimum(JOBS, 50 * root / root.sum(), BETA, WEIGHT).shortfall)} of the "
        f"weighted sum. ΣV is {number(float(root.sum()))} here, and {number(float(10 * root.sum()))} if all "
        "weights are written 100 times as large, which changes nothing but the unit."
    )
    line = Line("lost by equation (6)", slots, lost)
    axes: tuple[Part, Part] = ({}, {"tickformat": ".0%", "rangemode": "tozero"})
    marks = ((enough, "ΣV/√α_min"),)
    return Evidence(told, picture=Picture((line,), "slots S", "lost", told, marks, axes, "top"))


def _last_phase() -> Evidence:
    try:
        dag_allocation([12, 60], [1, 0], 100, BETA)
        answer = "accepts"
    except ValueError:
        answer = "refuses"
    return Evidence(
        f"A job in its last phase beside another one. The algorithm {answer} its weight of 0: it has no work "
        "downstream."
    )


FINDINGS = (
    Finding(
        "The cases of Algorithm 3 leave gaps and overlap",
        "theory note, Algorithm 3, case 3",
        r"Case 3: $\sum_{i=1}^{n} V_i / \sqrt{\alpha^{(k+1)}_{\min}} < S \le \sum_{i=1}^{n} V_i / "
        r"\sqrt{\alpha^{(k+2)}_{\min}}$, shares $\frac{V_i}{\sum_{i=1}^{k+1}} S$.",
        r"Both sums go to $k + 1$, and the denominator is $\sum_{j \le k+1} V_j$. Then exactly one case "
        r"applies to "
        "every number of slots, and the shares add up to it.",
        _cases,
        "Random instances: exactly one case, and all slots used.",
        (
            "test_dag_allocation.py::test_erratum_the_printed_cases_leave_gaps",
            "test_dag_allocation.py::test_erratum_the_printed_cases_overlap",
            "test_dag_allocation.py::test_the_corrected_cases_are_exhaustive_and_exclusive_and_use_every_slot",
        ),
        play=("allocation", {"instance": "gap"}),
    ),
    Finding(
        "A new least weight is served too early",
        "theory note, Algorithm 3, case 2",
        r"The order of case 2 leaves $k_{\min}$, the least weight among the first $k$ jobs, to the end.",
        r"It must be $(k+1)_{\min}$: if job $k + 1$ itself has the least weight, it comes last.",
        _too_early,
        "The instance, and continuity of the shares where the cases meet.",
        (
            "test_dag_allocation.py::test_erratum_as_printed_a_new_least_weight_is_served_too_early",
            "test_dag_allocation.py::test_the_cases_meet_at_their_edges_without_a_gap",
        ),
        play=("allocation", {"instance": "early"}),
    ),
    Finding(
        "One job alone is in no case",
        "theory note, Algorithm 3, case 1",
        r"Case 1 compares $S$ with $V_1 / \sqrt{\alpha^{(2)}_{\min}}$, which needs a second job.",
        "With one job, it gets all slots.",
        _single,
        "The instance.",
        ("test_dag_allocation.py::test_erratum_a_single_job_is_not_covered_as_printed",),
        play=("allocation", {"jobs": "12", "slots": "10", "printed": "1", "pour": "Algorithm 3"}),
    ),
    Finding(
        "Algorithm 3 is a heuristic",
        "theory note, section 3.2",
        r"The desired sizes are derived from maximising $\sum \alpha_i \mu_i$; jobs are served in MaxSRPT "
        r"order. (No "
        "theorem is claimed.)",
        "In that order the weighted sum can be arbitrarily far from its maximum. Served by *decreasing "
        "weight*, the same algorithm is the exact optimum.",
        _heuristic,
        "The exact optimum by the price of a slot, itself checked against a linear programme.",
        (
            "test_dag_allocation.py::test_a_small_job_of_tiny_weight_makes_it_arbitrarily_bad",
            "test_dag_allocation.py::test_in_the_order_of_decreasing_weight_it_is_the_exact_optimum",
            "test_weighted_optimum.py::test_the_optimum_attains_the_best_rate_of_a_linear_programme",
        ),
        remark=True,
        play=("allocation", {"instance": "greedy"}),
    ),
    Finding(
        "A slot more can cost a job everything",
        "theory note, Algorithm 3, cases 1 and 2",
        "Nothing is said of how shares change as slots are added.",
        "They may drop: the job of least weight has all slots in case 1 and is served last in case 2. An "
        "online scheduler that follows the targets would move its slots back and forth.",
        _drop,
        "The instance, and the exact optimum beside it, where no share ever drops.",
        ("test_dag_allocation.py::test_a_jobs_share_may_drop_when_slots_are_added",),
        remark=True,
        play=("allocation", {"instance": "drop"}),
    ),
    Finding(
        "When shares in proportion to V are best",
        "theory note, equation (6); SIGCOMM 2015, section 4.2",
        r"Jobs receive $\frac{V_i}{\sum V_j} S$ slots. In SIGCOMM the choice of guideline compares $\sum "
        r"V_i$ with $S$.",
        r"This maximises $\sum \alpha_i \mu_i$ from $S = \sum V_i / \sqrt{\alpha_{\min}}$ on, as the theory "
        r"note's desired sizes say. $\sum V_i$ alone depends on the unit in which weights are written.",
        _domain,
        "The exact optimum on random instances.",
        (
            "test_weighted_optimum.py::test_with_plenty_of_slots_shares_follow_the_square_root_of_the_weight",
            "test_weighted_optimum.py::test_the_unit_of_the_weights_does_not_matter",
        ),
    ),
    Finding(
        "The last phase has no weight",
        "theory note, section 3.2",
        r"$\alpha_i = T'_i / T_i$, the work downstream per task left.",
        r"A job in its last phase has $T' = 0$, so $\alpha_{\min} = 0$ and the desired sizes are infinite. "
        r"Such jobs need "
        "a rule of their own.",
        _last_phase,
        "Algebra.",
        ("test_dag_allocation.py::test_what_is_outside_the_domain_is_refused_by_name",),
        remark=True,
    ),
)
SLIPS = (
    r"SIGCOMM orders jobs by $\max\{V_i, V'_i\}$, the theory note by $\max\{T_i, T'_i\}$: not the same order "
    r"when "
    "weights differ.",
    "The text of SIGCOMM's section 5.2 picks a job at random *by virtual size*, and sends a non-refusable "
    "response to the smallest unsatisfied job if one is known; Pseudocode 3 has neither.",
    "Virtual sizes are real and slots whole: Pseudocode 2, which accepts while fewer slots are occupied than "
    "the virtual size, stops at the next whole number.",
)
