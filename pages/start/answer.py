"""What the runs of the three moves say: a number each, with its interval once there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pages.animation.show import requests_of
from pages.shared.live.follow import is_final, rests_on
from pages.start.setting import EFFORT, Move
from sim.live import RunRequest, Snapshot
from sim.paired import change
from sim.result import Comparison
from sim.telling.words import brief, changed, number


@dataclass(frozen=True, slots=True)
class Known:
    """The number of a move and what it is held against; `sign` is 1 where copies hurt, -1 where they help."""

    number: str
    told: str
    sign: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of the workers for a move: the runs to watch by what they are called, then its number."""

    watched: Mapping[str, RunRequest]
    measured: RunRequest

    @classmethod
    def of(cls, move: Move) -> Request:
        """Return what is asked for a move."""
        return cls(requests_of(move.watched), RunRequest(move.measured, EFFORT))

    @property
    def requests(self) -> tuple[RunRequest, ...]:
        """All of it, the number last."""
        return *self.watched.values(), self.measured


def known(comparison: Comparison) -> Known:
    """Return the mean flowtime of a move's jobs, or by how much extra copies change it."""
    unit, scenario = comparison.scenario.time_unit, comparison.scenario
    if len(comparison.policies) == 1:
        (result,) = comparison.policies.values()
        healthy = f"{number(scenario.size_law.mean)} {unit} if no task straggled"
        return Known(brief(result.estimate("flowtime", "mean"), unit), healthy)
    without, copied = comparison.policies
    found = change(comparison, copied, without, "flowtime", "mean")
    assert found is not None, "every job ends"
    told = f"{number(found.value)} {unit} instead of {number(found.reference)} {unit}"
    return Known(changed(found.share), told, found.sign)


def progress(asked: Sequence[Request], snapshots: Sequence[Snapshot]) -> tuple[float, str]:
    """Return which share of the replications there is, and what the numbers rest on."""
    requests = [request for one in asked for request in one.requests]
    share = sum(snapshot.done / snapshot.most for snapshot in snapshots) / len(requests)
    last = snapshots[-1]
    if is_final(tuple(snapshots), len(requests)):
        return share, f"Each number: {rests_on(last)}"
    return share, f"Replication {last.done} of {last.most}."
