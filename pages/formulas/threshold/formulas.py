"""The formulas of the Threshold page."""

from __future__ import annotations

from pages.shared.words.formulas import Equation
from theory.service_rate import blow_up, marginal_rate

FORMULAS = (
    "A job of $T$ tasks holds $S$ slots and runs $k$ copies of each task it serves:",
    Equation(blow_up, begin=r"\mu(S) = \min(S, kT)\, B(k), \qquad "),
    r"The best $k$ is $\theta = \max(1, 2/\beta)$ up to the threshold $\theta T$, and $S/T$ beyond. So, with "
    r"$\kappa = B(\theta)$,",
    Equation(marginal_rate),
    r"For $\beta \le 2$ both agree at $S = \theta T$, so that the value of a slot is continuous. With "
    r"whole copies $c$ the rate is the least concave function above the points $(cT,\ cT\,B(c))$, whose "
    r"slope is a staircase: $\frac{1}{c(c+1)(\beta-1)}$ from $c$ to $c + 1$ slots per task.",
    "Ren, Ananthanarayanan, Wierman & Yu, *Speculation-aware Cluster Scheduling*, equations (1) to (4).",
)
