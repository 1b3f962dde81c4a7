"""The chosen log: one of our samples, a history that the server's owner offers, or the visitor's files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Literal

from pages.shared.app.uploads import digest
from sim.fields import BadInput
from sim.traces import folder, samples
from sim.traces.source import Upload
from theory.shown import quoted

#: Prefix, in a link, of the names of histories that the server's owner offers.
OWNERS = "server/"


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
        "sample", "server" (a history of the owner of the server) or "own" (the visitor's: nobody else may see
        what is made of it).
    about : str
        What is known of it before it is read, in Markdown.
    size : int, optional
        Its bytes, where its files have none of them.
    path : str, optional
        Where it is, if it is a history of the owner of the server.
    """

    key: tuple[object, ...]
    files: Callable[[], Sequence[Upload]] = field(repr=False)
    kind: Literal["sample", "server", "own"] = "own"
    about: str = ""
    size: int | None = None
    path: str = ""

    def reader(self, parse: Callable[..., Any]) -> Callable[..., Any]:
        """Return what makes of its files, or of its path, what `parse` makes."""
        return partial(folder.read_offered, parse, self.path, self.key) if self.path else parse


def names() -> dict[str, str]:
    """Return the logs that are offered: the name of each in a link, and its title."""
    titles = {name: sample.title for name, sample in SAMPLES.items()}
    return titles | {f"{OWNERS}{name}": f"This server: {name}" for name in folder.offered()}


def offered(name: str) -> Log:
    """Return a log that is offered under this name; raises `BadInput` if there is none."""
    if sample := SAMPLES.get(name):
        about = f"**A sample.** {sample.truth}"
        return Log((name,), lambda: (sample.make(),), kind="sample", about=about)
    own = name.removeprefix(OWNERS)
    path = folder.offered().get(own) if name.startswith(OWNERS) else None
    state = folder.state(path) if path else ()
    if path is None or not state:
        raise BadInput(f"log: {quoted(name)} is not offered by this server any more; choose another one")
    size = sum(stored for _, stored, _ in state)
    return Log((name, *state), lambda: (Upload(own, b""),), "server", size=size, path=str(path))


def given(files: Sequence[Upload]) -> Log:
    """Return the files a visitor has given."""
    return Log(tuple((file.name, digest(file)) for file in files), lambda: files)
