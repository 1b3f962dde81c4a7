r"""The formulas behind a comparison: those of its measures, its threshold and its policies.

LaTeX for the screen, one sentence that says it in words, and where it is from. The formulas of a rule stand
beside the rule. Nothing here is computed; the numbers come from `theory/` and `sim/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sim.engines.slots.policy import SlotPolicy, sharing_rules, speculation_rules
from sim.engines.slots.scenario import SlotScenario
from sim.model.result import Comparison
from sim.model.rule import RAWY, Formula
from sim.telling.words import plain


def formulas(comparison: Comparison) -> list[Formula]:
    """Return the formulas that this comparison rests on, each once."""
    scenario = comparison.scenario
    assert isinstance(scenario, SlotScenario)
    found = [*DEFINITIONS, *_threshold(comparison)]
    observed = scenario.observation.kind
    for policy in (one.policy for one in comparison.policies.values()):
        assert isinstance(policy, SlotPolicy)
        of_sharing = sharing_rules()[policy.sharing.key].written_out(policy.sharing.as_dict, observed)
        of_copies = speculation_rules()[policy.speculation.key].written_out(
            policy.speculation.as_dict, observed
        )
        found += [one for one in (*of_sharing, *of_copies) if one not in found]
    return [*found, *(INTERVALS if comparison.replications > 1 else ())]


def grouped(found: Iterable[Formula]) -> dict[Formula, list[str]]:
    """Return each formula once, with its LaTeX for every choice of parameters among the policies.

    Examples
    --------
    >>> one, other = (Formula("ESE", f"x > {sigma}", "Copies.") for sigma in (1, 3))
    >>> list(grouped([one, other]).values())
    [['x > 1', 'x > 3']]
    """
    told: dict[Formula, list[str]] = {}
    for formula in found:
        told.setdefault(replace(formula, latex=""), []).append(formula.latex)
    return told


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
            "no power-law tail, so it is taken as if the tail index β were infinite: one slot per task.",
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
