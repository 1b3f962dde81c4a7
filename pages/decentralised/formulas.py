"""How the Decentralised page works, its formulas and assumptions."""

from __future__ import annotations

from pages.shared.words.formulas import Latex

FORMULAS = (
    "**Ratio.** In each replication every policy meets the same jobs and the same luck; its flowtime is "
    "divided by that of Central, and the interval is Student’s over these ratios.",
    Latex(
        r"r_i = \frac{\bar F_i(\text{policy})}{\bar F_i(\text{Central})}, \qquad "
        r"\bar r \pm t_{n-1,\,0.975}\, \frac{s_r}{\sqrt n}"
    ),
    "**Hopper.** A job with $T$ tasks left has virtual size $V = \\theta T$, $\\theta = \\max(1, "
    "2/\\beta)$. A scheduler accepts a slot while its job holds fewer slots than $V$ (Guideline 2). "
    "After the last refusal the question goes to the smallest unsatisfied job that was named, else "
    "to one drawn with weight $V$ (Guideline 3).",
    "**Phases.** Where jobs have them, $T$ counts the open tasks of the running phases, $T'$ the transfers "
    "still to come out of them, and $\\alpha = T'/T$ (1 where none is left) weighs the job: $V = \\theta T "
    "\\sqrt\\alpha$. Messages say $\\max(V, \\alpha V)$, and Central is the weighted optimum (Hopper, "
    "section 4.2). What may start is probed for when its scheduler hears that its inputs have come.",
    "**Sparrow.** A free slot asks for the oldest reservation (shortest first: for the job with the "
    "fewest remaining tasks) and gets a task, a copy, or nothing. Ren et al., *Hopper*, SIGCOMM 2015, "
    "section 5 and Fig. 5; Ousterhout et al., *Sparrow*, SOSP 2013.",
    "**Assumptions.** Poisson arrivals, jobs of 1 to the most tasks (uniform), tasks of 1 s on a healthy "
    "slot, Pareto straggle factors drawn anew for each copy, every message takes the same time, "
    "schedulers and workers decide at once. A job’s phases share its tasks evenly, transfers take no "
    "slot, and a phase may start the share of its tasks for which inputs have come. Hopper’s budget "
    "copies any running task up to the most copies, unless only those known to need longer. The paper "
    "leaves job sizes, copies, delays and what a straggler looks like open: the second curve shows how "
    "the ratio depends on each. 10 % of the jobs are warm-up.",
)
