"""The verdict about settings that somebody advises: harm comes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from sim.advice.whatif.doubt import MODELS
from sim.advice.whatif.setting_effect import (
    BEYOND,
    FIGURES,
    WORTH,
    HasFigures,
    SettingEffect,
    differences,
    is_a_bet,
    surely_pays,
)
from sim.telling.words import in_percent, listed

APPROVED, IN_PART, TO_TRY, NOT_APPROVED = "approved", "approved in part", "to be tried", "not approved"
CANNOT_TELL, NOT_MINE, ALREADY = "cannot tell", "not mine", "already so"
#: Share by which jobs may become longer, in the worst of the models, where an advice is approved.
LOSS = 0.05
#: Copies after which a trial may stop, and the chance of a mistake then, on either side.
_COUNTS, _MISTAKEN = (*range(10, 100, 10), *range(100, 1001, 50)), 0.05


@dataclass(frozen=True)
class Watch:
    """When a trial of copies stops.

    Parameters
    ----------
    copies, won : int
        It stops unless so many of the first copies have won.
    hours : float
        Until so many copies have ended, in the worst of the models.
    costs : float
        What the worst of the models has cost by then: longer jobs or slot-time, as a share of an hour's.
    allowed : bool, optional
        Whether that is told within an hour, and costs it no more than what is approved may cost for good.
    """

    copies: int
    won: int
    hours: float
    costs: float
    allowed: bool = True

    @property
    def told(self) -> str:
        """Say when it stops, and what it has cost by then.

        Examples
        --------
        >>> Watch(20, 4, 0.1, 0.008).told[:65]
        'Stop unless 4 of the first 20 copies have won, after about 6 min '
        """
        return (
            f"Stop unless {self.won} of the first {self.copies} copies have won, after about "
            f"{max(1, round(60 * self.hours))} min (sim trace counts them): until then the worst of {MODELS} "
            f"models costs {in_percent(self.costs, 1)} of an hour's job time or slot-time."
        )


def watch_of(
    plays: Sequence[HasFigures],
    today: Sequence[HasFigures],
    change: Mapping[str, SettingEffect],
    budget: float,
) -> Watch | None:
    """Return what tells a model that harms from the others while a trial runs; None if nothing does.

    It is the share of copies that win. Where slow tasks are slow by themselves next to no copy wins, and a
    log without copies cannot exclude that. So the one model that harms must be that in which fewest win.

    The truth may lie between: part of the slow tasks are slow by themselves. Changes and the share of copies
    that win are taken for linear in that part. A trial goes on where copies win as in the model in which
    fewest of the others do, and stops from the part on at which it would lose: jobs as long as today, or
    slot-time beyond the budget.
    """
    groups = [plays[first::MODELS] for first in range(min(MODELS, len(plays)))]
    copies, won, seconds = (
        np.array([sum(one.figures[name] for one in group) for group in groups])
        for name in ("copies", "won", "makespan")
    )
    if len(groups) < MODELS or not copies.all():
        return None
    share, most, part = won / copies, most_allowed(budget), 1.0
    worst, (least, others) = int(np.argmin(share)), np.sort(share)[:2]
    for name, loses in (("mean", 0.0), ("p95", LOSS), ("slot_time", budget)):
        values = differences(plays, today, name)
        means = np.array([values[first::MODELS].mean() for first in range(MODELS)])
        if means.max() > most[name] and np.argmax(means) != worst:
            return None
        usual = float(np.delete(means, worst).mean())
        if means[worst] > loses:
            part = min(part, max(0.0, (loses - usual) / (float(means[worst]) - usual)))
    stops = others - part * (others - least)
    for count in _COUNTS:
        wanted = np.arange(1, count + 1)
        wanted = wanted[special.bdtr(wanted - 1.0, count, others) <= _MISTAKEN]
        if wanted.size and special.bdtr(wanted[-1] - 1.0, count, stops) >= 1 - _MISTAKEN:
            hours = float(count / copies[worst] * seconds[worst] / 3600)
            costs = {name: hours * max(change[name].high, 0.0) for name in most}
            allowed = hours <= 1 and all(costs[name] <= most[name] for name in most)
            return Watch(count, int(wanted[-1]), hours, max(costs.values()), allowed)
    return None


def most_allowed(budget: float) -> dict[str, float]:
    """Return by which share each figure may grow, in the worst of the models, for good."""
    return {"mean": LOSS, "p95": LOSS, "slot_time": (1 + BEYOND) * budget}


def judged(
    change: Mapping[str, SettingEffect], budget: float, *, mends: bool = False, watch: Watch | None = None
) -> tuple[str, str]:
    """Return the verdict of changes and the reason, in sentences.

    Parameters
    ----------
    change : mapping
        Figure -> effect.
    budget : float
    mends : bool, optional
        As of `surely_pays`.
    watch : Watch, optional
        How a trial stops. Without one nothing is to be tried.

    Examples
    --------
    >>> none = SettingEffect(0.0, -0.01, 0.01)
    >>> gain, loss = SettingEffect(-0.3, -0.4, -0.25), SettingEffect(0.2, 0.1, 0.3)
    >>> judged({"mean": gain, "p95": gain, "slot_time": none}, 0.05)
    ('approved', 'it pays in 20 of 20 models that fit this log, and in none do jobs take 5 % longer.')
    >>> judged({"mean": loss, "p95": none, "slot_time": none}, 0.05)
    ('not approved', 'the mean job time surely grows by 10 % or more.')
    """
    mean, p95, slots = (change[name] for name in ("mean", "p95", "slot_time"))
    most = most_allowed(budget)
    pays = [surely_pays(change, name, budget, mends=mends) for name in ("mean", "p95")]
    dear = [name for name in most if change[name].high > most[name]]
    if max(mean.high, p95.high) <= LOSS:
        if any(pays):
            many = MODELS - (max(mean.high, p95.high) >= 0)
            most_longer = f"in none do jobs take {in_percent(LOSS, None)} longer"
            return APPROVED, f"it pays in {many} of {MODELS} models that fit this log, and {most_longer}."
        if slots.sure <= -WORTH and mean.high <= WORTH and not dear:
            return APPROVED, "it surely saves slot-time."
    if any(pays) or any(is_a_bet(change, name, budget) for name in ("mean", "p95")):
        told = f"it pays in {MODELS - 1} of {MODELS} models that fit this log"
        if dear:
            grow = [f"{_subject(name)} by {in_percent(change[name].high)}" for name in dear]
            told += f"; in the other {listed(grow).replace(' by', ' grows by', 1)}"
        if watch is not None and watch.allowed:
            return TO_TRY, f"{told}. {watch.told}"
        which = "neither this log nor a trial tells which is true"
        if watch is not None:
            which = (
                f"{watch.copies:,} copies would tell which is true, and until then cost up to "
                f"{in_percent(watch.costs)} of an hour's job time or slot-time"
            )
        return CANNOT_TELL, f"{told}; {which}."
    costs = [name for name in ("mean", "p95") if change[name].low > 0 and change[name].value >= WORTH / 3]
    costs += ["slot_time"] * (slots.low > budget)
    if costs:
        grow = [f"{_subject(name)} surely grows by {in_percent(change[name].low)} or more" for name in costs]
        limit = f", and the budget is {in_percent(budget, None)}" if "slot_time" in costs else ""
        return NOT_APPROVED, f"{listed(grow)}{limit}."
    if dear:
        name = dear[0]
        grows = f"{_subject(name)} may grow by {in_percent(change[name].high)}"
        return NOT_APPROVED, f"{grows}, more than {in_percent(most[name], None)}."
    if min(mean.low, p95.low) > -WORTH:
        return NOT_APPROVED, "it changes nothing that is worth it."
    return CANNOT_TELL, "no gain is sure that is worth a change."


def _subject(name: str) -> str:
    return FIGURES[name] if name == "slot_time" else f"the {FIGURES[name]}"
