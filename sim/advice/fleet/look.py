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
from sim.advice.fleet.advice import UNTOLD, Advised
from sim.advice.fleet.finding import Log, files_in
from sim.advice.whatif.executors import Executor, executor_of
from sim.advice.whatif.price import FREE, Price, Tariff
from sim.logs.formats import NoLog, read_history
from sim.logs.history import History
from sim.logs.refusing import refusing
from sim.logs.source import Upload, members
from sim.model.fields import BadInput
from theory.shown import shortened

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
