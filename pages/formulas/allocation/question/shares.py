r"""The shares of the slots under each rule of the theory, and the value of each share.

A rule is a row of the Allocation page: shares of the slots, the case it decided by, and how far the sums
of service rates, plain and weighted, are below the best ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pages.formulas.allocation.question.jobs import Jobs
from sim.model.cached import cached_property
from sim.telling.words import number, plain
from theory.allocation import fair_allocation, hopper_allocation, srpt_allocation, virtual_sizes
from theory.dag_allocation import DagCase, dag_allocation, dag_cases
from theory.fairness import FairRegime, fair_hopper_allocation, fair_regime, projected_fair_allocation
from theory.objective import Distance, distance_from_optimum
from theory.service_rate import threshold
from theory.weighted_optimum import slot_price, weighted_optimum


@dataclass(frozen=True, slots=True)
class Request:
    """Jobs that want slots.

    Attributes
    ----------
    jobs : Jobs
    slots : float
        To be shared, > 0.
    beta : float
        Tail index of task times, > 1.
    epsilon : float
        Unfairness allowed, in [0, 1].
    printed : bool
        Whether rules are taken as the papers print them.
    """

    jobs: Jobs
    slots: float
    beta: float
    epsilon: float
    printed: bool = False

    @property
    def physical(self) -> bool:
        """Tell whether a task in service has at least one copy; as printed, it need not."""
        return not self.printed

    @property
    def theta(self) -> float:
        """Return the threshold, in slots per task."""
        return float(threshold(self.beta, self.physical))

    @property
    def wanted(self) -> np.ndarray:
        """Return the virtual size of each job."""
        return virtual_sizes(self.jobs.T, self.beta, self.physical)

    @property
    def short(self) -> bool:
        """Tell whether slots are too few for all virtual sizes."""
        return self.regime(1.0).constrained

    def regime(self, epsilon: float) -> FairRegime:
        """Return the case and the water level of Algorithm 2; with `epsilon` = 1, of Algorithm 1."""
        return fair_regime(self.jobs.T, self.slots, self.beta, epsilon, self.physical)

    @property
    def cases(self) -> tuple[DagCase, ...]:
        """Return the cases of Algorithm 3 that apply."""
        return dag_cases(*self._weighted, self.jobs.downstream, self.printed, self.physical)

    @property
    def _weighted(self) -> tuple[np.ndarray, np.ndarray, float, float]:
        return self.jobs.T, self.jobs.weight, self.slots, self.beta


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to share slots: its name, what it is, its shares, and the case they were decided by."""

    name: str
    about: str
    shares: Callable[[Request], np.ndarray]
    case: Callable[[Request], str]

    def answer(self, asked: Request) -> Share:
        """Return the shares and what they are worth, or why there are none."""
        try:
            slots = self.shares(asked)
        except ValueError as error:
            return Share(self, None, _refusal(self, asked, error), None, None)
        jobs = asked.jobs
        rate = distance_from_optimum(jobs.T, slots, asked.beta, None, asked.slots)
        weighted = distance_from_optimum(jobs.T, slots, asked.beta, jobs.weight, asked.slots)
        return Share(self, slots, self.case(asked), rate, weighted)


@dataclass(frozen=True, slots=True)
class Share:
    """What a rule answers.

    Attributes
    ----------
    slots : ndarray or None
        Of each job; None where the rule has no answer.
    case : str
        What decided, or why there is no answer.
    rate, weighted : Distance or None
        The sum of service rates, plain and weighted, and its distance from the best.
    """

    rule: Rule
    slots: np.ndarray | None
    case: str
    rate: Distance | None
    weighted: Distance | None


def _fair(asked: Request) -> np.ndarray:
    return fair_allocation(asked.jobs.T, asked.slots)


def _srpt(asked: Request) -> np.ndarray:
    return srpt_allocation(asked.jobs.T, asked.slots)


def _hopper(asked: Request) -> np.ndarray:
    return hopper_allocation(asked.jobs.T, asked.slots, asked.beta, asked.physical)


def _fair_hopper(asked: Request) -> np.ndarray:
    return fair_hopper_allocation(
        asked.jobs.T, asked.slots, asked.beta, asked.epsilon, asked.printed, asked.physical
    )


def _projected(asked: Request) -> np.ndarray:
    return projected_fair_allocation(
        asked.jobs.T, asked.slots, asked.beta, asked.epsilon, asked.printed, asked.physical
    )


def _dag(asked: Request) -> np.ndarray:
    jobs = asked.jobs
    return dag_allocation(
        jobs.T, jobs.weight, asked.slots, asked.beta, jobs.downstream, asked.printed, asked.physical
    )


def _optimum(asked: Request) -> np.ndarray:
    return weighted_optimum(asked.jobs.T, asked.jobs.weight, asked.slots, asked.beta)


def _idle(asked: Request) -> str:
    left = asked.slots - float(_srpt(asked).sum())
    return (
        f"{number(left)} slots idle: no second copies" if left > 1e-9 * asked.slots else "one copy per task"
    )


def _short(asked: Request) -> str:
    return "constrained: slots are short" if asked.short else "not constrained: S ∝ T"


def _guaranteed(asked: Request) -> str:
    regime = asked.regime(asked.epsilon)
    case = "constrained" if regime.constrained else f"not constrained, level {number(regime.level)}"
    if asked.printed:
        case = f"m₁ counts V ≤ S/N − ε = {number(asked.slots / len(asked.jobs.T) - asked.epsilon)}"
    return f"{case}; guarantee F = {number(regime.guarantee)}"


def _passes(asked: Request) -> str:
    return "one pass, as printed" if asked.printed else "repeated until nobody is below F"


def _named(asked: Request) -> str:
    return " and ".join(f"case {case.case}" + (f", k = {case.k}" if case.k else "") for case in asked.cases)


def _price(asked: Request) -> str:
    jobs = asked.jobs
    return f"a slot more adds {number(slot_price(jobs.T, jobs.weight, asked.slots, asked.beta))}"


RULES = (
    Rule("Fair share", "S/N slots each, whatever a job needs", _fair, lambda asked: "S/N each"),
    Rule("SRPT", "smallest job first, one slot per task", _srpt, _idle),
    Rule("Algorithm 1", "Hopper: the largest sum of rates", _hopper, _short),
    Rule("Algorithm 2", "Hopper with a guarantee for everyone", _fair_hopper, _guaranteed),
    Rule("Projection", "Hopper, SIGCOMM § 4.3: raise to the guarantee, share the rest", _projected, _passes),
    Rule("Algorithm 3", "Hopper for pipelined phases, a heuristic", _dag, _named),
    Rule("Exact optimum", "the largest weighted sum of rates", _optimum, _price),
)


def answers(asked: Request) -> dict[str, Share]:
    """Return what every rule makes of a question, by the names of the rules.

    Examples
    --------
    >>> from pages.formulas.allocation.question.jobs import checked, read_rows
    >>> jobs, _ = checked(read_rows("30,52.5"))
    >>> answers(Request(jobs, 100, 1.5, 0.5, printed=True))["Algorithm 2"].slots.round().tolist()
    [25.0, 75.0]
    """
    return {rule.name: rule.answer(asked) for rule in RULES}


@dataclass(frozen=True)
class Scene:
    """What the page has seen: a question, and what every rule makes of it.

    Attributes
    ----------
    asked : Request
    pour : str
        Name of the rule whose shares are shown as water.
    """

    asked: Request
    pour: str

    @cached_property
    def found(self) -> dict[str, Share]:
        """Shares under the rules as they were asked for."""
        return answers(self.asked)

    @cached_property
    def right(self) -> dict[str, Share]:
        """Shares under the rules with the papers' errors corrected."""
        return answers(self.corrected) if self.asked.printed else self.found

    @property
    def corrected(self) -> Request:
        """The question, asked of the corrected rules."""
        return replace(self.asked, printed=False)

    @property
    def poured(self) -> Share:
        """Shares that are shown as water."""
        return self.found[self.pour]


def _refusal(rule: Rule, asked: Request, error: ValueError) -> str:
    """Say why a printed rule has no answer."""
    if rule.shares is _dag:
        found = _named(asked)
        return f"{found} apply at once" if found else f"no case applies at S = {plain(asked.slots)}"
    if rule.shares is _fair_hopper:
        return "no m₂ satisfies the printed condition"
    return str(error)
