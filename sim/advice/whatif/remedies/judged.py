"""The gain of remedies: ceiling and reach of each, which one is advised, and why the others are not.

The rule is that of settings (`sim.advice.whatif.setting_effect.surely_pays`): advised is what surely pays in
95 % of the models within the budget of slot-time, which what mends a cause may exceed by a part of what it
surely gains, and of several such the one that gains most in 95 % of them (`Remedies.first`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from sim.advice.whatif.cluster import Cluster
from sim.advice.whatif.doubt import MODELS
from sim.advice.whatif.remedies import hosts, splitting
from sim.advice.whatif.remedies.hosts import HOSTS
from sim.advice.whatif.remedies.splitting import SPLIT
from sim.advice.whatif.remedies.variant import COPY, Remedy, SettingLines, Unequal, Variant, hindered
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.setting_effect import (
    FIGURES,
    WORTH,
    Conditions,
    HasFigures,
    SettingEffect,
    changes,
    surely_pays,
    widened,
)
from sim.model.cached import cached_property
from sim.telling.words import begun, in_percent

# Keep slots warm: its ceiling is that no task is slower because it is the first on its slot.
#
# Executors that are started early and kept spare what the first of all tasks on a slot takes longer. What
# the first task of each stage takes longer (its code, its broadcasts) no setting spares; it is in the
# ceiling. Where executors come and go by demand, they are played as there from the start, and the slot-time
# they idle is said.


def kept(question: Replay, cluster: Cluster) -> Cluster:
    """Return the cluster with all its slots from the start, where they come and go by demand."""
    return replace(cluster, changes=((0.0, cluster.slots),)) if by_demand(question) else cluster


def by_demand(question: Replay) -> bool:
    """Say whether executors come and go by demand."""
    allocation = question.model.history.settings.get("spark.dynamicAllocation.enabled", "")
    return allocation.lower() == "true"


def warm(question: Replay, replication: int, given: Conditions) -> Conditions:
    """Take away what the first of all tasks on a slot takes longer."""
    return replace(given, work=given.work / np.exp(Unequal.of(question, replication).cold[:, 1]))


def never_cold(question: Replay, replication: int, given: Conditions) -> Conditions:
    """Take away all that a cold slot adds."""
    return replace(given, work=given.work / np.exp(Unequal.of(question, replication).cold.sum(axis=1)))


def _untold(question: Replay) -> str:
    columns = question.model.evidence.tasks.columns
    if not columns.cold.any():
        return "the log does not tell which task was the first on its slot"
    first = pd.Series(columns.cold[:, 1]).groupby(columns.stage)
    if (first.min() == first.max()).all():
        return (
            "in each stage every task, or none, was the first of all on its slot: that it made them slow "
            "cannot be told from what the stage does"
        )
    return ""


def idle_slot_hours(question: Replay) -> float:
    """Return the slot-time that kept executors add, in hours, until the last job of the log has ended."""
    cluster, span = question.model.cluster, float(question.model.history.span)
    return (kept(question, cluster).slot_time(span) - cluster.slot_time(span)) / 3600


def longest_pause(question: Replay) -> float:
    """Return the longest time in the log in which no task ran, in seconds."""
    copies = question.model.history.frame("copies").dropna(subset=["launch", "end"]).sort_values("launch")
    if len(copies) < 2:
        return 0.0
    until = copies["end"].cummax().to_numpy(float)
    return max(0.0, float((copies["launch"].to_numpy(float)[1:] - until[:-1]).max()))


def described(question: Replay) -> str:
    """Say how much longer first tasks take."""
    cold = np.exp(question.model.evidence.copies.draws.cold)
    told = []
    for column, who in ((1, "the first task of all on a slot"), (0, "the first of each stage")):
        low, middle, high = np.quantile(cold[:, column], (0.025, 0.5, 0.975))
        told.append(f"{who} takes {middle:.2f} times as long as others ({low:.2f} to {high:.2f})")
    more = f"; kept executors would idle for {idle_slot_hours(question):.3g} slot-hours more"
    return "; ".join(told) + more * by_demand(question)


def _paste(question: Replay, system: str, way: Variant) -> SettingLines:
    if system == "spark" and by_demand(question):
        each = max(1, question.model.cluster.executor_slots)
        executors = str(math.ceil(question.model.cluster.slots / each))
        idle = f"{math.ceil(longest_pause(question)) + 60}s"
        return SettingLines(
            "Executors are there from the start and outlive the longest pause of the log.",
            "spark-defaults.conf",
            {
                "spark.dynamicAllocation.minExecutors": executors,
                "spark.dynamicAllocation.initialExecutors": executors,
                "spark.dynamicAllocation.executorIdleTimeout": idle,
            },
        )
    if system == "spark":
        return SettingLines(
            "Executors stay for the whole application: keep one application for many jobs, and run a small "
            "job of the same code first."
        )
    if system == "tez":
        containers = str(question.model.cluster.slots)
        return SettingLines(
            "Containers are used again and held.",
            "tez-site.xml",
            {
                "tez.am.container.reuse.enabled": "true",
                "tez.am.session.min.held-containers": containers,
            },
        )
    if system == "flink":
        idle = str(1000 * (math.ceil(longest_pause(question)) + 60))
        return SettingLines(
            "In a session cluster TaskManagers outlive the longest pause of the log.",
            "flink-conf.yaml",
            {"resourcemanager.taskmanager-timeout": idle},
        )
    if system == "hadoop":
        return SettingLines("MapReduce starts a process a task and has no setting for it.")
    return SettingLines("Keep workers for many tasks, and run a small one first.")


def _limit(question: Replay, system: str, way: Variant) -> str:
    return "What the first task of each stage takes longer, no setting spares."


WARM = Remedy(
    "warm",
    "Keep slots warm",
    "no task is slower because it is the first on its slot",
    Variant("warm ceiling", "no cold slots", cluster=kept, conditions=never_cold),
    (Variant("warm", "keeping slots warm", cluster=kept, conditions=warm),),
    _untold,
    _paste,
    _limit,
)


# The registry of remedies, and the mended worlds in which their ways are played under today's rule.

#: In the order in which they are shown.
REMEDIES = (COPY, HOSTS, SPLIT, WARM)
#: Every way, the ceilings among them, by its key.
WAYS: dict[str, Variant] = {way.key: way for remedy in REMEDIES for way in (remedy.ceiling, *remedy.ways)}
#: Shares of the replications of a setting that ways and ceilings have: together they take a fifth of the time
#: that nine settings take, each of which is judged and searched.
REACHED, CEILING = 0.6, 0.4


@dataclass(frozen=True, eq=False)
class Remedied(Replay):
    """A question in whose world a way is taken.

    Parameters
    ----------
    way : str
        Its key.
    """

    way: str = ""

    @cached_property
    def cluster(self) -> Cluster:
        """The slots that are there."""
        return WAYS[self.way].cluster(self, super().cluster)

    def conditions(self, replication: int, copies: int) -> Conditions:
        """Return what a replication is played with."""
        return WAYS[self.way].conditions(self, replication, super().conditions(replication, copies))


def remedied(question: Replay, way: str) -> Remedied:
    """Return a question with a way taken in its world."""
    one = question
    return Remedied(one.model, one.rate, one.slots, one.leave_out, one.seed, one.doubted, way)


def plan(question: Replay, replications: int) -> Iterator[tuple[str, int]]:
    """Yield the ways that are worth playing, by key, and how often; first those that settings reach.

    Parameters
    ----------
    question : Replay
    replications : int
        Of a setting.
    """
    ceiling, reached = (max(2, math.ceil(share * replications)) for share in (CEILING, REACHED))
    for remedy in REMEDIES:
        if not remedy.untold(question):
            yield from ((way.key, min(reached, replications)) for way in remedy.ways)
    for remedy in REMEDIES:
        yield remedy.ceiling.key, min(ceiling, replications)


#: Way -> what the history shows of its cause.
_DESCRIBED = {
    "leave out": hosts.described,
    "replace": hosts.slowness_told,
    "split": splitting.described,
    "warm": described,
}
#: What copies do, as a subject.
_DOES = "copying slow tasks"


@dataclass(frozen=True)
class Wanted:
    """What remedies are to make small, the extra slot-time they may take, and by what a fair check widens."""

    objective: str = "mean"
    budget: float = 0.05
    widened: float = 1.0


@dataclass(frozen=True)
class Copies:
    """What settings of copies reach, from the policies that were compared.

    Parameters
    ----------
    called : str
        The setting; empty where there is none that could be set.
    change : mapping or None
        Figure -> effect, as it is shown of the policy.
    plays : sequence of HasFigures
        Its replications.
    sure : bool
        Whether it is advised.
    why : str
        Why it is not, where that is known otherwise than from its changes.
    """

    called: str = ""
    change: Mapping[str, SettingEffect] | None = None
    plays: Sequence[HasFigures] = ()
    sure: bool = False
    why: str = ""


@dataclass(frozen=True)
class Judged:
    """A remedy.

    Parameters
    ----------
    remedy : Remedy
    does : str
        What is done in the way that is shown, as a subject.
    change : mapping or None
        Figure -> effect in the way that is shown; None where none was played.
    ceiling : mapping
        Figure -> effect, its cause mended entirely.
    others : mapping
        The other ways: what each does -> figure -> effect.
    sure : bool
        Whether it surely pays.
    reason : str
        Why it is not advised; empty where it surely pays.
    shows : str
        What the history shows of its cause.
    paste : SettingLines
    limit : str
    plays : sequence of HasFigures
        Replications of the way that is shown.
    """

    remedy: Remedy
    does: str
    change: Mapping[str, SettingEffect] | None
    ceiling: Mapping[str, SettingEffect]
    others: Mapping[str, Mapping[str, SettingEffect]]
    sure: bool
    reason: str
    shows: str
    paste: SettingLines
    limit: str
    plays: Sequence[HasFigures] = field(repr=False, default=())

    def change_of(self, objective: str) -> SettingEffect:
        """Return the change of a figure: reached, or at most where nothing was played."""
        return (self.change or self.ceiling)[objective]


@dataclass(frozen=True)
class Remedies:
    """All remedies.

    Parameters
    ----------
    judged : tuple of Judged
        In the order of the registry.
    objective : str
        What is to become small.
    caveat : str
        What cannot be told apart; may be empty.
    """

    judged: tuple[Judged, ...]
    objective: str
    caveat: str = ""

    @property
    def first(self) -> Judged | None:
        """The one that is advised: of those that surely pay the one that gains most in 95 % of the models.

        What mends a cause gains about as much in all of them, and copies little where tasks would be slow
        again: so copies come first only where they gain more with that doubt, too.
        """
        sure = (one for one in self.judged if one.sure and one.change)
        return min(sure, key=lambda one: one.change_of(self.objective).sure, default=None)

    @property
    def other(self) -> Judged | None:
        """The one that is advised, where it is no setting of copies."""
        return None if self.first is self.copies else self.first

    def _gain(self, one: Judged) -> float:
        return one.change_of(self.objective).value

    @property
    def copies(self) -> Judged:
        """Copies among them."""
        return next(one for one in self.judged if one.remedy is COPY)

    @property
    def copies_gain_less(self) -> bool:
        """Whether copies surely gain less than what is advised, pair by pair under the same luck."""
        first, copies = self.first, self.copies
        return first not in (None, copies) and self._surely_gains_more(first, copies)

    def _surely_gains_more(self, one: Judged, other: Judged) -> bool:
        """Say whether a figure is surely smaller by one remedy than by another, under the same luck."""
        count = min(len(one.plays), len(other.plays))
        if count < 2:
            return False
        return changes(one.plays[:count], other.plays[:count])[self.objective].sure < 0

    @property
    def sentence(self) -> str:
        """Say which remedy comes first, and what copies would not do; or why none does."""
        if self.first is None:
            return self._nothing(FIGURES[self.objective])
        return f"{begun(self.first.does)} {self.effect_of(self.first)}"

    def effect_of(self, first: Judged) -> str:
        """Say what a remedy does, after its name; of the one that comes first what copies would not do."""
        told = f"makes the {FIGURES[self.objective]} {shorter(first.change_of(self.objective))}"
        told += f", slot-time {first.change['slot_time'].percent}" if first.change else ""
        told += f": {first.shows}." if first.shows else "."
        if first is not self.first or not self.copies_gain_less or (copies := self.copies.change) is None:
            return told
        gain = copies[self.objective]
        would = (
            f"gain {in_percent(round(-gain.value, 3), None)}"
            if gain.high < 0
            else "gain nothing that is sure"
        )
        return f"{told} Copies would {would} ({gain.decrease})."

    def _nothing(self, figure: str) -> str:
        most = min(self.judged, key=lambda one: one.ceiling[self.objective].value)
        highest = most.ceiling[self.objective]
        if highest.low > -WORTH:
            return (
                f"No remedy is worth its trouble: even with its cause mended entirely none makes the "
                f"{figure} {in_percent(WORTH, None)} shorter."
            )
        reached = [one for one in self.judged if one.change]
        if not reached:
            return f"No remedy surely makes the {figure} shorter."
        best = min(reached, key=self._gain)
        gain = best.change_of(self.objective)
        if gain.value > -WORTH and not most.change and highest.high < -WORTH:
            return (
                f"No setting makes the {figure} much shorter. {begun(most.does)} would, by "
                f"{in_percent(round(-highest.value, 3), None)} at most ({highest.decrease}): {most.reason}."
            )
        if gain.value > -WORTH:
            return (
                f"No remedy makes the {figure} much shorter: {best.does}, the most there is to set, changes "
                f"it by {gain.percent}."
            )
        return (
            f"No remedy surely pays. {begun(best.does)} would change the {figure} by {gain.percent}; "
            f"{best.reason}."
        )


def judge(
    question: Replay,
    system: str,
    today: Sequence[HasFigures],
    played: Mapping[str, Sequence[HasFigures]],
    copies: Copies,
    wanted: Wanted,
) -> Remedies:
    """Judge all remedies.

    Parameters
    ----------
    question : Replay
    system : str
        Key of the system whose lines are to be pasted; of the format of the log where it has no copies.
    today : sequence of HasFigures
        Replications of today's setting, at least as many as any way has.
    played : mapping
        Key of a way -> its replications.
    copies : Copies
    wanted : Wanted
    """
    found = []
    for remedy in REMEDIES:
        ceiling = _changes(played[remedy.ceiling.key], today, wanted)
        ways = {way.key: way for way in remedy.ways if way.key in played}
        found.append(
            _copies(question, system, remedy, ceiling, copies, wanted)
            if remedy is COPY
            else _judged(question, system, remedy, ceiling, ways, today, played, wanted)
        )
    return Remedies(tuple(found), wanted.objective, _caveat(question))


def _changes(
    plays: Sequence[HasFigures], today: Sequence[HasFigures], wanted: Wanted
) -> dict[str, SettingEffect]:
    return widened(changes(plays, today[: len(plays)]), wanted.widened)


def _no_less(
    ceiling: Mapping[str, SettingEffect], change: Mapping[str, SettingEffect] | None, objective: str
) -> Mapping[str, SettingEffect]:
    """Return the most there is to gain: what is reached, where by chance it is more."""
    more = change is not None and change[objective].value < ceiling[objective].value
    return {**ceiling, objective: change[objective]} if change and more else ceiling


def _copies(
    question: Replay,
    system: str,
    remedy: Remedy,
    ceiling: Mapping[str, SettingEffect],
    copies: Copies,
    wanted: Wanted,
) -> Judged:
    way, reason = remedy.ceiling, ""
    if not copies.sure:
        reason = copies.why or hindered(question) or _reason(ceiling, copies.change, wanted, "copies reach")
    return Judged(
        remedy,
        _DOES,
        copies.change,
        _no_less(ceiling, copies.change, wanted.objective),
        {},
        copies.sure,
        reason,
        copies.called,
        remedy.paste(question, system, way),
        remedy.limit(question, system, way),
        copies.plays,
    )


def _judged(
    question: Replay,
    system: str,
    remedy: Remedy,
    ceiling: Mapping[str, SettingEffect],
    ways: Mapping[str, Variant],
    today: Sequence[HasFigures],
    played: Mapping[str, Sequence[HasFigures]],
    wanted: Wanted,
) -> Judged:
    untold = remedy.untold(question)
    found = {key: _changes(played[key], today, wanted) for key in ways}
    sure = [key for key in ways if surely_pays(found[key], wanted.objective, wanted.budget, mends=True)]
    shown = next(iter([*sure, *ways]), "")
    way = ways.get(shown, remedy.ways[0])
    change = found.get(shown)
    return Judged(
        remedy,
        way.does,
        change,
        _no_less(ceiling, change, wanted.objective),
        {ways[key].does: found[key] for key in ways if key != shown},
        bool(sure),
        "" if sure else untold or _reason(ceiling, change, wanted, f"{way.does} reaches"),
        "" if untold else _DESCRIBED[way.key](question),
        remedy.paste(question, system, way),
        remedy.limit(question, system, way),
        played.get(shown, ()),
    )


def _reason(
    ceiling: Mapping[str, SettingEffect],
    change: Mapping[str, SettingEffect] | None,
    wanted: Wanted,
    reaches: str,
) -> str:
    """Say why a remedy is not advised, from what it changes."""
    most = ceiling[wanted.objective]
    if most.value > -WORTH:
        return f"with its cause mended entirely the change would be {most.percent}"
    if change is None:
        return "there is no setting for it"
    gain, cost = change[wanted.objective], change["slot_time"]
    if gain.value > -WORTH:
        return f"of {most.percent} at most, {reaches} {gain.percent}"
    if cost.value > wanted.budget:
        budget = in_percent(wanted.budget, None)
        return f"slot-time changes by {cost.percent}, more than the budget of {budget}"
    if gain.sure > -WORTH:
        return f"in some of {MODELS} models that fit this log it gains less than {in_percent(WORTH, None)}"
    grows = in_percent(round(cost.high, 3), None)
    return f"in the worst of {MODELS} models that fit this log slot-time grows by {grows}"


def _caveat(question: Replay) -> str:
    """Say that tasks are slow in every run, or that luck cannot be told from work that no count shows."""
    hidden = question.model.evidence.hidden
    if longer := splitting.always_slow(question.model):
        return (
            f"Some tasks are slow in every run of their stage, up to {longer:.1f} times as long: a copy of "
            "such a task is as slow, and only smaller tasks help."
        )
    if hidden.excluded or not 0.5 / MODELS <= hidden.probability <= 0.95:
        return ""
    return (
        "Luck and work that no count shows cannot be told apart here (probability "
        f"{in_percent(hidden.probability)} that slow tasks are slow by themselves): if it is luck, copies "
        "mend it; if it is work, only smaller tasks do."
    )


def shorter(change: SettingEffect) -> str:
    """Say by how much a time is shorter.

    Examples
    --------
    >>> shorter(SettingEffect(-0.312, -0.36, -0.25))
    '31.2 % shorter (25.0 to 36.0)'
    """
    return f"{in_percent(round(-change.value, 3), None)} shorter ({change.decrease})"


# Remedies as JSON, and as rows of a table.


def as_json(found: Remedies) -> dict[str, Any]:
    """Return all that is known of the remedies as values of JSON."""
    return {
        "sentence": found.sentence,
        "caveat": found.caveat,
        "first": found.first.remedy.key if found.first else None,
        "objective": found.objective,
        "each": {one.remedy.key: _each(one) for one in found.judged},
    }


def _each(one: Judged) -> dict[str, Any]:
    return {
        "title": one.remedy.title,
        "does": one.does,
        "advised": one.sure,
        "reason": one.reason,
        "shows": one.shows,
        "change": None if one.change is None else _as_numbers(one.change),
        "ceiling": {"supposes": one.remedy.about, "change": _as_numbers(one.ceiling)},
        "others": {does: _as_numbers(change) for does, change in one.others.items()},
        "paste": {"told": one.paste.told, "file": one.paste.file, "settings": dict(one.paste.settings)},
        "limit": one.limit,
    }


def _as_numbers(found: Mapping[str, SettingEffect]) -> dict[str, dict[str, float]]:
    return {name: {"value": one.value, "low": one.low, "high": one.high} for name, one in found.items()}


def row(found: Remedies, one: Judged) -> tuple[str, str, str, str]:
    """Return the change that is reached, that at most, that of slot-time, and what is said of the remedy."""
    reached = one.change[found.objective].percent if one.change else "no setting"
    extra = one.change["slot_time"].percent if one.change else "-"
    why = "advised" if one is found.first else "pays, but less is sure" if one.sure else one.reason
    return reached, one.ceiling[found.objective].percent, extra, why
