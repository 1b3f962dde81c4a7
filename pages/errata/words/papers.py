"""The papers: what is confirmed in each, what was found, and minor misprints."""

from __future__ import annotations

from pages.errata.words import coded, detection, dolly, hopper, load, pipelines, smart_cloning
from pages.errata.words.finding import Paper

HOPPER = Paper(
    "hopper",
    "Hopper",
    "X. Ren, G. Ananthanarayanan, A. Wierman and M. Yu, *Speculation-aware Cluster Scheduling* (the theory "
    "note), and *Hopper: Decentralized Speculation-aware Cluster Scheduling at Scale*, SIGCOMM 2015",
    hopper.CONFIRMED,
    hopper.FINDINGS + pipelines.FINDINGS,
    hopper.SLIPS + pipelines.SLIPS,
)
XU_LAU = Paper(
    "xu-lau",
    "Xu & Lau",
    "H. Xu and W. C. Lau, *Optimization for Speculative Execution of Multiple Jobs in a MapReduce-like "
    "Cluster*",
    (
        "Equations (1) and (3), the delays of one and of two copies, against simulated queues; Theorem 1; "
        "the cutoff of "
        r"3/4 at $\alpha = 2$.",
        "Equations (10) to (13), for which there are closed forms; that P2 is convex and has no duality gap.",
        r"Equations (18) to (25) and (27); $\sigma^* = 1 + \sqrt{2}/2$ at $\alpha = 2$, independent of $s$ "
        r"and the mean.",
        "Equations (30) to (33), against quadrature and simulated tasks.",
    ),
    load.FINDINGS + smart_cloning.FINDINGS + detection.FINDINGS,
    (
        r"Equation (8): the last index is $c^i_j$, not $c_i$.",
        r"P1's capacity constraint counts tasks with $w^i_j + t^i_j > l$, those not yet launched too; meant "
        r"is $w^i_j \le l < w^i_j + t^i_j$.",
        r"The utility $U = -E[t]$ is linear, not strictly concave. Nothing depends on it.",
        r"$[x]^+_y$ is the projection of the multiplier at 0.",
        r"$t_{new}$ is called the expected time of a new copy; it is the random one, whose expectation is "
        r"taken.",
        r"The caption of Fig. 3 has $\alpha = 1.707$ for $\sigma$.",
        r"Algorithm 1 does not sort $\chi(l)$ in its else-branch; the text does.",
        r"Algorithm 2 tests $N(l) = 0$ only after the first assignment, and its *duplicates* are all copies, "
        r"whereas the "
        "new copies of SDA come on top of the original.",
        r"The small-job test of ESE, $E[x] < \xi$ with $\xi = 1$, is never true where means are between 1 "
        r"and 4, so that "
        "no job is cloned.",
    ),
)
AKTAS_SOLJANIN = Paper(
    "aktas-soljanin",
    "Aktas & Soljanin",
    "M. F. Aktaş and E. Soljanin, *Learning Effective Straggler Mitigation from Experience and Modeling*",
    (
        r"The closed forms of $E[S_{n:k}]$ and $E[C_{n,k}]$, against sampled jobs.",
        "Equation (2), and the loads at which coding everything is stable in Fig. 2: 0.6 is, 0.7 is not.",
        "Equation (4) is Erlang's formula, in its usual continuation to real numbers of servers.",
        "Equation (6) is (3): no factor is missing.",
        "The principle: code small jobs, fewer of them the higher the load.",
    ),
    coded.FINDINGS,
    (r"Without redundancy, Cost $\sim k \times b \times S$ holds in the mean; it is $b \sum_i S_i$.",),
)
DOLLY = Paper(
    "dolly",
    "Dolly",
    "G. Ananthanarayanan, A. Ghodsi, S. Shenker and I. Stoica, *Why let resources idle? Aggressive cloning "
    "of jobs with Dolly*, HotCloud 2012",
    (
        r"The probability of an outlier with job-level clones, $(1 - (1 - p)^n)^c$, and with task-level "
        r"clones, $1 - (1 - p^c)^n$, by enumeration and simulation.",
        "Task-level cloning is at least as good for the same number of clones.",
        "The number of job-level clones for a target.",
    ),
    dolly.FINDINGS,
    (
        "The *median to maximum* ratio of progress rates that is at least 3 must be median to minimum.",
        "*Just 3 % extra resources* are 3.3 percentage points, from 21 % to 24.3 %.",
        "Small jobs have *less than 10* tasks in one place and *≤ 10* in another.",
    ),
)
PAPERS = {paper.key: paper for paper in (HOPPER, XU_LAU, AKTAS_SOLJANIN, DOLLY)}
