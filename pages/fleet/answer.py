"""The looks at a fleet, batch by batch, and what comes first for those that lost most, as far as is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from pages.fleet.question import Fleet
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import LongWork
from pages.shared.app.uploads import CANCELLED
from sim.byte_cache import ByteCache
from sim.cached import once
from sim.fields import BadInput
from sim.fleet.advice import UNTOLD, Advised
from sim.fleet.look import Look
from sim.fleet.places import Place, advise_at, batches, look_at_places
from sim.processes.child import Limits
from sim.processes.jobs import Jobs

#: Limits of playing one log again; its process has a lower priority than others.
LIMITS = Limits(memory=2 * 2**30, seconds=600, patience=600, niceness=19)
#: Bytes of what comes first, of all sessions.
KEPT_BYTES = 4 * 2**20
_WHY = {
    "memory": "playing it again needed more memory than this server allows",
    "time": "playing it again took longer than this server allows",
    "result": "what was found is more than this server keeps",
    "stopped": "playing was ended; load the page again",
    "died": "the process that played has ended, probably for want of memory",
}


@dataclass(frozen=True)
class Seen:
    """What is known of a fleet.

    Parameters
    ----------
    fleet : Fleet
    looks : tuple of Look
        At its first logs, in their order.
    stopped : str
        Why the others are not looked at; empty if nothing is.
    """

    fleet: Fleet
    looks: tuple[Look, ...]
    stopped: str = ""

    def place(self, name: str) -> Place | None:
        """Return where a log of this name is."""
        return next((place for place in self.fleet.places if place.log.name == name), None)


@once
def _players() -> Jobs:
    """Return the process that plays, for all sessions."""
    return Jobs(1, LIMITS)


@once
def _kept() -> ByteCache:
    """Return what comes first for logs, for all sessions."""
    return ByteCache(KEPT_BYTES)


_WORK = LongWork(_players, "fleet", "log", _WHY)


def follow(fleet: Fleet, compute: int, status: Placeholders) -> Iterator[Seen]:
    """Yield what is known: first of all logs, then whenever what comes first is computed for another."""
    seen = _looked(fleet, status)
    yield seen
    lost = sorted(range(len(seen.looks)), key=lambda number: -(seen.looks[number].lost or 0.0))
    asked = [number for number in lost if (seen.looks[number].lost or 0.0) > 0][:compute]
    for done, number in enumerate(asked):
        found = _advised(fleet, number, done, len(asked), status)
        looks = list(seen.looks)
        looks[number] = replace(looks[number], advised=found)
        seen = replace(seen, looks=tuple(looks))
        yield seen


def _looked(fleet: Fleet, status: Placeholders) -> Seen:
    """Look at all logs; a visitor who cancels has those that are there."""
    looks: list[Look] = []
    total = len(fleet.places)
    for batch in batches(fleet.places):
        if len(batch) < total:
            status.progress("line", len(looks) / total, f"{len(looks):,} of {total:,} logs looked at …")
        try:
            looks += _batch(fleet, batch)
        except BadInput as error:
            return Seen(fleet, tuple(looks), str(error))
    status.caption("line", f":material/check: {total:,} logs looked at.", width="stretch")
    return Seen(fleet, tuple(looks))


def _batch(fleet: Fleet, batch: Sequence[Place]) -> Sequence[Look]:
    """Look at a batch; where its process ends, at each of its logs alone. Raises `BadInput` if cancelled."""
    try:
        found: Sequence[Look] = fleet.read(partial(look_at_places, tuple(batch)), batch)
        return found
    except BadInput as error:
        if st.session_state.get(CANCELLED) is not None:
            raise
        if len(batch) == 1:
            name, known = batch[0].log.name, batch[0].application
            return [Look(name, known.name if known else name, reason=str(error))]
    return [look for place in batch for look in _batch(fleet, [place])]


def _advised(fleet: Fleet, number: int, done: int, total: int, status: Placeholders) -> Advised:
    """Return what comes first for a log, as What-if has it."""
    place = fleet.places[number]
    key = (*fleet.key, place)

    def say(share: float, waits: str) -> None:
        status.progress("line", done / total, f"Playing log {done + 1} of {total} again … {waits}")

    found: Advised | None = _kept().get(key)
    if found is None:
        try:
            found = _WORK.done(key, say, advise_at, place, tuple(fleet.files))
        except BadInput as error:
            return Advised(UNTOLD, "cannot be told", str(error))
        _kept().keep(key, found)
    assert found is not None
    if done + 1 == total:
        status.caption(
            "line", f":material/check: What comes first is computed for {total:,}.", width="stretch"
        )
    return found
