"""`sim.check_advice`: what somebody advises for the application of a log, judged by the model of its jobs.

Harm comes first. Approved is what surely pays, as What-if itself would advise it, and what in the worst of
the models that fit the log makes jobs no longer than `LOSS` allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from sim.advice.whatif.advised import families, family_of, owner_of, policy_of, settings_of
from sim.advice.whatif.answer import BUDGET, compared
from sim.advice.whatif.check import POOR, Check, check_model
from sim.advice.whatif.doubt import MODELS
from sim.advice.whatif.library import read_and_fit, silent
from sim.advice.whatif.price import version
from sim.advice.whatif.remedies.hosts import HOSTS, slow_hosts
from sim.advice.whatif.remedies.judged import WARM, remedied
from sim.advice.whatif.remedies.splitting import SPLIT
from sim.advice.whatif.remedies.variant import Remedy, Variant
from sim.advice.whatif.report import refused, told
from sim.advice.whatif.runs import Replay, ReplicationFigures, in_parts, tallies, within_bounds
from sim.advice.whatif.safety import NEVER, safety
from sim.advice.whatif.setting_effect import (
    BEYOND,
    FIGURES,
    WORTH,
    SettingEffect,
    changes,
    is_a_bet,
    surely_pays,
    widened,
)
from sim.advice.whatif.systems import system_of, today
from sim.engines.slots.scenario import SlotPolicy
from sim.logs.history import History
from sim.logs.source import Upload
from sim.logs.tabled import given
from sim.model.fields import About, canonical
from sim.running.parallel import Player
from sim.telling.words import begun, in_percent, listed
from theory.quoting import shortened

APPROVED, IN_PART, TO_TRY, NOT_APPROVED = "approved", "approved in part", "to be tried", "not approved"
CANNOT_TELL, NOT_MINE, ALREADY = "cannot tell", "not mine", "already so"
#: Verdicts of a part, that which decides about all of them first.
_FIRST = (NOT_APPROVED, CANNOT_TELL, TO_TRY, APPROVED, ALREADY)
#: Share by which jobs may become longer, in the worst of the models, where an advice is approved.
LOSS = 0.05
#: Tasks of all replications of a setting, so that an answer takes seconds; replications at most and at least:
#: with 20, one of each model, a log of 57,000 tasks was approved that with 40 was to be tried.
_TASKS, _MOST, _FEWEST = 700_000, 100, 40
#: What the lab models, for those who advise something else.
MODELLED = "copies of slow tasks, hosts that are left out, tasks that are split, and slots that are kept warm"
#: Options that name hosts which get no tasks.
_HOSTS = ("spark.yarn.exclude.nodes", "--exclude")
#: What each remedy asks of a number: from so many times ours to so many times.
_NEAR = {SPLIT.key: (0.5, 2.0), WARM.key: (1.0, 2.0)}
_SEED = About("random seed", low=0, high=2**53 - 1)
_BUDGET = About("most extra slot-time, as a share", low=0, high=10)


@dataclass(frozen=True)
class Opinion:
    """What is said of some of the settings.

    Parameters
    ----------
    settings : mapping of str to str
    verdict : str
        Such as `APPROVED`.
    sentence : str
        Why.
    change : mapping of str to SettingEffect, optional
        Figure -> change against today's; empty where nothing was played.
    safety : str, optional
        Whether a task may run twice; empty where none would.
    family : str, optional
        What settings are about that are not modelled.
    """

    settings: Mapping[str, str]
    verdict: str
    sentence: str
    change: Mapping[str, SettingEffect] = field(default_factory=dict)
    safety: str = ""
    family: str = ""

    @property
    def worst(self) -> str:
        """Say what the settings cost in the worst of the models."""
        if not self.change:
            return ""
        longer, more = (max(self.change[name].high, 0.0) for name in ("mean", "slot_time"))
        return (
            f"In the worst of {MODELS} models that fit this log jobs take {in_percent(longer)} longer on "
            f"average and slot-time grows by {in_percent(more)}."
        )


@dataclass(frozen=True)
class SecondOpinion:
    """What is said of an advice.

    Parameters
    ----------
    opinions : tuple of Opinion
        Of parts of it: those that are judged together, and each one that is not.
    today : str
        The policy of the log.
    check : Check or None
        Of the model; None where nothing was played.
    replications : int
        How often each setting was played.
    """

    opinions: tuple[Opinion, ...]
    today: str
    check: Check | None
    replications: int

    @property
    def verdict(self) -> str:
        """The verdict of all: the worst of what is judged; in part, where something is not."""
        judged = [one.verdict for one in self.opinions if one.verdict != NOT_MINE]
        if not judged:
            return NOT_MINE
        worst = min(judged, key=_FIRST.index)
        in_part = len(judged) < len(self.opinions) and worst == APPROVED
        return IN_PART if in_part else worst

    @property
    def sentence(self) -> str:
        """The verdict and its reason."""
        ranked = (*_FIRST, NOT_MINE)
        first = min(self.opinions, key=lambda one: ranked.index(one.verdict))
        foreign = [one for one in self.opinions if one.verdict == NOT_MINE and one is not first]
        if not foreign:
            return f"{begun(self.verdict)}: {first.sentence}"
        rest = listed([shortened(name) for one in foreign for name in one.settings])
        return f"{begun(self.verdict)}: {first.sentence} Not judged: {rest}."

    def as_text(self) -> str:
        """Return the answer for a terminal."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.sentence
        for one in self.opinions:
            yield ""
            yield f"{_named(one.settings)}"
            yield f"  {one.verdict}: {one.sentence}"
            for name, title in FIGURES.items():
                if name in one.change:
                    yield f"  {title}: {one.change[name].percent}"
            yield from (f"  {text}" for text in (one.worst, one.safety) if text)
        if self.check is not None:
            yield ""
            yield (
                f"Changes are against today's policy, {self.today}, with 95 % intervals, from "
                f"{self.replications} replications. The model is {self.check.verdict} on this log."
            )

    def as_json(self) -> dict[str, Any]:
        """Return the answer as values of JSON."""
        return {
            "verdict": self.verdict,
            "sentence": self.sentence,
            "today": self.today,
            "model": None if self.check is None else self.check.verdict,
            "replications": self.replications,
            "opinions": [
                {
                    "settings": dict(one.settings),
                    "verdict": one.verdict,
                    "sentence": one.sentence,
                    "change": {name: told(one.change[name]) for name in FIGURES if name in one.change}
                    or None,
                    "worst": one.worst or None,
                    "safety": one.safety or None,
                    "family": one.family or None,
                }
                for one in self.opinions
            ],
        }


def check_advice(
    *paths: str | Path | Upload,
    advice: str,
    budget: float = BUDGET,
    replications: int | None = None,
    seed: int = 1,
    leave_out: str = "",
    bar: Callable[[int], AbstractContextManager[Callable[[int], object]]] = silent,
) -> SecondOpinion:
    """Say of settings that somebody advises what they would gain and cost on the jobs of a log.

    Parameters
    ----------
    *paths : str, Path or Upload
        A log, several files of one, or a folder of its parts.
    advice : str
        Settings as their system reads them: ``"spark.speculation=true spark.speculation.multiplier=1.5"``.
    budget : float, optional
        Most extra slot-time of what is approved, as a share of today's.
    replications : int, optional
        How often the jobs are played again; as many as take seconds unless given.
    seed : int, optional
    leave_out : str, optional
        As of `sim.diagnose`.
    bar : callable, optional
        Makes of the number of tasks that are to be played what is told of those that have been.

    Returns
    -------
    SecondOpinion
        `verdict`, `sentence`, `opinions`; `as_text()`, `as_json()`.

    Raises
    ------
    BadInput
        Naming the file, the setting or the value, and what is accepted.

    Examples
    --------
    >>> import sim
    >>> from sim.logs.samples import slurm
    >>> sim.check_advice(slurm(arrays=6, tasks=16), advice="--mem=8G").sentence[:36]
    'Not mine: this setting is about memo'
    """
    budget = canonical("budget", budget, float, _BUDGET)
    settings = settings_of(advice)
    owners = {key: owner_of(key) for key in settings}
    reading = read_and_fit(*given("paths", paths), leave_out=leave_out)
    history, model = reading.history, reading.model
    ours = system_of(history)
    own = {key: settings[key] for key, system in owners.items() if system is not None and system is ours}
    asked = policy_of(ours, history, own) if ours is not None and own else None
    if model is None:
        judge = None
    else:
        question = Replay(model, leave_out=leave_out, seed=canonical("seed", seed, int, _SEED))
        judge = Judge(question, today(history), budget, replications, bar)
    opinions = []
    if asked is not None:
        if judge is None:
            opinions.append(Opinion(own, CANNOT_TELL, f"{reading.reason}."))
        elif asked.policy is None:
            opinions.append(Opinion(own, CANNOT_TELL, f"{asked.note}."))
        else:
            opinions.append(judge.copies(own, asked.policy, asked.note))
    rest = {key: value for key, value in settings.items() if key not in own}
    if judge is not None:
        for one in judge.remedies({key: value for key, value in rest.items() if owners[key] is None}):
            opinions.append(one)
            rest = {key: value for key, value in rest.items() if key not in one.settings}
    for key, value in rest.items():
        opinions.append(_foreign(key, value, owners[key], history))
    return SecondOpinion(
        tuple(opinions),
        today(history),
        judge.checked if judge is not None else None,
        judge.count if judge is not None and judge.checked is not None else 0,
    )


def _foreign(key: str, value: str, system: Any, history: History) -> Opinion:
    """Say of a setting what it is about, which the lab does not model."""
    if system is not None:
        whose = f"this is a setting of {system.title}, and the log is of {_wrote(history)}"
        return Opinion({key: value}, NOT_MINE, f"{whose}.", family="another system")
    family = family_of(key)
    if not family:
        return Opinion(
            {key: value}, NOT_MINE, f"this setting is not known; the lab models {MODELLED}.", family="unknown"
        )
    if history.settings.get(key, "").lower() == value.lower() != "":
        return Opinion({key: value}, ALREADY, "the log ran under it.", family=family)
    one = families()[family]
    why = f"this setting is about {one.about}; the lab models {MODELLED}. {one.instead}"
    return Opinion({key: value}, NOT_MINE, why, family=family)


def _wrote(history: History) -> str:
    system = system_of(history)
    return system.title if system else f"the format {history.format}"


def _named(settings: Mapping[str, str]) -> str:
    return ", ".join(
        f"{shortened(key)}={shortened(value)}" if value else shortened(key) for key, value in settings.items()
    )


class Judge:
    """Judges settings on the jobs of a model, which it checks once.

    Parameters
    ----------
    question : Replay
    now : str
        Today's policy.
    budget : float
    replications : int or None
    bar : callable

    Attributes
    ----------
    checked : Check or None
        How the model came out; None before anything is played.
    count : int
        Replications.
    """

    def __init__(
        self,
        question: Replay,
        now: str,
        budget: float,
        replications: int | None,
        bar: Callable[[int], AbstractContextManager[Callable[[int], object]]],
    ) -> None:
        self.question, self.budget, self._bar = question, budget, bar
        (self.policies, self.now) = compared(question, [now])
        self.tasks = int(question.model.tasks.sum())
        usual = max(_FEWEST, min(_MOST, _TASKS // max(1, self.tasks)))
        accepted = About("replications", low=2, high=100_000)
        self.count = usual if replications is None else canonical("replications", replications, int, accepted)
        within_bounds(question.model, 2, self.count)
        self.checked: Check | None = None
        self._today: list[ReplicationFigures] = []

    @property
    def _policy(self) -> SlotPolicy:
        return self.policies[self.now]

    def _played(self, question: Replay, policy: SlotPolicy) -> Mapping[str, SettingEffect] | None:
        """Return the changes against today's; None where the model does not reproduce the log."""
        with self._bar((1 + 2 * (not self._today)) * self.count * self.tasks) as progress:
            player = Player(progress=progress)
            numbers = range(self.count)
            if self.checked is None:
                self.checked, _ = check_model(self.question, self._policy, self.count, player)
            if self.checked.verdict == POOR:
                return None
            self._today = self._today or in_parts(player, tallies, self.question, self._policy, numbers)
            found = in_parts(player, tallies, question, policy, numbers)
        return widened(changes(found, self._today), self.checked.widened)

    def _poor(self, settings: Mapping[str, str]) -> Opinion:
        assert self.checked is not None
        return Opinion(
            settings,
            CANNOT_TELL,
            f"the model does not reproduce this log well enough. {refused(self.checked)}",
        )

    def copies(self, settings: Mapping[str, str], policy: SlotPolicy, note: str) -> Opinion:
        """Judge settings of copies."""
        if policy == self._policy:
            return Opinion(settings, ALREADY, f"the log ran under {policy.name}.")
        history = self.question.model.history
        system = system_of(history)
        makes = policy.speculation.key != "none"
        found = safety(history, system.key if system else "")
        change = self._played(self.question, policy)
        rest = f" {begun(note)}." if note else ""
        if makes and found.level == NEVER:
            return Opinion(
                settings,
                NOT_APPROVED,
                f"it would cost data. {found.sentence}{rest}",
                change or {},
                found.sentence,
            )
        if change is None:
            return self._poor(settings)
        verdict, why = judged(change, self.budget)
        return Opinion(
            settings, verdict, f"{policy.name} {why}{rest}", change, found.sentence if makes else ""
        )

    def remedies(self, settings: Mapping[str, str]) -> Iterator[Opinion]:
        """Yield what is said of settings that apply a remedy, in this log."""
        history = self.question.model.history
        system = system_of(history)
        key = system.key if system else history.format
        for remedy in (HOSTS, SPLIT, WARM):
            way = remedy.ways[0]
            lines = remedy.paste(self.question, key, way).settings
            wanted = {name: value for name, value in settings.items() if name in lines}
            if remedy is HOSTS:
                wanted |= {name: value for name, value in settings.items() if name in _HOSTS}
            if wanted:
                yield self._remedy(remedy, way, lines, wanted)

    def _remedy(
        self, remedy: Remedy, way: Variant, lines: Mapping[str, str], settings: Mapping[str, str]
    ) -> Opinion:
        if why := remedy.untold(self.question) or self._differs(remedy, lines, settings):
            return Opinion(settings, CANNOT_TELL, f"{way.does} is what this is about, and {why}.")
        change = self._played(remedied(self.question, way.key), self._policy)
        if change is None:
            return self._poor(settings)
        verdict, why = judged(change, self.budget, mends=True)
        told = f"{way.does} {why}"
        for other in remedy.ways[1:] if verdict != APPROVED else ():  # hosts that go may be replaced
            instead = self._played(remedied(self.question, other.key), self._policy)
            if instead is not None and judged(instead, self.budget, mends=True)[0] == APPROVED:
                told += f" Instead, {other.does} {judged(instead, self.budget, mends=True)[1]}"
        return Opinion(settings, verdict, told, change)

    def _differs(self, remedy: Remedy, lines: Mapping[str, str], settings: Mapping[str, str]) -> str:
        """Return how settings differ from those whose effect is played; empty where they do not."""
        if remedy is HOSTS:
            (named,) = {frozenset(re.split(r"[,\s]+", value)) for value in list(settings.values())[:1]}
            slow = slow_hosts(self.question)
            return (
                ""
                if named == set(slow)
                else f"the slow hosts of this log are {listed(slow)}: only these are played"
            )
        low, high = _NEAR[remedy.key]
        for name, value in settings.items():
            ours, theirs = _size(lines[name]), _size(value)
            same = value.lower() == lines[name].lower() or (
                ours is not None and theirs is not None and low * ours <= theirs <= high * ours
            )
            if not same:
                return f"it is played with {name}={lines[name]} only"
        usual = version(self.question.model.history.settings) >= (3, 2)
        left = [
            name for name, value in lines.items() if name not in settings and not (usual and value == "true")
        ]
        return f"{listed([f'{name}={lines[name]}' for name in left])} belongs to it" if left else ""


_UNITS = {"": 1.0, "s": 1.0, "k": 2.0**10, "m": 2.0**20, "g": 2.0**30, "t": 2.0**40}


def _size(text: str) -> float | None:
    """Read a number with a unit of bytes, or seconds.

    Examples
    --------
    >>> _size("64MB"), _size("120s"), _size("auto")
    (67108864.0, 120.0, None)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?(s?)", text.strip().lower())
    return float(found[1]) * _UNITS[found[2]] if found else None


def judged(change: Mapping[str, SettingEffect], budget: float, *, mends: bool = False) -> tuple[str, str]:
    """Return the verdict of changes, and why, after the name of what is changed.

    Harm comes first: in the worst of the models the mean and the p95 of the job time may grow by `LOSS`.

    Examples
    --------
    >>> none = SettingEffect(0.0, -0.01, 0.01)
    >>> gain, loss = SettingEffect(-0.3, -0.4, -0.25), SettingEffect(0.2, 0.1, 0.3)
    >>> judged({"mean": gain, "p95": gain, "slot_time": none}, 0.05)[0]
    'approved'
    >>> judged({"mean": loss, "p95": none, "slot_time": none}, 0.05)
    ('not approved', 'would cost: the mean job time changes by +20.0 % (+10.0 to +30.0).')
    >>> judged({"mean": none, "p95": none, "slot_time": none}, 0.05)[1]
    'would change nothing that is worth it: the mean job time changes by +0.0 % (-1.0 to +1.0).'
    """
    mean, p95, slots = (change[name] for name in ("mean", "p95", "slot_time"))
    harmless = mean.high <= LOSS and p95.high <= LOSS
    of = partial(_told, change)
    if harmless and any(surely_pays(change, name, budget, mends=mends) for name in ("mean", "p95")):
        return APPROVED, f"surely pays: {of('mean')}, {of('slot_time')}."
    if harmless and slots.sure <= -WORTH and mean.high <= WORTH:
        return APPROVED, f"surely saves slot-time: {of('slot_time')}, {of('mean')}."
    if any(
        surely_pays(change, one, budget, mends=mends) or is_a_bet(change, one, budget)
        for one in ("mean", "p95")
    ):
        return TO_TRY, f"mostly pays, and may cost in the worst case: {of('mean')}, {of('slot_time')}."
    costs = [name for name in ("mean", "p95") if change[name].low > 0 and change[name].value >= WORTH / 3]
    costs += ["slot_time"] * (slots.low > budget)
    if costs:
        return NOT_APPROVED, f"would cost: {', '.join(map(of, costs))}."
    could = [name for name in ("mean", "p95") if change[name].high > LOSS]
    could += ["slot_time"] * (slots.high > (1 + BEYOND) * budget)
    if could:
        return NOT_APPROVED, f"could cost: {', '.join(map(of, could))}."
    if min(mean.low, p95.low) > -WORTH:
        return NOT_APPROVED, f"would change nothing that is worth it: {of('mean')}."
    return CANNOT_TELL, f"gains nothing for sure that is worth a change: {of('mean')}, {of('p95')}."


def _told(change: Mapping[str, SettingEffect], name: str) -> str:
    article = "" if name == "slot_time" else "the "
    return f"{article}{FIGURES[name]} changes by {change[name].percent}"
