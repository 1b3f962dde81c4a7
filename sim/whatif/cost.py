"""The cost of a setting beside today's: slot-hours, and money if a slot-hour has a price."""

from __future__ import annotations

from dataclasses import dataclass

from sim.whatif.answer import Answer, Option
from sim.whatif.setting_effect import SettingEffect

_HOUR, _DAY = 3600.0, 86400.0


@dataclass(frozen=True)
class Cost:
    """Slot-hours more than today's setting takes, and money for them; less where it is negative.

    Parameters
    ----------
    slot_hours, slot_hours_a_day : Change
        For the jobs in the figures, and for a day of such jobs; with 95 % intervals.
    money, money_a_day : SettingEffect or None
        The same times the price; None without one.
    """

    slot_hours: SettingEffect
    slot_hours_a_day: SettingEffect
    money: SettingEffect | None
    money_a_day: SettingEffect | None

    @property
    def sentence(self) -> str:
        """Say what it costs; in money if that is known."""
        whole, day = self.money or self.slot_hours, self.money_a_day or self.slot_hours_a_day
        unit = "" if self.money else " slot-hours"
        return (
            f"Cost against today's setting: {whole.value:+.3g}{unit} for these jobs, "
            f"{day.value:+.3g}{unit} ({day.low:+.3g} to {day.high:+.3g}) for a day of such jobs."
        )


def cost(answer: Answer, option: Option) -> Cost:
    """Return what an option costs."""
    hours = answer.figure(answer.today, "slot_time") / _HOUR
    days = answer.figure(answer.today, "makespan") / _DAY
    change = option.change["slot_time"]
    whole, day = times(change, hours), times(change, hours / days)
    if not answer.price:
        return Cost(whole, day, None, None)
    return Cost(whole, day, times(whole, answer.price), times(day, answer.price))


def times(change: SettingEffect, factor: float) -> SettingEffect:
    """Return a change in another unit.

    Examples
    --------
    >>> times(SettingEffect(0.5, -1.0, 2.0), 2.0)
    SettingEffect(value=1.0, low=-2.0, high=4.0, sure=4.0)
    """
    return SettingEffect(*(factor * one for one in (change.value, change.low, change.high, change.sure)))
