"""Findings in Xu & Lau, section IV: how many clones, and the gradient projection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pages.errata.words.finding import OTHER, PRINTED, Evidence, Finding, Line, Picture
from sim.telling.words import number, plain
from theory.cloned_job import cloned_job_resource
from theory.gradient_projection import gradient_projection, largest_stable_step
from theory.optimal_cloning import optimal_cloning
from theory.pareto import pareto_tail

#: The four jobs of the paper's Fig. 1, and the weight of resource of its simulations.
FIG1: dict[str, Any] = {"m": [10, 20, 5, 10], "scale": [1, 2, 1, 2], "alpha": 2, "machines": 100, "limit": 8}
GAMMA, PRINTED_STEPS, SHORT_STEPS = 0.01, (0.2, 0.3, 0.4), (0.002, 0.3, 0.4)


def _listed(copies: np.ndarray) -> str:
    return f"({', '.join(f'{c:.2f}' for c in copies)})"


def _cycle() -> Evidence:
    rounds = np.arange(31)
    printed = gradient_projection(**FIG1, gamma=GAMMA, steps=PRINTED_STEPS, iterations=30).copies
    short = gradient_projection(**FIG1, gamma=GAMMA, steps=SHORT_STEPS, iterations=30).copies
    low, high = (printed[-3:][place] for place in (printed[-3:, 0].argmin(), printed[-3:, 0].argmax()))
    best = optimal_cloning(**FIG1, gamma=GAMMA).copies
    limit = largest_stable_step(**FIG1, gamma=GAMMA)
    told = (
        f"The jobs of Fig. 1 with γ = {GAMMA}. The optimum is {_listed(best)} copies. The printed step of "
        f"{PRINTED_STEPS[0]} makes the iteration jump between {_listed(low)} and {_listed(high)}; the "
        f"largest step that can settle is {number(limit, 2)}, and {SHORT_STEPS[0]} does."
    )
    lines = (
        Line("job 1, short step", rounds, short[:, 0]),
        Line("job 1, step of Fig. 1", rounds, printed[:, 0], PRINTED, marked=True),
        Line("optimum", rounds, np.full(rounds.size, best[0]), OTHER),
    )
    return Evidence(told, picture=Picture(lines, "iteration k", "copies of each task", told))


def _stopping() -> Evidence:
    path = gradient_projection(**FIG1, gamma=GAMMA, iterations=20)
    best = optimal_cloning(**FIG1, gamma=GAMMA).copies
    stopped = path.stopped
    where = "never" if stopped is None else f"in iteration {stopped}, at {_listed(path.copies[stopped])}"
    return Evidence(
        f"On Fig. 1's jobs the corrected test is met {where}; the optimum is {_listed(best)}. Two rounds at "
        "the lower bound are no convergence."
    )


def _no_box() -> Evidence:
    path = gradient_projection(**FIG1, gamma=GAMMA, box=False, iterations=100)
    boxed = gradient_projection(**FIG1, gamma=GAMMA, steps=SHORT_STEPS, iterations=200)
    return Evidence(
        f"On Fig. 1's jobs with the printed steps the maximum ceases to exist in iteration {path.unbounded}, "
        f"after copies as low as {path.copies.min():.2f}. Within [1, 8] and with a short step the iteration "
        f"ends at {_listed(boxed.copies[-1])}."
    )


def _corner() -> Evidence:
    time, copies = np.linspace(0.2, 4, 200), np.linspace(1, 4, 901)
    log_tail = np.log(pareto_tail(time, 1.0, 1.5))
    cost = np.asarray(cloned_job_resource(1, copies, 1.0, 1.5))
    best = float(copies[cost.argmin()])
    told = (
        "The logarithm of the tail of Pareto(1, 1.5) is flat up to 1 and then falls: a concave corner. The "
        f"cost it leads to is convex in the copies all the same, and least at {number(best)} of them, 2/α."
    )
    picture = Picture((Line("ln(1 − F)", time, log_tail),), "time t", "ln(1 − F(t))", told)
    return Evidence(told, picture=picture)


def _rounding() -> Evidence:
    real = optimal_cloning(**FIG1, gamma=GAMMA)
    whole = optimal_cloning(**FIG1, gamma=GAMMA, integer=True)
    floor = np.floor(real.copies)
    tasks = np.array(FIG1["m"])
    table = pd.DataFrame(
        {
            "copies": [_listed(real.copies), str(tuple(map(int, floor))), str(tuple(map(int, whole.copies)))],
            "machines used": [number(float(c @ tasks)) for c in (real.copies, floor, whole.copies)],
        },
        index=["real optimum", "rounded down", "best whole numbers"],
    )
    return Evidence("The jobs of Fig. 1 on 100 machines.", table)


def _gamma() -> Evidence:
    weights = (0.0, 0.01, 0.1, 1.0)
    plans = [optimal_cloning(**FIG1, gamma=weight) for weight in weights]
    table = pd.DataFrame(
        {
            "copies": [_listed(plan.copies) for plan in plans],
            "price of a machine": [plain(round(plan.price, 4)) for plan in plans],
        },
        index=[f"γ = {plain(weight)}" for weight in weights],
    )
    return Evidence("The optimum of Fig. 1's jobs for four weights of resource.", table)


FINDINGS = (
    Finding(
        "The gradient projection does not converge for every step",
        "section IV-A, Theorem 2 and Fig. 1",
        r"*When the step sizes $\eta_1, \eta_2, \eta_3$ are positive, the algorithm can converge to the "
        r"global optimal*; Fig. 1 uses $\eta_1 = 0.2$.",
        "The proof by a Lyapunov function is one for continuous time. In steps the price settles only if "
        r"$\eta_1 < 2 / \big| \frac{d}{d\nu} \sum m_i c_i \big|$ near the optimum; shrinking steps always "
        r"converge. (It may be that Fig. 1 was made with another $\gamma$, which is not stated: where "
        "machines are left over, any step "
        "does.)",
        _cycle,
        "The iteration itself against an independent one, and the exact optimum by the price of a machine.",
        (
            "test_gradient_projection.py::test_with_the_printed_steps_it_goes_round_for_ever",
            "test_gradient_projection.py::test_the_limit_on_the_step_separates_settling_from_going_round",
            "test_gradient_projection.py::test_short_and_shrinking_steps_converge",
        ),
    ),
    Finding(
        "When to stop",
        "section IV-A, the gradient projection's last line",
        r"If $|c^{k+1}(l) - c^{k+1}(l)| < \epsilon$, the algorithm terminates.",
        r"Meant is $|c^{k+1} - c^k|$. Even so it may be met far from the optimum; the condition of the "
        r"optimum itself "
        "is a safer test.",
        _stopping,
        "The iteration on Fig. 1's jobs.",
        ("test_gradient_projection.py::test_the_stopping_test_is_met_far_from_the_optimum",),
    ),
    Finding(
        "The inner maximum may not exist",
        "section IV-A, equation (15) and Lemma 2",
        r"$D = \max_c f$, over all $c$; Lemma 2 says that $\tilde{c}$ *minimises* $f$.",
        r"$\tilde{c}$ maximises $f$. And without bounds the maximum is infinite for some of the multipliers "
        r"visited, where $h_i > \gamma m_i \mu_i + \nu m_i + \xi_i$. Maximise over $1 \le c \le r$.",
        _no_box,
        "The iteration with and without bounds.",
        (
            "test_gradient_projection.py::test_without_a_box_the_inner_maximum_ceases_to_exist",
            "test_gradient_projection.py::test_without_a_box_short_steps_still_converge",
        ),
    ),
    Finding(
        "Lemma 1 asks for more than the Pareto law has",
        "section IV-A, Lemma 1",
        r"The cost is convex in the number of copies *provided $\ln(1 - F(t))$ is a convex function of $t$*.",
        r"For the Pareto law it is not: there is a concave corner at $\mu$. It is convex on the support, "
        r"from $\mu$ on, "
        "which is enough for the lemma. The conclusion stands.",
        _corner,
        "The cost and its derivatives in closed form, for random jobs.",
        (
            "test_cloned_job.py::test_both_parts_are_convex_in_the_copies",
            "test_cloned_job.py::test_resource_is_least_at_two_over_the_tail_index",
        ),
    ),
    Finding(
        "Copies come in whole numbers",
        "section IV-A, problem P2",
        "The solution of P2 is a real number of copies for each job.",
        "No rounding rule is given. Rounding down leaves machines idle; the best whole numbers can be found "
        "exactly, as in packing a knapsack.",
        _rounding,
        "Every combination tried on small instances, an integer programme on large ones.",
        (
            "test_optimal_cloning.py::test_whole_solution_agrees_with_trying_everything",
            "test_optimal_cloning.py::test_neither_greed_nor_rounding_down_is_exact",
        ),
        remark=True,
    ),
    Finding(
        "The weight of resource in Fig. 1",
        "section IV-A, Fig. 1",
        r"$\gamma$ is not stated for Fig. 1. Section IV-C uses 0.01 in its simulations.",
        "The optimum depends on it, even on whether all machines are used. To repeat the figure, one has to "
        "choose it.",
        _gamma,
        "The optimum against a general solver.",
        (
            "test_optimal_cloning.py::test_real_solution_agrees_with_a_general_solver",
            "test_gradient_projection.py::test_the_printed_steps_converge_where_machines_are_left_over",
        ),
        remark=True,
    ),
)
