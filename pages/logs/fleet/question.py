"""The fleet: where its logs are, and the files they are in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from pages.logs.question import Log, log_at, places_of
from pages.shared.app.uploads import digest, key_of, read_files
from sim.advice.fleet.look import Look
from sim.advice.fleet.places import MOST_RETURNED, Place, look_at_places, places_in_files
from sim.logs.history import History
from sim.logs.source import Upload


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

    def log(self, place: Place) -> Log:
        """Return one of its logs."""
        return log_at(place, self.files, "" if self.kind == "own" else self.kind)

    def look(self, places: Sequence[Place]) -> list[Look]:
        """Look at some of its logs in another process; raises `BadInput`.

        What is read of a small fleet is there for the other tabs, and the other way round.
        """
        logs = [self.log(place) for place in places]
        known = {place: past for place, log in zip(places, logs, strict=True) if (past := log.read)}
        within = self.kind in ("sample", "own")
        small = within and sum(place.log.size for place in self.places) <= MOST_RETURNED
        size = None if within else max(sum(place.log.size for place in places), 1)
        asked = partial(look_at_places, places)
        parse = partial(look_at_places, places, known, returned=small)
        found: list[tuple[Look, History | None]] = read_files(
            parse, self.files, size=size, key=key_of(asked, self.files)
        )
        for log, (_, history) in zip(logs, found, strict=True):
            if history is not None and not log.read:
                log.keep(history)
        return [look for look, _ in found]


def given(files: Sequence[Upload]) -> Fleet:
    """Return the fleet in the files of a visitor."""
    key = tuple((file.name, digest(file)) for file in files)
    return Fleet("own", ("own", *key), files, read_files(places_in_files, files))


def named(fleet: str) -> Fleet:
    """Return a fleet that this server has; raises `BadInput` if it has none."""
    return Fleet(fleet, (fleet,), *places_of(fleet))
