"""The declaration of a rule of the gang engine: how many redundant tasks a job starts with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sim.model.rule import Rule

if TYPE_CHECKING:
    import numpy as np

    from sim.engines.gang.scenario import GangScenario
    from sim.kernel.hook import Hook


@dataclass(frozen=True, kw_only=True)
class Redundancy(Rule):
    """How many tasks a job starts: a rule of the gang engine.

    More tasks than the cluster has places for are not started. `store` makes an array of floats of a scenario
    and the parameters, which the rule reads, and in which it may remember what it likes.
    """

    ENGINE: ClassVar[str] = "gang"
    REGISTRY: ClassVar[str] = "sim.engines.gang.redundancy:REDUNDANCY"
    decide: Hook
    store: Callable[[GangScenario, Mapping[str, float]], np.ndarray] | None = None
