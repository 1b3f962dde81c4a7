"""What is asked of the shared workers, and what is known of it: the answer and the points of the curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pages.decentralised.axes import Axis
from pages.decentralised.setting import Setting
from pages.shared.live.follow import Snapshots
from sim.live import RunRequest, Snapshot
from sim.result import Comparison

#: Replications of the answer, at most, and the percentage at which its means are precise enough.
REPLICATIONS, PRECISION = 20, 2.0
#: Replications of a point of a curve. All points meet the same luck, so that they differ by what is varied.
POINT = 6

#: Value of a control -> what was found there, the policies called as on the screen.
Points = Mapping[float, Comparison]


@dataclass(frozen=True)
class Curves:
    """The question: a setting, and the two controls against which its curves are drawn."""

    setting: Setting
    axes: tuple[Axis, Axis]

    @cached_property
    def places(self) -> list[tuple[Axis, float]]:
        """The points of the curves in the order in which they are found."""
        return [(axis, value) for axis in self.axes for value in axis.in_turn(self.setting)]

    @property
    def requests(self) -> list[RunRequest]:
        """The answer, then each point."""
        points = (axis.setting(self.setting, value).point(POINT) for axis, value in self.places)
        return [self.setting.request(REPLICATIONS, PRECISION), *points]


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
