"""A first look at a log of a fleet: what its diagnosis says, without simulation.

What is lost, what to do first and where the time went are those of `sim.advice.diagnosis`, as of the log
alone. What is lost bounds what mending single slow tasks could win; where most tasks of a stage are slow, a
remedy may win more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Self, TypeVar, get_args, get_origin, get_type_hints

import orjson

from sim.advice.diagnosis import CAUSES, diagnose
from sim.advice.diagnosis.account import STATES
from sim.advice.diagnosis.findings import Finding
from sim.advice.fleet.discovery import Log, files_in
from sim.advice.whatif.price import FREE, Executor, Price, Tariff, executor_of
from sim.logs.foreign import refusing
from sim.logs.formats import NoLog, read_history
from sim.logs.history import History
from sim.logs.source import Upload, members
from sim.model.fields import BadInput
from sim.running.parallel import HERE, Player
from sim.telling.words import begun
from theory.quoting import shortened

# The remedy for a log of a fleet: the answer of What-if, in short.
#
# The question is the one that What-if begins with, and who leads its answer leads here
# (`sim.advice.whatif.answer.Answer.leading_remedy`): nothing is advised that the page of one log would not
# advise.

#: Replications of a setting, as What-if begins with.
REPLICATIONS = 100
#: Remedy -> what it is called; those of What-if, and what is no remedy.
TRIAL, NOTHING, UNTOLD = "trial", "nothing", "untold"


@dataclass(frozen=True)
class Advised:
    """The remedy that What-if puts first.

    Parameters
    ----------
    remedy : str
        Key of the remedy (`sim.advice.whatif.remedies`); "trial" where a setting is to be tried, "nothing"
        where nothing surely pays, "untold" where the history cannot be played.
    title : str
        What it is called.
    told : str
        The answer in a sentence or two.
    low, value, high : float or None
        Change of the mean job time as a share, with its 95 % interval; None where nothing is to be done.
    slot_low, slot_value, slot_high : float or None
        Slot-hours more that it takes.
    """

    remedy: str
    title: str
    told: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    slot_value: float | None = None
    slot_low: float | None = None
    slot_high: float | None = None

    @property
    def surely(self) -> bool:
        """Whether it surely pays."""
        return self.value is not None and self.remedy != TRIAL

    def hours(self, recorded: float, end: str = "value") -> float | None:
        """Return hours of job time that it wins of those that were recorded; None where it wins none.

        Examples
        --------
        >>> Advised("split", "split", "", -0.25, -0.5, -0.125).hours(8.0, "low")
        4.0
        """
        change: float | None = getattr(self, end)
        return None if change is None else -change * recorded


def advised(
    history: History, player: Player = HERE, about_to_play: Callable[[int], object] = lambda tasks: None
) -> Advised:
    """Answer what What-if answers about a history, in short.

    Parameters
    ----------
    history : History
    player : Player, optional
    about_to_play : callable, optional
        Told how many tasks will be played, about.
    """
    from sim.advice.whatif.check import FIT, fitted
    from sim.advice.whatif.pieces import Constraints, SearchPlan, tasks_to_play
    from sim.advice.whatif.runs import Replay
    from sim.advice.whatif.steps import steps
    from sim.advice.whatif.systems import system_of

    try:
        system = system_of(history, "")
        model = player(fitted, history, tasks=FIT * history.copies.num_rows)
        inquiry = SearchPlan.of(Replay(model), system, REPLICATIONS)
        about_to_play(tasks_to_play(inquiry.question, len(inquiry.policies) - 1, inquiry.replications))
        *_, last = steps(inquiry, Constraints(), player, first=inquiry.replications, sweep=False)
    except BadInput as error:
        return untold(error)
    return in_short(last.answer)


def untold(error: BadInput) -> Advised:
    """Return that nothing can be told, and why."""
    return Advised(UNTOLD, "cannot be told", str(error))


def in_short(found: Any) -> Advised:
    """Return an answer of What-if in short.

    Parameters
    ----------
    found : sim.advice.whatif.answer.Answer
    """
    from sim.advice.whatif.check import POOR
    from sim.advice.whatif.remedies.variant import COPY
    from sim.advice.whatif.report import cost, why_not

    def of(remedy: str, title: str, told: str, one: Any) -> Advised:
        change, slots = one.change[found.objective], cost(found, one).slot_hours
        return Advised(
            remedy, title, told, change.value, change.low, change.high, slots.value, slots.low, slots.high
        )

    if found.check.verdict == POOR:
        return Advised(UNTOLD, "cannot be told", f"No advice: {why_not(found)}")
    leading = found.leading_remedy
    if leading is not None:
        return of(leading.remedy.key, leading.remedy.title, found.remedies.sentence, leading)
    advice, untold = found.advice, f" {found.undecided}" * bool(found.undecided)
    if advice is None or advice.policy == found.today:
        told = found.remedies.sentence if found.remedies else f"{begun(advice.reason)}."
        return Advised(NOTHING, "nothing surely pays", f"{told}{untold}")
    option = found.options[advice.policy]
    name = option.policy.name
    if found.risky:  # tasks of this application must not run twice
        return Advised(NOTHING, "nothing surely pays", f"{found.safety.sentence} It would be {name}.")
    told = f"{name}: {advice.reason}.{untold}"
    if advice.trial:
        return of(TRIAL, "try for an hour", f"Try for an hour: {told}", option)
    if not found.copies:
        return of(COPY.key, "switch copies off", told, option)
    return of(COPY.key, COPY.title, told, option)


_T = TypeVar("_T")

HOUR = 3600.0
#: Number in a kept look from which it is not believed: sums and products of greater ones are no numbers.
_MOST = 1e18
#: Files of a log in which its name is looked for, since a rolled one begins with an empty one, and bytes of
#: each, few first: the class path stands before it, 100 kB of PySpark 4.
_FIRST, _HEADS = 3, (2**16, 2**20)
_NAMED = re.compile(rb'"Event":"SparkListenerApplicationStart"[^\n]*?"App Name":("(?:[^"\\\n]|\\.)*")')


@dataclass(frozen=True)
class Look:
    """What is known of a log.

    Parameters
    ----------
    name : str
        Of the log in its fleet.
    application : str
        What the log says it is of; its name where it does not.
    format : str
        Key of its format; empty where it could not be read.
    jobs, tasks : int
        How many it has.
    hours : float
        Recorded time of the jobs that can be replayed, all together.
    lost : float or None
        Hours of these that stragglers cost; None where the log does not tell.
    slot_hours : float
        Time for which tasks held slots beyond the medians of their stages.
    executor : Executor or None
        Of the history.
    executor_untold : str
        What its log does not tell of executors.
    reason : str
        Why it could not be read, or what it does not tell.
    advised : Advised or None
        The remedy that What-if puts first; None where that has not been computed.
    first : str
        What to do first, as the diagnosis says it (`Diagnosis.answer`).
    findings : tuple of Finding
        What to do, of the diagnosis.
    account : dict of str to float
        Seconds of its jobs in each state of the account.
    no_log : bool
        Whether the file is no log at all.
    """

    name: str
    application: str = ""
    format: str = ""
    jobs: int = 0
    tasks: int = 0
    hours: float = 0.0
    lost: float | None = None
    slot_hours: float = 0.0
    executor: Executor | None = None
    executor_untold: str = ""
    reason: str = ""
    advised: Advised | None = None
    first: str = ""
    findings: tuple[Finding, ...] = ()
    account: dict[str, float] = field(default_factory=dict)
    no_log: bool = False

    @classmethod
    def unread(cls, name: str, why: BadInput | str, application: str = "") -> Self:
        """Return what is known of a log that is not read."""
        return cls(name, application or name, reason=str(why), no_log=isinstance(why, NoLog))

    @property
    def is_read(self) -> bool:
        """Whether the log could be read."""
        return bool(self.format)

    @property
    def gain(self) -> float | None:
        """Hours that the remedy would win; None where that is not computed or nothing is advised."""
        return None if self.advised is None else self.advised.hours(self.hours)

    @property
    def to_win(self) -> float:
        """Hours by which fleets are sorted: the gain where it is computed, what is lost where it is not."""
        known = self.advised is not None and self.advised.remedy != UNTOLD
        return (self.gain or 0.0) if known else (self.lost or 0.0)

    def slot_hour(self, price: Price) -> float:
        """Return what an hour of a slot costs; 0 where the price cannot be used."""
        return Tariff(price, self.executor, self.executor_untold).slot_hour

    def money(self, price: Price) -> float | None:
        """Return what the lost slot-time costs; None without a price that can be used."""
        slot_hour = self.slot_hour(price) if price != FREE else 0.0
        return self.slot_hours * slot_hour if slot_hour and self.lost is not None else None

    def named(self, name: str) -> Look:
        """Return the same look at a log of another name: equal logs are read once."""
        application = name if self.application == self.name else self.application
        return replace(self, name=name, application=application)

    @property
    def as_json(self) -> dict[str, Any]:
        """The look as values of JSON."""
        return asdict(self)

    @classmethod
    def of_json(cls, told: Mapping[str, Any]) -> Self:
        """Return the look that was written as JSON; raises `TypeError` for anything else."""
        found = _of_json(cls, told)
        if not {*found.account, *(one.key for one in found.findings)} <= {*CAUSES, *STATES}:
            raise TypeError("account, findings")
        return found


def _of_json(kind: type[_T], told: Any) -> _T:
    """Return an object of a value class; raises `TypeError` where a field is of another kind."""
    kinds = get_type_hints(kind)
    if not isinstance(told, dict) or not told.keys() <= kinds.keys():
        raise TypeError(kind.__name__)
    return kind(**{name: _value(kinds[name], value) for name, value in told.items()})


def _value(kind: Any, told: Any) -> Any:
    """Return a value of JSON if it is of a kind, such as ``float | None`` or ``dict[str, float]``."""
    if get_origin(kind) is dict and isinstance(told, dict):
        return {key: _value(get_args(kind)[1], value) for key, value in told.items()}
    if get_origin(kind) is tuple and isinstance(told, list):
        return tuple(_value(get_args(kind)[0], value) for value in told)
    for one in () if get_origin(kind) in (dict, tuple) else get_args(kind) or (kind,):
        if is_dataclass(one) and isinstance(one, type) and isinstance(told, dict):
            return _of_json(one, told)
        if type(told) is one or (one is float and type(told) is int):
            if isinstance(told, (int, float)) and abs(told) > _MOST:
                break
            return told
    raise TypeError(kind)


def look(
    log: Log,
    source: Path | Upload | Sequence[Upload] | None,
    most_bytes: int,
    *,
    progress: Callable[[int], None] = lambda number: None,
) -> Look:
    """Look at a log, in a process for such work.

    Parameters
    ----------
    log : Log
    source : Path, Upload, sequence of Upload or None
        The archive that it is in, or its files; None where these are paths.
    most_bytes : int
        Bytes accepted of it, unpacked.
    progress : callable, optional
        Told how many stored bytes more are read.

    Raises
    ------
    BadInput
        Saying why it cannot be read.
    """
    return look_and_read(log, source, most_bytes, progress=progress)[0]


def look_and_read(
    log: Log,
    source: Path | Upload | Sequence[Upload] | None,
    most_bytes: int,
    known: History | None = None,
    *,
    progress: Callable[[int], None] = lambda number: None,
) -> tuple[Look, History]:
    """Look at a log as `look`, and return what was read of it, which may be known already."""
    files = files_of_log(log, source, most_bytes)
    with refusing([log.name]):
        history = known or read_history(*files, most_bytes=most_bytes, progress=progress)
        named = _application(files, log.name) if history.format == "spark" else log.name
        return looked_at(history, log.name, named), history


def files_of_log(
    log: Log, source: Path | Upload | Sequence[Upload] | None, most_bytes: int
) -> Sequence[str | Upload]:
    """Return the files of a log: paths, or what is in an archive."""
    if source is None:
        return log.files
    return files_in(source, log, most_bytes) if isinstance(source, (Path, Upload)) else source


def looked_at(history: History, name: str, application: str = "") -> Look:
    """Return what the diagnosis of a history says.

    Examples
    --------
    >>> from sim.logs import samples
    >>> found = looked_at(read_history(samples.slurm()), "slurm")
    >>> found.format, found.jobs, found.tasks, 0 < found.lost < found.hours
    ('slurm', 30, 1920, True)
    >>> found.first
    'Replace node03 and node06: they take 1.78 and 1.68 times as long as the usual host, 12 % ...
    """
    found = diagnose(history)
    executor, untold = executor_of(history)
    seen = Look(
        name,
        application or name,
        history.format,
        history.jobs.num_rows,
        found.counts.tasks,
        executor=executor,
        executor_untold=untold,
        first=found.answer,
        findings=found.findings,
        account=dict(found.account.states),
    )
    if found.lost.share is None:
        return replace(seen, reason=found.cost)
    return replace(
        seen,
        hours=float(found.lost.jobs["recorded"].sum()) / HOUR,
        lost=max(found.lost.seconds, 0.0) / HOUR,
        slot_hours=max(found.lost.slot_time, 0.0) / HOUR,
    )


def _application(files: Sequence[str | Upload], name: str) -> str:
    """Return the name that Spark gives an application, if it stands near the beginning of its log."""
    try:
        for one, size in product(members(files)[:_FIRST], _HEADS):
            if found := _NAMED.search(one.head(size)):
                return shortened(str(orjson.loads(found[1])))
    except (BadInput, ValueError):
        pass
    return name
