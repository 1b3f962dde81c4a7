"""The common part of engines that start tasks one by one and copy what they see: phases and observation."""

from __future__ import annotations

from dataclasses import dataclass

from sim.model.fields import BadInput, described
from sim.model.outcome import Observation
from sim.model.scenario import Scenario

SHAPES = ("chain", "bushy")
PHASES_LAWS = ("constant", "uniform")
TRANSFER_LAWS = ("constant", "uniform", "exponential")
#: Fields about phases; all but the first matter only where jobs have several.
PHASES = ("phases", "phases_law", "shape", "transfer", "transfer_law", "barrier")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculativeScenario(Scenario):
    """A cluster that starts tasks one by one and may copy those that turn out slow."""

    size_per: str = described(
        "job", "whether all tasks of a job share one size", choices=("job", "task"), after="size"
    )
    outlier_spread: float = described(
        0.0,
        "how much p differs between slots: p_m is uniform in p (1 +- spread)",
        low=0,
        high=1,
        after="outlier_min",
    )
    phases: int = described(
        1,
        "most phases of a job, which has no more phases than tasks",
        unit="phases",
        low=1,
        high=50,
        after="outlier_spread",
    )
    phases_law: str = described(
        "constant",
        "law of the number of phases: constant, or uniform from 1 on",
        choices=PHASES_LAWS,
        after="phases",
    )
    shape: str = described(
        "chain",
        "how phases feed each other: chain (one after the other) or bushy (a tree, two into one)",
        choices=SHAPES,
        after="phases_law",
    )
    transfer: float = described(
        0.0,
        "mean time in which a task's output reaches the next phase, beside the slots",
        unit="× size",
        low=0,
        high=1e3,
        after="shape",
    )
    transfer_law: str = described(
        "constant",
        "law of the transfer time, one draw a phase: constant, uniform from 0 on, or exponential",
        choices=TRANSFER_LAWS,
        after="transfer",
    )
    barrier: float = described(
        0.0,
        "share of a phase's inputs that must be there before its first task may start: "
        "0 is pipelined, 1 waits for all",
        low=0,
        high=1,
        after="transfer_law",
    )
    observe: str = described(
        "age:0.5",
        "when stragglers can be detected: age:a (remaining time known after a × mean duration), "
        "fraction:s (after that share of its work), never (elapsed time only)",
        after="samples",
        read=Observation.canonical,
    )

    def _check_pairs(self) -> None:
        Scenario._check_pairs(self)
        if self.straggle == "outlier" and self.outlier_share * (1 + self.outlier_spread) > 1:
            raise BadInput(
                f"outlier_spread: {self.outlier_spread} is not accepted; "
                f"give at most {1 / self.outlier_share - 1:g}, so that no slot's probability exceeds 1"
            )
        if self.size == "trace" and self.size_per == "task":
            raise BadInput(
                "size_per: 'task' is not accepted with sizes from a trace, one for each job; give job"
            )

    @property
    def observation(self) -> Observation:
        """What a rule may see of a running copy, parsed."""
        return Observation.read(self.observe)
