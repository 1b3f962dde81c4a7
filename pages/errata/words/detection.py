"""Findings in Xu & Lau, sections V and VI: copies once a straggler is detected (SDA, ESE), and Mantri."""

from __future__ import annotations

import numpy as np

from pages.errata.words.finding import PRINTED, Evidence, Finding, Line, Picture
from sim.telling.plot import Part
from sim.telling.words import number, percent, plain
from theory.detection import critical_tail_index, detection_optimum, detection_resource, sigma_star
from theory.ese import ese_resource, mantri_sigma
from theory.pareto import pareto_tail

LOG: Part = {"type": "log", "tickvals": [0.001, 0.01, 0.1, 1], "tickformat": "~g"}


def _three_copies() -> Evidence:
    alpha = np.linspace(1.15, 2.2, 85)
    best = [1 - np.asarray(detection_resource(c, sigma_star(alpha, c), alpha, 0.0)) for c in (2, 3)]
    critical, at = critical_tail_index(), detection_optimum(1.3)
    told = (
        f"Three copies save more than two below α = {critical:.2f}. At α = 1.3 the best is {at.copies} "
        f"copies from σ = {number(at.sigma)} on, which saves {percent(1 - at.resource)} of the machine time."
    )
    lines = (Line("three copies over two", alpha, best[1] - best[0]),)
    axes: tuple[Part, Part] = ({}, {"tickformat": "+.1%", "zeroline": True, "zerolinewidth": 1})
    marks = ((critical, "α_c"),)
    picture = Picture(lines, "tail index α of task times", "saved in addition", told, marks, axes)
    return Evidence(told, picture=picture)


def _integrand() -> Evidence:
    alpha, threshold = 2.0, 2.0
    time = np.linspace(threshold, 20, 200)
    both = np.asarray(pareto_tail(time, 1.0, alpha)) ** 2  # one new copy, looked at when the task starts
    told = (
        f"One new copy, α = 2, threshold 2 (in shortest tasks). G falls from {number(float(both[0]))} at 2 "
        f"to {number(float(both[-1]), 2)} at 20, and its area is finite; 1 − G rises to "
        f"{number(float(1 - both[-1]), 5)}, so that its area grows without end."
    )
    lines = (Line("G, right", time, both), Line("1 − G, as printed", time, 1 - both, PRINTED))
    return Evidence(told, picture=Picture(lines, "time t", "integrand", told))


def _same_threshold() -> Evidence:
    alpha = np.linspace(1.05, 6, 150)
    sigma = np.asarray(sigma_star(alpha))
    two, one = float(sigma_star(2.0)), float(sigma_star(1.1))
    scan = np.linspace(1, 3, 20001)
    ese = float(scan[np.argmin(ese_resource(scan, 2.0))])
    told = (
        f"σ* is {two:.4f} at α = 2, which is 1 + √2/2; a scan of ESE's resource finds {ese:.4f}. At α = 1.1 "
        f"it is {number(one)}, below 1, and at α = 6 {number(float(sigma[-1]))}."
    )
    axes: tuple[Part, Part] = ({}, {"range": [0, 2.1]})
    marks = ((2.0, "α = 2"),)
    line = Line("σ*, for SDA and ESE", alpha, sigma)
    return Evidence(
        told, picture=Picture((line,), "tail index α of task times", "best threshold σ*", told, marks, axes)
    )


def _saving() -> Evidence:
    sigma = np.linspace(0.3, 5, 300)
    lines = tuple(
        Line(f"α = {plain(alpha)}", sigma, ese_resource(sigma, alpha), role)
        for role, alpha in enumerate((1.5, 2.0, 4.0))
    )
    saved = {alpha: 1 - float(ese_resource(sigma_star(alpha), alpha)) for alpha in (1.5, 2.0, 4.0)}
    told = (
        "At its best threshold ESE saves "
        + ", ".join(f"{percent(share)} at α = {plain(alpha)}" for alpha, share in saved.items())
        + f". At α = 2 a threshold of 0.5 costs {percent(float(ese_resource(0.5, 2.0)) - 1)} instead."
    )
    return Evidence(told, picture=Picture(lines, "threshold σ", "machine time, in mean tasks", told))


def _mantri() -> Evidence:
    alpha, delta = 2.0, 0.25
    sigma = np.linspace(0.55, 3, 200)
    rule, best = float(mantri_sigma(alpha, delta)), float(sigma_star(alpha))
    used = [float(detection_resource(2, s, alpha, 0.0)) for s in (rule, best)]
    told = (
        f"At α = 2 and δ = 0.25 the rule copies from σ = {rule:.3f} on, the resource is least at {best:.3f}. "
        "A task that is just at the rule's threshold costs more with a copy than without. (Over all tasks "
        f"the rule still saves {percent(1 - used[0])}, the best threshold {percent(1 - used[1])}.)"
    )
    line = Line("with a copy on detection", sigma, detection_resource(2, sigma, alpha, 0.0))
    marks = ((rule, "Mantri, δ = 0.25"), (best, "σ*"))
    return Evidence(told, picture=Picture((line,), "threshold σ", "machine time, in mean tasks", told, marks))


FINDINGS = (
    Finding(
        "Two copies are not always best",
        "section V-A, Theorem 3",
        "*The optimal value is 2 once a straggler is detected under the Pareto heavy-tail distribution*, "
        "because "
        r"$\tau(c, \sigma)$ increases for $c \ge 2$ and all $\alpha, \sigma > 1$.",
        r"It does not increase: for large $\sigma$ and any $\alpha < 2$ three copies use less after "
        r"detection than two. Optimised together with $\sigma$, two copies are best for $\alpha > \alpha_c "
        r"\approx 1.56$, and three below.",
        _three_copies,
        "Closed forms against quadrature and simulation, and a joint search over copies and thresholds.",
        (
            "test_detection.py::test_three_copies_win_below_the_critical_tail_index_and_two_above",
            "test_detection.py::test_joint_optimum_agrees_with_a_search_over_copies_and_thresholds",
            "test_detection.py::test_four_copies_and_more_never_win",
            "test_detection.py::test_more_copies_may_use_less_after_detection",
        ),
    ),
    Finding(
        "The second integrand of (26)",
        "section V-A, equation (26)",
        r"$\frac{c}{1 - F} \int_{\sigma E[x]}^\infty (1 - G(t))\, dt$.",
        r"It must be $G(t)$: the probability that neither has ended. With $1 - G$ the integral is infinite. "
        r"(The results of the section use the right one.)",
        _integrand,
        "Integration by parts of (25), quadrature, simulation.",
        (
            "test_detection.py::test_the_second_integrand_as_printed_diverges",
            "test_detection.py::test_tau_is_the_printed_integrals",
        ),
    ),
    Finding(
        "One threshold for SDA and ESE, from 0 to 2",
        "sections V-A and VI-B",
        r"SDA: $\sigma^* = 1 + \sqrt{2}/2$ at $\alpha = 2$. ESE: $\sigma^*$ is about 1.7 at $\alpha = 2$, "
        r"and very close to 2 for $\alpha \ge 3$. Both with $\sigma > 1$.",
        "Both are right, and the same number: ESE is SDA with a look at a uniform share of the work, which "
        r"only scales the saving. In general $\sigma^*$ solves $2 E[\min(\sigma \bar{x}, x)] = \sigma "
        r"\bar{x}$; it rises from 0 to 2 "
        r"and is *below 1* for $\alpha$ near 1.",
        _same_threshold,
        "Both resources in closed form, against the printed integrals and simulated tasks.",
        (
            "test_ese.py::test_ese_is_sda_with_a_look_at_a_uniform_time",
            "test_ese.py::test_the_best_threshold_is_that_of_sda",
            "test_detection.py::test_best_threshold_rises_from_zero_to_two_and_starts_below_one",
        ),
        remark=True,
    ),
    Finding(
        "How much the best threshold saves",
        "section VI-B",
        "ESE's resource is left as integrals; its size is not discussed.",
        "In closed form: the best threshold saves under 5 % of the machine time at α = 2 and under 1 % from "
        "α = 4 on. Most "
        "of the gain in the paper's experiments must have other causes, such as whom to serve first.",
        _saving,
        "The printed integrals by quadrature, and simulated tasks.",
        (
            "test_ese.py::test_resource_is_the_printed_integrals",
            "test_ese.py::test_the_saving_is_small_unless_the_tail_is_heavy",
        ),
        remark=True,
    ),
    Finding(
        "What Mantri's rule does",
        "section II, on Mantri",
        r"Mantri copies a task if $P(t_{rem} > 2 t_{new}) > \delta$, *only if the total resource consumption "
        r"is expected "
        "to decrease*.",
        r"For Pareto tasks the rule is a threshold on $t_{rem}$, and with Mantri's $\delta = 0.25$ at "
        r"$\alpha = 2$ it is "
        "below the one from which a copy saves resource in expectation.",
        _mantri,
        "The threshold by algebra, and simulated copies.",
        (
            "test_ese.py::test_mantris_rule_copies_where_resource_is_expected_to_grow",
            "test_ese.py::test_mantris_threshold_is_where_its_probability_is_delta",
        ),
    ),
)
