"""The fleet: where its logs are, and the files they are in."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pages.logs.fleet.controls import FLEETS, SAMPLE, SERVED, offered
from pages.shared.app.uploads import digest, read_files
from sim.fields import BadInput
from sim.fleet.history_server import owners
from sim.fleet.places import Place, at_time, places_in_files, places_in_folder, places_served
from sim.traces import folder, samples
from sim.traces.source import Upload

#: Seconds for which the lists of a folder and of a History Server are taken to be as they were.
FRESH_S = 300


@dataclass(frozen=True)
class Fleet:
    """Many logs.

    Parameters
    ----------
    kind : str
        "sample", "server", "history", or "own".
    key : tuple
        What tells it from every other fleet.
    files : sequence of Upload
        In which its logs are; where they are elsewhere, one that names the fleet.
    places : tuple of Place
    """

    kind: str
    key: tuple[object, ...]
    files: Sequence[Upload] = field(repr=False)
    places: tuple[Place, ...]

    def size(self, places: Sequence[Place]) -> int | None:
        """Return the bytes of logs that are not in the files themselves; None where they are."""
        return None if self.kind in ("sample", "own") else max(sum(place.log.size for place in places), 1)

    def read(self, parse: Callable[..., Any], places: Sequence[Place]) -> Any:
        """Return what a function makes of some of its logs, in another process; raises `BadInput`."""
        return read_files(parse, self.files, size=self.size(places))


def given(files: Sequence[Upload]) -> Fleet:
    """Return the fleet in the files of a visitor."""
    key = tuple((file.name, digest(file)) for file in files)
    return Fleet("own", ("own", *key), files, read_files(places_in_files, files))


def named(fleet: str) -> Fleet:
    """Return a fleet that this server has; raises `BadInput` if it has none."""
    if fleet not in offered():
        raise BadInput(f"fleet: {FLEETS[fleet]} is not offered by this server; choose another fleet")
    if fleet == SAMPLE:
        logs = tuple(map(samples.fleet, samples.FLEET))
        return Fleet(SAMPLE, (SAMPLE,), logs, read_files(places_in_files, logs))
    when = int(time.time()) // FRESH_S
    title = (Upload(FLEETS[fleet], b""),)
    parse = partial(places_in_folder, os.environ.get(folder.VARIABLE, ""))
    if fleet == SERVED and (server := owners()) is not None:
        parse = partial(places_served, server)
    return Fleet(fleet, (fleet,), title, read_files(partial(at_time, parse, when), title, size=1))
