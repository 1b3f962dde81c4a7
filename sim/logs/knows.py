"""What a format of logs tells, and what its system can do: each reader declares it once, as its `KNOWS`.

From it follow the table of formats in the documents, whether second copies are promised, and which states of
a job cannot be told apart (`sim.advice.diagnosis.account`), and what is said and asked for where a log does
not tell something (`Knows.untold`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from theory.quoting import quoted

#: Whether a log tells something: each, some or a part of each, or none.
YES, SOME, NO = "yes", "in part", "no"
#: Of the order of stages: a job has one stage.
ALONE = "one stage"
#: Of submissions: that of the first task of a stage only, not of the others.
FIRST = "first task"
#: Of a system: nobody knows whether it can.
UNKNOWN = "not known"
#: What is asked of a log, in a sentence.
_ASKED = {
    "order": "which stage waits for which",
    "read": "what tasks read",
    "hosts": "where tasks ran",
    "slots": "how many slots there were",
}


@dataclass(frozen=True, kw_only=True)
class Knows:
    """What the logs of a format tell (`YES`, `SOME` or `NO`), and what its system can do.

    Parameters
    ----------
    system : str
        What a sentence calls it.
    order : str
        Which stages read the output of which; `ALONE` where a job has one stage.
    submission : str
        When the tasks of a stage were submitted; `FIRST` if of its first task only.
    launch : str
        When a task took its slot. Where it is not recorded, the reader makes up a time.
    start : str
        When its own work began, after input, images or a worker.
    read, written : str
        What it read, and what it wrote, in bytes or records.
    hosts : str
        Where it ran.
    slots : str
        How many slots there were, from when to when.
    profile : str, optional
        Which slots could have taken a task.
    copies : str
        Whether the system can run a second copy of a running task; `UNKNOWN` where a log is of any system.
    how : str, optional
        The setting by which it does.
    again : str
        Whether finished work can run again, since its output was lost, or `UNKNOWN`.
    give : mapping of str to str, optional
        What to give for a field that a log tells in part, where it does not.
    """

    system: str
    order: str
    submission: str
    launch: str
    start: str
    read: str
    written: str
    hosts: str
    slots: str
    profile: str = NO
    copies: str
    how: str = ""
    again: str
    give: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        system = (YES, NO, UNKNOWN)
        other: dict[str, tuple[str, ...]] = {
            "order": (YES, SOME, ALONE, NO),
            "copies": system,
            "again": system,
        }
        other["submission"] = (YES, SOME, FIRST, NO)
        for one in fields(self):
            known = other.get(one.name, (YES, SOME, NO))
            if one.name not in ("system", "how", "give") and getattr(self, one.name) not in known:
                found = quoted(getattr(self, one.name))
                raise ValueError(f"{self.system}: {one.name} is {found}, not of {known}")

    def untold(self, name: str) -> str:
        """Say that a log does not tell what a field is about, and what to give if another could.

        Examples
        --------
        >>> from sim.logs.formats import knows_of
        >>> knows_of("ray").untold("read"), knows_of("nextflow").untold("hosts")
        ('Ray does not record what tasks read', 'this log does not tell where tasks ran; give hostname')
        """
        if getattr(self, name) in (NO, ALONE):
            return f"{self.system} does not record {_ASKED[name]}"
        asked = f"; give {self.give[name]}" if name in self.give else ""
        return f"this log does not tell {_ASKED[name]}{asked}"

    @property
    def no_copies(self) -> str:
        """Why no second copy can help; empty if one may run."""
        return f"{self.system} never runs a second copy of a task" if self.copies == NO else ""
