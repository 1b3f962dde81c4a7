"""What if: the answer of a question, and what its replications say of settings and remedies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.advice.whatif.check import POOR, Check, Pictures
from sim.advice.whatif.doubt import MODELS
from sim.advice.whatif.price import FREE, Price, Tariff, tariff
from sim.advice.whatif.reach import Reach, Wanted
from sim.advice.whatif.remedies import judged as remedies_judged
from sim.advice.whatif.remedies.judged import Copies, Judged, Remedies
from sim.advice.whatif.runs import Replay, read_policies
from sim.advice.whatif.safety import NEVER, Safety, UnsafeStages, apart_of, safety
from sim.advice.whatif.setting_effect import (
    WORTH,
    HasFigures,
    SettingEffect,
    changes,
    chosen,
    differences,
    surely_pays,
    widened,
)
from sim.advice.whatif.systems import System, Without, today
from sim.engines.slots.scenario import SlotPolicy
from sim.model.cached import cached_property
from sim.telling.words import in_percent

#: Extra slot-time that a recommended setting may cost, as a share of today's, unless one is given.
BUDGET = 0.05
#: Gain of a setting, as a share, from which it is said what leaves it open.
_WORTH = 0.02
#: Figures without a change of their own that are in proportion to today's; copies are counted.
_SCALED = ("makespan",)


@dataclass(frozen=True)
class Option:
    """What a policy shows.

    Parameters
    ----------
    policy : SlotPolicy
    plays : tuple of HasFigures
        In order of replication.
    change : mapping
        Figure of `CHANGES` -> Change.
    """

    policy: SlotPolicy
    plays: tuple[HasFigures, ...]
    change: Mapping[str, SettingEffect]

    def figure(self, name: str) -> np.ndarray:
        """Return a figure in each replication."""
        return np.array([play.figures[name] for play in self.plays])


@dataclass(frozen=True)
class Advice:
    """What to set; the policy is today's where nothing else is better beyond doubt.

    On trial, for an hour or so, is what is better unless the slow tasks are slow by themselves.
    """

    policy: str
    settings: Mapping[str, str]
    reason: str
    trial: bool = False


@dataclass(frozen=True)
class Answer:
    """All that is found.

    Parameters
    ----------
    question : Replay
    check : Check
        Of the model, at the recorded rate and slots.
    today : str
        The policy of the history.
    options : mapping
        Policy, as it was given -> Option.
    advice : Advice or None
        None where the check is poor, or no system is known whose settings could be given.
    reach : Reach or None
        At which rates what is recommended pays; None where that is to do nothing, or to try.
    price : Price, optional
        Of slots or executors, in any currency.
    pictures : Pictures, optional
        Of the check.
    system : System, optional
        Whose settings are advised.
    objective : str, optional
        What is to become small: mean or p95 job time.
    budget : float, optional
        Most extra slot-time of what is advised, as a share of today's.
    leading : str, optional
        The setting that the search liked best within the budget, if any.
    remedies : Remedies, optional
        What else could be done; None where they have not been played.
    apart : UnsafeStages, optional
        The gain where only stages are copied that nothing speaks against; None where all may be, or none are.
    first : str, optional
        What the diagnosis of the log says to do first, where nothing of this is advised; else empty.
    without : tuple of Without, optional
        What is advised without some of the jobs, where the check is poor.
    """

    question: Replay
    check: Check
    today: str
    options: Mapping[str, Option]
    advice: Advice | None
    reach: Reach | None = None
    price: Price = FREE
    pictures: Pictures | None = None
    system: System | None = None
    objective: str = "mean"
    budget: float = BUDGET
    leading: str = ""
    remedies: Remedies | None = None
    apart: UnsafeStages | None = None
    first: str = ""
    without: tuple[Without, ...] = ()

    @property
    def advises(self) -> bool:
        """Whether a setting or a remedy is advised that changes something."""
        setting = self.advice is not None and self.advice.policy != self.today
        return setting or self.leading_remedy is not None

    @property
    def as_recorded(self) -> bool:
        """Whether the jobs are played at the recorded rate and on the recorded slots, as for the check."""
        return self.question.rate == 1 and not self.question.slots

    @property
    def leading_remedy(self) -> Judged | None:
        """The remedy that leads the answer; None where copies lead it, or nothing pays.

        Copies lead also where they are to be tried and would gain more than what surely pays.
        """
        one = self.remedies.other if self.remedies else None
        if one is None or self.advice is None or not self.advice.trial:
            return one
        tried = self.options[self.advice.policy].change[self.objective].value
        return None if tried < one.change_of(self.objective).value else one

    def values(self, text: str, name: str) -> np.ndarray:
        """Return a figure under a setting, in each replication; what is shown is its mean.

        Today's mean is that of the check where the question is the recorded one, so that there is one number
        for it; the mean of another setting is today's with the promised change.
        """
        found, now = self.options[text].figure(name), self._today(name)
        if text == self.today:
            mean = now
        elif name in self.options[text].change:
            mean = now * (1 + self.options[text].change[name].value)
        elif name in _SCALED:
            mean = now * float(found.mean()) / (float(self.options[self.today].figure(name).mean()) or 1.0)
        else:
            return found
        here = float(found.mean())
        return found * (mean / here) if here else np.full(found.size, mean)

    def figure(self, text: str, name: str) -> float:
        """Return what is shown of a figure under a setting."""
        return float(self.values(text, name).mean())

    def _today(self, name: str) -> float:
        if self.as_recorded and self.pictures is not None and name in self.pictures.figures:
            return float(self.pictures.figures[name].mean())
        return float(self.options[self.today].figure(name).mean())

    @property
    def undecided(self) -> str:
        """Return what this log leaves open and the next one will tell; empty where that is nothing."""
        return " ".join(one for one in (self._open, self._bolder) if one)

    @property
    def _bolder(self) -> str:
        """Return which setting may gain more than what is advised, and how one finds out."""
        if self.advice is None or self.leading in ("", self.advice.policy) or self.safety.level == NEVER:
            return ""
        more = self.options[self.leading].change
        here = self.options[self.advice.policy].change[self.objective].value
        if self.advice.policy == self.today or more[self.objective].value > here - WORTH:
            return ""
        name = self.options[self.leading].policy.name
        return (
            f"{name} may gain more, {more[self.objective].percent}: the next log, under the advised setting "
            "and given with this one, tells."
        )

    @property
    def _open(self) -> str:
        """Return what would decide whether copies help, where the history leaves it open; else empty."""
        hidden = self.question.model.evidence.hidden
        if self.advice is None or (hidden.probability > 0.95 and not self.advice.trial):
            return ""
        if self.advice.policy != self.today:
            return self._at_worst(self.options[self.advice.policy].change)
        gains = [option.change[self.objective].value for option in self.options.values()]
        likely = hidden.probability >= 0.5 / MODELS
        if min(gains) > -_WORTH or (hidden.excluded and not likely):
            return ""
        told = f" (probability {in_percent(hidden.probability)})" if likely else ""
        asked = f"whether the slow tasks are slow by themselves{told}"
        return f"Whether copies help depends on {asked}; {self._tells}."

    @property
    def _tells(self) -> str:
        """Return what tells luck from work that no count shows."""
        if self.advice is not None and self.advice.trial:
            return "the log of that hour will tell"
        if self.question.model.evidence.hidden.pairs:
            return "a longer log with copies would tell"
        if self.safety.level == NEVER:
            return "a run with copies would tell, but tasks of this application must not run twice"
        return "one run with speculation on for an hour would tell"

    def _at_worst(self, change: Mapping[str, SettingEffect]) -> str:
        """Return what the advice does in the worst of the models, and how one finds out."""
        gain, cost = change[self.objective].high, change["slot_time"].high
        excluded = self.question.model.evidence.hidden.excluded
        trial = self.advice is not None and self.advice.trial
        if not trial and (excluded or (gain < -_WORTH and cost <= self.budget)):
            return ""
        case = f"In the worst of {MODELS} models that fit this log"
        case = case if excluded else "If the slow tasks are slow by themselves"
        longer = f"jobs take up to {in_percent(gain)} longer" if gain >= 0.005 else "copies gain little"
        return f"{case}, {longer} and slot-time grows by up to {in_percent(max(cost, 0))}; {self._tells}."

    @cached_property
    def safety(self) -> Safety:
        """Whether tasks of the history may run twice."""
        return safety(self.question.model.history, self.system.key if self.system else "")

    @cached_property
    def tariff(self) -> Tariff:
        """The price on this history."""
        return tariff(self.price, self.question.model.history)

    @property
    def copies(self) -> bool:
        """Whether the advice is to run copies."""
        return self.advice is not None and self.options[self.advice.policy].policy.speculation.key != "none"

    @cached_property
    def to_keep_apart(self) -> tuple[SlotPolicy, UnsafeStages] | None:
        """What is advised, and stages that something speaks against; None where there are none."""
        if self.advice is None or not self.copies:
            return None
        policy = self.options[self.advice.policy].policy
        found = apart_of(self.question, self.safety, policy)
        return None if found is None else (policy, found)

    def with_apart(self, plays: Sequence[HasFigures]) -> Answer:
        """Return the answer with the stages kept apart; played so in `plays`, if in any."""
        if (known := self.to_keep_apart) is None:
            return self
        change = changes(plays, self.options[self.today].plays) if plays else {}
        found = replace(known[1], change=widened(change, self.check.widened))
        return replace(self, apart=found)

    @property
    def apart_told(self) -> str:
        """Say what is gained with copies in all stages and in some; empty where that is not asked."""
        if self.apart is None or self.advice is None:
            return ""
        told = self.apart.told(self.objective, self.options[self.advice.policy].change)
        new = self.advice.policy != self.today and not self.advice.trial
        if not new or not self.apart.change or surely_pays(self.apart.change, self.objective, self.budget):
            return told
        return f"{told} So restricted, the setting would not be advised: whether it pays is not beyond doubt."

    def standing(self, text: str) -> str:
        """Return what an option is to the reader: today's, recommended, to be tried, or none of these."""
        if text == self.today:
            return "today"
        if self.advice is None or self.advice.policy != text:
            return ""
        return "to try" if self.advice.trial else "recommended"

    @property
    def risky(self) -> bool:
        """Whether the advice is to run copies where tasks must not run twice."""
        return self.copies and self.safety.level == NEVER

    @property
    def to_reach(self) -> tuple[Wanted, Mapping[str, SettingEffect]] | None:
        """What a newly recommended setting is to be asked at other rates, and what it changes at this one.

        None where that is to do nothing, or to try.
        """
        if self.advice is None or self.advice.policy == self.today or self.advice.trial:
            return None
        option = self.options[self.advice.policy]
        wanted = Wanted(option.policy, self.options[self.today].policy, self.objective, self.budget)
        return wanted, option.change

    def note(self, text: str) -> str:
        """Say of a policy whether it is today's, or cannot be set."""
        if text == self.today:
            return " (today)"
        has = self.system is None or self.system.has(self.options[text].policy)
        return "" if has else " (not in your system)"


def with_remedies(
    found: Answer, today: Sequence[HasFigures], ways: Mapping[str, Sequence[HasFigures]]
) -> Answer:
    """Return the answer with its remedies judged, copies by the advice.

    Parameters
    ----------
    found : Answer
        Whose check is not poor.
    today : sequence of HasFigures
        Replications of today's setting, at least as many as any way has.
    ways : mapping
        Key of a way -> its replications (`sim.advice.whatif.remedies.judged`).
    """
    advice = found.advice
    new = advice is not None and advice.policy != found.today
    setting = advice.policy if new and advice is not None else found.leading
    why = "no system is known whose copies could be switched on" if advice is None else ""
    if new and advice is not None:
        why = "whether it pays is worth a trial of an hour" if advice.trial else ""
        why = found.safety.sentence.rstrip(".") if found.risky else why
        why = why if found.copies else "the advice is to switch them off"
    copies = Copies()
    if setting:
        option = found.options[setting]
        sure = new and found.copies and not why
        copies = Copies(option.policy.name, option.change, option.plays, sure, why)
    elif why:
        copies = Copies(why=why)
    system = found.system.key if found.system else found.question.model.history.format
    wanted = remedies_judged.Wanted(found.objective, found.budget, found.check.widened)
    judged = remedies_judged.judge(found.question, system, today, ways, copies, wanted)
    return replace(found, remedies=judged)


def shown_options(options: Mapping[str, Option], checked: Check, now: str) -> dict[str, Option]:
    """Return what may be shown: wider intervals where the check is fair, today's alone where poor."""
    if checked.verdict == POOR:
        return {text: option for text, option in options.items() if text == now}
    return {
        text: replace(option, change=widened(option.change, checked.widened))
        for text, option in options.items()
    }


def compared(question: Replay, texts: Iterable[str]) -> tuple[dict[str, SlotPolicy], str]:
    """Return the policies by their texts, that of the history among them, and its text."""
    asked = read_policies(texts, question.scenario)
    now = today(question.model.history)
    now = {policy.text: text for text, policy in asked.items()}.get(now, now)
    return (asked if now in asked else read_policies([now], question.scenario) | asked), now


def liked(
    searched: Mapping[str, Sequence[HasFigures]],
    options: Mapping[str, Option],
    now: str,
    system: System,
    budget: float,
    objective: str,
) -> str:
    """Return the setting with the largest gain in the search within the budget; empty where none gains."""
    gains = {
        text: float(differences(searched[text], searched[now], objective).mean())
        for text, option in options.items()
        if text != now
        and system.can_set(option.policy, options[now].policy)
        and float(differences(searched[text], searched[now], "slot_time").mean()) <= budget
    }
    return min(gains, key=gains.__getitem__, default="")


def advise(
    searched: Mapping[str, Sequence[HasFigures]],
    options: Mapping[str, Option],
    now: str,
    system: System,
    budget: float,
    objective: str,
) -> Advice:
    """Recommend the best setting of the search that proves better within the budget.

    Their order is that of the search; whether one proves better is judged on other replications.
    Where none does by much, one may be worth a trial (`sim.advice.whatif.setting_effect.chosen`).
    """
    settable = [
        text for text, option in options.items() if system.can_set(option.policy, options[now].policy)
    ]

    def found(text: str, name: str) -> float:
        return float(differences(searched[text], searched[now], name).mean())

    def advice(best: str, trial: bool) -> Advice:
        gain, cost = options[best].change[objective], options[best].change["slot_time"]
        reason = (
            f"{objective} job time changes by {gain.percent}, slot-time by {cost.percent}, "
            f"with a budget of {in_percent(budget, None)}"
        )
        return Advice(best, system.settings(options[best].policy, options[now].policy), reason, trial)

    allowed = (text for text in settable if text != now and found(text, "slot_time") <= budget)
    gains = {text: found(text, objective) for text in allowed}
    best, trial = chosen(gains, {text: options[text].change for text in gains}, objective, budget)
    if best:
        return advice(best, trial)
    reason = (
        f"no setting of {system.title} within a budget of {in_percent(budget, None)} more slot-time makes "
        f"the {objective} job time shorter beyond doubt"
    )
    settings = system.settings(options[now].policy) if now in settable else {}
    return Advice(now, settings, reason)
