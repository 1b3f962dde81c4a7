"""The question: the ratio to the centralised run at a setting, and along two of its controls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pages.decentralised.setting import SETS, Setting
from sim.engines.probes.policy import ProbePolicy
from sim.model.cached import cached_property
from sim.running.execution import Effort
from sim.running.live import RunRequest
from sim.telling.words import counted, percent, plain

#: How well the answer is to be known.
EFFORT = Effort(replications=20, precision=2)
#: The same of a point of a curve. All points meet the same luck, so that they differ by what is varied.
POINT = Effort(replications=6)


@dataclass(frozen=True, slots=True)
class Axis:
    """A control whose values are tried one after another.

    Parameters
    ----------
    field : str
        Of `Setting`.
    name : str
        The quantity, in a word or two.
    title : str
        The same with its symbol and unit.
    values : tuple of float
        Those that are tried, besides the chosen one.
    in_words : callable
        Value -> words, as in 'at ... the ratio is'.
    even : bool, optional
        Whether values are drawn where they are; else side by side.
    only : str, optional
        Start of the names of the policies it means something to, beside those that have the parameter.
    """

    field: str
    name: str
    title: str
    values: tuple[float, ...]
    in_words: Callable[[float], str]
    even: bool = False
    only: str = ""

    def tried(self, setting: Setting) -> tuple[float, ...]:
        """Return the values, the chosen one among them.

        Examples
        --------
        >>> AXES["probes"].tried(Setting(probes=3))
        (2, 3, 4, 6, 8, 10)
        """
        return tuple(sorted({*self.values, getattr(setting, self.field)}))

    def in_turn(self, setting: Setting) -> list[float]:
        """Return the values in the order in which they are worked out: the chosen one first."""
        chosen = getattr(setting, self.field)
        return sorted(self.tried(setting), key=lambda value: (value != chosen, value))

    def setting(self, setting: Setting, value: float) -> Setting:
        """Return the setting with this value, and the policies to which it means something."""
        return setting.but(rivals=tuple(filter(self.concerns, setting.rivals)), **{self.field: value})

    def concerns(self, policy: ProbePolicy) -> bool:
        """Whether it means something to a policy.

        Examples
        --------
        >>> [AXES["refusals"].concerns(ProbePolicy.of(key, "late")) for key in ("hopper", "sparrow")]
        [True, False]
        """
        has = any(SETS.get(self.field) in rule.as_dict for rule in policy.rules.values())
        return has or policy.name.startswith(self.only)


AXES = {
    axis.field: axis
    for axis in (
        Axis(
            "probes",
            "probes per task",
            "probes per task, d",
            (2, 4, 6, 8, 10),
            lambda d: f"d = {plain(d)}",
            even=True,
        ),
        Axis(
            "refusals",
            "refusals",
            "refusals before a job must accept",
            (0, 1, 2, 3, 5, 7, 10),
            lambda r: counted(round(r), "refusal"),
            even=True,
            only="Hopper",
        ),
        Axis(
            "load",
            "load",
            "offered load ρ₀",
            (0.5, 0.6, 0.7, 0.8, 0.9),
            lambda x: f"{percent(x)} load",
            even=True,
        ),
        Axis(
            "latency",
            "delay",
            "one-way delay of a message (s)",
            (0.0, 0.001, 0.01, 0.1, 0.5),
            lambda x: f"a delay of {plain(x)} s",
        ),
        Axis(
            "schedulers",
            "schedulers",
            "schedulers",
            (1, 2, 5, 10, 20, 50),
            lambda n: counted(round(n), "scheduler"),
        ),
        Axis(
            "tasks_max",
            "size of jobs",
            "most tasks per job",
            (1, 5, 10, 20, 50, 100),
            lambda n: f"up to {counted(round(n), 'task')}",
        ),
        Axis(
            "phases",
            "phases",
            "most phases per job",
            (1, 2, 3, 4, 5),
            lambda n: f"up to {counted(round(n), 'phase')}",
            even=True,
        ),
        Axis(
            "copies",
            "copies per task",
            "most copies per task",
            (1, 2, 3, 4, 8),
            lambda n: f"up to {counted(round(n), 'copy', 'copies')} per task",
            even=True,
            only="Hopper",
        ),
        Axis(
            "benefit",
            "tasks copied",
            "remaining time from which a task is copied (mean durations)",
            (0.0, 0.5, 1.0, 2.0),
            lambda x: f"copies of tasks with more than {plain(x)} mean durations left",
            even=True,
            only="Hopper",
        ),
        Axis(
            "tail",
            "tail index β",
            "tail index β of straggle factors",
            (1.2, 1.5, 2.0, 2.5, 3.0),
            lambda b: f"β = {plain(b)}",
            even=True,
        ),
    )
}


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
    def answer(self) -> RunRequest:
        """The answer."""
        return self.setting.request(EFFORT)

    @property
    def requests(self) -> list[RunRequest]:
        """The answer, then each point."""
        points = (axis.setting(self.setting, value).point(POINT) for axis, value in self.places)
        return [self.answer, *points]
