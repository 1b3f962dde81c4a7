"""The results so far: the answer at the chosen setting, and the points of the curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pages.decentralised.question import Axis, Curves
from pages.decentralised.setting import Setting
from pages.shared.live.follow import Snapshots
from sim.model.cached import cached_property
from sim.model.result import Comparison
from sim.running.live import Snapshot

#: Value of a control -> what was found there, the policies called as on the screen.
Points = Mapping[float, Comparison]


@dataclass(frozen=True)
class Answer:
    """What is known: a snapshot of the answer, and of the first points."""

    curves: Curves
    snapshots: Snapshots

    @property
    def setting(self) -> Setting:
        """The chosen one."""
        return self.curves.setting

    @property
    def first(self) -> Snapshot:
        """The answer at the chosen setting."""
        return self.snapshots[0]

    @cached_property
    def comparison(self) -> Comparison:
        """The answer, its policies called as on the screen."""
        return self.first.comparison.called(tuple(self.setting.policies))

    def along(self, axis: Axis) -> list[tuple[float, Snapshot]]:
        """Return what is known along an axis, from two replications on: one has no interval."""
        found = zip(self.curves.places, self.snapshots[1:], strict=False)
        return [(value, one) for (on, value), one in found if on is axis and one.done > 1]

    def points(self, axis: Axis) -> Points:
        """Return the points along an axis."""
        return {
            value: snapshot.comparison.called(tuple(axis.setting(self.setting, value).policies))
            for value, snapshot in self.along(axis)
        }
