"""What a rule of the gang engine declares: how many redundant tasks a job starts with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.policy import Parameter

if TYPE_CHECKING:
    import numpy as np

    from sim.gang.scenario import GangScenario
    from sim.kernel.compile import Rule


@dataclass(frozen=True)
class Redundancy:
    """How many tasks a job starts: a rule of the gang engine.

    `prepare` turns a scenario and the parameters into the numbers the compiled function reads. More
    tasks than the cluster has places for are not started.
    """

    key: str
    title: str
    summary: str
    decide: Rule
    parameters: tuple[Parameter, ...] = ()
    prepare: Callable[[GangScenario, Mapping[str, float]], np.ndarray] | None = None
    reference: str = ""
