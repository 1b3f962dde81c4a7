"""The logs that can be looked at: our samples, what the server's owner offers, and what a visitor drops.

Each is read once, in another process: what every tab makes of it is made of the same history.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, Literal

from pages.shared.app.uploads import digest, keep, kept, key_of, may_be_read, prepare, read_files
from pages.shared.live.playing import made_of
from sim.advice.fleet.history_server import VARIABLE as SERVER
from sim.advice.fleet.history_server import owners
from sim.advice.fleet.places import (
    Place,
    at_time,
    history_at,
    logs_in_files,
    places_in_files,
    places_in_folder,
    places_served,
)
from sim.advice.several.matching import are_runs_of_one
from sim.logs import samples, source
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.source import Upload
from sim.model.fields import BadInput
from theory.quoting import quoted


@dataclass(frozen=True)
class Sample:
    """A log of our own making: its title, what is known of its truth, and how to get it."""

    title: str
    truth: str
    make: Callable[[], Upload]


_SLEEPS = (
    "26 jobs whose tasks sleep, on a real Spark 4.0 of 4 hosts with 3 slots each. Each copy draws a Pareto "
    "factor of index 1.5, cut at 12"
)
SAMPLES = {
    "slurm": Sample(
        "Sample: Slurm arrays on unequal hosts",
        "30 arrays of 64 tasks on 8 hosts, made from a seed. Each task draws a Pareto factor of index "
        f"{samples.INDEX:g}; node03 takes {samples.HOSTS['node03']:g} and node06 "
        f"{samples.HOSTS['node06']:g} times as long as the others.",
        cache(samples.slurm),  # drawing it takes 25 ms
    ),
    "spark-copies": Sample(
        "Sample: Spark with speculation",
        f"{_SLEEPS}. Speculation is on (multiplier 1.5, quantile 0.75).",
        lambda: samples.spark(speculation=True),
    ),
    "spark": Sample(
        "Sample: Spark without speculation",
        f"{_SLEEPS}. Speculation is off; the draws are those of the other Spark sample.",
        lambda: samples.spark(speculation=False),
    ),
}
#: Fleets of logs; a link names one of their logs by the name of its fleet and its own.
SAMPLE, OWNERS, SERVED = "sample", "server", "history"
FLEETS = {
    SAMPLE: "Sample: four logs of our own",
    OWNERS: "This server: its folder of logs",
    SERVED: "This server: its History Server",
}
#: Seconds for which the lists of a folder and of a History Server are taken to be as they were.
FRESH_S = 300
#: Logs that are put in the order of time, for which each is read.
FEW = 8


@dataclass(frozen=True)
class Log:
    """A log to look at.

    Parameters
    ----------
    key : tuple
        What tells it from every other log.
    files : callable
        Returns its files.
    kind : str
        "sample", "server" (of the owner of the server) or "own" (the visitor's: nobody else may see what is
        made of it).
    about : str
        What is known of it before it is read, in Markdown.
    size : int, optional
        Its bytes, where its files have none of them.
    parse : callable
        Reads it, of its files.
    name : str
        What it is called among others.
    """

    key: tuple[object, ...]
    files: Callable[[], Sequence[Upload]] = field(repr=False)
    kind: Literal["sample", "server", "own"] = "own"
    about: str = ""
    size: int | None = None
    parse: Callable[..., History] = field(default=read_history, repr=False)
    name: str = ""

    @property
    def history(self) -> History:
        """What it recorded; raises `BadInput`."""
        return read_files(self.parse, self.files(), size=self.size)

    @property
    def read(self) -> History | None:
        """What it recorded, if it has been read."""
        found: History | None = kept(key_of(self.parse, self.files()))
        return found

    def keep(self, history: History) -> None:
        """Keep what it recorded, for all tabs."""
        keep(key_of(self.parse, self.files()), history)


def read(make: Callable[..., Any], *logs: Log) -> Any:
    """Return what a function makes of the histories of logs, in another process; raises `BadInput`.

    What was made of samples before the server started is there at once.
    """
    files = [file for log in logs for file in log.files()]
    key: Hashable = (pickle.dumps(make), *(log.key for log in logs))
    if all(log.kind == "sample" for log in logs):
        if kept(key) is None and (found := made_of(recorded_as(make, *logs), files)) is not None:
            keep(key, found)
        prepare(make, lambda: files)  # the visitor's own log may be next
    if (found := kept(key)) is not None:
        return found
    size = None if logs[0].size is None else sum(log.size or 0 for log in logs)
    return read_files(make, files, size=size, known=[log.history for log in logs], key=key)


def recorded_as(make: Callable[..., Any], *logs: Log) -> Hashable:
    """Return by what records know what a function makes of samples."""
    return "read", getattr(make, "__name__", ""), *(log.key for log in logs)


def names() -> dict[str, str]:
    """Return the logs that are offered one by one: the name of each in a link, and its title."""
    titles = {name: sample.title for name, sample in SAMPLES.items()}
    return titles | {f"{OWNERS}/{name}": f"This server: {name}" for name in source.offered()}


def fleets() -> list[str]:
    """Return the fleets that there are: the sample, and what the owner of this server names."""
    named = {OWNERS: source.VARIABLE, SERVED: SERVER}
    return [SAMPLE, *(fleet for fleet, variable in named.items() if os.environ.get(variable))]


def offered(name: str) -> Log:
    """Return a log that is offered under this name; raises `BadInput` if there is none."""
    if sample := SAMPLES.get(name):
        about = f"**A sample.** {sample.truth}"
        return Log((name,), lambda: (sample.make(),), kind="sample", about=about)
    fleet, _, own = name.partition("/")
    path = source.offered().get(own) if fleet == OWNERS else None
    if path is not None and (state := source.state(path)):
        size = sum(stored for _, stored, _ in state)
        parse = partial(source.read_offered, read_history, str(path), (name, *state))
        return Log((name, *state), lambda: (Upload(own, b""),), "server", "", size, parse, own)
    if path is None and fleet in fleets():
        with suppress(BadInput, StopIteration):  # it is there no longer
            files, places = places_of(fleet)
            return log_at(next(one for one in places if one.log.name == own), files, fleet)
    raise BadInput(f"log: {quoted(name)} is not offered by this server any more; choose another one")


def places_of(fleet: str) -> tuple[Sequence[Upload], tuple[Place, ...]]:
    """Return the files of a fleet that this server has, and its logs; raises `BadInput` if it has none."""
    if fleet not in fleets():
        raise BadInput(f"fleet: {FLEETS[fleet]} is not offered by this server; choose another fleet")
    if fleet == SAMPLE:
        logs = tuple(map(samples.fleet, samples.FLEET))
        return logs, read_files(places_in_files, logs)
    title = (Upload(FLEETS[fleet], b""),)
    parse = partial(places_in_folder, os.environ.get(source.VARIABLE, ""))
    if fleet == SERVED and (server := owners()) is not None:
        parse = partial(places_served, server)
    return title, read_files(partial(at_time, parse, int(time.time()) // FRESH_S), title, size=1)


def given(files: Sequence[Upload], name: str = "") -> Log:
    """Return files of a visitor that are one log."""
    return Log(tuple((file.name, digest(file)) for file in files), lambda: files, name=name)


def log_at(place: Place, files: Sequence[Upload], fleet: str = "") -> Log:
    """Return one of the logs in files, or in a fleet of the server."""
    name = place.log.name
    if place.kind == "upload":
        one = given([file for file in files if file.name in place.log.files], name)
        about = f"**A sample.** {name}: {samples.FLEET[name]}." if fleet == SAMPLE else ""
        return replace(one, key=(SAMPLE, name), kind="sample", about=about) if about else one
    if place.kind == "archive":
        archive, at = files[place.file], replace(place, file=0)
        key = *given([archive]).key, name
        called = f"{archive.name}: {name}" if len(files) > 1 else name
        return Log(key, lambda: (archive,), parse=partial(history_at, at), name=called)
    key = fleet, name, place.log.changed, place.application and place.application.id
    size = max(place.log.size, 1)
    return Log(key, lambda: (Upload(name, b""),), "server", "", size, partial(history_at, place), name)


def logs_of(files: Sequence[Upload]) -> list[Log]:
    """Return the logs among files that a visitor has dropped, in that order; raises `BadInput`."""
    if len(files) == 1 and files[0].data[:2] != b"PK":
        return [given(files)]
    places = read_files(logs_in_files, files)
    if len(places) < 2:
        return [given(files)]
    order = [file.name for file in files]

    def first(place: Place) -> int:
        return place.file if place.kind == "archive" else order.index(place.log.files[0])

    return [log_at(place, files) for place in sorted(places, key=first)]


def in_turn(logs: Sequence[Log]) -> list[Log]:
    """Return logs in the order in which they began; of many, and of those alike, in that of the drop."""
    return sorted(logs, key=_begin) if 1 < len(logs) <= FEW else [*logs]


def _begin(log: Log) -> float:
    try:
        return log.history.begin
    except BadInput as error:  # which is said where it is looked at
        if may_be_read(error):
            raise
        return 0.0


def before(log: Log, logs: Sequence[Log]) -> list[Log]:
    """Return the logs of the same application that began before a log; none where there are many."""
    earlier = logs[: logs.index(log)] if len(logs) <= FEW else []
    return [one for one in earlier if one.read and are_runs_of_one(one.read, log.history)]


def tabs_for(logs: Sequence[Log]) -> tuple[str, ...]:
    """Return the tabs that fit what has been dropped, the best first.

    A log is diagnosed, two runs of an application are compared, and others are a fleet.
    """
    if len(logs) < 2:
        return "diagnose", "whatif", "beforeafter"
    try:
        alike = len(logs) == 2 and are_runs_of_one(*(log.history for log in logs))
    except BadInput as error:  # the table of the fleet says which is read, and which is not
        if may_be_read(error):
            raise
        alike = False
    return ("beforeafter",) if alike else ("fleet",)
