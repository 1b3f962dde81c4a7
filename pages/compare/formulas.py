r"""The formulas behind a comparison: those of its measures, its threshold and its policies.

LaTeX for the screen, one sentence that says it in words, and where it is from. Nothing here is computed;
the numbers come from `theory/` and `sim/`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pages.compare.hopper_formulas import HOPPER_FORMULAS
from pages.compare.system_formulas import SYSTEM_FORMULAS
from pages.shared.words.formula import Formula
from pages.shared.words.numbers import plain
from sim.policy import Chosen
from sim.result import Comparison
from sim.slots.policy import read_policy
from sim.slots.scenario import SlotScenario

RAWY = "Ren, Ananthanarayanan, Wierman & Yu, Speculation-aware Cluster Scheduling"


def formulas(comparison: Comparison) -> list[Formula]:
    """Return the formulas that this comparison rests on, each once.

    Parameters
    ----------
    comparison : Comparison
    """
    scenario = comparison.scenario
    assert isinstance(scenario, SlotScenario)
    read = [read_policy(text) for text in comparison.policies]
    found = [*DEFINITIONS, *_threshold(comparison)]
    for rule in [chosen for policy in read for chosen in (policy.sharing, policy.speculation)]:
        found += [one for one in _rule(rule, scenario.observation.kind) if one not in found]
    return [*found, *(INTERVALS if comparison.replications > 1 else ())]


DEFINITIONS = (
    Formula(
        "Flowtime, slowdown, slot-time",
        r"F_j = \text{finish}_j - \text{arrival}_j, \qquad "
        r"\text{slowdown}_j = \frac{F_j}{F_j^{\text{alone}}}, \qquad "
        r"R_j = \sum_{\text{copies } c \text{ of } j} (\text{end}_c - \text{start}_c)",
        "Flowtime is what a job's owner waits; slowdown divides it by the flowtime on an idle, healthy "
        "cluster; slot-time adds up how long all copies of the job hold slots, cancelled ones included.",
    ),
    Formula(
        "Offered load",
        r"\rho_0 = \frac{\lambda \, E[\text{tasks}] \, E[\text{duration of a copy}]}{S}",
        "The share of the slots that would be busy if every task ran exactly once.",
    ),
)

INTERVALS = (
    Formula(
        "95 % interval",
        r"\bar x \pm t_{n-1,\,0.975} \, \frac{s}{\sqrt n}",
        "Student's interval over the $n$ replications; for a difference of two policies $x$ is the "
        "difference in each replication, where both met the same jobs and the same luck.",
    ),
)


def _threshold(comparison: Comparison) -> Iterator[Formula]:
    """Yield the threshold and the service rate, as far as the law of the straggle factor has them."""
    tail = comparison.scenario.straggle_law.tail
    if tail == float("inf"):
        yield Formula(
            "Threshold",
            r"\theta = \max(1, 2/\beta) = 1 \quad (\beta \to \infty)",
            "The slots per remaining task from which another slot is worth less. These straggle factors have "
            "no power-law tail, so it is taken as if the tail index β were infinite: one slot a task.",
            RAWY + ", equation (2)",
        )
        return
    yield Formula(
        "Threshold",
        r"\theta = \max(1, 2/\beta), \qquad V = \theta T \qquad (\beta = " + plain(tail) + ")",
        "The slots per remaining task from which another slot is worth less; $V$ is the virtual size of a "
        "job with $T$ tasks left. The paper prints $2/\\beta$, less than one copy of each task beyond "
        "$\\beta = 2$.",
        RAWY + ", equations (2) and (4)",
    )
    yield Formula(
        "Service rate",
        r"\mu(S) = \begin{cases} \kappa S & S \le \theta T \\[2pt] \dfrac{\beta}{\beta - 1} T - "
        r"\dfrac{1}{\beta - 1} \dfrac{T^2}{S} & S > \theta T \end{cases} \qquad \kappa = "
        + (r"\frac{\beta^2}{4(\beta - 1)}" if tail <= 2 else "1"),
        "The work a job with $S$ slots gets done per mean copy time at its best number of copies: each slot "
        "is worth the same up to $\\theta T$, and less and less beyond.",
        RAWY + ", equation (3)",
    )


def _rule(rule: Chosen, observed: str) -> Iterator[Formula]:
    """Yield the formulas of a sharing or a speculation rule."""
    if rule.key == "hopper" and rule.as_dict["epsilon"] < 1:
        yield _hopper_fair(rule.as_dict["epsilon"])
    elif rule.key in RULES:
        yield RULES[rule.key]
    elif rule.key == "late":
        yield _late(rule.as_dict, observed)
    elif rule.key == "mantri":
        yield _mantri(rule.as_dict, observed)
    elif rule.key == "clone":
        yield _clone(int(rule.as_dict["copies"]))
    elif rule.key == "budget":
        yield _budget(int(rule.as_dict["copies"]))
    elif made := SYSTEM_FORMULAS.get(rule.key) or HOPPER_FORMULAS.get(rule.key):
        yield made(rule.as_dict)


RULES = {
    "hopper": Formula(
        "Hopper, targets",
        r"H_i = \begin{cases} V_i \text{ in order of } T_i, \text{ while slots last} & S \le \sum_j V_j "
        r"\\[2pt] S \, T_i / \sum_j T_j & S > \sum_j V_j \end{cases} \qquad \text{a free slot goes to } "
        r"\arg\max_i (H_i - S_i)",
        "When slots are scarce the smallest jobs get their virtual size $V_i = \\theta T_i$, the others what "
        "is left; when there are enough, all share them in proportion to the tasks they have left.",
        RAWY + ", Algorithm 1",
    ),
    "fair": Formula(
        "Fair sharing",
        r"H_i = S / N, \qquad \text{a free slot goes to } \arg\min_i S_i",
        "Each of the $N$ jobs is owed the same number of slots; the one that holds fewest gets the next.",
    ),
    "srpt": Formula(
        "SRPT",
        r"\text{a free slot goes to } \arg\min_i T_i",
        "The job with the fewest tasks left goes first.",
    ),
    "fifo": Formula(
        "FIFO",
        r"\text{a free slot goes to } \arg\min_i \text{arrival}_i",
        "The oldest job that has something to launch goes first.",
    ),
}


def _hopper_fair(epsilon: float) -> Formula:
    return Formula(
        "Hopper, ε-fair targets",
        r"F = (1 - \epsilon) \frac{S}{N}, \qquad H_i = \begin{cases} \max(F, V_i) \text{ in order of } T_i, "
        r"\text{ while slots last, then } F & \text{slots scarce} \\[2pt] \max(F, c \, T_i), \ "
        r"\textstyle\sum_i H_i = S & "
        r"\text{else} \end{cases} \qquad (\epsilon = " + plain(epsilon) + ")",
        "As Hopper's targets, but none is below the floor $F$, a part of the fair share; a job short of it "
        "still waits for those farther below their targets.",
        RAWY + ", Algorithm 2, corrected",
    )


def _late(values: dict[str, float], observed: str) -> Formula:
    known = "t_{\\text{elapsed}}" if observed == "never" else "t_{\\text{total}}"
    quantile = plain(round(1 - values["slow_percentile"] / 100, 6))
    return Formula(
        "LATE",
        f"{known} > q_{{{quantile}}}(\\text{{durations known in the job}}), \\qquad "
        f"\\text{{extra copies}} \\le {plain(values['speculative_cap'])} \\, S",
        "When no original waits, a task whose progress rate is among the slowest of its job gets one copy, "
        "the longest "
        f"time to end first; it must have run for {plain(values['min_age'])} mean durations.",
        "Zaharia et al., Improving MapReduce Performance in Heterogeneous Environments (OSDI 2008), section "
        "4",
    )


def _mantri(values: dict[str, float], observed: str) -> Formula:
    seen = "elapsed time only" if observed == "never" else "remaining time, once it is known"
    return Formula(
        "Mantri",
        f"\\Pr(t_{{\\text{{rem}}}} > 2 \\, t_{{\\text{{new}}}}) > \\delta = {plain(values['delta'])}",
        "A task is copied if a new copy would probably end within half its remaining time "
        f"(judged by {seen}); at most {plain(values['copies'])} copies a task, the original included.",
        "Ananthanarayanan et al., Reining in the Outliers in Map-Reduce Clusters using Mantri (OSDI 2010)",
    )


def _clone(copies: int) -> Formula:
    return Formula(
        "Cloning",
        f"\\Pr(\\min(Z_1, \\dots, Z_c) > z) = \\Pr(Z > z)^c, \\qquad c = {copies}",
        "Every task runs as $c$ copies from the start and is done with the first of them; with Pareto "
        "factors the tail index becomes $c\\beta$.",
        "Xu & Lau, Optimization for Speculative Execution of Multiple Jobs in a MapReduce-like Cluster, "
        "section III",
    )


def _budget(copies: int) -> Formula:
    return Formula(
        "Budgeted copies",
        f"S_i < H_i, \\qquad \\text{{copies of a task}} \\le {copies}",
        "A job whose originals all run spends what is left of its share on copies of running tasks, those "
        "with the fewest copies first.",
        RAWY + ", section 3",
    )
