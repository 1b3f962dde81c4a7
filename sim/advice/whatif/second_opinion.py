"""`sim.check_advice`: what somebody advises for the application of a log, judged by the model of its jobs.

Harm comes first (`sim.advice.whatif.verdict.judged`). Approved is what surely pays, as What-if itself
would advise it, and what in the worst of the models that fit the log makes jobs hardly longer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.advice.whatif.advised import families, family_of, owner_of, policy_of, settings_of
from sim.advice.whatif.answer import BUDGET, compared
from sim.advice.whatif.check import GOOD, POOR, Check, check_model
from sim.advice.whatif.doubt import MODELS
from sim.advice.whatif.library import Reading, read_and_fit, silent
from sim.advice.whatif.price import megabytes, version
from sim.advice.whatif.remedies.hosts import HOSTS, slow_hosts
from sim.advice.whatif.remedies.judged import WARM, remedied
from sim.advice.whatif.remedies.splitting import SPLIT
from sim.advice.whatif.remedies.variant import Remedy, Variant
from sim.advice.whatif.report import refused, told
from sim.advice.whatif.runs import Replay, ReplicationFigures, in_parts, tallies, within_bounds
from sim.advice.whatif.safety import NEVER, safety
from sim.advice.whatif.setting_effect import FIGURES, WORTH, SettingEffect, changes, widened
from sim.advice.whatif.systems import NONE, seconds_of, system_of, today, under
from sim.advice.whatif.verdict import (
    ALREADY,
    APPROVED,
    CANNOT_TELL,
    IN_PART,
    NOT_APPROVED,
    NOT_MINE,
    TO_TRY,
    judged,
    watch_of,
)
from sim.engines.slots.scenario import SlotPolicy, read_policy
from sim.logs.history import History
from sim.logs.source import Upload
from sim.logs.tabled import given
from sim.model.fields import About, canonical
from sim.running.parallel import Player
from sim.telling.words import begun, counted, in_percent, listed
from theory.quoting import shortened

#: Verdicts of a part, that which decides about all of them first.
_FIRST = (NOT_APPROVED, CANNOT_TELL, TO_TRY, APPROVED, ALREADY)
#: Tasks of all replications of a setting, so that an answer takes seconds, and replications at most and at
#: least: with two of each model the interval holds all models, and what luck does is seen within each.
_TASKS, _MOST, _FEWEST = 700_000, 100, 2 * MODELS
#: What the lab models, for those who advise something else.
MODELLED = "copies of slow tasks, hosts that are left out, tasks that are split, and slots that are kept warm"
#: Options that name hosts which get no tasks.
_HOSTS = ("spark.yarn.exclude.nodes", "--exclude")
#: What each remedy asks of a number: from so many times ours to so many times.
_NEAR = {SPLIT.key: (0.5, 2.0), WARM.key: (1.0, 2.0)}
_SEED = About("random seed", low=0, high=2**53 - 1)
_BUDGET = About("most extra slot-time, as a share", low=0, high=10)
_REPLICATIONS = About("replications", low=2, high=100_000)


@dataclass(frozen=True)
class Opinion:
    """What is said of some of the settings.

    Parameters
    ----------
    settings : mapping of str to str
    verdict : str
        Such as `APPROVED`.
    why : str
        Sentences.
    change : mapping of str to SettingEffect, optional
        Figure -> change against today's; empty where nothing was played.
    played : str, optional
        What was played in place of today's policy.
    wrong_if : str, optional
        What would make it false.
    safety : str, optional
        Whether a task may run twice; empty where none would.
    family : str, optional
        What settings are about that are not modelled.
    """

    settings: Mapping[str, str]
    verdict: str
    why: str
    change: Mapping[str, SettingEffect] = field(default_factory=dict)
    played: str = ""
    wrong_if: str = ""
    safety: str = ""
    family: str = ""

    @property
    def sentence(self) -> str:
        """What it gains and costs, with 95 % intervals, and why that is the verdict."""
        if not self.change:
            return self.why
        gain, cost = (self.change[name].percent for name in ("mean", "slot_time"))
        return f"mean job time {gain}, slot-time {cost}. {begun(self.why)}"

    @property
    def worst(self) -> str:
        """Say what the settings cost in the worst of the models."""
        if not self.change:
            return ""
        longer, more = (max(self.change[name].high, 0.0) for name in ("mean", "slot_time"))
        return (
            f"In the worst of {MODELS} models that fit this log jobs take {in_percent(longer)} longer on "
            f"average, and slot-time grows by {in_percent(more)}."
        )

    @property
    def named(self) -> str:
        """The settings, as they are written."""
        return ", ".join(
            f"{shortened(key)}={shortened(value)}" if value else shortened(key)
            for key, value in self.settings.items()
        )

    def lines(self) -> Iterator[str]:
        """Yield what is known beside the sentence."""
        if self.played:
            yield f"Played: {self.played}."
        if self.change:
            yield f"{begun(FIGURES['p95'])} {self.change['p95'].percent}."
        yield from (one for one in (self.worst, self.safety, self.wrong_if) if one and one not in self.why)

    def as_json(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        change = {name: told(self.change[name]) for name in FIGURES if name in self.change}
        texts = ("played", "worst", "wrong_if", "safety", "family")
        return {
            "settings": dict(self.settings),
            "verdict": self.verdict,
            "sentence": self.sentence,
            "change": change or None,
            **{name: getattr(self, name) or None for name in texts},
        }


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
        ours = [one.verdict for one in self.opinions if one.verdict != NOT_MINE]
        if not ours:
            return NOT_MINE
        worst = min(ours, key=_FIRST.index)
        in_part = len(ours) < len(self.opinions) and worst == APPROVED
        return IN_PART if in_part else worst

    @property
    def _leading(self) -> Opinion:
        return min(self.opinions, key=lambda one: (*_FIRST, NOT_MINE).index(one.verdict))

    @property
    def sentence(self) -> str:
        """The verdict, what it rests on, and what is not judged."""
        foreign = [one for one in self.opinions if one.verdict == NOT_MINE and one is not self._leading]
        names = [shortened(name) for one in foreign for name in one.settings]
        rest = f" Not judged: {listed(names)}." if names else ""
        return f"{begun(self.verdict)}: {self._leading.sentence}{rest}"

    def as_text(self) -> str:
        """Return the answer for a terminal."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.sentence
        for one in self.opinions:
            if len(self.opinions) == 1 and not one.change:
                continue  # all of it is said
            yield f"\n{one.named}"
            if one is not self._leading:
                yield f"  {begun(one.verdict)}: {one.sentence}"
            elif len(self.opinions) > 1:
                yield f"  {begun(one.verdict)}."
            yield from (f"  {line}" for line in one.lines())
        if self.check is not None and any(one.change for one in self.opinions):
            yield (
                f"\nChanges are against today's {read_policy(self.today).name}, with 95 % intervals, from "
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
            "opinions": [one.as_json() for one in self.opinions],
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
    reading = read_and_fit(*given("paths", paths), leave_out=leave_out)
    judge = None
    if reading.model is not None:
        question = Replay(reading.model, leave_out=leave_out, seed=canonical("seed", seed, int, _SEED))
        judge = Judge(question, today(reading.history), budget, replications, bar)
    opinions = tuple(_opinions(settings, reading, judge))
    if judge is None or judge.checked is None:  # nothing was played
        return SecondOpinion(opinions, today(reading.history), None, 0)
    return SecondOpinion(opinions, today(reading.history), judge.checked, judge.count)


def _opinions(settings: Mapping[str, str], reading: Reading, judge: Judge | None) -> Iterator[Opinion]:
    """Yield what is said of settings: of copies, then of remedies, then of what is not modelled."""
    history, owners = reading.history, {key: owner_of(key) for key in settings}
    ours = system_of(history)
    own = {key: settings[key] for key, system in owners.items() if system is not None and system is ours}
    asked = policy_of(ours, history, own) if ours is not None and own else None
    if asked is not None:
        if judge is None:
            yield Opinion(own, CANNOT_TELL, f"{reading.reason}.")
        elif asked.policy is None:
            yield Opinion(own, CANNOT_TELL, f"{asked.note}.")
        else:
            yield judge.copies(own, asked.policy, asked.note)
    rest = {key: value for key, value in settings.items() if key not in own}
    if judge is not None:
        for one in judge.remedies({key: value for key, value in rest.items() if owners[key] is None}):
            yield one
            rest = {key: value for key, value in rest.items() if key not in one.settings}
    for key, value in rest.items():
        yield _foreign(key, value, owners[key], history)


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
        return Opinion({key: value}, ALREADY, _RAN, family=family)
    one = families()[family]
    why = f"this setting is about {one.about}; the lab models {MODELLED}. {one.instead}"
    return Opinion({key: value}, NOT_MINE, why, family=family)


def _wrote(history: History) -> str:
    system = system_of(history)
    return system.title if system else f"the format {history.format}"


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
        self.system = system_of(question.model.history)
        (self.policies, self.now) = compared(question, [now])
        self.tasks = int(question.model.tasks.sum())
        usual = max(_FEWEST, min(_MOST, _TASKS // max(1, self.tasks)))
        self.count = canonical(
            "replications", usual if replications is None else replications, int, _REPLICATIONS
        )
        within_bounds(question.model, 2, self.count)
        self.checked: Check | None = None
        self._today: list[ReplicationFigures] = []

    @property
    def _policy(self) -> SlotPolicy:
        return self.policies[self.now]

    def _plays(self, question: Replay, policy: SlotPolicy) -> list[ReplicationFigures]:
        """Return replications; none where the model does not reproduce the log, which is checked first."""
        with self._bar((1 + 2 * (not self._today)) * self.count * self.tasks) as progress:
            player = Player(progress=progress)
            numbers = range(self.count)
            if self.checked is None:
                self.checked, _ = check_model(self.question, self._policy, self.count, player)
            if self.checked.verdict == POOR:
                return []
            self._today = self._today or in_parts(player, tallies, self.question, self._policy, numbers)
            return in_parts(player, tallies, question, policy, numbers)

    def _change(self, plays: Sequence[ReplicationFigures]) -> Mapping[str, SettingEffect]:
        assert self.checked is not None
        return widened(changes(plays, self._today), self.checked.widened) if plays else {}

    def _poor(self, settings: Mapping[str, str]) -> Opinion:
        assert self.checked is not None
        why = f"the model does not reproduce this log well enough. {refused(self.checked)}"
        return Opinion(settings, CANNOT_TELL, why)

    def _wrong_if(self, change: Mapping[str, SettingEffect], verdict: str, makes: bool = False) -> str:
        """Say what would make an opinion false, or would decide it."""
        jobs = counted(int(self.question.kept.sum()), "job")
        wrong = f"This is wrong if jobs to come are unlike the {jobs} of this log."
        pays = change["mean"].value <= -WORTH and change["slot_time"].value <= self.budget
        if makes and pays and verdict != APPROVED and not self.question.model.evidence.hidden.excluded:
            wrong = (
                "A log with copies would decide: this one does not exclude that slow tasks are slow by "
                "themselves, and otherwise it may pay."
            )
        assert self.checked is not None
        unfit = next((one.sentence for one in self.checked.items if one.grade != GOOD), "")
        return f"{wrong} The model is only fair: {unfit}." if unfit else wrong

    def copies(self, settings: Mapping[str, str], policy: SlotPolicy, note: str) -> Opinion:
        """Judge settings of copies."""
        makes = policy.speculation.key != "none"
        found = safety(self.question.model.history, self.system.key if self.system else "")
        if policy == self._policy:
            return (
                self._already(settings, policy, found.sentence) if makes else Opinion(settings, ALREADY, _RAN)
            )
        plays = self._plays(self.question, policy)
        change = self._change(plays)
        rest = f" {begun(note)}." if note else ""
        if makes and found.level == NEVER:
            why = f"it would cost data. {found.sentence}{rest}"
            return Opinion(settings, NOT_APPROVED, why, change, policy.name, safety=found.sentence)
        if not plays:
            return self._poor(settings)
        watch = watch_of(plays, self._today, change, self.budget) if makes else None
        verdict, why = judged(change, self.budget, watch=watch)
        wrong_if, safe = self._wrong_if(change, verdict, makes), found.sentence if makes else ""
        return Opinion(settings, verdict, f"{why}{rest}", change, policy.name, wrong_if, safe)

    def _already(self, settings: Mapping[str, str], policy: SlotPolicy, safe: str) -> Opinion:
        """Say what copies gain that are there already, as what their absence would cost."""
        off = read_policy(under(policy.sharing.key, NONE))
        change = self._change(self._plays(self.question, off))
        why = f"{_RAN} These are the changes without copies." if change else _RAN
        return Opinion(settings, ALREADY, why, change, off.name if change else "", safety=safe)

    def remedies(self, settings: Mapping[str, str]) -> Iterator[Opinion]:
        """Yield what is said of settings that apply a remedy, in this log."""
        key = self.system.key if self.system else self.question.model.history.format
        for remedy in (HOSTS, SPLIT, WARM):
            way = remedy.ways[0]
            lines = remedy.paste(self.question, key, way).settings
            names = {*lines, *(_HOSTS if remedy is HOSTS else ())}
            if wanted := {name: value for name, value in settings.items() if name in names}:
                yield self._remedy(remedy, way, lines, wanted)

    def _remedy(
        self, remedy: Remedy, way: Variant, lines: Mapping[str, str], settings: Mapping[str, str]
    ) -> Opinion:
        if why := remedy.untold(self.question) or self._differs(remedy, lines, settings):
            return Opinion(settings, CANNOT_TELL, f"{way.does} is what this is about, and {why}.")
        change = self._change(self._plays(remedied(self.question, way.key), self._policy))
        if not change:
            return self._poor(settings)
        verdict, why = judged(change, self.budget, mends=True)
        for other in remedy.ways[1:] if verdict != APPROVED else ():  # hosts that go may be replaced
            instead = self._change(self._plays(remedied(self.question, other.key), self._policy))
            if judged(instead, self.budget, mends=True)[0] == APPROVED:
                gain = instead["mean"].percent
                why += f" Instead, {other.does} surely pays: mean job time {gain}."
        return Opinion(settings, verdict, why, change, way.does, self._wrong_if(change, verdict))

    def _differs(self, remedy: Remedy, lines: Mapping[str, str], settings: Mapping[str, str]) -> str:
        """Return how settings differ from those whose effect is played; empty where they do not."""
        if remedy is HOSTS:
            named, slow = {*re.split(r"[,\s]+", next(iter(settings.values())))}, slow_hosts(self.question)
            only = f"the slow hosts of this log are {listed(slow)}: only these are played"
            return "" if named == {*slow} else only
        low, high = _NEAR[remedy.key]
        for name, value in settings.items():
            ours, theirs = _size(lines[name]), _size(value)
            near = ours is not None and theirs is not None and low * ours <= theirs <= high * ours
            if not near and value.lower() != lines[name].lower():
                return f"it is played with {name}={lines[name]} only"
        usual = version(self.question.model.history.settings) >= (3, 2)  # switched on where nothing is set
        left = lines.keys() - settings.keys() - {name for name in lines if usual and lines[name] == "true"}
        return (
            f"{listed([f'{name}={lines[name]}' for name in lines if name in left])} belongs to it"
            if left
            else ""
        )


_RAN = "the log ran under it."


def _size(text: str) -> float | None:
    """Read a size in megabytes, a time in seconds, or a number."""
    found = megabytes(text, "b")
    return seconds_of(text) if found is None else found
