"""The two runs that are compared: a pair of samples, or files of the visitor; read in another process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from pages.logs.question import Log, given
from pages.shared.app.uploads import prepare, read_files
from sim.several.reading import Both, read_both
from sim.traces import samples
from sim.traces.source import Upload


@dataclass(frozen=True)
class Pair:
    """Two logs of our own making: their title, what is known of their truth, and how to get them."""

    title: str
    truth: str
    make: Callable[[], tuple[Upload, Upload]]


PAIRS = {
    "speculation": Pair(
        "Sample: Spark, speculation switched on",
        "26 jobs whose tasks sleep, on a real Spark 4.0 of 4 hosts with 3 slots each: first without "
        "speculation, then with it (multiplier 1.5, quantile 0.75). The first copy of each task draws the "
        "same in both runs, which no real cluster does: so its luck looks like work here.",
        lambda: (samples.spark(speculation=False), samples.spark(speculation=True)),
    ),
    "nightly": Pair(
        "Sample: the same Slurm arrays, run twice",
        "24 arrays of 40 tasks on 8 hosts, made from a seed. Tasks have work of their own, the same in both "
        f"runs, and task {samples.SLOW_TASK} of each array has {samples.SLOW_WORK:g} times as much; hosts "
        f"node03 and node06 take {samples.HOSTS['node03']:g} and {samples.HOSTS['node06']:g} times as long; "
        f"each copy draws a Pareto factor of index {samples.INDEX:g}. So 45 % of how unequal tasks are is "
        "luck, 14 % machine, and 41 % work; nothing was changed.",
        cache(lambda: (samples.nightly(1), samples.nightly(2))),
    ),
}


@dataclass(frozen=True)
class Request:
    """Two runs.

    Parameters
    ----------
    before, after : Log
    """

    before: Log
    after: Log = field(repr=False)

    @property
    def kind(self) -> str:
        """Whether they are samples, or the visitor's own."""
        return self.before.kind

    @property
    def key(self) -> tuple[object, ...]:
        """What tells them from every other pair."""
        return (*self.before.key, "then", *self.after.key)


def sample(name: str) -> Request:
    """Return a pair of samples."""
    pair = PAIRS[name]
    about = f"**A sample.** {pair.truth}"

    def one(place: int) -> Callable[[], Sequence[Upload]]:
        return lambda: (pair.make()[place],)

    logs = [Log((name, place), one(place), kind="sample", about=about) for place in range(2)]
    return Request(*logs)


def own(before: Sequence[Upload], after: Sequence[Upload]) -> Request:
    """Return the visitor's files."""
    return Request(given(before), given(after))


def read(asked: Request) -> Both:
    """Read both runs in a process of its own; raises `BadInput`."""
    before, after = asked.before.files(), asked.after.files()
    parse = partial(read_both, first=len(before))
    found = read_files(parse, [*before, *after])
    if asked.kind == "sample":
        prepare(parse, lambda: [*before, *after])  # the visitor's own logs may be next
    return found
