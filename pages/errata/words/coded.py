"""Findings in Aktas & Soljanin, section 4: cost, conditioning, a limit, and infinite moments."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pages.errata.words.finding import OTHER, PRINTED, Evidence, Finding, Line, Picture
from sim.telling.plot import Part
from sim.telling.words import number, plain
from theory.coding import coded_cost
from theory.optimal_demand import optimal_demand
from theory.order_statistics import order_statistic_moment
from theory.queueing import erlang_c, erlang_c_limit
from theory.response_time import response_time
from theory.small_jobs import redundant_cost

#: The paper's setting: expansion rate of its figures, tail index of slowdowns, and of task sizes.
R, ALPHA, BETA = 2, 3.0, 1.5


def _last_task() -> Evidence:
    jobs = ((1, 1), (2, 1), (4, 2), (10, 10), (20, 10))
    right = [float(coded_cost(n, k, ALPHA)) for n, k in jobs]
    last = [float(order_statistic_moment(n, k, ALPHA)) for n, k in jobs]
    table = pd.DataFrame(
        {
            "sum in the text": [number(cost - end) for cost, end in zip(right, last, strict=True)],
            "right": [number(cost) for cost in right],
        },
        index=[f"n = {n}, k = {k}" for n, k in jobs],
    )
    return Evidence("Cost in units of the task size, α = 3. By the text a single task costs nothing.", table)


def _conditioning() -> Evidence:
    demand = np.geomspace(10, 3000, 160)
    right, printed = (redundant_cost(demand, R, ALPHA, BETA, as_printed=p) for p in (False, True))
    none = float(redundant_cost(0, R, ALPHA, BETA))
    same = [float(redundant_cost(60, 1, ALPHA, BETA, as_printed=p)) for p in (False, True)]
    lowest = float(np.min(printed))
    told = (
        f"The paper's setting with r = 2. Without redundancy a job costs {number(none)}; as printed the cost "
        f"falls to {number(lowest)} although redundancy only adds to it here. With r = 1, no redundancy at "
        f"all, d = 60 should change nothing: the corrected cost is {number(same[0])}, the printed one "
        f"{number(same[1])}."
    )
    lines = (
        Line("right", demand, right),
        Line("as printed", demand, printed, PRINTED),
        Line("no redundancy", demand, np.full(demand.size, none), OTHER),
    )
    axes: tuple[Part, Part] = (
        {"type": "log", "tickvals": [10, 30, 100, 300, 1000, 3000]},
        {"rangemode": "tozero"},
    )
    picture = Picture(lines, "largest demand d that is coded", "mean cost of a job", told, axes=axes)
    return Evidence(told, picture=picture)


def _limit() -> Evidence:
    servers, load = np.unique(np.geomspace(1, 300, 60).round()), 0.7
    right = np.asarray(erlang_c(servers, load))
    printed = np.asarray(erlang_c_limit(servers, load, as_printed=True))
    at = {int(c): float(erlang_c(c, load)) for c in (1, 10, 100)}
    told = (
        "The probability to wait at a load of 0.7 is "
        + ", ".join(f"{number(p, 2)} with {c} server{'s' if c > 1 else ''}" for c, p in at.items())
        + f". The printed limit is {plain(float(printed[-1]))}, the value of a single server."
    )
    lines = (Line("Erlang's formula", servers, right), Line("printed limit", servers, printed, PRINTED))
    log: Part = {"type": "log", "tickvals": [1, 3, 10, 30, 100, 300]}
    axes = (log, {"range": [0, 1]})
    return Evidence(told, picture=Picture(lines, "servers c", "probability to wait", told, axes=axes))


def _infinite() -> Evidence:
    load, bounds = 0.65, (1e4, 1e5, 1e6, 1e7)
    unbounded = [float(response_time(d, R, load, ALPHA, BETA)) for d in (0, 100, np.inf)]
    finite = sum(np.isfinite(t) for t in unbounded)
    best = [float(optimal_demand(load, R, ALPHA, BETA, size_max=b)) for b in bounds]
    least = [
        float(response_time(d, R, load, ALPHA, BETA, size_max=b)) for d, b in zip(best, bounds, strict=True)
    ]
    table = pd.DataFrame(
        {"best d": [number(d) for d in best], "response time there": [number(t) for t in least]},
        index=[f"sizes up to {b:,.0f}" for b in bounds],
    )
    return Evidence(
        f"β = {BETA}, offered load {load}: at d = 0, 100 and ∞ Claim 1 gives {finite} finite values. With a "
        "largest task size it gives an answer, which depends on that size:",
        table,
    )


def _valleys() -> Evidence:
    demand, load, bound = np.geomspace(8, 4e4, 400), 0.65, 1e3
    time = np.asarray(response_time(demand, R, load, ALPHA, BETA, size_max=bound))
    best = float(optimal_demand(load, R, ALPHA, BETA, size_max=bound))
    least = float(response_time(best, R, load, ALPHA, BETA, size_max=bound))
    told = (
        f"Offered load {load}, sizes from 10 to {plain(bound)}: the least response time is {number(least)} "
        f"at d* = {number(best)}, found among all valleys, kinks and both ends."
    )
    shown = np.where(np.isfinite(time) & (time < 3 * least), time, np.nan)
    known = np.isfinite(shown)
    log: Part = {"type": "log", "tickvals": [10, 30, 100, 300, 1000, 3000, 10000, 30000], "tickformat": "~s"}
    line = Line("response time", demand[known], shown[known])
    picture = Picture((line,), "largest demand d that is coded", "mean response time", told, axes=(log, {}))
    return Evidence(told, picture=picture)


FINDINGS = (
    Finding(
        "The task that ends the job costs, too",
        "section 4, Latency and Cost",
        r"Cost $\sim b \big( \sum_{i=1}^{k-1} S_{n:i} + (n - k) S_{n:k} \big)$.",
        r"The sum goes to $k$, as it does in $C_{n,k}$ further down; the closed form of $E[C_{n,k}]$ is "
        r"right.",
        _last_task,
        "The integral of the tasks running, and sampled jobs.",
        (
            "test_coding.py::test_erratum_the_sum_in_the_text_forgets_the_task_that_ends_the_job",
            "test_coding.py::test_cost_is_the_printed_closed_form",
        ),
    ),
    Finding(
        "Small jobs have few tasks",
        "section 4, after equation (1)",
        r"$E[\mathrm{Latency} \mid D \le d] = E_k \big[ E[S_{n:k}] E[B \mid B \le d/k] \big]$, and so on: an "
        r"average over "
        "all numbers of tasks.",
        r"Given that $kB \le d$, few tasks are more likely than before. Each $k$ has to be weighted by "
        r"$\Pr(B \le d/k)$: $\sum_k p_k E[S_{n:k}] E[B; B \le d/k]$ is the part of the coded jobs.",
        _conditioning,
        "Sampled jobs, quadrature, and the law of total expectation.",
        (
            "test_small_jobs.py::test_erratum_sampled_jobs_refute_the_printed_average",
            "test_small_jobs.py::test_erratum_as_printed_the_demand_matters_even_without_spare_tasks",
            "test_small_jobs.py::test_the_law_of_total_expectation_joins_small_and_large_jobs",
        ),
    ),
    Finding(
        "In a large cluster hardly any job waits",
        "section 4, equation (5)",
        r"At fixed $\rho$ and $c\rho \to \infty$, $\Gamma(c, c\rho) \to (c\rho)^{c-1} e^{-c\rho}$ and "
        r"$\Pr\{\mathrm{Queueing}\} \to \rho$.",
        r"The asymptotics of $\Gamma(c, x)$ is that of a fixed $c$; here $x = c\rho < c$, and $\Gamma(c, "
        r"c\rho) \sim \Gamma(c)$. So $\Pr\{\mathrm{Queueing}\} \sim \frac{(\rho e^{1-\rho})^c}{(1 - "
        r"\rho)\sqrt{2\pi c}} \to 0$.",
        _limit,
        "Erlang's formula at whole numbers of servers, and the asymptotics against it.",
        (
            "test_queueing.py::test_erratum_the_printed_limit_is_that_of_a_single_server",
            "test_queueing.py::test_the_asymptotic_form_is_approached_as_servers_are_added",
        ),
    ),
    Finding(
        "With β = 1.5 Claim 1 is infinite",
        "sections 2 and 4, β = 1.5 and equation (6)",
        r"The second moment of Latency *can be derived exactly the same way*; $d^*$ minimises (6), with task "
        r"sizes of tail index $\beta = 1.5$.",
        r"For $\beta \le 2$ the second moment of the size is infinite, so $E[\mathrm{Latency}^2] = \infty$ "
        r"for every $d$: conditioning on $D \le d$ does not help, because the other jobs are there, too. "
        "Then $d^*$ is undefined. The infinity is that of the two-moment approximation, not necessarily of "
        "the queue. For larger β, or with a largest "
        "size, Claim 1 works as described.",
        _infinite,
        "The moments by quadrature and in closed form.",
        (
            "test_response_time.py::test_erratum_in_the_printed_configuration_claim_1_is_infinite_for_every_demand",
            "test_small_jobs.py::test_erratum_the_second_moment_is_infinite_whatever_is_coded",
            "test_optimal_demand.py::test_the_larger_the_largest_task_the_smaller_the_demand_to_code",
        ),
    ),
    Finding(
        "Looking for d*",
        "section 4, after Claim 1",
        r"$d^*$ is computed by minimising Claim 1. The method is not described.",
        "The response time is continuous with kinks, and may have several valleys. One descent is not "
        "enough: search "
        r"globally, and compare with $d = 0$ and $d = \infty$.",
        _valleys,
        "Scans over many demands, in drawn clusters.",
        (
            "test_optimal_demand.py::test_one_descent_is_not_enough_where_there_are_several_valleys",
            "test_optimal_demand.py::test_no_scanned_demand_does_better",
        ),
        remark=True,
    ),
)
