"""What is known while tasks run: durations of the siblings that are done, ages of those that are not.

They are read from text here, as numbers with or without a unit, and from a history in `running`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from sim.model.fields import BadInput
from theory.quoting import quoted

#: Siblings that are read from a text.
MOST = 100_000
#: Times below which a task is none, s.
SHORTEST = 1e-6
#: Seconds of a unit.
UNITS = {
    **dict.fromkeys(("ms", "msec"), 1e-3),
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
}
_CLOCK = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)")
_AMOUNT = re.compile(r"(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)\s*([a-zA-Z]*)")
_ACCEPTED = "give numbers such as 12, 1.5 min or 1:30"
#: A size, with the letter of its power of 1000, or of 1024 before an i.
_SIZE = re.compile(r"(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)([kKMGTP]?)(i?)B?")
_POWERS = " kmgtp"


@dataclass(frozen=True, eq=False)
class Siblings:
    """Tasks of one stage, some of which still run.

    Parameters
    ----------
    done : ndarray, shape (n,)
        Durations of those that are done, s.
    ages : ndarray, shape (m,)
        Ages of those that are not, s.
    name : str
        Of the stage, for people.
    tasks : tuple of str
        What the running tasks are called; numbered unless given.
    done_work, work : ndarray
        Work of each (bytes, records, tokens), NaN where it is not known; of a running task perhaps only
        what it has read so far.
    done_hosts, hosts : tuple of str
        Where each ran or runs, empty where that is not known.
    copied : tuple of bool
        Whether a running task has a second copy already.
    unit : str
        Of the work.

    Raises
    ------
    BadInput
        If a time is not above 0, or of a part there is not one for each task.
    """

    done: np.ndarray
    ages: np.ndarray
    name: str = ""
    tasks: tuple[str, ...] = ()
    done_work: np.ndarray = field(default_factory=lambda: np.empty(0))
    work: np.ndarray = field(default_factory=lambda: np.empty(0))
    done_hosts: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    copied: tuple[bool, ...] = ()
    unit: str = "bytes"

    def __post_init__(self) -> None:
        """Check and complete the parts."""
        for name in ("done", "ages"):
            values = np.asarray(getattr(self, name), float)
            object.__setattr__(self, name, values)
            wrong = values[~((values >= SHORTEST) & (values < 1e12))]
            if wrong.size:
                raise BadInput(
                    f"{name}: {quoted(float(wrong[0]))} s is not accepted; give from {SHORTEST:g} to 1e12 s"
                )
        for part, times, whole in (("done_work", "done", "durations"), ("work", "ages", "ages")):
            values = np.asarray(getattr(self, part), float)
            count = len(getattr(self, times))
            if values.size not in (0, count):
                raise BadInput(f"{part}: {values.size} sizes for {count} {whole}; give one for each, or none")
            object.__setattr__(self, part, values if values.size else np.full(count, np.nan))
        for part, count in (("done_hosts", len(self.done)), ("hosts", len(self.ages))):
            if len(getattr(self, part)) != count:
                object.__setattr__(self, part, ("",) * count)
        if len(self.copied) != len(self.ages):
            object.__setattr__(self, "copied", (False,) * len(self.ages))
        if len(self.tasks) != len(self.ages):
            names = tuple(f"task {1 + len(self.done) + place}" for place in range(len(self.ages)))
            object.__setattr__(self, "tasks", names)


def times_in(text: str, name: str) -> np.ndarray:
    """Read times from a text: numbers with or without a unit, apart by spaces, commas or lines.

    Parameters
    ----------
    text, name : str
        The text, and what it is called in messages.

    Returns
    -------
    ndarray
        Seconds.

    Raises
    ------
    BadInput
        Naming the first word that is no time.

    Examples
    --------
    >>> times_in("12, 13.5 s; 1:30 2 min", "done")
    array([ 12. ,  13.5,  90. , 120. ])
    >>> times_in("12 x", "done")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: done: 'x' is not accepted; give numbers such as 12, 1.5 min or 1:30
    """
    found: list[float] = []
    unit = "|".join(sorted(filter(None, UNITS), key=len, reverse=True))
    joined = re.sub(rf"(?<=[\d.])[ \t]+(?=(?:{unit})\b)", "", text, flags=re.IGNORECASE)  # 2 min
    for word in filter(None, re.split(r"[\s,;|]+", joined)):
        found.append(_seconds(word, name))
        if len(found) > MOST:
            raise BadInput(f"{name}: more than {MOST:,} times; give those of one stage")
    return np.array(found)


def _seconds(word: str, name: str) -> float:
    if clock := _CLOCK.fullmatch(word):
        days, hours, minutes, seconds = (float(one or 0) for one in clock.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    amount = _AMOUNT.fullmatch(word)
    if amount is None or amount[2].lower() not in UNITS:
        raise BadInput(f"{name}: {quoted(word)} is not accepted; {_ACCEPTED}")
    return float(amount[1]) * UNITS[amount[2].lower()]


def sizes_in(text: str, name: str) -> np.ndarray:
    """Read sizes from a text: numbers with or without a prefix, apart by spaces, commas or lines.

    Raises
    ------
    BadInput
        Naming the first word that is no size.

    Examples
    --------
    >>> sizes_in("120, 1.5 kB 128.0 MiB", "sizes").tolist()
    [120.0, 1500.0, 134217728.0]
    """
    joined = re.sub(r"(?<=[\d.])[ \t]+(?=[kKMGTP]?i?B\b)", "", text)  # 64.0 MiB
    found = []
    for word in filter(None, re.split(r"[\s,;|]+", joined)):
        if not (size := _SIZE.fullmatch(word)):
            raise BadInput(f"{name}: {quoted(word)} is not accepted; give numbers such as 1200, 64MiB or 2GB")
        found.append(float(size[1]) * (1024 if size[3] else 1000) ** _POWERS.index(size[2].lower() or " "))
    return np.array(found)
