"""Requests to the shared workers, followed until every answer is final.

A page hands its requests to `follow` and draws what that yields, as often as it is worth drawing::

    layout = Layout()
    for (snapshot,) in follow([request], status):
        layout.show(screen(snapshot))
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial

import streamlit as st

from pages.shared.app.turns import Placeholders, engines, pool, turns
from sim.running.live import RunRequest, Snapshot
from sim.telling.words import counted, percent

#: Seconds between two drawings while answers get better: one keeps the browser busy for a third of it.
PACE_S = 1.0
#: Seconds within which most answers come: nothing is said of the waiting before.
SOON_S = 0.3
#: Seconds to wait for news before it is looked whether the visitor is still there.
TICK_S = 0.1

#: Results of the first requests, in their order.
Snapshots = tuple[Snapshot, ...]
#: The share of the work that is done, and a sentence on how good the answers are.
Progress = Callable[[Snapshots], tuple[float, str]]
Follower = Generator[Snapshot | None, float | None, None]


def follow(
    requests: Sequence[RunRequest],
    status: Placeholders,
    progress: Progress | None = None,
    *,
    at_once: int | None = None,
    urgency: int = 0,
    meanwhile: Callable[[], None] = lambda: None,
) -> Iterator[Snapshots]:
    """Yield what is known: at once, then at most every `PACE_S` seconds, and when it is final.

    Parameters
    ----------
    requests : sequence of RunRequest
        The first is the answer of the page. Each is begun when those before it have an answer.
    status : Placeholders
        Where it is said how good the answers are.
    progress : callable, optional
        What is said there; of a single request, how many replications there are.
    at_once : int, optional
        How many requests are worked out at the same time beside the first; all unless given.
    urgency : int
        Of all requests but the first, as in `sim.running.live.Pool.follow`.
    meanwhile : callable
        Called when the answer does not come soon and nobody else wants to draw.

    Notes
    -----
    A look at the session is when Streamlit ends the run of a visitor who has moved on; the generator is
    closed then, and the pool knows that nobody waits any more.
    """
    progress = progress or partial(replications_done, requests[0])
    begun = drawn_at = time.monotonic()
    drawn: Snapshots = ()
    with closing(listen(requests, at_once, urgency)) as rounds:
        for known in rounds:
            st.session_state.get("any")
            final = is_final(known, len(requests))
            if not known:
                waited = time.monotonic() - begun
                if waited >= SOON_S:
                    seconds = f" {waited:.0f} s" if waited >= 1 else ""
                    part, compiling = _compiled(requests[0])
                    share = part if compiling else 0.0
                    status.progress("line", share, compiling or f"Simulating …{seconds}")
                    if not turns().wanted:
                        meanwhile()
                continue
            share, told = progress(known)
            if all(snapshot.beforehand for snapshot in known):
                part, compiling = _compiled(requests[0])
                if compiling and not final:
                    share, told = part, compiling
                told = f"Computed beforehand. {told}"
            _say(status, share, told, final)
            due = not drawn or final or time.monotonic() - drawn_at >= PACE_S
            if known is not drawn and due:
                yield known
                drawn, drawn_at = known, time.monotonic()


def _compiled(request: RunRequest) -> tuple[float, str]:
    """Return how far the engine of a request is, and that in words if it is not ready."""
    return engines().progress(request.experiment.engine.key, request.experiment.policies)


def listen(
    requests: Sequence[RunRequest], at_once: int | None = None, urgency: int = 0
) -> Generator[Snapshots, None, None]:
    """Yield what is known about every `TICK_S`, the same object while nothing is new, until all is final.

    Who draws has lent its turn to others while it waits here. Closing the generator gives all requests up.
    """
    known: Snapshots = ()
    active: dict[int, Follower] = {}
    begun = 0
    room = len(requests) if at_once is None else at_once
    try:
        while True:
            while begun == len(known) < len(requests) and len(active.keys() - {0}) < room:
                active[begun] = pool().follow(requests[begun], urgency=urgency if begun else 0)
                begun += 1
                known = _learned(known, _news(active, [begun - 1]))
            yield known
            if not active:
                return
            with turns().lent(answered=bool(known)):
                news = _news(active, list(active), TICK_S / len(active))
            if news:  # there may be a better answer by the time of the turn
                news |= _news(active, list(active), 0.0)
            known = _learned(known, news)
    finally:
        for follower in active.values():
            follower.close()


def _news(
    active: dict[int, Follower], places: Sequence[int], seconds: float | None = None
) -> dict[int, Snapshot]:
    """Wait so many seconds for news of each of these requests; those that are final are left."""
    news = {}
    for place in places:
        snapshot = active[place].send(seconds)
        if snapshot is not None:
            news[place] = snapshot
            if snapshot.final:
                active.pop(place).close()
    return news


def _learned(known: Snapshots, news: dict[int, Snapshot]) -> Snapshots:
    """Merge new snapshots; return `known` itself if there are none."""
    return tuple((dict(enumerate(known)) | news).values()) if news else known


def is_final(known: Snapshots, requests: int) -> bool:
    """Return whether all of so many requests are answered, and no answer will get better."""
    return len(known) == requests and all(snapshot.final for snapshot in known)


def _say(status: Placeholders, share: float, text: str, final: bool) -> None:
    if final:
        status.caption("line", f":material/check: {text}", width="stretch")
    else:
        status.progress("line", share, text)


def replications_done(request: RunRequest, known: Snapshots) -> tuple[float, str]:
    """Return how far the answer to a single request is."""
    (snapshot,) = known
    if snapshot.final:
        return 1.0, rests_on(snapshot)
    if snapshot.preview:
        return 0.0, "First answer from fewer jobs; the full run follows."
    wanted = request.effort.precision
    until = "" if wanted is None else f", until mean flowtimes are within ± {wanted:g} %"
    return snapshot.done / snapshot.most, f"Replication {snapshot.done} of at most {snapshot.most}{until}."


def rests_on(snapshot: Snapshot) -> str:
    """Say what the numbers rest on: replications, jobs, seed and interval."""
    comparison = snapshot.comparison
    result = next(iter(comparison.policies.values()))
    times = "recorded" if comparison.scenario.keeps_times else "recorded and stretched to the load"
    luck = (
        f" (the interval covers the luck of the copies only: the arrivals are {times})"
        if comparison.source
        else ""
    )
    warm_up = (
        f" (the first {percent(comparison.scenario.warm_up)} are warm-up)"
        if comparison.scenario.warm_up
        else ""
    )
    some = "" if result.counted == result.jobs else f"{result.counted:,} of "
    return (
        f"{counted(snapshot.done, 'replication')}, {some}{counted(result.jobs, 'job')} counted"
        f"{warm_up}, seed {comparison.scenario.seed}, 95 % intervals{luck}."
    )
