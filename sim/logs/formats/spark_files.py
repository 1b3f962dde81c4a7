"""Finds which files of Spark are parts of one application, and in what order they were written.

Spark rolls a log into ``events_<n>_<application>``, Databricks into ``eventlog-<date>--<hour>-<minute>``
with the newest part in ``eventlog``. Any other file is an application of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from sim.logs.source import Member

_PACKED = r"(?:\.(?:zstd|zst|lz4|snappy|gz))?"
_ROLLED = re.compile(rf"events_(\d+)_(.+?){_PACKED}(\.compact)?$")
_DATED = re.compile(rf"eventlog(?:-(\d{{4}}-\d\d-\d\d--\d\d-\d\d))?{_PACKED}$")
#: Comes after any date.
_NEWEST = "~"


def part_of(name: str) -> str | None:
    """Return whose part a file is by its name: an application, or "" for that of its folder; None if of none.

    Examples
    --------
    >>> part_of("events_2_app-1.zstd"), part_of("eventlog-2026-01-02--03-00.gz"), part_of("app-1")
    ('app-1', '', None)
    """
    if part := _ROLLED.match(name):
        return part[2]
    return "" if _DATED.match(name) else None


def applications(members: Sequence[Member]) -> list[list[Member]]:
    """Group the files by application, the parts of each in the order in which they were written."""
    rolled: dict[str, dict[int, Member]] = {}
    compacted: dict[str, int] = {}
    dated: dict[int, list[tuple[str, Member]]] = {}
    seen: Counter[str] = Counter()
    groups = []
    for member in members:
        name = PurePosixPath(member.name).name
        if part := _ROLLED.match(name):
            number, application = int(part[1]), part[2]
            if part[3]:  # holds what is needed of all parts up to this number
                compacted[application] = max(number, compacted.get(application, 0))
            if part[3] or number not in rolled.setdefault(application, {}):
                rolled.setdefault(application, {})[number] = member
        elif part := _DATED.match(name):
            date = part[1] or _NEWEST
            dated.setdefault(seen[date], []).append((date, member))
            seen[date] += 1  # the same name again is of another application
        else:
            groups.append([member])
    for application, parts in rolled.items():
        numbers = sorted(number for number in parts if number >= compacted.get(application, 0))
        groups.append([parts[number] for number in numbers])
    for of_one in dated.values():
        groups.append([member for _, member in sorted(of_one, key=lambda one: one[0])])
    return groups
