"""The fleet: where its logs are, and the files they are in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from pages.logs.question import SAMPLE, Log, log_at, places_of
from pages.shared.app.turns import Placeholders
from pages.shared.app.uploads import digest, key_of, may_be_read, read_files
from pages.shared.live.playing import SharedPlayer
from sim.advice.fleet.first_look import Advised, Look, advised, untold
from sim.advice.fleet.places import MOST_RETURNED, Place, batches, look_at_places, places_in_files
from sim.advice.fleet.report import logs_of
from sim.advice.fleet.survey import most_lost
from sim.logs.history import History
from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.telling.words import counted


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


# The looks at a fleet, batch by batch, and remedies for those that lost most, as far as is known.


@dataclass(frozen=True)
class Step:
    """What is known of a fleet.

    Parameters
    ----------
    fleet : Fleet
    looks : tuple of Look
        At its first logs, in their order.
    stopped : str
        Why the others are not looked at; empty if nothing is.
    asked : int
        For how many of them the remedy is computed.
    """

    fleet: Fleet
    looks: tuple[Look, ...]
    stopped: str = ""
    asked: int = 0

    def place(self, name: str) -> Place | None:
        """Return where a log of this name is."""
        return next((place for place in self.fleet.places if place.log.name == name), None)


def follow(fleet: Fleet, compute: int, status: Placeholders) -> Iterator[Step]:
    """Yield what is known: first of all logs, then whenever the remedy is computed for another."""
    seen = _looked(fleet, status)
    asked = most_lost(seen.looks, compute)
    seen = replace(seen, asked=len(asked))
    yield seen
    for done, number in enumerate(asked):
        found = _advised(fleet, number, done, len(asked), status)
        looks = list(seen.looks)
        looks[number] = replace(looks[number], advised=found)
        seen = replace(seen, looks=tuple(looks))
        yield seen
    if asked:
        status.caption("line", f":material/check: Remedies are computed for {len(asked):,}.", width="stretch")


def _looked(fleet: Fleet, status: Placeholders) -> Step:
    """Look at all logs; a visitor who cancels has those that are there."""
    looks: list[Look] = []
    total = len(fleet.places)
    for batch in batches(fleet.places):
        if len(batch) < total:
            status.progress("line", len(looks) / total, f"{len(looks):,} of {total:,} logs looked at …")
        try:
            looks += _batch(fleet, batch)
        except BadInput as error:
            return Step(fleet, tuple(looks), str(error))
    status.caption(
        "line", f":material/check: {counted(len(logs_of(looks)), 'log')} looked at.", width="stretch"
    )
    return Step(fleet, tuple(looks))


def _batch(fleet: Fleet, batch: Sequence[Place]) -> Sequence[Look]:
    """Look at a batch; where its process ends, at each of its logs alone.

    Raises
    ------
    BadInput
        If the visitor has cancelled, or the server is busy.
    """
    try:
        return fleet.look(batch)
    except BadInput as error:
        if may_be_read(error):
            raise
        if len(batch) == 1:
            name, known = batch[0].log.name, batch[0].application
            return [Look(name, known.name if known else name, reason=str(error))]
    return [look for place in batch for look in _batch(fleet, [place])]


def _advised(fleet: Fleet, number: int, done: int, total: int, status: Placeholders) -> Advised:
    """Return the remedy for a log, as What-if has it."""
    place = fleet.places[number]
    player = SharedPlayer(
        (*fleet.key, place),
        status,
        field="log",
        prefix=f"Log {done + 1} of {total}: ",
        sample=fleet.files if fleet.kind == SAMPLE else (),
    )

    def advise() -> Advised:
        return advised(fleet.log(place).history, player)

    try:
        return player.made("advised", advise)
    except BadInput as error:
        return untold(error)
