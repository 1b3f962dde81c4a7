"""The formulas of the Detection page, with their assumptions and sources."""

from __future__ import annotations

from functools import partial

from pages.shared.words.formulas import Equation, Latex, Source
from theory.cloned_job import cloned_job_duration, cloned_job_resource
from theory.cutoff import cloned_delay, single_copy_delay
from theory.detection import detection_resource, sigma_star
from theory.optimal_cloning import optimal_cloning

XL = "Xu & Lau, *Optimization for Speculative Execution of Multiple Jobs in a MapReduce-like Cluster*"
#: Letters of the paper, and what this page writes.
LETTERS = {r"\alpha": r"\beta", r"\omega": r"\rho_0", "E[s]": "E[x]", r"\bar x": "E[x]", "W_t": "W"}
_equation = partial(Equation, letters=LETTERS)

FORMULAS = (
    r"Xu and Lau write $\alpha$ for the tail index $\beta$, and $\omega$ for the offered load "
    r"$\rho_0$; a machine of theirs runs one task, and is a slot here.",
    r"Task times are $\mathrm{Pareto}(\mu, \beta)$ of mean $E[x]$, $\beta$ the tail index of task "
    "times. **Light or busy.** Every slot is taken for a queue of its own (M/G/1), two copies for "
    r"twice the arrivals of the shorter of two times; $\kappa = E[X^2]/E[X]^2 = 1.12$, since jobs differ "
    "in mean task time (1 in the printed equations):",
    _equation(single_copy_delay, cloned_delay),
    Latex(r"W^c < W \iff \rho_0 < \rho_0^U(\beta)"),
    Source(f"{XL}, equations (1) to (5). For β ≤ 2 one copy waits for ever on average."),
    r"**Detection.** A task is looked at after the share $s$ of its work. If more than $\sigma E[x]$ is "
    r"left, it gets $c - 1$ new copies; with $u = \frac{\beta - 1}{\beta \sigma}$ and "
    r"$\tau(c, \sigma)$ the slot-time used from then on",
    _equation(detection_resource, begin=r"\frac{E[R]}{E[x]} = "),
    r"and the best threshold is $\sigma^*$ with",
    _equation(sigma_star),
    "where $y_{c-1}$ is the shortest of the new copies. ESE looks in a random moment of the run, which "
    "has the same best threshold.",
    Source(f"{XL}, equations (24) to (28) and (30) to (33); c by joint optimisation, not by Theorem 3."),
    r"**Smart cloning.** $N$ slots are free for jobs of $m_i$ tasks, of which each has at most $r = 8$ "
    "copies:",
    _equation(optimal_cloning),
    "with the duration and the slot-time of a job, where $F$ is the law of the times of its tasks,",
    _equation(cloned_job_duration),
    _equation(cloned_job_resource),
    r"The iteration moves the price of a slot, $\nu \leftarrow [\nu + \eta_1 (\sum m_i c_i - N)]^+$, "
    r"and two more multipliers. Mended, $\eta$ is divided by the number of the round.",
    Source(f"{XL}, problem P2, equations (10) to (17). γ is 0.01 in the paper's simulations."),
)
