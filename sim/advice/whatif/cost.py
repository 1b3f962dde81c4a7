"""The cost of a setting or remedy beside today's: slot-hours, and money where they have a price."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from sim.advice.whatif.answer import Answer
from sim.advice.whatif.setting_effect import SettingEffect

_HOUR = 3600.0
#: Hours of a day, and of a month as clouds bill it.
DAY, MONTH = 24.0, 730.0


class HasChange(Protocol):
    """A setting or a remedy, with what it changes."""

    @property
    def change(self) -> Mapping[str, SettingEffect] | None:
        """Figure -> change."""


@dataclass(frozen=True)
class Cost:
    """Slot-hours more than today's setting takes, and money for them; less where it is negative.

    Parameters
    ----------
    slot_hours, slot_hours_a_day, slot_hours_a_month : SettingEffect
        For the jobs in the figures, and for a day and a month of such jobs; with 95 % intervals.
    money, money_a_day, money_a_month : SettingEffect or None
        The same times the price of a slot-hour; None without one.
    jobs_an_hour : float
        At which days and months are estimated: jobs in the figures over the time they take today.
    rate : float
        Over the recorded one.
    """

    slot_hours: SettingEffect
    slot_hours_a_day: SettingEffect
    slot_hours_a_month: SettingEffect
    money: SettingEffect | None
    money_a_day: SettingEffect | None
    money_a_month: SettingEffect | None
    jobs_an_hour: float
    rate: float

    @property
    def shown(self) -> tuple[SettingEffect, SettingEffect]:
        """For the jobs in the figures and for a month: money if there is a price, else slot-hours."""
        if self.money is None or self.money_a_month is None:
            return self.slot_hours, self.slot_hours_a_month
        return self.money, self.money_a_month

    @property
    def sentence(self) -> str:
        """Say what it costs; in money if that is known."""
        whole, month = self.shown
        unit = "" if self.money else " slot-hours"
        return (
            f"Cost against today's setting: {whole.value:+.3g}{unit} for these jobs; an estimate of "
            f"{month.value:+.3g}{unit} ({month.low:+.3g} to {month.high:+.3g}) a month {self.at_rate}."
        )

    @property
    def at_rate(self) -> str:
        """Say for how many jobs an hour a month is estimated."""
        jobs = f"{self.jobs_an_hour:,.0f}" if self.jobs_an_hour >= 100 else f"{self.jobs_an_hour:.3g}"
        told = f"{jobs} job{'' if jobs == '1' else 's'} an hour"
        if self.rate != 1:
            return f"at {told}, {self.rate:.4g} times the recorded rate"
        return f"at the recorded rate of {told}"


def cost(answer: Answer, of: HasChange) -> Cost:
    """Return what a setting or a remedy costs; what changes nothing costs nothing."""
    hours = answer.figure(answer.today, "slot_time") / _HOUR
    lasted = answer.figure(answer.today, "makespan") / _HOUR
    change = of.change["slot_time"] if of.change else SettingEffect(0.0, 0.0, 0.0)
    once, day = times(change, hours), times(change, DAY * hours / lasted)
    month, price = times(change, MONTH * hours / lasted), answer.tariff.slot_hour
    paid, paid_a_day, paid_a_month = (times(one, price) if price else None for one in (once, day, month))
    jobs = int(answer.question.kept.sum()) / lasted
    return Cost(once, day, month, paid, paid_a_day, paid_a_month, jobs, answer.question.rate)


def times(change: SettingEffect, factor: float) -> SettingEffect:
    """Return a change in another unit.

    Examples
    --------
    >>> times(SettingEffect(0.5, -1.0, 2.0), 2.0)
    SettingEffect(value=1.0, low=-2.0, high=4.0, sure=4.0)
    """
    return SettingEffect(*(factor * one for one in (change.value, change.low, change.high, change.sure)))
