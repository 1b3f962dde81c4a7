"""The load up to which a setting pays: the same jobs at higher arrival rates, up to the cluster's capacity.

More load leaves fewer slots idle, and a second copy then takes the place of an original. The rates between
the asked one and that of an offered load of 1 are tried in equal ratios; between the last that pays and the
first that does not two more are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sim.advice.whatif.doubt import MODELS
from sim.advice.whatif.runs import MOST_COPIES, Replay, in_parts, tallies
from sim.advice.whatif.setting_effect import SettingEffect, changes, pays, surely_pays
from sim.engines.slots.scenario import SlotPolicy
from sim.running.parallel import HERE, Player
from sim.telling.words import in_percent

#: Rates that are tried above the asked one, and between the last that pays and the first that does not.
STEPS, CLOSER = 4, 2
#: Replications at each rate, at most; and the share of all tasks that may be played which all rates take.
MOST, SHARE = 40, 0.25


@dataclass(frozen=True)
class Point:
    """What a setting changes at a rate.

    Parameters
    ----------
    rate : float
        Of arrivals, in units of the recorded one.
    load : float
        Offered load.
    change : mapping
        Figure -> Change, against today's setting at the same rate.
    pays, surely : bool
        Whether it pays, and whether beyond doubt.
    """

    rate: float
    load: float
    change: Mapping[str, SettingEffect]
    pays: bool
    surely: bool


@dataclass(frozen=True)
class Wanted:
    """A setting against today's, what it is to make small, and the extra slot-time it may take."""

    policy: SlotPolicy
    today: SlotPolicy
    objective: str
    budget: float

    def point(self, question: Replay, change: Mapping[str, SettingEffect]) -> Point:
        """Judge the changes at the rate of a question."""
        judged = pays(change, self.objective, self.budget), surely_pays(change, self.objective, self.budget)
        return Point(question.rate, question.load, change, *judged)


@dataclass(frozen=True)
class Reach:
    """The rates that were tried, in order; the first is the asked one."""

    points: tuple[Point, ...]
    objective: str

    @property
    def last(self) -> Point:
        """The highest rate up to which the setting pays at all rates tried."""
        return self.points[max(1, _leading([point.pays for point in self.points])) - 1]

    @property
    def sure(self) -> Point | None:
        """The highest rate up to which it pays beyond doubt at all of them, if any."""
        count = _leading([point.surely for point in self.points])
        return self.points[count - 1] if count else None

    @property
    def stops(self) -> Point | None:
        """The first rate at which it does not pay; None if it always does."""
        return next((point for point in self.points if not point.pays), None)

    @property
    def sentence(self) -> str:
        """Say up to which load the setting pays."""
        said = f"It pays up to {_place(self.last)}"
        if self.sure is not None and self.sure is not self.last:
            said += f", and in 19 of {MODELS} models that fit this log up to {_place(self.sure)}"
        if self.stops is None:
            return f"{said}; higher rates were not tried."
        gain, extra = self.stops.change[self.objective], self.stops.change["slot_time"]
        why = (
            f"the change of the {self.objective} job time is {in_percent(gain.value, 1, signed=True)}"
            if gain.value >= 0
            else f"slot-time changes by {in_percent(extra.value, 1, signed=True)}, more than the budget"
        )
        return f"{said}, and stops paying at {_place(self.stops)}: {why} there."


def _leading(values: list[bool]) -> int:
    """Count what is true before the first that is not."""
    return [*values, False].index(False)


def _place(point: Point) -> str:
    return f"{point.rate:.3g} times the recorded arrival rate (offered load {point.load:.2f})"


def reach(
    question: Replay,
    wanted: Wanted,
    here: Mapping[str, SettingEffect],
    replications: int,
    player: Player = HERE,
) -> Reach | None:
    """Find up to which rate a setting pays.

    Parameters
    ----------
    question : Replay
    wanted : Wanted
    here : mapping
        Its changes at the rate of the question.
    replications : int
        At each rate, at most `MOST`, and fewer where the jobs have very many tasks.
    player : Player, optional

    Returns
    -------
    Reach or None
        None where no rate is higher, since all jobs arrive at once or offer more than the slots can do, and
        where the jobs have too many tasks.
    """
    once = 2 * (STEPS + CLOSER) * int(question.model.tasks.sum())
    most = range(min(replications, MOST, int(SHARE * MOST_COPIES) // once))
    if not question.load < 1 or len(most) < 2:
        return None
    player.begin("Trying higher loads", once * len(most))

    def tried(rate: float) -> Point:
        asked = replace(question, rate=rate)
        ours, theirs = (in_parts(player, tallies, asked, one, most) for one in (wanted.policy, wanted.today))
        return wanted.point(asked, changes(ours, theirs))

    first = wanted.point(question, here)
    points = [
        first,
        *(tried(question.rate * question.load ** (-step / STEPS)) for step in range(1, STEPS + 1)),
    ]
    for _ in range(CLOSER):
        found = Reach(tuple(points), wanted.objective)
        if found.stops is None or found.stops is first:
            break
        points.append(tried(math.sqrt(found.last.rate * found.stops.rate)))
        points.sort(key=lambda point: point.rate)
    return Reach(tuple(points), wanted.objective)
