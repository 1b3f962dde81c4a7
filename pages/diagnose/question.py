"""Which log is diagnosed: a sample of our own, a history of the server's owner, or the visitor's files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from streamlit.runtime.uploaded_file_manager import UploadedFile

from sim.fields import BadInput
from sim.traces import folder, samples
from sim.traces.source import Upload

#: What the name of a history of the server's owner begins with, in a link.
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
        samples.slurm,
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
DEFAULT = "slurm"


@dataclass(frozen=True)
class Log:
    """A log to diagnose.

    Parameters
    ----------
    key : tuple
        What tells it from every other log.
    sources : callable
        Returns its files.
    own : bool
        Whether it is the visitor's, and nobody else may see what is made of it.
    about : str
        What is known of it before it is read, in Markdown.
    """

    key: tuple[object, ...]
    sources: Callable[[], Sequence[Upload | Path]] = field(repr=False)
    own: bool = False
    about: str = ""


def names() -> dict[str, str]:
    """Return the logs that are offered: the name of each in a link, and its title."""
    titles = {name: sample.title for name, sample in SAMPLES.items()}
    return titles | {f"{OWNERS}{name}": f"This server: {name}" for name in folder.offered()}


def offered(name: str) -> Log:
    """Return a log that is offered under this name; raises `BadInput` if there is none."""
    if sample := SAMPLES.get(name):
        return Log(("sample", name), lambda: (sample.make(),), about=f"**A sample.** {sample.truth}")
    path = folder.offered().get(name.removeprefix(OWNERS)) if name.startswith(OWNERS) else None
    if path is None:
        raise BadInput(f"log: {name!r} is not offered by this server any more; choose another one")
    state = path.stat()
    return Log(("server", str(path), state.st_size, state.st_mtime_ns), lambda: (path,))


def uploaded(files: Sequence[UploadedFile]) -> Log:
    """Return the files a visitor has given as a log of their own."""
    key = ("own", *(file.file_id for file in files))
    return Log(key, lambda: tuple(Upload(file.name, file.getvalue()) for file in files), own=True)
